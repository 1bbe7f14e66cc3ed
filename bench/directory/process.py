# SPDX-License-Identifier: MIT
"""Processes of the bench: none of them, and no mount of theirs, outlives it.

The bench lives in a mount namespace of its own, so its mounts are seen by nobody else and vanish with the
last process in it; its servers are told to die with it. So even a SIGKILL leaves nothing behind, while
every gentler end undoes things in order.
"""
import ctypes
import os
import resource
import signal
import subprocess
import sys
import tempfile

CLONE_NEWNS = 0x00020000
PR_SET_PDEATHSIG = 1
ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
LIBC = ctypes.CDLL(None, use_errno=True)


class Failure(Exception):
    """What was to be measured could not be; the text is one line."""


def enter_private_mounts():
    """Mounts made from here on are seen by this process and its children only."""
    if LIBC.unshare(CLONE_NEWNS) < 0:
        sys.exit(f'bench: a mount namespace: {os.strerror(ctypes.get_errno())}')
    run('mount', '--make-rprivate', '/')


def end_orderly_on_signals():
    """SIGTERM and SIGHUP end the bench as ^C does: all is undone, in which no other disturbs it."""
    def interrupt(number, _frame):
        for other in ENDING:
            signal.signal(other, signal.SIG_IGN)
        raise KeyboardInterrupt(signal.Signals(number).name)
    for number in ENDING:
        signal.signal(number, interrupt)


def die_with_parent():
    """For a child, before it becomes its program."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def last_line(text):
    """What a program says at its end is most often why it failed."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[-1][:160] if lines else 'no message'


def run(*command, timeout=None, **options):
    """Runs a program that must succeed; its standard output. Raises Failure."""
    words = [str(word) for word in command]
    # a terminal's ^C is for the bench, which then ends its children itself
    with subprocess.Popen(words, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, start_new_session=True,
                          preexec_fn=die_with_parent, **options) as process:
        try:
            out, err = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            kill_session(process)
            raise Failure(f'{words[0]}: no end after {timeout} s') from None
        except BaseException:
            kill_session(process)
            raise
    if process.returncode != 0:
        raise Failure(f'{os.path.basename(words[0])}: {last_line(err or out)}')
    return out


def kill_session(process):
    """Ends a process and those that it started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        pass


def start_server(command, limit=None):
    """Starts a server in the foreground of a session of its own."""
    def prepare():
        die_with_parent()
        if limit:
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))
    messages = tempfile.TemporaryFile('w+', errors='replace')
    server = subprocess.Popen([str(word) for word in command], stdin=subprocess.DEVNULL,
                              stdout=messages, stderr=messages, start_new_session=True,
                              preexec_fn=prepare)
    server.messages = messages
    return server


def server_message(server):
    """What a server that ended said last."""
    server.messages.seek(0)
    return last_line(server.messages.read())


def cpu_seconds(pid):
    """Processor time of all threads of a process until now."""
    with open(f'/proc/{pid}/stat', encoding='ascii', errors='replace') as file:
        # the second field, the name, may contain anything
        fields = file.read().rpartition(')')[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf('SC_CLK_TCK')
