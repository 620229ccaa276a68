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
from process import SERVER_CORE, Process, pinned
from server import wrk
from server.depots import CHECK, PACKAGE, Depots, check_path
from server.peers import Server, Setting, start_game_depot
from server.probe import Probe

HERE = os.path.dirname(os.path.abspath(__file__))
RANGE = (("Range", "bytes=1048576-1114111"),)


def paths(probe):
    """What is asked for under each name."""
    tag = probe.get(CHECK).field("ETag")
    return {
        "json": ("packages", CHECK, ()),
        "not-modified": ("packages", CHECK, (("If-None-Match", tag),)),
        "ranges": ("packages", PACKAGE, RANGE),
        "cold-check": ("checks", None, ()),
    }


def main():
    """Profiles each path that was asked for."""
    parser = argparse.ArgumentParser(prog="Benchmarks/profile.sh", description=__doc__)
    parser.add_argument("--programs", default=f"{HERE}/../.build/release")
    parser.add_argument("--depots", default=f"{HERE}/../.bench")
    parser.add_argument("--requests", type=int, default=4000, help="counted by callgrind")
    parser.add_argument("--lines", type=int, default=25, help="functions to tell")
    parser.add_argument("--inclusive", action="store_true", help="count a function's callees with it")
    parser.add_argument("--perf", action="store_true", help="sample with perf too")
    parser.add_argument("names", nargs="*", default=["json", "ranges"], help="json, not-modified, ranges, cold-check")
    options = parser.parse_args()
    program = os.path.abspath(f"{options.programs}/game-depot")
    work = tempfile.mkdtemp(prefix="game-depot-profile.")
    try:
        depots = Depots(program, options.depots, work)
        data = depots.data("packages")
        server = start_game_depot(program, data, Setting(), work)
        try:
            known = paths(Probe(server.urls[0]))
        finally:
            server.stop()
        for name in options.names:
            depot, path, headers = known[name]
            requests = [(path or check_path(number), headers) for number in range(options.requests + 64)]
            print(f"== {name}: instructions in user space a request, by callgrind", flush=True)
            print(count(program, depots.data(depot), requests, options, work), flush=True)
            if options.perf and path:
                print(f"== {name}: time by perf, the kernel's included", flush=True)
                print(sample(program, depots.data(depot), requests[0], options, work), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def count(program, data, requests, options, work):
    """callgrind's account of requests that come one after another on one connection, after 64 that warm up."""
    record, shim = f"{work}/callgrind.out", f"{work}/openat2.so"
    subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-O1", "-o", shim, f"{HERE}/openat2.c"], check=True)
    command = ["env", f"LD_PRELOAD={shim}", "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={record}",
               program, "serve", "--data", data, "--threads", "1", "--access-log", "off", "--listen", "127.0.0.1:0"]
    process = Process(pinned(SERVER_CORE, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        probe = Probe(process.child.stdout.readline().split()[-1])
        for _ in probe.get_all(requests[:64], depth=1):
            pass
        control(process, "-i", "on")
        for _ in probe.get_all(requests[64:], depth=1):
            pass
        control(process, "-i", "off")
        probe.close()
    finally:
        process.stop()
    flags = ["--inclusive=yes"] if options.inclusive else []
    text = subprocess.run(["callgrind_annotate", "--threshold=99.9", *flags, record], capture_output=True, text=True, check=True).stdout
    return readable(text, len(requests) - 64, options.lines)


def control(process, *words):
    """Tells the running callgrind something."""
    subprocess.run(["callgrind_control", *words, str(process.child.pid)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def readable(text, requests, lines):
    """callgrind_annotate's list, a request's share of each count, names as Swift writes them."""
    found = [(int(match[1].replace(",", "")), match[2]) for match in re.finditer(r"^\s*([\d,]+) \([ \d.]+%\)\s+(.*)$", text, re.M)]
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


def sample(program, data, request, options, work):
    """perf's account of a saturated server."""
    server = start_game_depot(program, data, Setting(), work)
    record = f"{work}/perf.data"
    try:
        load = wrk.start(wrk.Load(64, (request,)), 64, server.urls[0], 6, f"{work}/wrk")
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
