# SPDX-License-Identifier: MIT
"""Programs that people use: tar, git, SQLite."""
import contextlib
import os
import shutil
import sys
import time

from . import content
from .process import Failure, run
from .trial import Meter

SOURCE, ARCHIVE, REPOSITORY = 'source', 'source.tar', 'repository'
UNPACKED, CLONE, DATABASE = 'unpacked', 'clone', 'database'
LARGEST_SOURCE = 16 << 10
INSERTS = '''
import sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("CREATE TABLE IF NOT EXISTS facts (id INTEGER PRIMARY KEY, text TEXT)")
for number in range(int(sys.argv[2])):
    database.execute("INSERT INTO facts (text) VALUES (?)", ("a fact " * 10,))
database.close()
'''
GIT_ENVIRONMENT = {**os.environ, 'GIT_CONFIG_GLOBAL': '/dev/null', 'GIT_CONFIG_SYSTEM': '/dev/null',
                   'GIT_AUTHOR_NAME': 'bench', 'GIT_AUTHOR_EMAIL': 'bench@localhost',
                   'GIT_COMMITTER_NAME': 'bench', 'GIT_COMMITTER_EMAIL': 'bench@localhost'}


@contextlib.contextmanager
def cleared(path):
    """Natively away, before and after."""
    shutil.rmtree(path, ignore_errors=True)
    try:
        yield path.name
    finally:
        shutil.rmtree(path, ignore_errors=True)


def timed(trial, place, count, *command, **options):
    """Runs a program in a mount; the sample of `count` things done, and what it printed."""
    with Meter(place) as meter:
        start = time.monotonic()
        out = run(*command, timeout=trial.sizes.timeout, **options)
        seconds = time.monotonic() - start
    return meter.sample(count, count / seconds), out


def prepare_tar(back_end, sizes):
    """A tree as an archive, beside what is served."""
    archive = back_end.shared / ARCHIVE
    source = back_end.shared / SOURCE
    if not source.exists():
        content.make_tree(source, sizes.source_files, LARGEST_SOURCE)
    content.make_archive(archive, source)


def measure_tar(trial):
    """Unpacks it, read natively."""
    with cleared(trial.native / UNPACKED) as name, trial.place() as place:
        (place.path / name).mkdir()
        sample, _ = timed(trial, place, trial.sizes.source_files, 'tar', '-x', '-f',
                          trial.native / ARCHIVE, '-C', place.path / name)
        yield 'tar', sample


def git(*words, **options):
    """A git command."""
    return run('git', *words, env=GIT_ENVIRONMENT, **options)


def prepare_git(back_end, sizes):
    """A repository with one commit."""
    repository = back_end.shared / REPOSITORY
    content.make_tree(repository, sizes.source_files, LARGEST_SOURCE)
    git('init', '-q', repository)
    git('-C', repository, 'add', '.')
    git('-C', repository, 'commit', '-q', '-m', 'all')


def measure_git(trial):
    """Clones it (its objects copied, read natively) into a mount; on a fresh one looks what changed."""
    count = trial.sizes.source_files
    with cleared(trial.native / CLONE) as name:
        with trial.place() as place:
            sample, _ = timed(trial, place, count, 'git', 'clone', '-q', '--no-hardlinks',
                              trial.native / REPOSITORY, place.path / name, env=GIT_ENVIRONMENT)
            yield 'clone', sample
        with trial.place() as place:
            sample, changed = timed(trial, place, count, 'git', '-C', place.path / name, 'status',
                                    '--porcelain', env=GIT_ENVIRONMENT)
        if changed:
            raise Failure(f'git: the clone differs: {changed.splitlines()[0]}')
        yield 'status', sample


def prepare_sqlite(_back_end, _sizes):
    """Nothing is needed."""


def measure_sqlite(trial):
    """Each insert is a transaction, with the journal and the barriers that SQLite makes by itself."""
    count = trial.sizes.transactions
    with cleared(trial.native / DATABASE) as name, trial.place() as place:
        (place.path / name).mkdir()
        sample, _ = timed(trial, place, count, sys.executable, '-c', INSERTS,
                          place.path / name / 'facts.db', count)
        yield 'sqlite', sample
