# SPDX-License-Identifier: MIT
"""The jobs: their figures, who takes part, what they work on. The work is in jobs_*.py."""
import dataclasses
from typing import Callable

from . import jobs_data, jobs_names, jobs_programs


@dataclasses.dataclass(frozen=True)
class Figure:
    """One rate that a job measures."""
    key: str
    title: str
    unit: str = 'ops/s'


@dataclasses.dataclass(frozen=True)
class Job:
    """A piece of work that yields a sample for each of its figures.

    `prepare(back_end, sizes)` makes content natively, once; `measure(trial)` yields (key, Sample).
    """
    name: str
    kind: str
    figures: tuple
    prepare: Callable
    measure: Callable
    # in the first round alone, and on one back end: a question whose answer is not a time
    is_once: bool = False


def fio_job(name, kind, title, unit='ops/s'):
    """A job of one fio run."""
    return Job(name, kind, (Figure(name, title, unit),), jobs_data.prepare, jobs_data.measure_with(name))


JOBS = (
    fio_job('direct-write', 'write', '4 KiB random write, O_DIRECT, libaio, depth 64'),
    fio_job('buffered-write', 'write', '4 KiB random write, buffered, psync'),
    fio_job('direct-read', 'read', '4 KiB random read, O_DIRECT, libaio, depth 64'),
    fio_job('sequential-write', 'write', '1 MiB writes in order, buffered', 'MiB/s'),
    fio_job('sequential-read', 'read', '1 MiB reads in order, buffered, cold mount', 'MiB/s'),
    Job('clients', 'clients',
        (Figure('one-client', 'one client, 4 KiB random write, buffered'),
         Figure('two-clients', 'two clients on two processors, a file each')),
        jobs_data.prepare_clients, jobs_data.measure_clients),
    Job('files', 'names',
        (Figure('create', 'create, files of one folder'), Figure('stat', 'stat, cold'),
         Figure('unlink', 'unlink, cold')),
        jobs_names.prepare_files, jobs_names.measure_files),
    Job('walk', 'names', (Figure('walk', 'walk of a source tree, lstat of each', 'entries/s'),),
        jobs_names.prepare_walk, jobs_names.measure_walk),
    Job('list', 'names', (Figure('list', 'a folder listed with attributes', 'entries/s'),),
        jobs_names.prepare_list, jobs_names.measure_list),
    Job('complete', 'names',
        (Figure('complete', 'the same under RLIMIT_NOFILE 1024: all entries there', 'entries/s'),),
        jobs_names.prepare_complete, jobs_names.measure_complete, True),
    Job('tar', 'names', (Figure('tar', 'tar x', 'files/s'),),
        jobs_programs.prepare_tar, jobs_programs.measure_tar),
    Job('git', 'names', (Figure('clone', 'git clone, local', 'files/s'),
                         Figure('status', 'git status, cold', 'files/s')),
        jobs_programs.prepare_git, jobs_programs.measure_git),
    Job('sqlite', 'names', (Figure('sqlite', 'SQLite, inserts each synced', 'inserts/s'),),
        jobs_programs.prepare_sqlite, jobs_programs.measure_sqlite),
)
