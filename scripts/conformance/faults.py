"""Faults on purpose: kill -9 at every durable step of a publish, and disks that are full.

strace(1) ends the program at its Nth fsync, rename, write, unlink …, for N = 1, 2, 3 … until a run comes through. After
each kill the depot must hold the old state or the new one, never a third, and the next run must finish
the job and clean up. Full disks are tmpfs mounts, for which this must run as root; without it those cases are told
as skipped. Talks to 127.0.0.1 only.
"""

import argparse
import hashlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request
import zipfile

STEPS = "fsync,fdatasync,rename,renameat,renameat2,pwrite64,unlinkat,mkdirat,symlinkat,ftruncate,fchmod"
# A run has far fewer steps; beyond this something repeats for ever.
MOST_STEPS = 2000

passed = failed = skipped = 0


def check(name, condition, evidence=""):
    global passed, failed
    if condition:
        passed += 1
    else:
        failed += 1
        print(f"FAIL {name} {evidence}")
    return condition


def run(*words, **options):
    return subprocess.run(words, capture_output=True, text=True, timeout=120, **options)


def killed_at(step, *words):
    """Runs a program that is killed at its step; True when it came through because it has fewer steps."""
    result = run("strace", "-f", "-qq", "-o", "/dev/null", "-e", f"trace={STEPS}", "-e", f"inject={STEPS}:signal=KILL:when={step}",
                 *words, env={**os.environ, "SWIFT_BACKTRACE": "enable=no"})
    return result.returncode == 0


def tree(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, folder)] = hashlib.sha256(file.read()).hexdigest()
    return found


def make_zip(path, seed, files, size):
    dice = random.Random(seed)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("index.html", f"<h1>{seed}</h1>")
        for index in range(files):
            archive.writestr(f"part{index % 3}/{index}.bin", dice.randbytes(size))


class Depot:
    def __init__(self, program, data, log, *more):
        self.process = subprocess.Popen([program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--disk-floor", "0",
                                         "--access-log", "off", *more], stdout=open(log, "wb"), stderr=subprocess.STDOUT)
        deadline = time.monotonic() + 20
        self.url = None
        while self.url is None:
            for line in open(log, errors="replace"):
                if line.startswith("listening on "):
                    self.url = line.split()[2]
            if self.url is None:
                if self.process.poll() is not None or time.monotonic() > deadline:
                    sys.exit(f"the depot did not start: {open(log).read()}")
                time.sleep(0.01)

    def stop(self, number=signal.SIGTERM):
        self.process.send_signal(number)
        return self.process.wait(timeout=60)

    def ask(self, path):
        with urllib.request.urlopen(self.url + path, timeout=20) as answer:
            return json.load(answer)


def kill_publishes(depot, work):
    make_zip(f"{work}/one.zip", 1, 4, 30_000)
    make_zip(f"{work}/two.zip", 2, 4, 30_000)
    data = f"{work}/publish"

    def publish(name, version):
        return (depot, "publish", f"{work}/{name}.zip", "--game", "game", "--h5-version", version, "--data", data, "--disk-floor", "0")

    assert run(*publish("one", "1.0")).returncode == 0
    shutil.copytree(data, f"{data}.before")
    for step in range(1, MOST_STEPS):
        shutil.rmtree(data)
        shutil.copytree(f"{data}.before", data)
        came_through = killed_at(step, *publish("two", "2.0"))
        server = Depot(depot, data, f"{work}/depot.log")
        version = server.ask("/games/game")["h5Version"]
        check(f"publish killed at step {step}: the old state or the new one", version in ("1.0", "2.0"), version)
        check(f"publish killed at step {step}: the start swept ingest", os.listdir(f"{data}/ingest") == [])
        server.stop()
        check(f"publish killed at step {step}: every package is whole", run(depot, "verify", "--data", data).returncode == 0)
        again = run(*publish("two", "2.0"))
        check(f"publish killed at step {step}: the next one succeeds", again.returncode == 0, again)
        if came_through:
            check("an unharmed publish is the new state", version == "2.0")
            print(f"publish: killed at {step - 1} steps")
            return
    check("publish came through in the end", False)


def kill_uploads(depot, work):
    """kill -9 of the server while a client sends."""
    data = f"{work}/upload"
    token = run(depot, "token", "create", "--data", data, "--name", "t", "--scope", "publish").stdout.strip()
    make_zip(f"{work}/large.zip", 3, 40, 100_000)
    size = os.path.getsize(f"{work}/large.zip")
    for part in (0, 1, size // 2, size - 1, size):
        server = Depot(depot, data, f"{work}/depot.log")
        client = subprocess.Popen(
            ["curl", "-sS", "-o", "/dev/null", "-X", "POST", "-H", f"Authorization: Bearer {token}", "-H", "Content-Type: application/zip",
             "-H", f"Content-Length: {size}", "-T", "-", f"{server.url}/games?gameId=game&h5Version=part{part}"],
            stdin=subprocess.PIPE, stderr=subprocess.DEVNULL)
        with open(f"{work}/large.zip", "rb") as file:
            try:
                client.stdin.write(file.read(part))
                client.stdin.flush()
            except BrokenPipeError:
                pass
        deadline = time.monotonic() + 5
        while part > 100_000 and not os.listdir(f"{data}/ingest") and client.poll() is None and time.monotonic() < deadline:
            time.sleep(0.005)
        server.stop(signal.SIGKILL)
        client.stdin.close()
        client.wait(timeout=60)
        server = Depot(depot, data, f"{work}/depot.log")
        check(f"server killed {part} bytes into an upload: ingest is swept", os.listdir(f"{data}/ingest") == [])
        games = server.ask("/games")["games"]
        check(f"server killed {part} bytes into an upload: nothing half published", part == size or games == [], games)
        server.stop()
        check(f"server killed {part} bytes into an upload: packages whole", run(depot, "verify", "--data", data).returncode == 0)


def kill_under_load(depot, work):
    """kill -9 at random moments while four clients publish: whatever was acknowledged is there afterwards, and whole."""
    data = f"{work}/loaded"
    token = run(depot, "token", "create", "--data", data, "--name", "t", "--scope", "publish").stdout.strip()
    dice = random.Random(9)
    acknowledged, serial = {}, 0
    for number in range(12):
        server = Depot(depot, data, f"{work}/depot.log")
        check(f"killed under load, round {number}: the start swept ingest", os.listdir(f"{data}/ingest") == [])
        for version, digest in acknowledged.items():
            found = server.ask(f"/games/game/versions/{version}/manifest")["h5Sha256"]
            check(f"killed under load, round {number}: {version} is there", found == digest, found)
        stop = threading.Event()
        results, lock = {}, threading.Lock()

        def client(first):
            made = 0
            while not stop.is_set():
                version, path = f"{first}.{made}", f"{work}/load-{first}.zip"
                make_zip(path, f"{number}-{version}", 3, 40_000)
                with open(path, "rb") as file:
                    content = file.read()
                request = urllib.request.Request(f"{server.url}/games?gameId=game&h5Version={version}", data=content, headers={
                    "Authorization": f"Bearer {token}", "Content-Type": "application/zip"})
                try:
                    with urllib.request.urlopen(request, timeout=20) as answer:
                        if answer.status == 201:
                            with lock:
                                results[version] = hashlib.sha256(content).hexdigest()
                except OSError:
                    return
                made += 1

        clients = [threading.Thread(target=client, args=(f"{number}.{index}",)) for index in range(4)]
        for thread in clients:
            thread.start()
        time.sleep(dice.uniform(0.05, 0.6))
        server.stop(signal.SIGKILL)
        stop.set()
        for thread in clients:
            thread.join()
        acknowledged.update(results)
        serial += len(results)
    check("killed under load: every package is whole", run(depot, "verify", "--data", data).returncode == 0)
    check("killed under load: some were acknowledged", serial > 12, serial)
    print(f"upload: {serial} acknowledged under 12 kills, none lost")


def stop_in_mid_check(depot, work):
    """SIGTERM while a large package is checked: the server ends with its drain time, and the next start is clean."""
    data = f"{work}/draining"
    token = run(depot, "token", "create", "--data", data, "--name", "t", "--scope", "publish").stdout.strip()
    with zipfile.ZipFile(f"{work}/huge.zip", "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        archive.writestr("index.html", "<p>")
        # Deflates to a half, so that checking takes far longer than sending.
        text = random.Random(4).randbytes(1 << 16).hex().encode() * 10
        for index in range(400):
            archive.writestr(f"{index}.txt", text)
    server = Depot(depot, data, f"{work}/depot.log", "--drain-timeout", "1s")
    client = subprocess.Popen(["curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", f"Authorization: Bearer {token}", "-H",
                               "Content-Type: application/zip", "-H", "Expect:", "--data-binary", f"@{work}/huge.zip",
                               f"{server.url}/games?gameId=game&h5Version=1.0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    size, deadline = os.path.getsize(f"{work}/huge.zip"), time.monotonic() + 60

    def received():
        return sum(os.path.getsize(f"{data}/ingest/{name}") for name in os.listdir(f"{data}/ingest"))

    while client.poll() is None and received() < size and time.monotonic() < deadline:
        time.sleep(0.005)
    begun = time.monotonic()
    status = server.stop()
    taken = time.monotonic() - begun
    client.wait(timeout=60)
    check("stopped in mid-check: the server ends with 0", status == 0, status)
    # The drain time, a tick of the loop, and a step of the check.
    check("stopped in mid-check: it took no longer than its drain time and 2 s", taken < 3, f"{taken:.1f} s")
    print(f"drain: {taken:.1f} s with --drain-timeout 1s while a package of {size >> 20} MiB was checked")
    check("stopped in mid-check: nothing is left in ingest", os.listdir(f"{data}/ingest") == [])
    server = Depot(depot, data, f"{work}/depot.log")
    again = run("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", f"Authorization: Bearer {token}", "-H", "Content-Type: application/zip",
                "--data-binary", f"@{work}/huge.zip", f"{server.url}/games?gameId=game&h5Version=1.0")
    check("stopped in mid-check: the next upload succeeds", again.stdout in ("201", "200"), again)
    server.stop()


def full_disks(depot, mirror, work):
    global skipped
    place = f"{work}/full"
    os.makedirs(place)
    if run("mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", place).returncode != 0:
        skipped += 1
        print("skip full disks: mounting a tmpfs needs root")
        return
    try:
        data = f"{place}/depot"
        token = run(depot, "token", "create", "--data", data, "--name", "t", "--scope", "publish").stdout.strip()
        server = Depot(depot, data, f"{work}/depot.log")

        def upload(name, version):
            return run("curl", "-sS", "-w", "%{http_code}", "-o", "/dev/null", "-H", f"Authorization: Bearer {token}", "-F", "gameId=game",
                       "-F", f"h5Version={version}", "-F", f"package=@{work}/{name}.zip", f"{server.url}/games").stdout

        status = upload("one", "1.0")
        check("a small package fits on the small disk", status == "201", status)
        status = upload("large", "2.0")
        check("a full disk answers 507", status == "507", status)
        check("a full disk loses nothing", server.ask("/games/game")["h5Version"] == "1.0")
        check("a full disk leaves nothing in ingest", os.listdir(f"{data}/ingest") == [])
        status = upload("two", "3.0")
        check("a publish after a full disk succeeds", status == "201", status)
        check("the server ends with 0 after a full disk", server.stop() == 0)
        check("every package is whole after a full disk", run(depot, "verify", "--data", data).returncode == 0)
        shutil.rmtree(data)

        source = f"{work}/roomy"
        assert run(depot, "publish", f"{work}/one.zip", "--game", "game", "--h5-version", "1.0", "--data", source, "--disk-floor", "0").returncode == 0
        server = Depot(depot, source, f"{work}/depot.log")
        dest = f"{place}/mirror"
        words = (mirror, "sync", "--server", server.url, "--dest", dest, "--quiet", "--retries", "0")
        check("the first version fits into the mirror", run(*words).returncode == 0)
        before = tree(f"{dest}/games/game/current")
        assert run(depot, "publish", f"{work}/large.zip", "--game", "game", "--h5-version", "2.0", "--data", source, "--disk-floor", "0").returncode == 0
        result = run(*words)
        check("a full disk exits 73", result.returncode == 73, result)
        check("a full disk says so in one line", len(result.stderr.splitlines()) == 1, result.stderr)
        check("a full disk harms nothing installed", tree(f"{dest}/games/game/current") == before)
        server.stop()
    finally:
        run("umount", place)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    options = parser.parse_args()
    depot, mirror = (os.path.abspath(f"{options.programs}/{name}") for name in ("game-depot", "mirror-sync"))
    work = tempfile.mkdtemp(prefix="game-depot-faults.")
    try:
        kill_publishes(depot, work)
        kill_uploads(depot, work)
        kill_under_load(depot, work)
        stop_in_mid_check(depot, work)
        full_disks(depot, mirror, work)
    finally:
        if failed == 0:
            shutil.rmtree(work, ignore_errors=True)
        else:
            print(f"left for a look: {work}")
    print(f"{passed} passed, {failed} failed, {skipped} skipped")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
