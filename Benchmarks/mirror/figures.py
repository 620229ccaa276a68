"""mirror-sync beside aria2c, curl and md5sum: many small games, nothing to do, one large package, memory, and how soon it stops."""

import json
import os
import random
import shutil
import signal
import statistics
import subprocess
import time
import zipfile
from dataclasses import dataclass

from mirror.first_sync import listing
from process import timed_and_weighed
from server.peers import Setting, start_game_depot

GAMES, GAME_SIZE = 10_000, 20_000
LARGE = 1 << 30
# client-engine's bars.
CONNECTIONS = 8
MEMORY = (32 << 20) + (2 << 20) * CONNECTIONS
STOP = 0.250


@dataclass
class Figure:
    """One row: ours and theirs in the same unit, and the most that ours may be of theirs; None where there is no bar."""

    work: str
    ours: float
    theirs: float
    peer: str
    bar: float | None
    unit: str = "s"

    @property
    def is_met(self):
        return self.bar is None or self.ours <= self.theirs * self.bar


def measure(programs, depots, work, rounds, quick):
    """All rows, one after the other; within a row ours and theirs take turns."""
    count, large = (200, 32 << 20) if quick else (GAMES, LARGE)
    data = depot(f"{programs}/game-depot", depots.folder, work, count, large)
    server = start_game_depot(f"{programs}/game-depot", data, Setting(), work)
    try:
        mirror, url = f"{programs}/mirror-sync", server.urls[0]
        return (small_games(mirror, url, work, rounds, count) + nothing_to_do(mirror, url, work, rounds, count)
                + large_package(mirror, url, work, rounds, large) + stopping(mirror, url, work, rounds))
    finally:
        server.stop()


def depot(program, folder, work, count, large):
    """`count` games of 20 KB and one large one, made unless they are there."""
    data = f"{folder}/mirror-{count}-{large}"
    if os.path.exists(data):
        return data
    print(f"making a depot of {count} games and one of {large >> 20} MiB", flush=True)
    packages, unfinished = f"{work}/mirror-packages", f"{data}.part"
    os.makedirs(packages)
    shutil.rmtree(unfinished, ignore_errors=True)
    for number in range(count):
        write_zip(f"{packages}/game{number:05}-1.0.zip", random.Random(number).randbytes(GAME_SIZE))
    dice = random.Random(1)
    write_zip(f"{packages}/large-1.0.zip", *(dice.randbytes(16 << 20) for _ in range(large >> 24)))
    subprocess.run([program, "import", packages, "--data", unfinished], check=True, stdout=subprocess.DEVNULL)
    shutil.rmtree(packages)
    os.rename(unfinished, data)
    return data


def write_zip(path, *contents):
    """Noise, stored as it is, and a page."""
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr(zipfile.ZipInfo("index.html", (2026, 1, 1, 0, 0, 0)), b"<!doctype html>")
        for number, content in enumerate(contents):
            archive.writestr(zipfile.ZipInfo(f"{number}.bin", (2026, 1, 1, 0, 0, 0)), content)


def timed(command):
    """Seconds it took."""
    begin = time.monotonic()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return time.monotonic() - begin


def settled():
    """What was written before is not to be waited for in what comes."""
    os.sync()


def sync_words(mirror, url, folder, *more):
    return [mirror, "sync", "--server", url, "--dest", folder, "--quiet", "--concurrency", str(CONNECTIONS), *more]


def small_games(mirror, url, work, rounds, count):
    """First syncs, with and without unpacking, and aria2c that fetches the same packages and checks nothing."""
    packages = f"{work}/games.txt"
    with open(packages, "w", encoding="utf-8") as file:
        for game in listing(url):
            if game["gameId"] != "large":
                file.write(f"{game['h5Down']}\n  out={game['gameId']}.zip\n")
    whole, kept, theirs, memory = [], [], [], []
    for number in range(rounds):
        for figures, more in ((whole, ()), (kept, ("--no-unpack",))):
            folder = f"{work}/games-{number}"
            settled()
            taken, most = timed_and_weighed(sync_words(mirror, url, folder, "--exclude", "large", *more))
            figures.append(taken)
            memory.append(most)
            shutil.rmtree(folder)
        settled()
        command = ["aria2c", "-q", f"-j{CONNECTIONS}", "-i", packages, "-d", f"{work}/aria", "--file-allocation=none"]
        theirs.append(timed(command))
        shutil.rmtree(f"{work}/aria")
    peer, other = f"aria2c -j{CONNECTIONS}", statistics.median(theirs)
    return [
        Figure(f"first sync of {count} games of {GAME_SIZE // 1000} KB: fetched, checked, unpacked, each on the disk before it is in use",
               statistics.median(whole), other, peer, 0.8),
        Figure("the same, `--no-unpack`", statistics.median(kept), other, peer, 0.8),
        Figure(f"memory of that with {CONNECTIONS} connections", max(memory) / 1e6, MEMORY / 1e6, "the bar", 1, "MB"),
    ]


def nothing_to_do(mirror, url, work, rounds, count):
    """A mirror that is in step, and one curl that is told 304."""
    folder = f"{work}/idle"
    timed(sync_words(mirror, url, folder, "--no-unpack", "--exclude", "large"))
    address = f"{url}/games?limit=1"
    head = subprocess.run(["curl", "-sI", address], capture_output=True, text=True, check=True).stdout
    tag = next(line.split(":", 1)[1].strip() for line in head.splitlines() if line.lower().startswith("etag:"))
    ours, theirs = [], []
    for _ in range(rounds * 5):
        ours.append(timed(sync_words(mirror, url, folder, "--no-unpack", "--exclude", "large")))
        theirs.append(timed(["curl", "-s", "-o", "/dev/null", "-H", f"If-None-Match: {tag}", address]))
    shutil.rmtree(folder)
    return [Figure(f"nothing to do, {count} games", statistics.median(ours) * 1e3, statistics.median(theirs) * 1e3, "one curl of a 304", 2, "ms")]


def large_package(mirror, url, work, rounds, size):
    """One package, kept as it is; both digests of it are checked, and it is on the disk."""
    address, target = f"{url}/games/large/versions/1.0/package.zip", f"{work}/large.zip"
    ours, copied, summed, memory = [], [], [], []
    for number in range(rounds):
        folder = f"{work}/large-{number}"
        settled()
        taken, most = timed_and_weighed(sync_words(mirror, url, folder, "--game", "large", "--no-unpack"))
        ours.append(taken)
        memory.append(most)
        shutil.rmtree(folder)
        settled()
        copied.append(timed(["curl", "-s", "-o", target, address]))
        os.remove(target)
        settled()
        summed.append(timed(["sh", "-c", f"curl -s {address} | md5sum"]))
    mine = statistics.median(ours)
    return [
        Figure(f"one package of {size >> 20} MiB, MD5 and SHA-256 checked, on the disk", mine, statistics.median(summed), "curl \\| md5sum", 1.2),
        Figure("the same", mine, statistics.median(copied), "curl -o", None),
        Figure("memory of that", max(memory) / 1e6, MEMORY / 1e6, "the bar", 1, "MB"),
    ]


def stopping(mirror, url, work, rounds):
    """From SIGTERM in the middle of a large download to the end of the program."""
    taken = []
    for number in range(rounds):
        folder = f"{work}/stopped-{number}"
        words = sync_words(mirror, url, folder, "--game", "large", "--no-unpack", "--limit-rate", "20M", "--progress", "json")
        words.remove("--quiet")
        with subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
            for line in process.stdout:
                event = json.loads(line)
                if event["event"] == "fetched" and event["bytes"] > 1 << 20:
                    break
            begin = time.monotonic()
            process.send_signal(signal.SIGTERM)
            process.communicate()
            taken.append(time.monotonic() - begin)
            if process.returncode != 143:
                raise RuntimeError(f"mirror-sync ended with {process.returncode} after SIGTERM")
        shutil.rmtree(folder)
    return [Figure("SIGTERM in the middle of a download until it has ended", statistics.median(taken) * 1e3, STOP * 1e3, "the bar", 1, "ms")]


def lines(figures):
    """The table."""
    table = ["| work | mirror-sync | beside it | ÷ | bar | met |", "|---|---|---|---|---|---|"]
    for row in figures:
        bar = "—" if row.bar is None else f"≤ {row.bar:g} ×"
        met = "—" if row.bar is None else ("yes" if row.is_met else "**no**")
        table.append(f"| {row.work} | {row.ours:.2f} {row.unit} | {row.theirs:.2f} {row.unit} ({row.peer}) | {row.ours / row.theirs:.2f} | {bar} | {met} |")
    return table
