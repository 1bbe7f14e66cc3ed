# SPDX-License-Identifier: MIT
"""What the figures were measured on, and with which versions."""
import os
import pathlib
import re
import time

from .process import Failure, run


def facts():
    """The machine, its kernel and how busy it is."""
    model = re.search(r'model name\s*: (.*)', pathlib.Path('/proc/cpuinfo').read_text())
    memory = re.search(r'MemTotal: *(\d+)', pathlib.Path('/proc/meminfo').read_text())
    return {'processor': model[1] if model else os.uname().machine,
            'processors': os.cpu_count(),
            'memory_mib': int(memory[1]) // 1024,
            'kernel': f'{os.uname().sysname} {os.uname().release}',
            'load': round(os.getloadavg()[0], 2),
            'time': time.strftime('%Y-%m-%d %H:%M:%S UTC', time.gmtime())}


def version(*command):
    """The first line that a program says of itself."""
    try:
        return run(*command).splitlines()[0]
    except (Failure, FileNotFoundError, IndexError):
        return None


def versions(program):
    """Of the programs that take part."""
    return {'tacit': version(program, '--version'), 'fio': version('fio', '--version'),
            'git': version('git', '--version'), 'tar': version('tar', '--version')}


def caption(found):
    """One line."""
    return (f'{found["processor"]}, {found["processors"]} processors, {found["kernel"]}, '
            f'load {found["load"]} at the start, {found["time"]}')
