"""Measures game-depot beside nginx, and mirror-sync beside aria2c + unzip, in one run.

Each row alternates between the two peers, round by round, and compares medians: the machine's mood falls on both.
Traffic goes to 127.0.0.1 only and is bounded by --rounds and --seconds.
"""

import argparse
import datetime
import glob
import json
import os
import platform
import random
import re
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile

TICKS = os.sysconf("SC_CLK_TCK")


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def processor_seconds(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        total += int(fields[11]) + int(fields[12])
    return total / TICKS


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children") as file:
        return [int(child) for child in file.read().split()]


def wait_for(port):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    sys.exit(f"nothing listens on {port}")


def wrk(url, connections, seconds, headers=()):
    words = ["wrk", "-t2", f"-c{connections}", f"-d{seconds}s", "--latency"]
    for header in headers:
        words += ["-H", header]
    text = subprocess.run(words + [url], capture_output=True, text=True, check=True).stdout
    requests = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])
    count = int(re.search(r"(\d+) requests in", text)[1])
    errors = re.search(r"Non-2xx or 3xx responses: (\d+)|Socket errors: (.*)", text)
    if errors:
        print(f"   {url}: {errors[0]}", file=sys.stderr)
    return requests, count


class Peer:
    def __init__(self, name, pids):
        self.name, self.pids = name, pids

    def measure(self, url, connections, seconds, headers):
        before = processor_seconds(self.pids)
        rate, count = wrk(url, connections, seconds, headers)
        return rate, (processor_seconds(self.pids) - before) / max(count, 1)


def make_package(path, size, seed):
    """A game-like zip: a third text that deflates, the rest media that does not."""
    dice = random.Random(seed)
    words = [bytes(dice.choices(b"abcdefghijklmnopqrstuvwxyz_(){};= ", k=dice.randint(2, 12))) for _ in range(400)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("index.html", b"<!doctype html><script src=js/0.js></script>")
        written, index = 0, 0
        while written < size:
            part = min(size - written, dice.randint(20_000, 400_000))
            if index % 3 == 0:
                archive.writestr(f"js/{index}.js", b" ".join(dice.choices(words, k=part // 3)))
            else:
                archive.writestr(zipfile.ZipInfo(f"media/{index}.png"), dice.randbytes(part), zipfile.ZIP_STORED)
            written += part
            index += 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=4)
    parser.add_argument("--results")
    parser.add_argument("--packages", type=int, default=200)
    parser.add_argument("--only", choices=["server", "mirror"])
    options = parser.parse_args()
    depot_program = os.path.abspath(f"{options.programs}/game-depot")
    mirror_program = os.path.abspath(f"{options.programs}/mirror-sync")
    work = tempfile.mkdtemp(prefix="game-depot-benchmark.")
    started = []
    try:
        print(f"making {options.packages} packages", file=sys.stderr)
        os.makedirs(f"{work}/in")
        make_package(f"{work}/in/large-1.0.zip", 16 << 20, 0)
        for number in range(options.packages):
            make_package(f"{work}/in/game{number:03}-1.0.zip", random.Random(number).randint(200_000, 2_500_000), number + 1)
        subprocess.run([depot_program, "import", f"{work}/in", "--data", f"{work}/depot"], check=True, stdout=subprocess.DEVNULL)
        port, nginx_port = free_port(), free_port()
        depot = subprocess.Popen(
            [depot_program, "serve", "--data", f"{work}/depot", "--listen", f"127.0.0.1:{port}", "--threads", "2", "--access-log", "off"],
            stdout=subprocess.DEVNULL, stderr=open(f"{work}/depot.log", "wb"))
        started.append(depot)
        wait_for(port)
        ours = f"http://127.0.0.1:{port}"
        os.makedirs(f"{work}/www")
        with open(f"{work}/www/check.json", "wb") as file:
            file.write(urllib.request.urlopen(f"{ours}/games/game000/check?h5Version=0.9").read())
        os.link(f"{work}/in/large-1.0.zip", f"{work}/www/large.zip")
        with open(f"{work}/nginx.conf", "w") as file:
            file.write(f"""daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log crit; worker_processes 2; user root;
events {{ worker_connections 4096; }}
http {{ access_log off; sendfile on; tcp_nopush on; open_file_cache max=1000 inactive=60s; open_file_cache_valid 60s;
keepalive_requests 1000000000; types {{ application/json json; application/zip zip; }}
server {{ listen 127.0.0.1:{nginx_port} reuseport; root {work}/www; }} }}""")
        nginx = subprocess.Popen(["nginx", "-c", f"{work}/nginx.conf", "-p", work], stderr=subprocess.DEVNULL)
        started.append(nginx)
        wait_for(nginx_port)
        theirs = f"http://127.0.0.1:{nginx_port}"
        peers = [Peer("game-depot", [depot.pid]), Peer("nginx", children(nginx.pid))]
        check = "/games/game000/check?h5Version=0.9"
        ours_tag = urllib.request.urlopen(ours + check).headers["ETag"]
        theirs_tag = urllib.request.urlopen(f"{theirs}/check.json").headers["ETag"]
        large = f"{ours}/games/large/versions/1.0/package.zip"
        body_size = os.path.getsize(f"{work}/www/check.json")
        rows = []
        plan = [
            (f"check of one game, {body_size} B JSON, keep-alive, 64 connections", 64, (ours + check, ()), (f"{theirs}/check.json", ()), 0),
            ("304 by ETag, 64 connections", 64, (ours + check, (f"If-None-Match: {ours_tag}",)), (f"{theirs}/check.json", (f"If-None-Match: {theirs_tag}",)), 0),
            ("64 KiB ranges of a 16 MB package, 16 connections", 16, (large, ("Range: bytes=1048576-1114111",)), (f"{theirs}/large.zip", ("Range: bytes=1048576-1114111",)), 65536),
            ("16 MB package, 8 connections", 8, (large, ()), (f"{theirs}/large.zip", ()), os.path.getsize(f"{work}/www/large.zip")),
        ]
        if options.only == "mirror":
            plan = []
        for name, connections, mine, other, size in plan:
            samples = {peer.name: [] for peer in peers}
            for _ in range(options.rounds):
                for peer, (url, headers) in zip(peers, (mine, other)):
                    samples[peer.name].append(peer.measure(url, connections, options.seconds, headers))
            rate = {peer: statistics.median(sample[0] for sample in samples[peer]) for peer in samples}
            cost = {peer: statistics.median(sample[1] for sample in samples[peer]) for peer in samples}
            unit = (lambda value: f"{value * size / 1e9:.2f} GB/s") if size else (lambda value: f"{value / 1000:.1f}k req/s")
            rows.append((name, unit(rate["game-depot"]), unit(rate["nginx"]), rate["game-depot"] / rate["nginx"],
                         cost["game-depot"] * 1e6, cost["nginx"] * 1e6, cost["game-depot"] / cost["nginx"] if cost["nginx"] else 0))
            print(rows[-1], file=sys.stderr)

        mirror = None
        if options.only != "server":
            mirror = measure_mirror(mirror_program, ours, work, max(3, options.rounds // 2 + 1))
            print(mirror, file=sys.stderr)
        report(options, rows, mirror)
    finally:
        for process in started:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
        shutil.rmtree(work, ignore_errors=True)


def measure_mirror(program, url, work, rounds):
    """First sync of all packages, against aria2c -j4 that fetches them and unzip that unpacks them."""
    games, after = [], ""
    while after is not None:
        page = json.load(urllib.request.urlopen(f"{url}/games?limit=1000" + (f"&after={after}" if after else "")))
        games += page["games"]
        after = page["next"]
    with open(f"{work}/list.txt", "w") as file:
        for game in games:
            file.write(f"{game['h5Down']}\n  out={game['gameId']}.zip\n")
    size = sum(game["h5Size"] for game in games)
    samples = {"ours": [], "theirs": []}
    for number in range(rounds):
        folder = f"{work}/mirror-{number}"
        begin = time.monotonic()
        subprocess.run([program, "sync", "--server", url, "--dest", folder, "--quiet"], check=True)
        samples["ours"].append(time.monotonic() - begin)
        shutil.rmtree(folder)
        folder = f"{work}/aria-{number}"
        begin = time.monotonic()
        subprocess.run(["aria2c", "-q", "-j4", "-i", f"{work}/list.txt", "-d", folder, "--file-allocation=none"], check=True)
        for path in sorted(glob.glob(f"{folder}/*.zip")):
            subprocess.run(["unzip", "-q", "-o", path, "-d", path[:-4]], check=True)
        samples["theirs"].append(time.monotonic() - begin)
        shutil.rmtree(folder)
    ours, theirs = (statistics.median(samples[peer]) for peer in ("ours", "theirs"))
    return len(games), size, ours, theirs, ours / theirs


def report(options, rows, mirror):
    with open("/proc/cpuinfo") as file:
        model = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "?")
    nginx = subprocess.run(["nginx", "-v"], capture_output=True, text=True).stderr.strip().split("/")[-1]
    lines = [
        "# Results", "",
        "Made by `make bench` (`Benchmarks/run.sh`); run it again to make it yours. Peers alternate round by round in one run; figures are",
        "medians. A ratio above 1 in throughput, or below 1 in CPU and time, is in our favour.", "",
        f"- {datetime.date.today()} · {platform.system()} {platform.release()} · {os.cpu_count()} cores, {model}",
        f"- nginx {nginx}, 2 workers, sendfile, tcp_nopush, open_file_cache, reuseport; game-depot `--threads 2 --access-log off`;",
        f"  wrk -t2 on the same two cores, {options.rounds} rounds of {options.seconds} s", "",
    ]
    if rows:
        lines += ["| work | game-depot | nginx | throughput ÷ nginx | CPU a request, µs | nginx's | CPU ÷ nginx |", "|---|---|---|---|---|---|---|"]
        lines += [f"| {name} | {ours} | {theirs} | {ratio:.2f} | {cost:.1f} | {other:.1f} | {cost_ratio:.2f} |"
                  for name, ours, theirs, ratio, cost, other, cost_ratio in rows]
    if mirror:
        count, size, ours, theirs, ratio = mirror
        lines += ["", "| work | mirror-sync | aria2c -j4 + unzip | time ÷ theirs |", "|---|---|---|---|",
                  f"| first sync of {count} packages, {size / 1e6:.0f} MB: fetched, both digests checked, unpacked, on disk | {ours:.2f} s | {theirs:.2f} s (no digest checked, nothing synced to disk) | {ratio:.2f} |"]
    text = "\n".join(lines) + "\n"
    print(text)
    if options.results and not options.only:
        with open(options.results, "w") as file:
            file.write(text)


if __name__ == "__main__":
    main()
