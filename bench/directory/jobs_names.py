# SPDX-License-Identifier: MIT
"""Calls on names, by bench/directory_calls.c."""
import shutil

from . import content
from .process import Failure, run
from .trial import Meter

FILES, TREE, ENTRIES, COMPLETE = 'files', 'tree', 'entries', 'complete'
SMALL_LIMIT = 1024


def calls(trial, verb, path, count=None):
    """Runs a verb; the number of entries, and how many a second."""
    words = [trial.tools / 'directory-calls', verb, path, *([count] if count else [])]
    done, seconds = run(*words, timeout=trial.sizes.timeout).split()
    return int(done), int(done) / max(float(seconds), 1e-6)


def prepare_files(back_end, _sizes):
    """An empty folder."""
    (back_end.shared / FILES).mkdir(exist_ok=True)


def measure_files(trial):
    """Makes files, and on fresh mounts looks at them and removes them."""
    folder = trial.native / FILES
    shutil.rmtree(folder)
    folder.mkdir()
    for verb in ('create', 'stat', 'unlink'):
        with trial.place() as place, Meter(place) as meter:
            count, rate = calls(trial, verb, place.path / FILES, trial.sizes.files)
        yield verb, meter.sample(count, rate)


def prepare_walk(back_end, sizes):
    """A tree of small files."""
    content.make_tree(back_end.shared / TREE, sizes.tree_files, 0)


def measure_walk(trial):
    """Walks the tree on a fresh mount."""
    with trial.place() as place, Meter(place) as meter:
        count, rate = calls(trial, 'walk', place.path / TREE)
    if count < trial.sizes.tree_files:
        raise Failure(f'{count} of {trial.sizes.tree_files} files')
    yield 'walk', meter.sample(count, rate)


def measure_listing(trial, key, folder, expected, limit=None):
    """Lists a folder on a fresh mount; one that is not whole is a failure."""
    with trial.place(limit) as place, Meter(place) as meter:
        count, rate = calls(trial, 'list', place.path / folder)
    if count != expected:
        raise Failure(f'{count} of {expected} entries, and no error')
    yield key, meter.sample(count, rate)


def prepare_list(back_end, sizes):
    """A folder of many files."""
    content.make_entries(back_end.shared / ENTRIES, sizes.entries)


def measure_list(trial):
    """With the descriptors that a process may have here."""
    return measure_listing(trial, 'list', ENTRIES, trial.sizes.entries)


def prepare_complete(back_end, sizes):
    """The folder, whatever the scale."""
    content.make_entries(back_end.shared / COMPLETE, sizes.complete_entries)


def measure_complete(trial):
    """With few descriptors."""
    return measure_listing(trial, 'complete', COMPLETE, trial.sizes.complete_entries, SMALL_LIMIT)
