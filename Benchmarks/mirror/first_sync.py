"""mirror-sync's first run, against aria2c that fetches the same packages and unzip that unpacks them."""

import glob
import json
import os
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass

from server.peers import Setting, start_game_depot
from server.probe import Probe


@dataclass
class FirstSync:
    """Medians in seconds."""

    packages: int
    size: int
    ours: float
    theirs: float


def measure(programs, depots, work, rounds):
    """Both fetch from the same server on the same machine, in turns."""
    depot = depots.data("packages")
    server = start_game_depot(f"{programs}/game-depot", depot, Setting(), work)
    try:
        games = listing(server.urls[0])
        with open(f"{work}/list.txt", "w", encoding="utf-8") as file:
            for game in games:
                file.write(f"{game['h5Down']}\n  out={game['gameId']}.zip\n")
        ours, theirs = [], []
        for number in range(rounds):
            ours.append(sync(f"{programs}/mirror-sync", server.urls[0], f"{work}/mirror-{number}"))
            theirs.append(fetch_and_unpack(f"{work}/list.txt", f"{work}/aria-{number}"))
        return FirstSync(len(games), sum(game["h5Size"] for game in games), statistics.median(ours), statistics.median(theirs))
    finally:
        server.stop()


def listing(url):
    """All games of the depot."""
    probe, games, after = Probe(url), [], ""
    while after is not None:
        page = json.loads(probe.get(f"/games?limit=1000{after and '&after=' + after}").body)
        games += page["games"]
        after = page["next"]
    probe.close()
    return games


def sync(program, url, folder):
    """Seconds of a first sync."""
    begin = time.monotonic()
    subprocess.run([program, "sync", "--server", url, "--dest", folder, "--quiet"], check=True)
    taken = time.monotonic() - begin
    shutil.rmtree(folder)
    return taken


def fetch_and_unpack(packages, folder):
    """Seconds of the same by others: no digest is checked, nothing is synced to the disk."""
    begin = time.monotonic()
    command = ["aria2c", "-q", "-j4", "-i", packages, "-d", folder, "--file-allocation=none"]
    subprocess.run(command, check=True)
    for path in sorted(glob.glob(f"{folder}/*.zip")):
        subprocess.run(["unzip", "-q", "-o", path, "-d", os.path.splitext(path)[0]], check=True)
    taken = time.monotonic() - begin
    shutil.rmtree(folder)
    return taken
