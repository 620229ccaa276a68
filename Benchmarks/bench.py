"""Measures game-depot beside nginx, and mirror-sync beside aria2c, unzip and nginx, and writes down what came of it.

One event loop and one worker share a core, the load generator has another; traffic goes to loopback addresses only.
"""

import argparse
import os
import shutil
import signal
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True

# pylint: disable=wrong-import-position
import machine
import report
from mirror import figures, first_sync
from play import measure as play
from server import latency, memory
from server.depots import CHECK, PACKAGE, Depots, file_path
from server.peers import CIPHER, supports_tls
from server.rounds import Rounds
from server.rows import all_rows
from unpack import measure as unpack
from update import measure as update

HERE = os.path.dirname(os.path.abspath(__file__))
IDLE = {"idle": False, "idle-tls": True}
LATENCIES = {"p99-ranges": ("ranges", latency.of_ranges), "p99-small": ("json64", latency.of_small)}


def read_options():
    """The command line."""
    parser = argparse.ArgumentParser(prog="Benchmarks/run.sh", description="Measures the release build and writes RESULTS.md.")
    parser.add_argument("--programs", default=f"{HERE}/../.build/release", help="folder of game-depot and mirror-sync")
    parser.add_argument("--depots", default=f"{HERE}/../.bench", help="folder where the depots are kept between runs")
    parser.add_argument("--rounds", type=int, default=5, help="rounds that count, of each row")
    parser.add_argument("--seconds", type=float, default=2, help="how long each server works in a round")
    parser.add_argument("--only", action="append", metavar="ROW", help="only this row; may come more than once")
    parser.add_argument("--without", action="append", metavar="ROW", default=[], help="all but this row; may come more than once")
    parser.add_argument("--list", action="store_true", help="name the rows")
    parser.add_argument("--quick", action="store_true", help="one round of a second each: proves that all of it works")
    parser.add_argument("--results", default=f"{HERE}/RESULTS.md", help="where a whole run writes its tables")
    options = parser.parse_args()
    if options.quick:
        options.rounds, options.seconds = 1, 1
    return options


def main():
    """Everything, or what was asked for."""
    options = read_options()
    # Who is told to end ends the servers first: a depot that one still holds cannot be measured again.
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    programs = os.path.abspath(options.programs)
    program = f"{programs}/game-depot"
    work = tempfile.mkdtemp(prefix="game-depot-benchmark.")
    try:
        facts = machine.facts(program, options)
        depots = Depots(program, options.depots, work)
        packages = depots.named("packages")
        with open(packages.root + file_path(CHECK), "rb") as file:
            rows = all_rows(file.read(), os.path.getsize(packages.root + PACKAGE))
        names = [row.name for row in rows] + list(LATENCIES) + list(IDLE) + ["mirror", "mirror-engine", "play", "unpack", "update"]
        if options.list:
            print("\n".join(names))
            return
        chosen = [name for name in options.only or names if name not in options.without]
        if unknown := set((options.only or []) + options.without) - set(names):
            sys.exit(f"no such row: {', '.join(sorted(unknown))}; there are {', '.join(names)}")
        tables = measure(options, Rounds(program, depots, work, options), rows, chosen, programs)
        text = facts + [""] + tables
        print("\n".join(text))
        if not options.only and not options.quick:
            report.write(options.results, text)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def measure(options, rounds, rows, chosen, programs):
    """The lines of all tables."""
    has_tls = supports_tls(rounds.program)
    outcomes, skipped, failed = [], [], []
    for row in rows:
        if row.name not in chosen:
            continue
        if row.setting.tls and not has_tls:
            skipped.append(row)
            continue
        print(f"{row.name}: {row.work}", flush=True)
        try:
            outcomes.append(rounds.measure(row))
        except RuntimeError as error:
            # One row that cannot be measured must not cost the figures of all others.
            failed.append(str(error))
            print(f"   {error}", flush=True)
            continue
        print(report.server_lines(outcomes[-1:])[2], flush=True)
    sections = []
    if outcomes:
        sections.append(report.server_lines(outcomes))
    if skipped:
        sections.append(["Not measured, because this build has no `--tls-cert`: " + "; ".join(row.work for row in skipped) + "."])
    elif any(outcome.row.setting.tls for outcome in outcomes):
        sections.append([f"TLS is {CIPHER} on both sides."])
    if failed:
        sections.append([f"**Not measured:** {error}." for error in failed])
    turns, fault = 1 if options.quick else max(3, options.rounds // 2 + 1), []

    def attempt(name, work, *details):
        """What work comes to, if it is asked for. One that cannot be done must not cost the figures of all others."""
        if name not in chosen:
            return None
        print(name, flush=True)
        try:
            return work(*details)
        except (RuntimeError, OSError, subprocess.SubprocessError) as error:
            fault.append(f"**Not measured:** {name}: {error}.")
            print(f"   {error}", flush=True)
            return None

    def table(lines, found):
        """The lines of what was found."""
        if found:
            sections.append(lines(found))

    of_row = {row.name: row for row in rows}
    table(report.latency_lines, [
        found for name, (row, work) in LATENCIES.items() if (found := attempt(name, work, rounds, of_row[row]))])
    table(report.memory_lines, [
        found for name, tls in IDLE.items() if (has_tls or not tls) and os.path.exists(memory.SCRIPT)
        and (found := attempt(name, memory.of_idle, programs, tls, 1000 if options.quick else 10_000))])
    table(report.mirror_lines, attempt("mirror", first_sync.measure, programs, rounds.depots, rounds.work, turns))
    table(figures.lines, attempt("mirror-engine", figures.measure, programs, rounds.depots, rounds.work, turns, options.quick))
    table(report.play_lines, attempt("play", play.measure, programs, rounds.work, options.quick))
    size = unpack.SIZE // 20 if options.quick else unpack.SIZE
    table(report.unpack_lines, attempt("unpack", unpack.measure, rounds.depots.folder, rounds.work, turns, size))
    table(lambda found: report.update_lines(*found), attempt("update", update.measure, programs, options.depots, rounds.work, options.quick))
    sections += [[line] for line in fault]
    return "\n\n".join("\n".join(section) for section in sections).splitlines()


if __name__ == "__main__":
    main()
