"""mirror-sync killed, lied to by the disk and cut off from power, at every step of an install and of an update.

strace(1) ends the program at its Nth durable step, or lets that step fail with ENOSPC or EIO, for N = 1, 2, 3 … until a
run comes through; a loop-mounted ext4 is shut down under it as a power cut does. After each the mirror must hold the old
state or the new one, never a third, and the next run must finish the job and clean up. Mounts need root; without it
those cases are told as skipped. Talks to 127.0.0.1 only. Ends with `N passed, N failed`.
"""

import argparse
import concurrent.futures
import fcntl
import itertools
import json
import os
import shutil
import struct
import subprocess
import tempfile
import time

from harness import Server, check, finish, run, tree
from mirror_peers import make_zip

STEPS = ("fsync", "fdatasync", "rename", "renameat", "renameat2", "pwrite64", "write", "unlink", "unlinkat", "mkdir", "mkdirat", "symlinkat",
         "linkat", "ftruncate", "fallocate", "fchmod", "copy_file_range")
# Writes to a descriptor of a pipe or an event are no steps of the disk, and fail for no disk.
FAILING = tuple(step for step in STEPS if step not in ("write", "fchmod"))
# A run has far fewer steps; beyond this something repeats for ever.
MOST_STEPS = 2000
# linux/ext4.h: EXT4_IOC_SHUTDOWN, EXT4_GOING_FLAGS_NOLOGFLUSH: nothing that is not in the log any more is kept.
SHUTDOWN, NO_LOG_FLUSH = 0x8004587D, 2


class Bench:
    def __init__(self, programs, work):
        self.depot, self.mirror, self.work, self.data = f"{programs}/game-depot", f"{programs}/mirror-sync", work, f"{work}/depot"
        self.trees = {}
        for version, seed in (("1.0", 1), ("2.0", 2)):
            with open(f"{work}/{version}.zip", "wb") as file:
                file.write(make_zip(seed, 4, 30_000))
            shutil.unpack_archive(f"{work}/{version}.zip", f"{work}/tree-{version}")
            self.trees[version] = tree(f"{work}/tree-{version}")
        self.publish("1.0")
        self.server = Server(self.depot, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--disk-floor", "0", "--access-log", "off",
                             log=f"{work}/depot.log")

    def publish(self, version, game="game", path=None):
        result = run(self.depot, "publish", path or f"{self.work}/{version}.zip", "--game", game, "--h5-version", version, "--data", self.data,
                     "--disk-floor", "0")
        assert result.returncode == 0, result

    def sync(self, destination, *more):
        return (self.mirror, "sync", "--server", self.server.url, "--dest", destination, "--quiet", "--retries", "0", *more)


def judge(bench, what, destination, allowed, final, result=None):
    """`result`: of a run that was not killed; None for one that was."""
    current = f"{destination}/games/game/current"
    now = tree(current) if os.path.exists(current) else {}
    check(f"{what}: old or new, never a third", now in allowed, sorted(now)[:5])
    if result is not None and result.returncode == 0:
        check(f"{what}: what it says is done is done", now == final, result)
    again = run(*bench.sync(destination))
    check(f"{what}: the next run finishes", again.returncode == 0, again)
    check(f"{what}: and is the new state", tree(current) == final)
    left = sorted(set(os.listdir(f"{destination}/games/game")) - {"current", "versions"}) + os.listdir(f"{destination}/partial")
    check(f"{what}: nothing is left over", left == [], left)


def sweep(bench, kind, before, allowed, final, steps, injection, stride):
    """Tries each set of `steps` at its 1st time and every `stride`th after it. How many were tried."""

    def attempt(names, number):
        destination = f"{bench.work}/{kind.split()[0]}-{'-'.join(names)[:40]}-{number}"
        if before:
            shutil.copytree(before, destination, symlinks=True)
        family = ",".join(names)
        result = run("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={family}", "-e", f"inject={family}:{injection}:when={number}",
                     *bench.sync(destination), env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
        name = f"{kind} {names[0] if len(names) == 1 else 'step'} {number}"
        was_killed = result.returncode < 0 or result.returncode == 137
        came_through = result.returncode == 0
        if "error" in injection:
            check(f"{name}: exit 0, 1, 65 or 73", result.returncode in (0, 1, 65, 73), result)
        judge(bench, name, destination, allowed, final, None if was_killed else result)
        shutil.rmtree(destination)
        return came_through

    tried = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for names in steps:
            numbers = itertools.count(1, stride)
            through = 0
            while through == 0:
                batch = list(itertools.islice(numbers, 4))
                if batch[-1] > MOST_STEPS:
                    check(f"{kind} {names[0]}: comes through in the end", False)
                    break
                # A failure that harms nothing is told by exit 0 as well: several in a row are an end.
                ends = list(pool.map(lambda number, names=names: attempt(names, number), batch))
                tried += len(batch)
                through = all(ends)
    return tried


def faults(bench, is_long):
    """Install first, then update; each killed, then with a disk that fails."""
    # Without much time, every other step is the last one, and every seventh fails.
    kills, failures = (1, 1) if is_long else (2, 7)
    singly = [(step,) for step in STEPS] if is_long else []
    trees = bench.trees

    for what, before, allowed, final in (
            ("install", None, [{}, trees["1.0"]], trees["1.0"]),
            ("update", f"{bench.work}/before", [trees["1.0"], trees["2.0"]], trees["2.0"])):
        if before:
            result = run(*bench.sync(before))
            assert result.returncode == 0, result
            bench.publish("2.0")
        count = sweep(bench, f"{what} killed at", before, allowed, final, [STEPS, *singly], "signal=KILL", kills)
        print(f"{what}: killed at {count} steps")
        for error in ("ENOSPC", "EIO"):
            families = [(step,) for step in FAILING] if is_long else [FAILING]
            count = sweep(bench, f"{what} with {error} at", before, allowed, final, families, f"error={error}", failures)
            print(f"{what}: {error} at {count} steps")


def mount(*words):
    return os.geteuid() == 0 and run("mount", *words).returncode == 0


def power_cuts(bench, rounds):
    """`before` is a mirror of 1.0; the depot has 2.0."""
    image, place = f"{bench.work}/disk.img", f"{bench.work}/disk"
    os.makedirs(place)
    with open(image, "wb") as file:
        file.truncate(64 << 20)
    if run("mkfs.ext4", "-q", image).returncode != 0 or not mount("-o", "loop", image, place):
        print("skip power cuts: mounting an ext4 in a file needs root")
        return
    shutil.copytree(f"{bench.work}/before", f"{place}/mirror", symlinks=True)
    run("umount", place)
    shutil.copyfile(image, f"{image}.before")
    acknowledged, begun = 0, time.monotonic()
    mount("-o", "loop", image, place)
    assert run(*bench.sync(f"{place}/mirror")).returncode == 0
    took = time.monotonic() - begun
    run("umount", place)
    for number in range(rounds):
        shutil.copyfile(f"{image}.before", image)
        assert mount("-o", "loop", image, place)
        folder = os.open(place, os.O_RDONLY)
        process = subprocess.Popen(bench.sync(f"{place}/mirror"), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            process.wait(timeout=took * (number + 1) / rounds)
        except subprocess.TimeoutExpired:
            pass
        fcntl.ioctl(folder, SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        was_done = process.poll() == 0
        os.close(folder)
        process.kill()
        process.wait()
        run("umount", place)
        check(f"power cut {number}: the disk mounts again", mount("-o", "loop", image, place))
        now = tree(f"{place}/mirror/games/game/current")
        if was_done:
            acknowledged += 1
            check(f"power cut {number}: what was done stays done", now == bench.trees["2.0"], sorted(now))
        judge(bench, f"power cut {number}", f"{place}/mirror", [bench.trees["1.0"], bench.trees["2.0"]], bench.trees["2.0"])
        run("umount", place)
    print(f"power: cut {rounds} times in an update of {took:.2f} s, {acknowledged} of them after its end")


def little_room(bench):
    """A tmpfs too small for everything: 73 with nothing fetched, or cleaned first where that is enough."""
    place = f"{bench.work}/small"
    os.makedirs(place)
    if not mount("-t", "tmpfs", "-o", "size=1900k", "tmpfs", place):
        print("skip a small disk: mounting a tmpfs needs root")
        return
    destination = f"{place}/mirror"
    for version in ("3.0", "4.0", "5.0", "6.0"):
        path = f"{bench.work}/{version}.zip"
        with open(path, "wb") as file:
            file.write(make_zip(version, 4, 60_000))
        bench.publish(version, path=path)
        if version != "6.0":
            result = run(*bench.sync(destination, "--game", "game", "--keep", "3"))
            check(f"a small disk: {version} fits", result.returncode == 0, result)
    words = bench.sync(destination, "--game", "game", "--keep", "2")
    plan = run(*words, "--dry-run", "--json")
    said = json.loads(plan.stdout)
    check("a small disk: the plan says what goes first", plan.returncode == 0 and said["bytesToReclaim"] > 0 and said["isEnough"], plan)
    check("a small disk: and removes nothing", len(os.listdir(f"{destination}/games/game/versions")) == 3)
    result = run(*words)
    check("a small disk: old versions go where that makes room", result.returncode == 0, result)
    versions = sorted(os.listdir(f"{destination}/games/game/versions"))
    check("a small disk: those kept are the newest", versions == ["5.0", "6.0"], versions)
    with open(f"{bench.work}/more.zip", "wb") as file:
        file.write(make_zip(9, 4, 90_000))
    for game in ("more", "most"):
        bench.publish("1.0", game, f"{bench.work}/more.zip")
    before = tree(destination)
    result = run(*bench.sync(destination))
    check("a small disk: not room for all is 73", result.returncode == 73 and "needs" in result.stderr and "are free" in result.stderr, result)
    kept = {name: digest for name, digest in tree(destination).items() if not name.startswith("mirror.")}
    check("a small disk: and nothing is fetched or lost", all(before[name] == digest for name, digest in kept.items())
          and os.listdir(f"{destination}/partial") == [], sorted(kept))
    result = run(*bench.sync(destination, "--include", "mor?"))
    check("a small disk: what is chosen fits", result.returncode == 0, result)
    run("umount", place)


def mounts(bench):
    """Packages on a disk of their own."""
    destination = f"{bench.work}/parted"
    os.makedirs(f"{destination}/packages")
    if not mount("-t", "tmpfs", "-o", "size=8m", "tmpfs", f"{destination}/packages"):
        return
    plan = json.loads(run(*bench.sync(destination, "--dry-run", "--json")).stdout)
    check("packages mounted apart: two disks in the plan", [device["folders"] for device in plan["devices"]] ==
          [["games", "partial"], ["packages"]], plan["devices"])
    result = run(*bench.sync(destination, "--game", "game"))
    check("packages mounted apart: the game is installed", result.returncode == 0, result)
    check("packages mounted apart: its package is there, and no partial", os.path.exists(f"{destination}/packages/game/6.0.zip")
          and os.listdir(f"{destination}/partial") == [], result)
    run("umount", f"{destination}/packages")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--long", action="store_true", help="every step, together and each alone; 20 power cuts")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="game-depot-kills.")
    bench = Bench(os.path.abspath(options.programs), work)
    faults(bench, options.long)
    power_cuts(bench, 20 if options.long else 5)
    little_room(bench)
    mounts(bench)
    bench.server.stop()
    finish(work)


if __name__ == "__main__":
    main()
