# SPDX-License-Identifier: MIT
"""Runs the jobs, interleaved: in each round every contestant once, in an order that rotates.

What disturbs the machine for a while so disturbs everybody, and nobody is always the first.
"""
import sys

from . import contestants
from .process import Failure
from .trial import Trial


def probe(candidates, back_end):
    """The contestants whose mount works here, and why the others' does not."""
    present, absent = [], {}
    for contestant in candidates:
        reason = contestants.why_absent(contestant, back_end)
        if reason:
            absent[contestant.name] = reason
        else:
            present.append(contestant)
    return present, absent


def rotated(entries, by):
    """The same entries, another one first."""
    by %= max(len(entries), 1)
    return entries[by:] + entries[:by]


def prepare(jobs, back_ends, sizes):
    """Makes the jobs' content, once."""
    for back_end in back_ends:
        for job in jobs:
            if takes_place(job, back_end, back_ends, 0):
                job.prepare(back_end, sizes)
        back_end.settle()


def takes_place(job, back_end, back_ends, number):
    """A job that is asked once is asked on the last back end."""
    return not job.is_once or (number == 0 and back_end is back_ends[-1])


def samples_of(job, trial):
    """The job's samples as records; a failure is the sample of the figures that are missing."""
    missing = [figure.key for figure in job.figures]
    try:
        for key, sample in job.measure(trial):
            missing.remove(key)
            yield {'figure': key, 'rate': sample.rate, 'server_us': sample.server_us}
    except Failure as failure:
        for key in missing:
            yield {'figure': key, 'error': str(failure)}


def rounds(count, jobs, back_ends, candidates, sizes, tools):
    """Yields a record for each sample."""
    for number in range(count):
        for back_end in back_ends:
            for job in jobs:
                if not takes_place(job, back_end, back_ends, number):
                    continue
                print(f'round {number + 1} of {count}: {back_end.name} {job.name}', file=sys.stderr,
                      flush=True)
                entrants = [entry for entry in candidates if job.kind in entry.kinds]
                for entry in rotated(entrants, number):
                    for record in samples_of(job, Trial(entry, back_end, sizes, tools)):
                        yield {'round': number, 'back_end': back_end.name,
                               'contestant': entry.name, **record}
                    back_end.settle()
