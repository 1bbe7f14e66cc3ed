# SPDX-License-Identifier: MIT
"""The bench of directories: tacit in its modes beside the native file system and other servers.

command.py reads the arguments and says what is run; rounds.py runs it, interleaved. What is compared is
in contestants.py (with peers.py, which builds other servers), where it is compared in backends.py, by
which work in jobs.py. results.py, table.py and chart.py make figures of the samples.
"""
