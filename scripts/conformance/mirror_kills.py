"""mirror-sync killed, lied to by the disk and cut off from power, at every step of an install and of updates.

A step is a system call that changes a file; `steps.py` tells them apart by name, path and number, and stops the program
at each of them in turn: killed, with ENOSPC or EIO once or from there on, or with the power of the disk gone. `--long`
also kills it at every system call whatever, one after another. After each the mirror must hold the old state or the new
one, never a third, and the next run must finish the job and clean up. A step that several plain runs came to and a run
that is to be stopped there does not is a failure. Mounts need root; without it those cases are told as skipped. Talks to
127.0.0.1 only. Ends with `N passed, N failed`.
"""

import argparse
import json
import os
import shutil
import tempfile
from dataclasses import dataclass

from harness import Server, check, finish, run, tree
from mirror_peers import make_zip
from stops import Disk, check_calls, common_steps, mount, sweep, watched


@dataclass
class Story:
    """What is stopped: a sync from `before`, a mirror or None, which ends in `final`."""
    name: str
    before: str | None
    allowed: list
    final: dict


class Bench:
    def __init__(self, programs, work):
        self.depot, self.mirror, self.work, self.data = f"{programs}/game-depot", f"{programs}/mirror-sync", work, f"{work}/depot"
        self.trees = {}
        for version, seed, changed in (("1.0", 1, None), ("2.0", 2, None), ("2.1", 2, 3)):
            with open(f"{work}/{version}.zip", "wb") as file:
                file.write(make_zip(seed, 4, 30_000, changed))
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


def stopped(bench, story, destination, *how):
    """Runs the story in the folder, stopped as told. The result and the report of steps.py."""
    if story.before:
        shutil.copytree(story.before, destination, symlinks=True)
    else:
        os.makedirs(destination)
    return watched_sync(bench, destination, *how)


def watched_sync(bench, destination, *how):
    return watched(bench.sync(destination), destination, f"{bench.work}/{os.path.basename(destination)}.steps", *how)


def plain_runs(bench, story, count, *how):
    """What each of so many undisturbed runs came to."""
    for number in range(count):
        destination = f"{bench.work}/plain-{number}"
        result, said = stopped(bench, story, destination, *how)
        assert result.returncode == 0 and tree(f"{destination}/games/game/current") == story.final, result
        shutil.rmtree(destination)
        yield said["steps"]


def check_calls_of(bench, story):
    destination = f"{bench.work}/calls"
    if story.before:
        shutil.copytree(story.before, destination, symlinks=True)
    check_calls(story.name, bench.sync(destination), f"{bench.work}/calls.txt")
    shutil.rmtree(destination)


def swept(bench, story, points, what, *how):
    sweep(story.name, what, points, bench.work, lambda folder, point: stopped(bench, story, folder, "--at", point, *how),
          lambda told, folder, result: judge(bench, told, folder, story.allowed, story.final, result), (0, 1, 73))


def faults(bench, is_long, stories):
    for story in stories:
        check_calls_of(bench, story)
        points = common_steps(story.name, list(plain_runs(bench, story, 3)))
        # `fchmod` and `fchown` need no disk.
        failing = [point for point in points if not point.startswith(("fchmod", "fchown"))]
        kills, failures = (1, 1) if is_long else (8, 40)
        swept(bench, story, points[::kills], "killed before", "--do", "kill")
        for error in ("ENOSPC", "EIO"):
            swept(bench, story, failing[::failures], f"{error} at", "--do", error)
            swept(bench, story, failing[failures // 2::failures], f"{error} from", "--do", error, "--lasting")
        if is_long:
            # Threads that wait for one another make a few calls more or less each time.
            counts = [len(each) for each in plain_runs(bench, story, 10, "--every")]
            swept(bench, story, [str(number) for number in range(1, min(counts) + 1)], "killed before system call", "--every", "--do", "kill")


def stories(bench):
    """An install, an update that shares nothing with what was there, and one of a part: each is published when its turn comes."""
    trees = bench.trees
    yield Story("install", None, [{}, trees["1.0"]], trees["1.0"])
    for old, new, name in (("1.0", "2.0", "update"), ("2.0", "2.1", "update of a part")):
        before = f"{bench.work}/before-{new}"
        assert run(*bench.sync(before)).returncode == 0
        bench.publish(new)
        yield Story(name, before, [trees[old], trees[new]], trees[new])


def check_part(bench, story):
    """The update of a part fetches a part."""
    destination = f"{bench.work}/part"
    shutil.copytree(story.before, destination, symlinks=True)
    words = [word for word in bench.sync(destination) if word != "--quiet"]
    lines = [json.loads(line) for line in run(*words, "--progress", "json").stdout.splitlines()]
    fetched = sum(line["bytes"] for line in lines if line["event"] == "updated")
    size = os.path.getsize(f"{bench.work}/2.1.zip")
    check("update of a part: a part is fetched", 30_000 < fetched < size / 2, f"{fetched} of {size}")
    shutil.rmtree(destination)


def power_cuts(bench, story, system, rounds):
    """The disk under a mirror is shut down at steps of an update, the last time after its end."""
    disk = Disk(system, bench.work)
    if not disk.is_there:
        return
    mirror = f"{disk.place}/mirror"
    shutil.copytree(story.before, mirror, symlinks=True)
    disk.keep()
    points = watched_sync(bench, mirror)[1]["steps"]
    disk.unmount()
    chosen = [points[index * len(points) // (rounds - 1)] for index in range(rounds - 1)] + [None]
    for point in chosen:
        name = f"{system}, power cut {f'before {point}' if point else 'after the end'}"
        disk.set_back()
        result, said = watched_sync(bench, mirror, "--do", "cut", "--shut", disk.place, *(("--at", point) if point else ()))
        check(f"{name}: comes to that point" if point else f"{name}: it came there", said["fired"] == 1 if point else said["status"] == 0, result)
        disk.unmount()
        check(f"{name}: the disk mounts again", disk.mount())
        if not point:
            check(f"{name}: what was done stays done", tree(f"{mirror}/games/game/current") == story.final)
        judge(bench, name, mirror, story.allowed, story.final)
        disk.unmount()
    print(f"{system}: {story.name}: power cut {len(chosen)} times, of {len(points)} steps")


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
    parser.add_argument("--long", action="store_true", help="every step and every system call; 20 power cuts an update and file system")
    parser.add_argument("--only", help="install, update, or update of a part")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="game-depot-kills.")
    bench = Bench(os.path.abspath(options.programs), work)
    for story in stories(bench):
        if options.only not in (None, story.name):
            continue
        if story.name == "update of a part":
            check_part(bench, story)
        faults(bench, options.long, [story])
        if story.name != "install":
            for system in ("ext4", "xfs"):
                power_cuts(bench, story, system, 20 if options.long else 4)
    little_room(bench)
    mounts(bench)
    bench.server.stop()
    finish(work)


if __name__ == "__main__":
    main()
