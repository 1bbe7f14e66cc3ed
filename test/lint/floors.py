#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks the floors of the house: which part may include which.

Reads every #include "..." of lib/ and bin/. Prints a line a breach and ends with 1 if there is one.
A unit test wires parts together as bin/ does, and may include anything.
"""
import pathlib
import re
import sys

# Part -> what it may include beside its own. A name with '/' is that header only.
ALLOWED = {
    'lib/base': [],
    'lib/uefi': ['base'],
    'lib/fuse': ['base', 'fs/filesystem.h'],
    'lib/store': ['base', 'uefi'],
    'lib/fs': ['base', 'uefi', 'fs/filesystem.h'],
    'lib/transport': ['base', 'fuse', 'fs/filesystem.h', 'transport/ring'],
    'bin': ['base', 'uefi', 'fuse', 'store', 'fs', 'transport', 'tacit'],
}
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.M)


def part_of(path):
    """The part that a file is of, and the folder that its own headers are in."""
    if path.parts[0] == 'bin':
        return 'bin', 'tacit'
    part = '/'.join(path.parts[:2])
    # each file system and each transport stands alone
    if part in ('lib/fs', 'lib/transport') and len(path.parts) > 3:
        return part, '/'.join(path.parts[1:3])
    return part, path.parts[1]


def breaches(path):
    """The headers that a file should not include."""
    part, own = part_of(path)
    if part not in ALLOWED:
        yield f'{path}: {part} is no known part of the house (test/lint/floors.py)'
        return
    for header in INCLUDE.findall(path.read_text(encoding='utf-8')):
        if header.startswith('../') or '/' not in header:
            yield f'{path}: "{header}" is not named from lib/ or bin/'
        elif not any(header == name or header.startswith(name + '/')
                     for name in [own] + ALLOWED[part]):
            yield f'{path}: {part} may not include "{header}"'


def main():
    """Checks the tree below the current folder."""
    found = [line
             for top in ('lib', 'bin')
             for path in sorted(pathlib.Path(top).rglob('*.[ch]'))
             if 'test' not in path.parts
             for line in breaches(path)]
    print('\n'.join(found), end='\n' if found else '')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
