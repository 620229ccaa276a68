"""How long 99 of 100 answers take at most."""

import os
import re
import statistics
import subprocess
from dataclasses import dataclass

from process import LOAD_CORE, pinned
from server import wrk
from server.peers import start_game_depot, start_nginx
from server.rounds import nginx_paths


@dataclass
class Latency:
    """The median of each server's p99, in seconds; one of the two bars applies."""

    work: str
    ours: float
    theirs: float
    most: float = 0.0
    most_of_theirs: float = 0.0

    @property
    def is_met(self):
        """Whether the row is where it has to be."""
        return self.ours <= self.most if self.most else self.ours <= self.most_of_theirs * self.theirs

    @property
    def bar(self):
        """What has to be."""
        return f"≤ {self.most * 1e3:g} ms" if self.most else f"≤ {self.most_of_theirs:g} × nginx"


def of_ranges(rounds, row):
    """At full load, as wrk sees it."""
    def sample(server, load):
        return wrk.run(load, server.urls, rounds.seconds).p99

    ours, theirs = alternate(rounds, row, lambda server, load: lambda: sample(server, load))
    return Latency("p99 of 64 KiB ranges, 16 connections, as fast as they come", ours, theirs, most=1e-3)


def of_small(rounds, row):
    """At half the rate that saturates nginx, sent at even distances by h2load."""
    target = {}

    def sampler(server, load):
        if server.name == "nginx":
            target["rate"] = wrk.run(load, server.urls, rounds.seconds).rate / 2
        return lambda: paced(server, load, target["rate"], rounds)

    ours, theirs = alternate(rounds, row, sampler)
    work = f"p99 of the small answer, {row.connections} connections, {target['rate'] / 1000:.0f}k requests/s: half of nginx's most"
    return Latency(work, ours, theirs, most_of_theirs=1.0)


def alternate(rounds, row, sampler):
    """The medians of both servers' samples, taken in turns."""
    depot = rounds.depots.named(row.depot)
    ours = start_game_depot(rounds.program, depot.data, row.setting, rounds.work)
    theirs = None
    try:
        theirs = start_nginx(depot.root, row.setting, rounds.fastest_variant(row, depot), rounds.work)
        take = {
            server.name: sampler(server, rounds.prepare(row, server, paths))
            for server, paths in ((theirs, nginx_paths(row)), (ours, row.paths))
        }
        samples = {name: [] for name in take}
        for turn in range(rounds.count):
            for name in sorted(take, reverse=turn % 2 == 1):
                samples[name].append(take[name]())
        return statistics.median(samples["game-depot"]), statistics.median(samples["nginx"])
    finally:
        ours.stop()
        if theirs:
            theirs.stop()


def paced(server, load, rate, rounds):
    """The p99 of requests sent at that rate, from h2load's own record of each."""
    record = f"{rounds.work}/h2load.log"
    if os.path.exists(record):
        os.remove(record)
    path, _ = load.requests[0]
    command = ["h2load", "--h1", "-t1", f"-c{load.connections}", f"-D{max(1, round(rounds.seconds))}",
               f"--rps={rate / load.connections:.0f}", f"--log-file={record}", server.urls[0] + path]
    text = subprocess.run(pinned(LOAD_CORE, command), capture_output=True, text=True, check=True).stdout
    failed = re.search(r"(\d+) failed, (\d+) errored, (\d+) timeout", text)
    if not failed or any(int(group) for group in failed.groups()):
        raise RuntimeError(f"h2load: {failed[0] if failed else text}")
    with open(record, encoding="ascii") as file:
        lines = [line.split() for line in file]
    wrong = [status for _, status, _ in lines if status != "200"]
    if wrong:
        raise RuntimeError(f"h2load got status {wrong[0]}")
    times = sorted(int(time) for _, _, time in lines)
    if len(times) < 0.9 * rate * rounds.seconds:
        print(f"   {server.name}: h2load sent only {len(times) / rounds.seconds:.0f} of {rate:.0f} requests a second", flush=True)
    return times[int(0.99 * len(times))] / 1e6
