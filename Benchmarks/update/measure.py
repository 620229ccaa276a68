"""How many bytes an update takes: mirror-sync's from a real depot, against xdelta3, zsync and the whole package."""

import filecmp
import json
import os
import shutil
import statistics
import subprocess
from dataclasses import dataclass

from process import timed_and_weighed
from server.packages import write_game
from update.pairs import all_pairs

# What a request and the head of its answer are counted as.
REQUEST = 250
MOST_MEMORY = 32 << 20
LEAST_SPEED = 200e6
# Seconds after which zsync, which waits for some servers for ever, is given up.
PATIENCE = 60


@dataclass
class Cost:
    """Bytes over the network, requests included, for one pair."""

    pair: object
    size: int
    ours: int
    requests: int
    xdelta3: int
    zsync: int

    @property
    def ratio(self):
        """Against xdelta3, which needs a patch for each pair."""
        return self.ours / self.xdelta3


@dataclass
class Speed:
    """Putting a package together from one that stands there."""

    size: int
    seconds: float
    resident: int


def measure(programs, folder, work, is_quick):
    """All pairs, then one large package. Raises when a package is not byte for byte what was published."""
    missing = [tool for tool in ("xdelta3", "zsync", "zsyncmake", "zip") if not shutil.which(tool)]
    if missing:
        raise RuntimeError(f"not installed: {', '.join(missing)}; scripts/setup.sh benchmarks installs them")
    pairs = all_pairs(f"{folder}/update")
    costs = [cost(programs, pair, f"{work}/update-{number}") for number, pair in enumerate(pairs[:2] if is_quick else pairs)]
    return costs, speed(programs, folder, f"{work}/update-large", 20_000_000 if is_quick else 320_000_000)


class Depot:
    """A depot of one game that counts what its answers bring."""

    def __init__(self, programs, work):
        os.makedirs(work)
        self.programs, self.work, self.log = programs, work, f"{work}/access.log"
        self.start()

    def start(self):
        """Serves, at another address each time."""
        command = [f"{self.programs}/game-depot", "serve", "--data", f"{self.work}/depot", "--listen", "127.0.0.1:0"]
        command += ["--log-format", "json", "--access-log", self.log]
        with open(f"{self.work}/server.log", "ab") as log:
            # pylint: disable=consider-using-with
            self.child = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
        self.url = self.child.stdout.readline().split()[-1].rstrip("/")

    def publish(self, file, version):
        """Adds a version."""
        command = [f"{self.programs}/game-depot", "publish", file, "--game", "g", "--h5-version", version]
        subprocess.run(command + ["--data", f"{self.work}/depot"], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)

    def sync(self):
        """One run of mirror-sync, packages only: seconds and the most memory it had."""
        command = [f"{self.programs}/mirror-sync", "sync", "--server", self.url, "--dest", f"{self.work}/mirror"]
        return timed_and_weighed(command + ["--no-unpack", "--quiet"])

    def traffic(self):
        """Requests about versions since the last call, and the bytes of their answers' bodies. Only at its end has a server
        written all of its log."""
        self.child.terminate()
        self.child.wait()
        with open(self.log, encoding="utf-8") as file:
            lines = [json.loads(line) for line in file]
        os.remove(self.log)
        self.start()
        found = [line["bytes"] for line in lines if "/versions/" in line["target"]]
        return len(found), sum(found)

    def stop(self):
        """Ends it, and everything it had goes."""
        self.child.terminate()
        self.child.wait()
        shutil.rmtree(self.work)


def cost(programs, pair, work):
    """What each way takes for one pair."""
    old, new = pair.files
    depot = Depot(programs, work)
    try:
        depot.publish(old, pair.versions[0])
        depot.sync()
        depot.traffic()
        depot.publish(new, pair.versions[1])
        depot.sync()
        requests, body = depot.traffic()
        package = f"{work}/mirror/packages/g/{pair.versions[1]}.zip"
        if not filecmp.cmp(package, new, shallow=False):
            raise RuntimeError(f"{package} is not what was published")
        return Cost(
            pair, os.path.getsize(new), body + requests * REQUEST, requests, patch(old, new, work) + REQUEST,
            block_wise(depot, old, new, pair.versions[1]))
    finally:
        depot.stop()


def patch(old, new, work):
    """Bytes of xdelta3's patch."""
    subprocess.run(["xdelta3", "-9", "-f", "-e", "-s", old, new, f"{work}/patch"], check=True)
    return os.path.getsize(f"{work}/patch")


def block_wise(depot, old, new, version):
    """Bytes that zsync takes, with the block size it chooses; None where it gives up."""
    url = f"{depot.url}/games/g/versions/{version}/package.zip"
    subprocess.run(["zsyncmake", "-u", url, "-o", f"{depot.work}/new.zsync", new], check=True, stderr=subprocess.DEVNULL)
    command = ["zsync", "-q", "-i", old, "-o", f"{depot.work}/zsynced.zip", f"{depot.work}/new.zsync"]
    try:
        subprocess.run(
            command, check=True, cwd=depot.work, timeout=PATIENCE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    except (subprocess.CalledProcessError, subprocess.TimeoutExpired):
        return None
    if not filecmp.cmp(f"{depot.work}/zsynced.zip", new, shallow=False):
        raise RuntimeError("zsync made another package")
    requests, body = depot.traffic()
    return os.path.getsize(f"{depot.work}/new.zsync") + REQUEST + body + requests * REQUEST


def speed(programs, folder, work, size):
    """A large package of which one file is new: both digests checked, on the disk."""
    old, new = f"{folder}/large-{size}-1.zip", f"{folder}/large-{size}-2.zip"
    if not os.path.exists(new):
        write_game(f"{old}.new", size, 7)
        os.replace(f"{old}.new", old)
        shutil.copyfile(old, f"{new}.new")
        subprocess.run(["zip", "-q", f"{new}.new", os.path.basename(__file__)], check=True, cwd=os.path.dirname(__file__))
        os.replace(f"{new}.new", new)
    depot = Depot(programs, work)
    try:
        depot.publish(old, "1")
        depot.sync()
        depot.publish(new, "2")
        taken, resident = depot.sync()
        if not filecmp.cmp(f"{work}/mirror/packages/g/2.zip", new, shallow=False):
            raise RuntimeError("the large package is not what was published")
        return Speed(os.path.getsize(new), taken, resident)
    finally:
        depot.stop()


def median(costs):
    """Of the ratios."""
    return statistics.median(found.ratio for found in costs)
