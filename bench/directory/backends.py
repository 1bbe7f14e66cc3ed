# SPDX-License-Identifier: MIT
"""File systems below what is measured: ext4 in an image behind a loop device, and tmpfs."""
import contextlib
import pathlib

from .process import Failure, run

IMAGE_BYTES = 8 << 30


@contextlib.contextmanager
def unmounted_in_the_end(path):
    """What is mounted on a folder goes, also when it is busy."""
    try:
        yield
    finally:
        # a stat does not tell whether a server that is gone still has its mount there
        if f' {path} ' in pathlib.Path('/proc/self/mounts').read_text():
            try:
                run('umount', path)
            except Failure:
                run('umount', '-l', path)


@contextlib.contextmanager
def ext4(folder):
    """A new ext4 in a file of the folder. The loop device goes when its mount does."""
    image, path = folder / 'ext4.image', folder / 'ext4'
    path.mkdir()
    with open(image, 'wb') as file:
        file.truncate(IMAGE_BYTES)
    run('mkfs.ext4', '-q', '-F', '-E', 'lazy_itable_init=0,lazy_journal_init=0', image)
    # O_DIRECT below, or all would be cached twice
    device = run('losetup', '--find', '--show', '--direct-io=on', image).strip()
    with unmounted_in_the_end(path):
        try:
            run('mount', '-t', 'ext4', device, path)
        finally:
            run('losetup', '--detach', device)
        yield path


@contextlib.contextmanager
def tmpfs(folder):
    """A new tmpfs."""
    path = folder / 'tmpfs'
    path.mkdir()
    with unmounted_in_the_end(path):
        run('mount', '-t', 'tmpfs', '-o', 'mode=755', 'tmpfs', path)
        yield path


BACK_ENDS = {'ext4': ext4, 'tmpfs': tmpfs}


class BackEnd:
    """A file system, the folder of it that is served, and where it is mounted by servers."""

    def __init__(self, name, path, folder):
        self.name = name
        self.shared = pathlib.Path(path) / 'shared'
        self.shared.mkdir()
        self.mountpoint = folder / f'{name}.mount'
        self.mountpoint.mkdir()

    def settle(self):
        """Nothing that one contestant wrote is written back in the next one's time."""
        run('sync', '-f', self.shared)


@contextlib.contextmanager
def back_ends(names, folder):
    """The back ends named, in their order."""
    with contextlib.ExitStack() as stack:
        yield [BackEnd(name, stack.enter_context(BACK_ENDS[name](folder)), folder)
               for name in names]
