# SPDX-License-Identifier: MIT
"""Reads and writes, by fio."""
import json

from . import content
from .process import Failure, run
from .trial import Meter

RANDOM, SEQUENTIAL, CLIENTS = 'random.data', 'sequential.data', ('client-0.data', 'client-1.data')
# The file; then fio's arguments. The first is the job of the virtio-fs patch.
FIO = {
    'direct-write': (RANDOM, '--ioengine=libaio', '--direct=1', '--bs=4k', '--iodepth=64',
                     '--rw=randwrite'),
    'buffered-write': (RANDOM, '--ioengine=psync', '--bs=4k', '--rw=randwrite'),
    'direct-read': (RANDOM, '--ioengine=libaio', '--direct=1', '--bs=4k', '--iodepth=64',
                    '--rw=randread'),
    'sequential-write': (SEQUENTIAL, '--ioengine=psync', '--bs=1M', '--rw=write'),
    'sequential-read': (SEQUENTIAL, '--ioengine=psync', '--bs=1M', '--rw=read'),
}


def ensure_file(path, mebibytes):
    """Makes a file natively unless it is there."""
    if not path.exists():
        content.make_file(path, mebibytes)


def prepare(back_end, sizes):
    """The files, the same ones for all contestants: where pages lie makes a difference."""
    ensure_file(back_end.shared / RANDOM, sizes.random_mib)
    ensure_file(back_end.shared / SEQUENTIAL, sizes.sequential_mib)


def prepare_clients(back_end, sizes):
    """A file for each client."""
    for name in CLIENTS:
        ensure_file(back_end.shared / name, sizes.random_mib)


def fio(arguments, timeout):
    """Runs fio; operations and microseconds that they took, the same for all its jobs."""
    out = run('fio', '--name=bench', '--output-format=json', '--thread', '--overwrite=1',
              '--invalidate=0', '--randrepeat=1', '--norandommap', '--group_reporting',
              *arguments, timeout=timeout)
    # warnings may stand before it
    job = json.loads(out[out.index('{'):])['jobs'][0]
    if job['error']:
        raise Failure(f'fio: error {job["error"]}')
    side = job['write'] if job['write']['total_ios'] else job['read']
    if not side['total_ios'] or not side['runtime']:
        raise Failure('fio: nothing was done')
    return side['total_ios'], side['iops']


def measure_with(name):
    """The measuring function of a fio job."""
    file, *arguments = FIO[name]

    def measure(trial):
        sizes = trial.sizes
        if file == RANDOM:
            limits = [f'--size={sizes.random_mib}M', '--time_based',
                      f'--runtime={round(sizes.seconds * 1000)}ms']
        else:
            limits = [f'--size={sizes.sequential_mib}M']
            warm(trial.native / file)
        with trial.place() as place, Meter(place) as meter:
            count, rate = fio([f'--filename={place.path / file}', *arguments, *limits],
                              sizes.timeout)
        yield name, meter.sample(count, rate)
    return measure


def warm(path):
    """What is read comes from the host's memory for everybody."""
    with open(path, 'rb', buffering=0) as file:
        while file.read(1 << 20):
            pass


def measure_clients(trial):
    """One client, then two, each on a processor and a file of its own."""
    arguments = ['--ioengine=psync', '--bs=4k', '--rw=randwrite', f'--size={trial.sizes.random_mib}M',
                 '--time_based', f'--runtime={round(trial.sizes.seconds * 1000)}ms',
                 '--cpus_allowed=0,1', '--cpus_allowed_policy=split',
                 '--filename_format=client-$jobnum.data']
    for key, clients in (('one-client', 1), ('two-clients', 2)):
        with trial.place() as place, Meter(place) as meter:
            count, rate = fio([*arguments, f'--directory={place.path}', f'--numjobs={clients}'],
                              trial.sizes.timeout)
        yield key, meter.sample(count, rate)
