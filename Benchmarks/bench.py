"""Measures game-depot beside nginx, and mirror-sync beside aria2c, unzip and nginx, and writes down what came of it.

One event loop and one worker share a core, the load generator has another; traffic goes to loopback addresses only.
"""

import argparse
import os
import shutil
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
        chosen = options.only or names
        if unknown := set(chosen) - set(names):
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
    latencies = []
    for name, (of_row, measured) in LATENCIES.items():
        if name in chosen:
            print(name, flush=True)
            latencies.append(measured(rounds, next(row for row in rows if row.name == of_row)))
    if latencies:
        sections.append(report.latency_lines(latencies))
    memories = []
    for name, tls in IDLE.items():
        if name in chosen and (has_tls or not tls) and os.path.exists(memory.SCRIPT):
            print(name, flush=True)
            memories.append(memory.of_idle(programs, tls, 1000 if options.quick else 10_000))
    if memories:
        sections.append(report.memory_lines(memories))
    if "mirror" in chosen:
        print("mirror", flush=True)
        turns = 1 if options.quick else max(3, options.rounds // 2 + 1)
        sections.append(report.mirror_lines(first_sync.measure(programs, rounds.depots, rounds.work, turns)))
    if "mirror-engine" in chosen:
        print("mirror-engine", flush=True)
        turns = 1 if options.quick else max(3, options.rounds // 2 + 1)
        sections.append(figures.lines(figures.measure(programs, rounds.depots, rounds.work, turns, options.quick)))
    if "play" in chosen:
        print("play", flush=True)
        try:
            sections.append(report.play_lines(play.measure(programs, rounds.work, options.quick)))
        except RuntimeError as error:
            sections.append([f"**Not measured:** loading a game: {error}."])
    if "unpack" in chosen:
        print("unpack", flush=True)
        turns, size = (1, unpack.SIZE // 20) if options.quick else (max(3, options.rounds // 2 + 1), unpack.SIZE)
        sections.append(report.unpack_lines(unpack.measure(rounds.depots.folder, rounds.work, turns, size)))
    if "update" in chosen:
        print("update", flush=True)
        try:
            sections.append(report.update_lines(*update.measure(programs, options.depots, rounds.work, options.quick)))
        except RuntimeError as error:
            sections.append([f"**Not measured:** updates: {error}."])
    return "\n\n".join("\n".join(section) for section in sections).splitlines()


if __name__ == "__main__":
    main()
