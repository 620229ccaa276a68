"""Profiles game-depot on one kind of request after another."""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
from dataclasses import dataclass

from process import SERVER_CORE, Process, pinned
from server import wrk
from server.depots import CHECK, MANIFESTS, PACKAGE, Depots, check_path, manifest_path
from server.load import Load
from server.peers import Setting, make_certificate, start_game_depot
from server.probe import Probe

HERE = os.path.dirname(os.path.abspath(__file__))
RANGE = (("Range", "bytes=1048576-1114111"),)
CONNECTIONS = 16


@dataclass(frozen=True)
class Path:
    """What is asked for, and of whom."""

    depot: str
    # Takes the number of the request.
    target: object
    # A validator without a value is the one that the path is answered with.
    headers: tuple = ()
    closes: bool = False
    setting: Setting = Setting()


CLOSING = (("Connection", "close"),)
PATHS = {
    "json": Path("packages", lambda _: CHECK),
    "not-modified": Path("packages", lambda _: CHECK, (("If-None-Match", None),)),
    "ranges": Path("packages", lambda _: PACKAGE, RANGE),
    "cold-check": Path("checks", check_path),
    "manifest-20k": Path("manifests", lambda number: manifest_path(number % MANIFESTS, "2.0")),
    "close": Path("packages", lambda _: CHECK, CLOSING, closes=True),
    "access-log": Path("packages", lambda _: CHECK, setting=Setting(access_log=True)),
    "tls-handshakes": Path("packages", lambda _: CHECK, CLOSING, closes=True, setting=Setting(tls=True)),
}


def fields(path, url):
    """The fields, with this server's ETag where one is wanted."""
    probe = Probe(url)
    done = tuple((name, value or probe.get(path.target(0)).field("ETag")) for name, value in path.headers)
    probe.close()
    return done


def main():
    """Profiles each path that was asked for."""
    parser = argparse.ArgumentParser(prog="Benchmarks/profile.sh", description=__doc__)
    parser.add_argument("--programs", default=f"{HERE}/../.build/release")
    parser.add_argument("--depots", default=f"{HERE}/../.bench")
    parser.add_argument("--requests", type=int, default=4000, help="counted by callgrind")
    parser.add_argument("--lines", type=int, default=25, help="functions to tell")
    parser.add_argument("--inclusive", action="store_true", help="count a function's callees with it")
    parser.add_argument("--perf", action="store_true", help="sample with perf too")
    parser.add_argument("names", nargs="*", default=["json", "ranges"], help=", ".join(PATHS))
    options = parser.parse_args()
    program = os.path.abspath(f"{options.programs}/game-depot")
    work = tempfile.mkdtemp(prefix="game-depot-profile.")
    try:
        depots = Depots(program, options.depots, work)
        for name in options.names:
            path = PATHS[name]
            data = depots.data(path.depot)
            print(f"== {name}: instructions in user space a request, by callgrind", flush=True)
            print(count(program, data, path, options, work), flush=True)
            if options.perf and not path.closes:
                print(f"== {name}: time by perf, the kernel's included", flush=True)
                print(sample(program, data, path, options, work), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def count(program, data, path, options, work):
    """callgrind's account of requests on several connections at a time, after four on each that warm up."""
    record, shim = f"{work}/callgrind.out", f"{work}/openat2.so"
    subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-O1", "-o", shim, f"{HERE}/openat2.c"], check=True)
    command = ["env", f"LD_PRELOAD={shim}", "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={record}",
               program, "serve", "--data", data, "--threads", "1", "--listen", "127.0.0.1:0",
               "--access-log", f"{work}/access.log" if path.setting.access_log else "off"]
    if path.setting.tls:
        certificate, key = make_certificate(work)
        command += ["--tls-cert", certificate, "--tls-key", key]
    process = Process(pinned(SERVER_CORE, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = process.child.stdout.readline().split()[-1]
        sent = fields(path, url)
        requests = [(path.target(number), sent) for number in range(options.requests + 4 * CONNECTIONS)]
        asker = Asker(url, path.closes)
        asker.ask(requests[:4 * CONNECTIONS])
        control(process, "-i", "on")
        asker.ask(requests[4 * CONNECTIONS:])
        control(process, "-i", "off")
    finally:
        process.stop()
    flags = ["--inclusive=yes"] if options.inclusive else []
    text = subprocess.run(["callgrind_annotate", "--threshold=99.9", *flags, record], capture_output=True, text=True, check=True).stdout
    return readable(text, options.requests, options.lines)


class Asker:
    """One request on each connection, then all the answers, over and over: a loop wakes for many at a time, as under load."""

    def __init__(self, url, closes):
        self.url, self.closes = url, closes
        self.probes = []

    def ask(self, requests):
        """Asks all of it."""
        for start in range(0, len(requests), CONNECTIONS):
            if self.closes or not self.probes:
                self.probes = [Probe(self.url) for _ in range(CONNECTIONS)]
            turn = list(zip(self.probes, requests[start:start + CONNECTIONS]))
            for probe, request in turn:
                probe.send([request])
            for probe, _ in turn:
                probe.reply()
                if self.closes:
                    probe.close()


def control(process, *words):
    """Tells the running callgrind something."""
    subprocess.run(["callgrind_control", *words, str(process.child.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def readable(text, requests, lines):
    """callgrind_annotate's list, a request's share of each count, names as Swift writes them."""
    found = [(int(match[1].replace(",", "")), match[2]) for match in re.finditer(r"^\s*([\d,]+) \([ \d.]+%\)\s+(.*)$", text, re.M)]
    # The shim's own share is none of the program's; the first line is the sum of all.
    shim = sum(total for total, name in found if "openat2.so" in name)
    found = [(found[0][0] - shim, found[0][1])] + [entry for entry in found[1:] if "openat2.so" not in entry[1]]
    result = [f"{total / requests:9.0f}  {shortened(name)}" for total, name in found[:lines + 1]]
    return demangled("\n".join(result))


def shortened(name):
    """Without the object's path."""
    return re.sub(r" \[.*\]$", "", name.replace("???:", ""))


def demangled(text):
    """Swift's names in place of the linker's."""
    tool = shutil.which("swift-demangle") or shutil.which("swift")
    command = [tool] + (["demangle"] if tool.endswith("swift") else []) + ["--simplified"]
    return subprocess.run(command, input=text, capture_output=True, text=True, check=True).stdout.rstrip()


def sample(program, data, path, options, work):
    """perf's account of a saturated server."""
    server = start_game_depot(program, data, path.setting, work)
    record = f"{work}/perf.data"
    try:
        request = (path.target(0), fields(path, server.urls[0]))
        load = wrk.start(Load(64, (request,)), 64, server.urls[0], 6, f"{work}/wrk")
        command = ["perf", "record", "-q", "-e", "cpu-clock", "-F", "2000", "-o", record, "-p", str(server.process.child.pid), "--", "sleep", "4"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        load.communicate()
    finally:
        server.stop()
    text = subprocess.run(["perf", "report", "-i", record, "--stdio", "--no-children", "-g", "none", "--percent-limit", "0.5"],
                          capture_output=True, text=True, check=False).stdout
    kept = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return demangled("\n".join(kept[:options.lines]))


if __name__ == "__main__":
    main()
