"""What a server is asked while it is measured, and what came of it."""

from dataclasses import dataclass


class BadRound(RuntimeError):
    """Something was answered wrongly, or not at all."""


@dataclass(frozen=True)
class Load:
    """What is asked, and by how many at a time. Of several requests each one is chosen at random."""

    connections: int
    requests: tuple
    # Requests on their way on one connection.
    depth: int = 1
    # Bytes of each answer's body.
    body: int = 0


@dataclass(frozen=True)
class Rate:
    """What one run came to."""

    # Answers a second, and how many there were.
    rate: float
    count: int
    # Seconds it took.
    seconds: float
    # Seconds that 99 of 100 answers took at most, where the load generator tells.
    p99: float = 0.0
