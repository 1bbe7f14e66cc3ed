# SPDX-License-Identifier: MIT
"""`bench/run dir`: its arguments, and a run from the beginning to the files that it leaves."""
import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import shutil
import sys
import tempfile
import time

from . import backends, chart, contestants, jobs, machine, peers, process, rounds, table
from .results import Results
from .sizes import QUICK, Sizes

ROUNDS = 5
# what a quick run compares unless it is told
QUICK_MODES = ('=native', '=tacit', 'nopassthrough', 'passthrough_ll 3.14', 'bindfs')


def parser():
    """The arguments."""
    result = argparse.ArgumentParser(
        prog='bench/run dir', description='Measures tacit on directories beside the native file '
        'system and other servers, interleaved.')
    result.add_argument('--quick', action='store_true',
                        help='one round, small sizes: does it work?')
    result.add_argument('--rounds', type=int, help=f'rounds ({ROUNDS})')
    result.add_argument('--scale', type=float, default=1.0,
                        help='a factor for the numbers of files and the time of random jobs (1)')
    result.add_argument('--jobs', nargs='+', metavar='JOB', default=[job.name for job in jobs.JOBS],
                        choices=[job.name for job in jobs.JOBS],
                        help=f'only these of {", ".join(job.name for job in jobs.JOBS)}')
    result.add_argument('--modes', nargs='+', metavar='TEXT', help='only contestants whose name has '
                        'one of these texts; =NAME is a whole name')
    result.add_argument('--back-ends', nargs='+', metavar='NAME', choices=backends.BACK_ENDS,
                        default=list(backends.BACK_ENDS),
                        help=f'only these of {", ".join(backends.BACK_ENDS)}')
    result.add_argument('--output', type=pathlib.Path,
                        help='where the results go: FILE.json and FILE.svg (build/bench/dir)')
    return result


def checked(arguments):
    """With what follows from them."""
    if os.geteuid() != 0:
        sys.exit('bench: needs root, to mount')
    arguments.rounds = arguments.rounds or (1 if arguments.quick else ROUNDS)
    arguments.sizes = QUICK if arguments.quick else Sizes().scaled(arguments.scale)
    return arguments


def is_chosen(contestant, modes):
    """Whether a contestant takes part."""
    if not modes:
        return True
    return any(contestant.name == mode[1:] if mode.startswith('=') else mode in contestant.name
               for mode in modes)


def candidates(arguments, program, folder):
    """Who shall take part; the peers are built only if they may."""
    modes = arguments.modes or (QUICK_MODES if arguments.quick else None)
    others = peers.Peers(folder / 'peers')
    if not modes or not all(mode.lstrip('=').startswith(('native', 'tacit')) for mode in modes):
        others.get()
    return [entry for entry in contestants.contestants(program, others)
            if is_chosen(entry, modes)], others


def document(arguments, found, others, absent, results, figures):
    """All that is known, for JSON."""
    return {'machine': found['machine'], 'versions': {**found['versions'], **others.versions},
            'rounds': arguments.rounds, 'sizes': dataclasses.asdict(arguments.sizes),
            'seconds': round(time.monotonic() - found['start']),
            'absent': {**others.absent, **absent},
            'summary': results.summary(arguments.back_ends, figures), 'samples': results.records}


def measure(arguments, program, tools, folder, work):
    """A run; everything that it mounts is in `work`, and gone when it returns."""
    found = {'machine': machine.facts(), 'versions': machine.versions(program),
             'start': time.monotonic()}
    wanted = [job for job in jobs.JOBS if job.name in arguments.jobs]
    figures = [figure for job in wanted for figure in job.figures]
    caption = machine.caption(found['machine'])
    print(caption)
    entrants, others = candidates(arguments, program, folder)
    with backends.back_ends(arguments.back_ends, work) as back_ends:
        entrants, absent = rounds.probe(entrants, back_ends[-1])
        results = Results(entrants)
        rounds.prepare(wanted, back_ends, arguments.sizes)
        for record in rounds.rounds(arguments.rounds, wanted, back_ends, entrants,
                                    arguments.sizes, tools):
            results.add(record)
    found_all = document(arguments, found, others, absent, results, figures)
    print('\n'.join([*table.table(results, arguments.back_ends, figures),
                     *table.notes(found_all['absent'])]))
    output = arguments.output or folder / 'dir'
    output.parent.mkdir(parents=True, exist_ok=True)
    output.with_suffix('.json').write_text(json.dumps(found_all, indent=1) + '\n')
    output.with_suffix('.svg').write_text(
        chart.chart(results, arguments.back_ends, figures, caption))
    print(f'\n{output.with_suffix(".json")} and .svg, after {found_all["seconds"]} s')


@contextlib.contextmanager
def work_folder(folder):
    """A folder for the images and mounts."""
    path = pathlib.Path(tempfile.mkdtemp(prefix='dir-', dir=folder))
    try:
        yield path
    finally:
        shutil.rmtree(path, ignore_errors=True)


def main(words, program, tools, folder):
    """Runs `bench/run dir WORDS`: a program of tacit, the bench's own programs, where results go."""
    arguments = checked(parser().parse_args(words))
    folder.mkdir(parents=True, exist_ok=True)
    process.enter_private_mounts()
    process.end_orderly_on_signals()
    try:
        with work_folder(folder) as work:
            measure(arguments, program, tools, folder, work)
    except KeyboardInterrupt:
        sys.exit('bench: interrupted')
    except process.Failure as failure:
        sys.exit(f'bench: {failure}')
