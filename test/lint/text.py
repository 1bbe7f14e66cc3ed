#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Checks what can be seen in the text of the tree: licence lines, lengths, comments, leftovers.

Prints a line a finding and ends with 1 if there is one.
"""
import pathlib
import re
import sys

FILE_LINES = 800
FUNCTION_LINES = 60
COLUMNS = 100
LICENSED = ('.c', '.h', '.py', '.sh', '.build')
TEXT = LICENSED + ('.md', '.scd', '')
SKIPPED = re.compile(r'^(\.git|build[^/]*)(/|$)|/corpus/|^LICENSE')
# What may hide a comment's beginning: literals and block comments.
TOKEN = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])*\'|/\*.*?\*/|//[^\n]*', re.S)
LEFTOVER = re.compile(r'\b(TO' r'DO|FIX' r'ME|XX' r'X)\b')


def check_lines(path, lines):
    """Things of single lines."""
    for number, line in enumerate(lines, 1):
        if path.suffix in ('.c', '.h') and len(line.expandtabs(8)) > COLUMNS:
            yield f'{path}:{number}: longer than {COLUMNS} columns'
        if line != line.rstrip() and path.suffix != '.md':
            yield f'{path}:{number}: blanks at the end'
        if LEFTOVER.search(line):
            yield f'{path}:{number}: a leftover'


def check_functions(path, lines):
    """A function's brace is a line of its own."""
    start = None
    for number, line in enumerate(lines, 1):
        if line == '{':
            start = number
        elif line == '}' and start is not None:
            if number - start - 1 > FUNCTION_LINES:
                yield f'{path}:{start}: a function of {number - start - 1} lines'
            start = None


def check_file(path):
    """All findings of a file."""
    try:
        text = path.read_text(encoding='utf-8')
    except UnicodeDecodeError:
        return
    lines = text.split('\n')
    if path.suffix in LICENSED or text.startswith('#!'):
        if not any('SPDX-License-Identifier: ' in line for line in lines[:3]):
            yield f'{path}: no SPDX-License-Identifier'
    if len(lines) > FILE_LINES:
        yield f'{path}: {len(lines)} lines'
    if text and not text.endswith('\n'):
        yield f'{path}: no newline at the end'
    yield from check_lines(path, lines)
    if path.suffix in ('.c', '.h'):
        yield from check_functions(path, lines)
        for token in TOKEN.finditer(text):
            if token[0].startswith('//'):
                number = text.count('\n', 0, token.start()) + 1
                yield f'{path}:{number}: a // comment'
    if path.suffix == '.h' and '#pragma once' not in lines:
        yield f'{path}: no #pragma once'


def main():
    """Checks the tree below the current folder."""
    found = [line
             for path in sorted(pathlib.Path('.').rglob('*'))
             if path.is_file() and not path.is_symlink() and path.suffix in TEXT
             and not SKIPPED.search(str(path))
             for line in check_file(path)]
    print('\n'.join(found), end='\n' if found else '')
    return 1 if found else 0


if __name__ == '__main__':
    sys.exit(main())
