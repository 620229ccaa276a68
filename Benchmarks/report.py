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
