"""What a network and a server can do to a download, tried on mirror-sync: connections that are cut, reset, stalled and
corrupted at many offsets, a busy server, one that is killed in the middle, and depots that lie about everything.

After each of these the installed game must be the old version or the new one, whole; what is fetched again is counted.
Talks to 127.0.0.1 only. Ends with `N passed, N failed`.
"""

import argparse
import concurrent.futures
import json
import os
import random
import shutil
import tempfile
import time
import urllib.request

from harness import Server, check, finish, run, tree
from mirror_peers import CuttingProxy, LyingDepot, make_zip, run_mirror
from mirror_lies import index_lies, lies

# What may be lost between a server and a client that hangs up: buffers of two sockets. It comes again.
IN_FLIGHT = 64 << 10


class Bench:
    """A depot with one game in two versions, and a mirror that has the first. Without `changed` they share nothing; else
    they differ in one file of six, whose seed that is."""

    def __init__(self, programs, work, changed=None):
        os.makedirs(work, exist_ok=True)
        self.depot, self.mirror, self.work = f"{programs}/game-depot", f"{programs}/mirror-sync", work
        self.data = f"{work}/depot"
        versions = (("1.0", 1, 20_000, None), ("2.0", 2, 250_000, None))
        if changed is not None:
            versions = (("1.0", 1, 250_000, None), ("2.0", 1, 250_000, changed))
        for version, seed, size, other in versions:
            with open(f"{work}/{version}.zip", "wb") as file:
                file.write(make_zip(seed, 6, size, other))
        self.size = os.path.getsize(f"{work}/2.0.zip")
        self.server = None
        self.publish("1.0")
        self.serve()
        result = run_mirror(self.mirror, self.server.url, f"{work}/before")
        assert result.returncode == 0, result
        self.old = tree(f"{work}/before/games/game/current")
        self.publish("2.0")
        shutil.unpack_archive(f"{work}/2.0.zip", f"{work}/tree")
        self.new = tree(f"{work}/tree")
        # What the update costs when nothing goes wrong.
        destination = self.copy("undisturbed")
        proxy = CuttingProxy(self.server.url, 0, None)
        self.cost = outcome(run_mirror(self.mirror, proxy.url, destination, "--progress", "json"))
        self.sent = proxy.sent
        proxy.stop()
        assert self.cost < self.size / 4 if changed is not None else self.size <= self.cost < 1.01 * self.size, self.cost
        shutil.rmtree(destination)

    def serve(self):
        self.server = Server(self.depot, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--disk-floor", "0", "--access-log",
                             "off", log=f"{self.work}/depot.log")

    def publish(self, version):
        result = run(self.depot, "publish", f"{self.work}/{version}.zip", "--game", "game", "--h5-version", version, "--data", self.data,
                     "--disk-floor", "0")
        assert result.returncode == 0, result

    def copy(self, name):
        """A mirror of its own, before the update."""
        shutil.copytree(f"{self.work}/before", f"{self.work}/{name}", symlinks=True)
        return f"{self.work}/{name}"


def outcome(result):
    """Bytes that came for the package, as the program itself counts them."""
    for line in result.stdout.splitlines():
        event = json.loads(line)
        if event["event"] in ("updated", "installed"):
            return event["bytes"]
    return None


def offsets(size, count):
    """Where buffers end, the ends, and places of chance."""
    dice = random.Random(5)
    edges = [0, 1, 2, size - 2, size - 1]
    for step in (4096, 16 << 10, 64 << 10, 256 << 10, 1 << 20):
        edges += [step - 1, step, step + 1]
    return edges + [dice.randrange(size) for _ in range(count - len(edges))]


def cut(bench, number, offset, fault):
    name = f"{fault.__name__} after {offset}"
    destination = bench.copy(f"cut-{number}")
    proxy = CuttingProxy(bench.server.url, offset, fault)
    result = run_mirror(bench.mirror, proxy.url, destination, "--stall-timeout", "1s", "--progress", "json", "--retries", "8")
    found, fetched = tree(f"{destination}/games/game/current"), outcome(result) or 0
    if fault is CuttingProxy.corrupt and result.returncode == 1:
        # Nothing tells which bytes were wrong: the old version stays, and the next run begins anew.
        check(f"{name}: the old version stays", found == bench.old and len(result.stderr.splitlines()) == 1, result)
        fetched += bench.cost
        result = run_mirror(bench.mirror, proxy.url, destination, "--progress", "json")
        found = tree(f"{destination}/games/game/current")
        fetched += outcome(result) or 0
    proxy.stop()
    check(f"{name}: the update arrives", result.returncode == 0 and found == bench.new, result)
    again = fetched - bench.cost
    limit = bench.size + IN_FLIGHT if fault is CuttingProxy.corrupt else IN_FLIGHT
    check(f"{name}: little comes again", 0 <= again <= limit, f"{again} bytes")
    check(f"{name}: nothing is left over", os.listdir(f"{destination}/partial") == [], os.listdir(f"{destination}/partial"))
    shutil.rmtree(destination)
    return fault.__name__, max(0, again), proxy.sent - bench.sent


def cuts(bench, body, count, is_long):
    """Faults at `count` offsets of the first body of a package that comes, of so many bytes."""
    kinds = [CuttingProxy.close, CuttingProxy.cut, CuttingProxy.corrupt, CuttingProxy.stall]
    places = offsets(body, count)
    jobs = []
    for number, offset in enumerate(places):
        # A stall takes its time: fewer of those, unless there is time.
        kind = kinds[number % 4] if is_long or number % 16 == 3 else kinds[number % 3]
        jobs.append((bench, number, offset, kind))
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        results = list(pool.map(lambda job: cut(*job), jobs))
    for kind in kinds:
        again = [(taken, sent) for name, taken, sent in results if name == kind.__name__]
        taken, sent = (max(counts, default=0) for counts in zip(*again))
        print(f"{kind.__name__}: {len(again)} offsets of an update of {bench.cost} bytes to a package of {bench.size}; "
              f"taken again at most {taken}, sent again at most {sent}")


def cut_with_no_time(bench):
    """Runs that end at the cut: what is visible then is the old version, and the next run fetches only the rest."""
    for number, offset in enumerate((1, bench.size // 3, bench.size - 1)):
        destination = bench.copy(f"ended-{number}")
        proxy = CuttingProxy(bench.server.url, offset, CuttingProxy.close)
        result = run_mirror(bench.mirror, proxy.url, destination, "--retries", "0")
        check(f"a run that ends after {offset} bytes fails", result.returncode == 1 and len(result.stderr.splitlines()) == 1, result)
        check(f"a run that ends after {offset} bytes leaves the old version", tree(f"{destination}/games/game/current") == bench.old)
        result = run_mirror(bench.mirror, proxy.url, destination, "--progress", "json")
        proxy.stop()
        rest = bench.size - offset
        check(f"the run after that fetches the rest of {rest} bytes", outcome(result) is not None and outcome(result) <= rest + IN_FLIGHT, result)
        check("and the new version is in use", tree(f"{destination}/games/game/current") == bench.new)
        shutil.rmtree(destination)


def busy(bench):
    """503 with Retry-After, twice."""
    destination = bench.copy("busy")
    told = []

    class Busy(CuttingProxy):
        def answer(self, connection, head):
            if "/package.zip" in head and len(told) < 2:
                told.append(time.monotonic())
                connection.sendall(b"HTTP/1.1 503 Busy\r\nRetry-After: 1\r\nContent-Length: 4\r\n\r\nbusy")
                return True
            return super().answer(connection, head)

    proxy = Busy(bench.server.url, 0, None)
    begun = time.monotonic()
    result = run_mirror(bench.mirror, proxy.url, destination)
    taken = time.monotonic() - begun
    proxy.stop()
    check("503 with Retry-After: the update arrives", result.returncode == 0 and tree(f"{destination}/games/game/current") == bench.new, result)
    check("503 with Retry-After: it waits as long as told", len(told) == 2 and taken >= 2, f"{taken:.1f} s")


def killed_server(bench):
    """The depot is killed in the middle of a body, and started again."""
    destination = bench.copy("killed")

    def kill(proxy, connection):
        bench.server.process.kill()
        bench.server.process.wait()
        bench.serve()
        proxy.backend = bench.server.url
        return False

    proxy = CuttingProxy(bench.server.url, bench.size // 2, kill)
    result = run_mirror(bench.mirror, proxy.url, destination, "--progress", "json")
    proxy.stop()
    check("a killed server: the update arrives", result.returncode == 0 and tree(f"{destination}/games/game/current") == bench.new, result)
    check("a killed server: only the rest is fetched", (outcome(result) or 1 << 40) <= bench.size + IN_FLIGHT, outcome(result))
    check("a killed server: the rest is asked for with If-Range",
          len(proxy.packages) == 2 and "if-range:" in proxy.packages[1].lower(), proxy.packages)


def lied_to(bench, name, lie):
    """A mirror that has `game` 1.0 meets a depot that says 2.0 is there and lies."""
    old, new = (open(f"{bench.work}/{version}.zip", "rb").read() for version in ("1.0", "2.0"))
    room = f"{bench.work}/lie-{name.replace(' ', '-').replace('/', '_')}"
    os.mkdir(room)
    destination = f"{room}/mirror"
    honest = LyingDepot({"game": ("1.0", old)})
    result = run_mirror(bench.mirror, honest.url, destination)
    honest.stop()
    assert result.returncode == 0, result
    depot = LyingDepot({"game": ("2.0", new), **lie.games}, lie.lie, lie.change, revision=2)
    begun = time.monotonic()
    result = run_mirror(bench.mirror, depot.url, destination, "--retries", "1", *lie.options)
    taken = time.monotonic() - begun
    depot.stop()
    current = tree(f"{destination}/games/game/current")
    check(f"{name}: exit {lie.code}", result.returncode == lie.code, result)
    lines = result.stderr.splitlines()
    check(f"{name}: one line that tells it", len(lines) == 1 if lie.code else not lines, result.stderr)
    check(f"{name}: it says why", all(word in result.stderr for word in lie.words), result.stderr)
    check(f"{name}: what is in use is whole", current == (bench.new if lie.arrives else bench.old))
    check(f"{name}: nothing outside the mirror", os.listdir(room) == ["mirror"], os.listdir(room))
    check(f"{name}: it ends in time", taken < 20, f"{taken:.1f} s")
    shutil.rmtree(room)


def lied_to_about_parts(bench, name, where, twist):
    """An update by parts that goes wrong ends in the right package all the same."""
    class Twisting(CuttingProxy):
        def answer(self, connection, head):
            target = head.split(" ", 2)[1]
            if not target.endswith(where):
                return super().answer(connection, head)
            with urllib.request.urlopen(bench.server.url + target) as answer:
                return twist(connection, answer.read(), head)

    destination = bench.copy(f"part-{name.replace(' ', '-')}")
    proxy = Twisting(bench.server.url, 0, None)
    result = run_mirror(bench.mirror, proxy.url, destination, "--progress", "json", "--retries", "2")
    proxy.stop()
    found = tree(f"{destination}/games/game/current")
    check(f"{name}: the update arrives", result.returncode == 0 and found == bench.new, result)
    cost = outcome(result) or 1 << 40
    # Of a server whose every part is wrong: the parts, those to mend them, and the whole.
    check(f"{name}: for the price of two packages", cost <= 2 * bench.size + bench.cost, f"{cost} bytes")
    check(f"{name}: nothing is left over", os.listdir(f"{destination}/partial") == [], os.listdir(f"{destination}/partial"))
    shutil.rmtree(destination)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--long", action="store_true", help="200 offsets instead of 56, a stall at each fourth")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="game-depot-cuts.")
    programs = os.path.abspath(options.programs)
    bench = Bench(programs, f"{work}/whole")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(lied_to, bench, name, lie) for name, lie in lies().items()]:
            each.result()
    cuts(bench, bench.size, 200 if options.long else 56, options.long)
    cut_with_no_time(bench)
    busy(bench)
    killed_server(bench)
    bench.server.stop()
    parts = Bench(programs, f"{work}/parts", changed=9)
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for each in [pool.submit(lied_to_about_parts, parts, name, *lie) for name, lie in index_lies().items()]:
            each.result()
    # One file of 250,000 bytes that do not compress is what comes.
    cuts(parts, 250_000, 200 if options.long else 56, options.long)
    parts.server.stop()
    finish(work)


if __name__ == "__main__":
    main()
