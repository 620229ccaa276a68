"""multipart/form-data bodies that others test their parsers with, read by the server's own parser.

python-multipart's 33 and werkzeug's 6, the latter captured from browsers; each whole, byte by byte and in pieces of 2 to
64 bytes. What should come of them stands in expected/multipart.tsv: accepted or the kind of refusal, each part with its
name, file name, type, size and the beginning of its SHA-256, and why. A case without a row fails, and a row without a case.
Ends with `N passed, N failed`.
"""

import argparse
import glob
import hashlib
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.parse

PYTHON_MULTIPART, WERKZEUG = 33, 6
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.join(HERE, "..", "..")


def python_multipart_cases(path):
    """A body in NAME.http, its boundary in NAME.yaml."""
    bodies, boundaries = {}, {}
    with tarfile.open(path) as archive:
        for member in archive:
            found = re.search(r"/tests/test_data/http/([^/]+)\.(http|yaml)$", member.name)
            if found and found[2] == "http":
                bodies[found[1]] = archive.extractfile(member).read()
            elif found:
                boundaries[found[1]] = re.search(r"(?m)^boundary: *(\S.*?) *$", archive.extractfile(member).read().decode())[1]
    # Its own test of this body goes by another boundary than the one noted beside it.
    boundaries["single_field_blocks"] = "boundary"
    return {f"python-multipart/{name}": (boundaries[name], body) for name, body in bodies.items()}


def werkzeug_cases(path):
    """A body that begins with its boundary. One has lost the CRs of its lines, so it comes once more with them."""
    cases = {}
    with tarfile.open(path) as archive:
        for member in archive:
            found = re.search(r"/tests/multipart/(?:([^/]+)/request|([^/]+))\.http$", member.name)
            if found:
                body = archive.extractfile(member).read()
                name = f"werkzeug/{found[1] or found[2]}"
                boundary = re.match(rb"--([^\r\n]+)", body)[1].decode()
                cases[name] = (boundary, body)
                if b"\r\n" not in body.split(b"\n\n")[0]:
                    cases[name + "+crlf"] = (boundary, re.sub(rb"\r?\n", b"\r\n", body))
    return cases


def compile_probe(folder):
    probe = os.path.join(folder, "probe")
    sources = sorted(glob.glob(os.path.join(ROOT, "Sources/HTTPWire/*.swift")))
    subprocess.run(
        ["swiftc", "-swift-version", "6", "-Onone", "-parse-as-library", "-enable-upcoming-feature", "ExistentialAny",
         "-enable-upcoming-feature", "InternalImportsByDefault", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
         os.path.join(HERE, "multipart_probe.swift"), *sources, "-o", probe], check=True)
    return probe


def verdict(probe, boundary, body):
    """The verdict and the parts, as the table has them."""
    run = subprocess.run([probe, boundary, *map(str, [1, 2, 3, 7, 64])], input=body, capture_output=True, timeout=10)
    if run.returncode != 0:
        return f"the probe ended with {run.returncode}", "-"
    *lines, last = run.stdout.decode().rstrip("\n").split("\n")
    if last.startswith("refused: "):
        return "refused: " + re.match(r"\w+", last[9:])[0], "-"
    parts = []
    for line in lines:
        _, name, filename, kind, content = line.split("\t")
        content = bytes.fromhex(content)
        head = ",".join(urllib.parse.quote(word, safe="/ \\:-") for word in (name, filename, kind))
        parts.append(f"{head}={len(content)}:{hashlib.sha256(content).hexdigest()[:12]}")
    return last, "; ".join(parts) or "-"


def read_table(path):
    table = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                case, outcome, parts, why = line.rstrip("\n").split("\t")
                table[case] = ((outcome, parts), why)
    return table


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--python-multipart", required=True, help="python-multipart's source archive")
    parser.add_argument("--werkzeug", required=True, help="werkzeug's source archive")
    parser.add_argument("--expected", default=os.path.join(HERE, "expected/multipart.tsv"))
    parser.add_argument("--print", action="store_true", help="print what came back as a table, judge nothing")
    options = parser.parse_args()

    one, other = python_multipart_cases(options.python_multipart), werkzeug_cases(options.werkzeug)
    if (len(one), sum("+" not in name for name in other)) != (PYTHON_MULTIPART, WERKZEUG):
        sys.exit(f"{len(one)} and {len(other)} cases are not the {PYTHON_MULTIPART} and {WERKZEUG} judged here")
    cases = one | other
    table = {} if options.print else read_table(options.expected)
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        probe = compile_probe(folder)
        for name, (boundary, body) in sorted(cases.items()):
            found = verdict(probe, boundary, body)
            if options.print:
                print(name, *found, sep="\t")
                continue
            expected, why = table.pop(name, (None, "no row in the table"))
            if found != expected:
                failed += 1
                print(f"FAIL {name}: {' '.join(found)} and not {expected} ({why})")
    for name in table:
        failed += 1
        print(f"FAIL {name}: the table has a row for no case")
    if not options.print:
        print(f"{len(cases) - min(failed, len(cases))} passed, {failed} failed")
        sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
