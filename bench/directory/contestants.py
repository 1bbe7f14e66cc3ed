# SPDX-License-Identifier: MIT
"""What is compared: the native directory, tacit in its modes, the peers; and how each is mounted."""
import contextlib
import dataclasses
import os
import pathlib
import subprocess
import time

from .backends import unmounted_in_the_end
from .process import Failure, cpu_seconds, kill_session, run, server_message, start_server

MOUNT_SECONDS = 10
URING_SWITCH = pathlib.Path('/sys/module/fuse/parameters/enable_uring')
# The kinds of jobs that a mode can make a difference to.
ALL = frozenset({'read', 'write', 'names', 'clients'})
WRITE = frozenset({'write'})


@dataclasses.dataclass(frozen=True)
class Contestant:
    """A name, whose it is (native, tacit, peer), the jobs it takes part in, and its command."""
    name: str
    family: str
    kinds: frozenset
    # words, of which SOURCE and MOUNTPOINT are replaced; none for the native directory
    command: tuple = ()
    needs_uring: bool = False

    def words(self, source, mountpoint):
        """The command for two folders."""
        return [str(word).replace('SOURCE', str(source)).replace('MOUNTPOINT', str(mountpoint))
                for word in self.command]


def tacit_modes(program):
    """tacit, by the options of its mount."""
    modes = {
        '': ALL,
        'nopassthrough': ALL,
        'nokillpriv': WRITE,
        'nopassthrough,nokillpriv': WRITE,
        'writeback': frozenset({'write', 'names'}),
        'cache=always': frozenset({'read', 'names'}),
        'io=uring,nopassthrough': ALL,
    }
    for options, kinds in modes.items():
        words = (program, 'mount', '-f', *(['-o', options] if options else []), 'SOURCE', 'MOUNTPOINT')
        yield Contestant(f'tacit {options}'.strip(), 'tacit', kinds, words, 'io=uring' in options)


def peer_contestants(peers):
    """The peers that could be had."""
    programs, versions = peers.programs, peers.versions
    ll = ('-f', '-o', 'source=SOURCE', 'MOUNTPOINT')
    if 'll' in programs:
        yield Contestant(f'passthrough_ll {versions["ll"]}', 'peer', ALL, (programs['ll'], *ll))
    if 'newer-ll' in programs:
        name = f'passthrough_ll {versions["newer-ll"]}'
        yield Contestant(name, 'peer', ALL, (programs['newer-ll'], *ll))
        yield Contestant(f'{name} io_uring', 'peer', ALL,
                         (programs['newer-ll'], '-o', 'io_uring', *ll), True)
    if 'newer-hp' in programs:
        name = f'passthrough_hp {versions["newer-hp"]}'
        hp = (programs['newer-hp'], '--foreground')
        yield Contestant(name, 'peer', ALL, (*hp, 'SOURCE', 'MOUNTPOINT'))
        yield Contestant(f'{name} nopassthrough', 'peer', frozenset({'read', 'write', 'clients'}),
                         (*hp, '--nopassthrough', 'SOURCE', 'MOUNTPOINT'))
    if 'bindfs' in programs:
        yield Contestant(f'bindfs {versions["bindfs"]}', 'peer', ALL - {'clients'},
                         (programs['bindfs'], '-f', '--forward-odirect=4096', 'SOURCE', 'MOUNTPOINT'))


def contestants(program, peers):
    """All, the native directory first."""
    return [Contestant('native', 'native', ALL), *tacit_modes(program), *peer_contestants(peers)]


class Place:
    """Where a contestant shows a back end's folder, and its server's clock."""

    def __init__(self, path, server=None):
        self.path = pathlib.Path(path)
        self.server = server

    def cpu(self):
        """Processor seconds of the server until now; None where there is none."""
        if not self.server:
            return None
        if self.server.poll() is not None:
            raise Failure(f'the server ended with {self.server.returncode}')
        return cpu_seconds(self.server.pid)


@contextlib.contextmanager
def uring_allowed(is_wanted):
    """FUSE over io_uring is agreed in INIT, so the switch of the kernel is on only that long."""
    before = URING_SWITCH.read_text().strip() if is_wanted and URING_SWITCH.exists() else 'Y'
    if before == 'Y':
        yield
        return
    URING_SWITCH.write_text('Y')
    try:
        yield
    finally:
        URING_SWITCH.write_text(before)


def wait_until_mounted(server, mountpoint):
    """Until the file system answers."""
    end = time.monotonic() + MOUNT_SECONDS
    while not os.path.ismount(mountpoint):
        if server.poll() is not None:
            raise Failure(f'not mounted: {server_message(server)}')
        if time.monotonic() > end:
            raise Failure(f'not mounted after {MOUNT_SECONDS} s')
        time.sleep(0.002)


def stop(server):
    """A server whose mount is gone ends by itself."""
    try:
        server.wait(MOUNT_SECONDS)
    except subprocess.TimeoutExpired:
        kill_session(server)
        server.wait()
    server.messages.close()


@contextlib.contextmanager
def place(contestant, back_end, limit=None):
    """A fresh mount, so that the kernel's caches of it are empty; `limit` is its RLIMIT_NOFILE."""
    if not contestant.command:
        yield Place(back_end.shared)
        return
    with contextlib.ExitStack() as stack:
        with uring_allowed(contestant.needs_uring):
            server = start_server(contestant.words(back_end.shared, back_end.mountpoint), limit)
            stack.callback(stop, server)
            stack.enter_context(unmounted_in_the_end(back_end.mountpoint))
            wait_until_mounted(server, back_end.mountpoint)
            # the mount is there before INIT is: this waits for INIT's answer
            run('stat', back_end.mountpoint, timeout=MOUNT_SECONDS)
        yield Place(back_end.mountpoint, server)


def why_absent(contestant, back_end):
    """Tries a mount: why there is none, or None."""
    try:
        with place(contestant, back_end):
            return None
    except Failure as failure:
        return str(failure)
