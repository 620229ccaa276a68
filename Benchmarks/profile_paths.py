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
from server.load import Load
from server.peers import Setting, start_game_depot
from server.probe import Probe

HERE = os.path.dirname(os.path.abspath(__file__))
RANGE = (("Range", "bytes=1048576-1114111"),)
CONNECTIONS = 16


# The depot, the path (nothing: another game each time), and fields; a validator is the one that the path is answered with.
PATHS = {
    "json": ("packages", CHECK, ()),
    "not-modified": ("packages", CHECK, (("If-None-Match", None),)),
    "ranges": ("packages", PACKAGE, RANGE),
    "cold-check": ("checks", None, ()),
}


def fields(headers, path, url):
    """The fields, with this server's ETag where one is wanted."""
    probe = Probe(url)
    done = tuple((name, value or probe.get(path).field("ETag")) for name, value in headers)
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
    parser.add_argument("names", nargs="*", default=["json", "ranges"], help="json, not-modified, ranges, cold-check")
    options = parser.parse_args()
    program = os.path.abspath(f"{options.programs}/game-depot")
    work = tempfile.mkdtemp(prefix="game-depot-profile.")
    try:
        depots = Depots(program, options.depots, work)
        for name in options.names:
            depot, path, headers = PATHS[name]
            data = depots.data(depot)
            print(f"== {name}: instructions in user space a request, by callgrind", flush=True)
            print(count(program, data, path, headers, options, work), flush=True)
            if options.perf and path:
                print(f"== {name}: time by perf, the kernel's included", flush=True)
                print(sample(program, data, path, headers, options, work), flush=True)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def count(program, data, path, headers, options, work):
    """callgrind's account of requests on several connections at a time, after four on each that warm up."""
    record, shim = f"{work}/callgrind.out", f"{work}/openat2.so"
    subprocess.run([shutil.which("cc") or "clang", "-shared", "-fPIC", "-O1", "-o", shim, f"{HERE}/openat2.c"], check=True)
    command = ["env", f"LD_PRELOAD={shim}", "valgrind", "--tool=callgrind", "--instr-atstart=no", f"--callgrind-out-file={record}",
               program, "serve", "--data", data, "--threads", "1", "--access-log", "off", "--listen", "127.0.0.1:0"]
    process = Process(pinned(SERVER_CORE, command), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    try:
        url = process.child.stdout.readline().split()[-1]
        numbers = range(options.requests + 4 * CONNECTIONS)
        sent = fields(headers, path, url)
        requests = [(path or check_path(number), sent) for number in numbers]
        probes = [Probe(url) for _ in range(CONNECTIONS)]
        ask(probes, requests[:4 * CONNECTIONS])
        control(process, "-i", "on")
        ask(probes, requests[4 * CONNECTIONS:])
        control(process, "-i", "off")
        for probe in probes:
            probe.close()
    finally:
        process.stop()
    flags = ["--inclusive=yes"] if options.inclusive else []
    text = subprocess.run(["callgrind_annotate", "--threshold=99.9", *flags, record], capture_output=True, text=True, check=True).stdout
    return readable(text, len(requests) - 4 * CONNECTIONS, options.lines)


def ask(probes, requests):
    """One request on each connection, then all the answers, over and over: a loop wakes for many at a time, as under load."""
    for start in range(0, len(requests), len(probes)):
        turn = list(zip(probes, requests[start:start + len(probes)]))
        for probe, (path, headers) in turn:
            probe.send([(path, headers)])
        for probe, _ in turn:
            probe.reply()


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


def sample(program, data, path, headers, options, work):
    """perf's account of a saturated server."""
    server = start_game_depot(program, data, Setting(), work)
    record = f"{work}/perf.data"
    try:
        request = (path, fields(headers, path, server.urls[0]))
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
