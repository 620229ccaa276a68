"""The zip module against unzip: the same package, both on all cores that there are."""

import os
import shutil
import statistics
import subprocess
import time
from dataclasses import dataclass

from server.packages import write_game

HERE = os.path.dirname(os.path.abspath(__file__))
# What write_game takes for some 500 MB.
SIZE = 320_000_000


@dataclass
class Unpacking:
    """Medians in seconds, and the most memory that ours took."""

    size: int
    ours: float
    theirs: float
    resident: int


def build(scratch):
    """The program; its sources stand beside this file."""
    command = ["swift", "build", "-c", "release", "--package-path", HERE, "--scratch-path", scratch]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return f"{scratch}/release/unpack"


def measure(folder, work, rounds, size=SIZE):
    """Both unpack in turns. `folder` keeps the package and the program between runs."""
    program = build(f"{folder}/unpack.build")
    package = f"{folder}/mixed-{size}.zip"
    if not os.path.exists(package):
        write_game(f"{package}.new", size, 7)
        os.replace(f"{package}.new", package)
    ours, theirs = [], []
    for number in range(rounds):
        turns = [(ours, [program, package]), (theirs, ["unzip", "-q", "-o", package, "-d"])]
        for runs, command in turns if number % 2 else turns[::-1]:
            runs.append(run(command, f"{work}/unpacked"))
    return Unpacking(
        os.path.getsize(package), statistics.median(seconds for seconds, _ in ours),
        statistics.median(seconds for seconds, _ in theirs), max(resident for _, resident in ours))


def run(command, target):
    """Seconds of one unpacking, which is removed again, and the bytes of memory that it had at most, if it tells."""
    begin = time.monotonic()
    done = subprocess.run(command + [target], check=True, stdout=subprocess.PIPE, text=True)
    taken = time.monotonic() - begin
    shutil.rmtree(target)
    return taken, int(done.stdout or 0) << 10
