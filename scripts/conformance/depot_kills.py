"""`game-depot publish` killed, lied to by the disk and cut off from power at every step, and a server that loses its power
while clients publish.

A step is a system call that changes a file (`steps.py`). At each in turn a publish is killed, or told ENOSPC or EIO once
or from there on; `--long` also kills it at every system call whatever. Afterwards the depot must show the old version or
the new one, every package whole, and the next publish must succeed and leave nothing behind. Then the power of the disk
goes, 20 times each: at steps of a publish, and at any moment under a server with four clients that publish. What was
acknowledged must be there, whole. Mounts need root; without it those cases are told as skipped. Talks to 127.0.0.1 only.
Ends with `N passed, N failed`.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import tempfile
import threading
import time
import urllib.error
import urllib.request

from harness import Server, check, finish, run
from mirror_peers import make_zip
from stops import Disk, check_calls, common_steps, sweep, watched

OLD, NEW, GAME = "1.0", "2.0", "game"
# sysexits(3): what a disk that fails may end a publish with.
DISK_EXITS = (0, 73, 74)
CLIENTS = 4


class Bench:
    def __init__(self, programs, work):
        self.depot, self.work, self.before = f"{programs}/game-depot", work, f"{work}/before"
        for version, seed in ((OLD, 1), (NEW, 2)):
            with open(f"{work}/{version}.zip", "wb") as file:
                # Large enough for several writes to the package.
                file.write(make_zip(seed, 4, 60_000))
        result = run(*self.publish(self.before, OLD))
        assert result.returncode == 0, result

    def publish(self, data, version=NEW):
        return (self.depot, "publish", f"{self.work}/{version}.zip", "--game", GAME, "--h5-version", version, "--data", data,
                "--disk-floor", "0")

    def serve(self, data, log):
        return Server(self.depot, "serve", "--data", data, "--listen", "127.0.0.1:0", "--disk-floor", "0", "--access-log", "off",
                      log=log)

    def stopped(self, data, *how):
        shutil.copytree(self.before, data)
        return self.watched(data, *how)

    def watched(self, data, *how):
        return watched(self.publish(data), data, f"{self.work}/{os.path.basename(data)}.steps", *how)


def ask(server, path):
    with urllib.request.urlopen(server.url + path, timeout=60) as answer:
        return json.load(answer)


def shown(server):
    """The game's version; None when the game is not there."""
    try:
        return ask(server, f"/games/{GAME}")["h5Version"]
    except urllib.error.HTTPError as error:
        return check(f"{server.url} answers 200 or 404", error.code == 404, error) and None


def judge(bench, what, data, result=None):
    """`result`: of a publish that was not killed; None for one that was."""
    log = f"{bench.work}/{os.path.basename(data)}.log"
    server = bench.serve(data, log)
    version = shown(server)
    check(f"{what}: old or new, never a third", version in (OLD, NEW), version)
    check(f"{what}: the start swept ingest", os.listdir(f"{data}/ingest") == [])
    check(f"{what}: the server ends with 0", server.stop() == 0)
    os.remove(log)
    if result is not None and result.returncode == 0:
        check(f"{what}: what it says is done is done", version == NEW, result)
    verdict = run(bench.depot, "verify", "--data", data)
    check(f"{what}: every package is whole", verdict.returncode == 0, verdict)
    again = run(*bench.publish(data))
    check(f"{what}: the next publish succeeds", again.returncode == 0, again)
    packages = [name for _, _, names in os.walk(f"{data}/blobs") for name in names]
    check(f"{what}: nothing is left over", len(packages) == 2 and os.listdir(f"{data}/ingest") == [], packages)


def plain_runs(bench, count, *how):
    """What each of so many undisturbed publishes came to."""
    for number in range(count):
        data = f"{bench.work}/plain-{number}"
        result, said = bench.stopped(data, *how)
        assert result.returncode == 0, result
        shutil.rmtree(data)
        yield said["steps"]


def faults(bench, is_long):
    calls = f"{bench.work}/calls"
    shutil.copytree(bench.before, calls)
    check_calls("publish", bench.publish(calls), f"{bench.work}/calls.txt")
    points = common_steps("publish", list(plain_runs(bench, 3)))

    def swept(points, what, *how):
        sweep("publish", what, points, bench.work, lambda data, point: bench.stopped(data, "--at", point, *how),
              lambda told, data, result: judge(bench, told, data, result), DISK_EXITS)

    # `fchmod` and `fchown` need no disk.
    failing = [point for point in points if not point.startswith(("fchmod", "fchown"))]
    kills, failures = (1, 1) if is_long else (4, 16)
    swept(points[::kills], "killed before", "--do", "kill")
    for error in ("ENOSPC", "EIO"):
        swept(failing[::failures], f"{error} at", "--do", error)
        swept(failing[failures // 2::failures], f"{error} from", "--do", error, "--lasting")
    if is_long:
        counts = [len(each) for each in plain_runs(bench, 3, "--every")]
        swept([str(number) for number in range(1, min(counts) + 1)], "killed before system call", "--every", "--do", "kill")


def power_cuts(bench, rounds):
    """The disk is shut down at steps of a publish, the last time after its end."""
    disk = Disk("ext4", bench.work)
    if not disk.is_there:
        return
    data = f"{disk.place}/depot"
    shutil.copytree(bench.before, data)
    disk.keep()
    points = bench.watched(data)[1]["steps"]
    disk.unmount()
    chosen = [points[index * len(points) // (rounds - 1)] for index in range(rounds - 1)] + [None]
    for point in chosen:
        name = f"power cut {f'before {point}' if point else 'after the end'}"
        disk.set_back()
        result, said = bench.watched(data, "--do", "cut", "--shut", disk.place, *(("--at", point) if point else ()))
        check(f"{name}: comes to that point" if point else f"{name}: it came there", said["fired"] == 1 if point else said["status"] == 0, result)
        disk.unmount()
        check(f"{name}: the disk mounts again", disk.mount())
        # After its end the publish had been acknowledged: with its result it is judged as done.
        judge(bench, name, data, None if point else result)
        disk.unmount()
    print(f"publish: power cut {len(chosen)} times, of {len(points)} steps")


def client(server, token, first, stop, acknowledged, lock):
    """Publishes one version after another until told to stop, or refused."""
    made = 0
    while not stop.is_set():
        version = f"{first}.{made}"
        content = make_zip(version, 3, 40_000)
        request = urllib.request.Request(f"{server.url}/games?gameId={GAME}&h5Version={version}", data=content, headers={
            "Authorization": f"Bearer {token}", "Content-Type": "application/zip"})
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                if answer.status == 201:
                    with lock:
                        acknowledged[version] = hashlib.sha256(content).hexdigest()
        except OSError:
            # The disk is gone: an error, a closed connection, or nobody there.
            return
        made += 1


def power_cuts_of_server(bench, rounds):
    """Under a server that four clients publish to, at any moment. What one round acknowledged, all later ones look for."""
    disk = Disk("ext4", bench.work)
    if not disk.is_there:
        return
    data, dice, acknowledged, lock = f"{disk.place}/served", random.Random(9), {}, threading.Lock()
    token = run(bench.depot, "token", "create", "--data", data, "--name", "t", "--scope", "publish").stdout.strip()
    # The token is not what is proven: it is on the disk before the first cut.
    run("sync", "-f", disk.place)
    for number in range(rounds):
        name = f"power cut under load, round {number}"
        server = bench.serve(data, f"{bench.work}/served.log")
        stop = threading.Event()
        threads = [threading.Thread(target=client, args=(server, token, f"{number}.{index}", stop, acknowledged, lock))
                   for index in range(CLIENTS)]
        for thread in threads:
            thread.start()
        time.sleep(dice.uniform(0.05, 1.0))
        check(f"{name}: the disk is shut down", disk.shut_down())
        # Still at work for a moment: whoever is told 201 by it now must have been told the truth.
        time.sleep(0.1)
        stop.set()
        for thread in threads:
            thread.join()
        server.process.send_signal(signal.SIGKILL)
        server.process.wait()
        disk.unmount()
        check(f"{name}: the disk mounts again", disk.mount())
        server = bench.serve(data, f"{bench.work}/served.log")
        lost = [version for version, digest in acknowledged.items()
                if ask(server, f"/games/{GAME}/versions/{version}/manifest")["h5Sha256"] != digest]
        check(f"{name}: what was acknowledged is there", lost == [], lost)
        check(f"{name}: the start swept ingest", os.listdir(f"{data}/ingest") == [])
        check(f"{name}: the server ends with 0", server.stop() == 0)
        verdict = run(bench.depot, "verify", "--data", data)
        check(f"{name}: every package is whole", verdict.returncode == 0, verdict)
    check("power cuts under load: some were acknowledged", len(acknowledged) > rounds, len(acknowledged))
    print(f"server: power cut {rounds} times under {CLIENTS} clients, {len(acknowledged)} acknowledged, none lost")
    disk.unmount()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--long", action="store_true", help="every step and every system call; 20 power cuts of a publish and of a server")
    parser.add_argument("--only", choices=("faults", "cuts", "served"))
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="game-depot-kills.")
    bench = Bench(os.path.abspath(options.programs), work)
    rounds = 20 if options.long else 4
    for name, part in (("faults", lambda: faults(bench, options.long)), ("cuts", lambda: power_cuts(bench, rounds)),
                       ("served", lambda: power_cuts_of_server(bench, rounds))):
        if options.only in (None, name):
            part()
    finish(work)


if __name__ == "__main__":
    main()
