#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Sums the results of several test runs.

usage: summary.py FOLDER [PROBLEM...]

FOLDER has PART.json files, each the log that meson writes for a run: one JSON object a line and test.
A test that speaks TAP counts as its checks, any other as one. PROBLEM is a line about a part that
could not run at all, and counts as a failure. Prints what was skipped and what failed, then the
closing line 'N passed, N failed, N skipped'; the status is 1 if anything failed or nothing ran.
"""
import json
import pathlib
import re
import sys

CHECK = re.compile(r'(not )?ok\b\s*(?:\d+\s*)?(?:-\s*)?(.*?)(?:\s*#\s*(skip\S*)\s*(.*))?$', re.I)
DETAIL_LENGTH = 500
SKIP_ALL = re.compile(r'1\.\.0\s*#\s*skip\S*\s*(.*)$', re.I)


class Sum:
    """Counts, and the lines about what did not pass."""

    def __init__(self):
        self.passed = 0
        self.failed = []
        self.skipped = []

    def add_test(self, part, test):
        """Adds one line of a log."""
        label = f'{part}: {test["name"]}'
        failed_before = len(self.failed)
        checks = 0
        is_failing = False
        for line in (test.get('stdout') or '').splitlines():
            # what a check says of its failure stands behind it
            if line.startswith('#'):
                if is_failing and len(line) < DETAIL_LENGTH:
                    self.failed[-1] += f'\n    {line}'
                continue
            is_failing = line.startswith('not ok')
            skip_all = SKIP_ALL.match(line)
            if skip_all:
                self.skipped.append(f'{label}: {skip_all[1]}')
                checks += 1
            check = CHECK.match(line)
            if not check:
                continue
            checks += 1
            if check[1]:
                self.failed.append(f'{label}: {check[2]}')
            elif check[3]:
                self.skipped.append(f'{label}: {check[2]}: {check[4]}')
            else:
                self.passed += 1
        self.add_result(label, test, checks, len(self.failed) > failed_before)

    def add_result(self, label, test, checks, has_failed):
        """Adds what the runner says of a test as a whole, where its checks do not say it."""
        result = test['result']
        if result in ('OK', 'EXPECTEDFAIL') and not checks:
            self.passed += 1
        elif result == 'SKIP' and not checks:
            self.skipped.append(label)
        elif result not in ('OK', 'EXPECTEDFAIL', 'SKIP') and not has_failed:
            self.failed.append(f'{label}: {result.lower()}, status {test["returncode"]}')


def main():
    """Reads the logs and prints the sum."""
    total = Sum()
    for log in sorted(pathlib.Path(sys.argv[1]).glob('*.json')):
        for line in log.read_text(encoding='utf-8').splitlines():
            total.add_test(log.stem, json.loads(line))
    total.failed.extend(sys.argv[2:])
    for line in total.skipped:
        print(f'skipped: {line}')
    for line in total.failed:
        print(f'FAILED: {line}')
    print(f'{total.passed} passed, {len(total.failed)} failed, {len(total.skipped)} skipped')
    return 1 if total.failed or not total.passed else 0


if __name__ == '__main__':
    sys.exit(main())
