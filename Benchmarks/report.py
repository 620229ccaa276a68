"""The tables, and the file that keeps them beside what people wrote about them."""

import os

BEGIN = "<!-- figures: written by Benchmarks/run.sh, which replaces everything from here … -->"
END = "<!-- … to here -->"


def verdict(is_met):
    """A bar's outcome in a cell."""
    return "yes" if is_met else "**no**"


def rate(outcome, value):
    """Answers or bytes a second."""
    if outcome.row.in_bytes:
        return f"{value * outcome.body / 1e9:.2f} GB/s"
    return f"{value / 1000:.1f}k/s"


def time_each(nanoseconds):
    """Processor time of one answer."""
    return f"{nanoseconds / 1000:.1f} µs" if nanoseconds < 1e6 else f"{nanoseconds / 1e6:.2f} ms"


def bar_text(bar):
    """What has to be."""
    texts = [f"≥ {bar.throughput:g} ×"] if bar.throughput is not None else []
    return ", ".join(texts + ([f"CPU ≤ {bar.cpu:g} ×"] if bar.cpu is not None else []))


def server_lines(outcomes):
    """The table of one loop against one worker."""
    lines = [
        "| work | game-depot | nginx | ÷ nginx | CPU each | nginx's | ÷ nginx | bar | met | nginx's setting |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    notes = []
    for outcome in outcomes:
        row = outcome.row
        mark = ""
        if outcome.notes:
            notes.append(outcome.notes)
            mark = f" ({len(notes)})"
        lines.append(
            f"| {row.work}{mark} | {rate(outcome, outcome.ours)} | {rate(outcome, outcome.theirs)} | {outcome.throughput:.2f}"
            f" | {time_each(outcome.our_cpu)} | {time_each(outcome.their_cpu)} | {outcome.cpu:.2f} | {bar_text(row.bar)}"
            f" | {verdict(outcome.is_met)} | {outcome.variant or '—'} |")
    if notes:
        lines += [""] + [f"({number}) {note}.  " for number, note in enumerate(notes, 1)]
    return lines


def latency_lines(latencies):
    """The table of what 99 of 100 requests get."""
    lines = ["| work | game-depot | nginx | bar | met |", "|---|---|---|---|---|"]
    for latency in latencies:
        lines.append(
            f"| {latency.work} | {latency.ours * 1e3:.2f} ms | {latency.theirs * 1e3:.2f} ms | {latency.bar}"
            f" | {verdict(latency.is_met)} |")
    return lines


def memory_lines(memories):
    """The table of idle connections."""
    lines = ["| work | game-depot | nginx | bar | met |", "|---|---|---|---|---|"]
    for memory in memories:
        lines.append(
            f"| {memory.work} | {memory.ours:.0f} B | {memory.theirs:.0f} B | ≤ {memory.most} B | {verdict(memory.is_met)} |")
    return lines


def mirror_lines(found):
    """The table of a mirror's first run."""
    return [
        "| work | mirror-sync | aria2c -j4 + unzip | time ÷ theirs |", "|---|---|---|---|",
        f"| first sync of {found.packages} packages, {found.size / 1e6:.0f} MB: fetched, both digests checked, unpacked, on disk"
        f" | {found.ours:.2f} s | {found.theirs:.2f} s (no digest checked, nothing synced to disk)"
        f" | {found.ours / found.theirs:.2f} |",
    ]


def unpack_lines(found):
    """The table of unpacking."""
    return [
        "| work | ZipArchive | unzip | time ÷ unzip's | bar | met | most memory |", "|---|---|---|---|---|---|---|",
        f"| a mixed package of {found.size / 1e6:.0f} MB: every rule judged, three digests of each file, unpacked (unzip only unpacks)"
        f" | {found.ours:.2f} s | {found.theirs:.2f} s | {found.ours / found.theirs:.2f} | ≤ 0.5 ×"
        f" | {verdict(found.ours <= found.theirs / 2)} | {found.resident / 1e6:.0f} MB |",
    ]


def play_lines(found):
    """The table of a game's loading in a browser."""
    return [
        "| work | mirror-sync serve | nginx | time ÷ nginx's | bar | met |", "|---|---|---|---|---|---|",
        f"| a game of {found.files} files, {found.size / 1e6:.0f} MB, in Chromium with an empty cache: navigation to load event"
        f" | {found.ours:.0f} ms | {found.theirs:.0f} ms | {found.ours / found.theirs:.2f} | ≤ 1.15 ×"
        f" | {verdict(found.ours <= 1.15 * found.theirs)} |",
    ]


def update_lines(costs, large):
    """The table of updates' bytes, pair by pair, and what putting a package together takes."""
    lines = [
        "Bytes of an update, requests at 250 B each counted; mirror-sync from a real depot, every package compared with what was published.",
        "",
        "| update | zip | package | mirror-sync | of it | requests | xdelta3 -9 | ÷ xdelta3 | zsync |", "|---|---|---|---|---|---|---|---|---|",
    ]
    for cost in costs:
        before, after = cost.pair.versions
        lines.append(
            f"| {cost.pair.name} {before} → {after} | {'zip -r -9' if cost.pair.is_fresh else 'as published'} | {cost.size:,}"
            f" | {cost.ours:,} | {100 * cost.ours / cost.size:.1f} % | {cost.requests} | {cost.xdelta3:,} | {cost.ratio:.2f} | {format(cost.zsync, ',') if cost.zsync else 'gave up'} |")
    ratios = sorted(cost.ratio for cost in costs)
    median = ratios[len(ratios) // 2] if len(ratios) % 2 else sum(ratios[len(ratios) // 2 - 1:len(ratios) // 2 + 1]) / 2
    most = max(cost.ours / cost.size for cost in costs)
    rate_, memory = large.size / large.seconds, large.resident
    return lines + [
        "", "| work | figure | bar | met |", "|---|---|---|---|",
        f"| median of all pairs ÷ xdelta3 | {median:.2f} | ≤ 1.15 × | {verdict(median <= 1.15)} |",
        f"| dearest pair ÷ xdelta3 | {ratios[-1]:.2f} | ≤ 1.7 × | {verdict(ratios[-1] <= 1.7)} |",
        f"| dearest pair of the whole package | {most:.3f} | ≤ 1.01 × | {verdict(most <= 1.01)} |",
        f"| a package of {large.size / 1e6:.0f} MB put together again, both digests, on the disk: the whole run of mirror-sync | {rate_ / 1e6:.0f} MB/s"
        f" | ≥ 200 MB/s | {verdict(rate_ >= 200e6)} |",
        f"| most memory of it | {memory / 1e6:.0f} MB | ≤ 32 MB | {verdict(memory <= 32 << 20)} |",
    ]


def write(path, figures):
    """Puts the figures into the file; what stands before and after them stays."""
    before, after = ["# Results", ""], []
    if os.path.exists(path):
        with open(path, encoding="utf-8") as file:
            lines = file.read().splitlines()
        if BEGIN not in lines or END not in lines[lines.index(BEGIN):]:
            raise RuntimeError(f"{path} has lost its marks \"{BEGIN}\" and \"{END}\"; nothing was written")
        before, after = lines[:lines.index(BEGIN)], lines[lines.index(END, lines.index(BEGIN)) + 1:]
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write("\n".join(before + [BEGIN, ""] + figures + ["", END] + after) + "\n")
    os.replace(f"{path}.new", path)
