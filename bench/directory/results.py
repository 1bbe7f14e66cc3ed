# SPDX-License-Identifier: MIT
"""From samples to figures: medians, ranges, and ratios that are taken round by round."""
import collections
import dataclasses
import statistics
from typing import Optional

NATIVE = 'native'


@dataclasses.dataclass
class Row:
    """A contestant's figure on a back end."""
    contestant: str
    family: str
    median: Optional[float] = None
    low: Optional[float] = None
    high: Optional[float] = None
    server_us: Optional[float] = None
    of_native: Optional[float] = None
    of_best_peer: Optional[float] = None
    error: Optional[str] = None


def ratio(ours, theirs):
    """The median of the ratios of the rounds that both have; None without one."""
    both = [ours[number] / theirs[number] for number in ours if number in theirs]
    return statistics.median(both) if both else None


class Results:
    """All samples of a run."""

    def __init__(self, entrants):
        self.families = {entry.name: entry.family for entry in entrants}
        self.records = []

    def add(self, record):
        """A sample's record."""
        self.records.append(record)

    def rates(self, back_end, figure):
        """Contestant -> round -> rate, of those who have one."""
        rates = collections.defaultdict(dict)
        for record in self.records:
            if (record['back_end'], record['figure']) == (back_end, figure) and 'rate' in record:
                rates[record['contestant']][record['round']] = record['rate']
        return rates

    def best_peer(self, rates):
        """The name of the fastest other server; None without any."""
        peers = [name for name in rates if self.families[name] == 'peer']
        return max(peers, key=lambda name: statistics.median(rates[name].values()), default=None)

    def rows(self, back_end, figure):
        """A row for each contestant that took part, in their order."""
        rates = self.rates(back_end, figure)
        best = self.best_peer(rates)
        rows = []
        for name, family in self.families.items():
            records = [record for record in self.records
                       if (record['back_end'], record['figure'], record['contestant']) ==
                       (back_end, figure, name)]
            if not records:
                continue
            row = Row(name, family)
            row.error = next((record['error'] for record in records if 'error' in record), None)
            if rates.get(name):
                self.fill(row, rates, best, records)
            rows.append(row)
        return rows

    def fill(self, row, rates, best, records):
        """The numbers of a row."""
        values = rates[row.contestant].values()
        row.median, row.low, row.high = statistics.median(values), min(values), max(values)
        times = [record['server_us'] for record in records
                 if record.get('server_us') is not None]
        row.server_us = statistics.median(times) if times else None
        if NATIVE in rates:
            row.of_native = ratio(rates[row.contestant], rates[NATIVE])
        if best:
            row.of_best_peer = ratio(rates[row.contestant], rates[best])

    def summary(self, back_ends, figures):
        """All rows, for JSON."""
        return [{'back_end': back_end, 'figure': figure.key, 'unit': figure.unit,
                 **{key: value for key, value in dataclasses.asdict(row).items()
                    if value is not None}}
                for back_end in back_ends for figure in figures
                for row in self.rows(back_end, figure.key)]
