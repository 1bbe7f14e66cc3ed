# SPDX-License-Identifier: MIT
"""How much work the jobs are."""
import dataclasses

MIB = 1 << 20


@dataclasses.dataclass(frozen=True)
class Sizes:
    """The sizes of a whole run; `scaled` makes smaller ones."""
    # fio's random jobs end by time, those in order by size
    seconds: float = 1.0
    random_mib: int = 64
    sequential_mib: int = 256
    # files of one folder that are made, looked at and removed
    files: int = 20000
    # of the tree that is walked, of the folder that is listed
    tree_files: int = 50000
    entries: int = 100000
    # listed once under a small limit of descriptors, whatever the scale
    complete_entries: int = 100000
    # of the archive that is unpacked and the repository that is cloned
    source_files: int = 2000
    transactions: int = 200
    # no single piece of work may take longer
    timeout: int = 120

    def scaled(self, scale):
        """Metadata and time by a factor; data keeps its size, which caches depend on."""
        def part(count, least):
            return max(least, round(count * scale))
        return dataclasses.replace(
            self, seconds=max(0.3, self.seconds * scale), files=part(self.files, 100),
            tree_files=part(self.tree_files, 100), entries=part(self.entries, 1000),
            source_files=part(self.source_files, 100), transactions=part(self.transactions, 10))


QUICK = Sizes(seconds=0.1, random_mib=8, sequential_mib=8, files=200, tree_files=400, entries=2000,
              complete_entries=2000, source_files=40, transactions=5, timeout=30)
