"""One line of the table: what both servers are asked, and what the ratio has to be."""

from dataclasses import dataclass
from typing import Optional

from server.peers import Setting

SMALL_FILE = ("sendfile, tcp_nopush", "sendfile", "no sendfile")


@dataclass(frozen=True)
class Bar:
    """Least throughput and most processor time, as parts of nginx's."""

    throughput: Optional[float] = None
    cpu: Optional[float] = None


@dataclass(frozen=True)
class Row:
    """Work that is given to both servers."""

    # What `--only` calls it.
    name: str
    work: str
    bar: Bar
    depot: str
    connections: int
    # Paths that game-depot is asked for, one at random each time, and nginx's for the same.
    paths: tuple
    their_paths: Optional[tuple] = None
    headers: tuple = ()
    # A Range field for each path instead of the same fields for all.
    ranges: tuple = ()
    # Ask with the ETag that the first path was answered with.
    revalidates: bool = False
    depth: int = 1
    setting: Setting = Setting()
    # nginx's settings to choose the fastest from.
    variants: tuple = SMALL_FILE
    # nginx must have had its core for itself; not so where the load generator is what costs most.
    saturates: bool = True
    # Bytes of a body make the rate instead of answers.
    in_bytes: bool = False
    # Both must have met every request once before the clock runs.
    warms: bool = False


@dataclass
class Outcome:
    """What a row came to: medians, ready to be told."""

    row: Row
    ours: float
    theirs: float
    our_cpu: float
    their_cpu: float
    # Bytes of one answer's body.
    body: int
    variant: str
    notes: str = ""

    @property
    def throughput(self):
        """Ours as a part of nginx's."""
        return self.ours / self.theirs

    @property
    def cpu(self):
        """Processor time of one answer as a part of nginx's."""
        return self.our_cpu / self.their_cpu if self.their_cpu else 0.0

    @property
    def is_met(self):
        """Whether the row is where it has to be."""
        bar = self.row.bar
        return (bar.throughput is None or self.throughput >= bar.throughput) and (bar.cpu is None or self.cpu <= bar.cpu)
