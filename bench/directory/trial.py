# SPDX-License-Identifier: MIT
"""One contestant doing one job on one back end."""
import contextlib
import dataclasses
from typing import Optional

from . import contestants


@dataclasses.dataclass
class Sample:
    """A rate, and microseconds of the server's processor time for one operation."""
    rate: float
    server_us: Optional[float] = None


class Trial:
    """What a job's work is given."""

    def __init__(self, contestant, back_end, sizes, tools):
        self.contestant = contestant
        self.back_end = back_end
        self.sizes = sizes
        # the folder of the bench's own programs
        self.tools = tools

    @contextlib.contextmanager
    def place(self, limit=None):
        """A fresh mount (or the native folder)."""
        with contestants.place(self.contestant, self.back_end, limit) as place:
            yield place

    @property
    def native(self):
        """The folder behind the mount, to prepare and to clear in no one's time."""
        return self.back_end.shared


class Meter:
    """The server's processor time while a block runs."""

    def __init__(self, place):
        self.place = place
        self.seconds = None

    def __enter__(self):
        self.before = self.place.cpu()
        return self

    def __exit__(self, kind, *_):
        if kind is None and self.before is not None:
            self.seconds = self.place.cpu() - self.before

    def sample(self, count, rate):
        """The sample of so many operations at such a rate."""
        return Sample(rate, None if self.seconds is None else self.seconds / count * 1e6)
