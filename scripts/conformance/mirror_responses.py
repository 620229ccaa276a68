"""Responses that llhttp tests itself with, given to mirror-sync as the answer to its first question.

Each is sent whole and then the connection is closed. None of them is what was asked for, so every run must end with 69 and
one line that says why, and soon. What it says is one of: `status N`, `body` (a 200 was read to its end, and is no JSON)
or `refused` (no response that can be read in one way only, or one that is cut). What it should be stands in
expected/mirror_responses.tsv, judged by RFC 9112. Talks to 127.0.0.1 only. Ends with `N passed, N failed`.
"""

import argparse
import concurrent.futures
import os
import re
import tempfile
import time

from harness import check, finish
from http_requests import llhttp_cases
from mirror_peers import Listener, run_mirror

CASES = 85
# A connection that is closed tells everything: nothing has to be waited for.
DEADLINE = 5.0
# Redirects to other hosts must not leave this machine: they go to a proxy that is not there.
NOWHERE = {"http_proxy": "http://127.0.0.1:1", "HTTPS_PROXY": "http://127.0.0.1:1", "NO_PROXY": "127.0.0.1"}
MODES = ("response", "response-finish", "response-lenient-all", "response-lenient-data-after-close", "response-lenient-headers",
         "response-lenient-keep-alive", "response-lenient-optional-cr-before-lf", "response-lenient-optional-lf-after-cr",
         "response-lenient-version", "response-lenient-chunked-length")


class Parrot(Listener):
    def __init__(self, data):
        self.data = data
        super().__init__()

    def answer(self, connection, head):
        connection.sendall(self.data)
        return False


def verdict(result):
    """What the one line of a run says."""
    lines = result.stderr.splitlines()
    if len(lines) != 1 or result.stdout:
        return f"{len(lines)} lines"
    status = re.search(r": status (\d+)", lines[0])
    if status:
        return f"status {status[1]}"
    if "unusable answer from" in lines[0]:
        return "body"
    return "refused" if "cannot reach" in lines[0] else lines[0]


def tried(mirror, work, number, data):
    parrot = Parrot(data)
    begun = time.monotonic()
    result = run_mirror(mirror, parrot.url, f"{work}/{number}", "--dry-run", "--retries", "0", "--stall-timeout", "1s", timeout=30,
                        env={**os.environ, **NOWHERE})
    taken = time.monotonic() - begun
    parrot.stop()
    return result.returncode, verdict(result), taken, result


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--aiohttp", required=True, help="aiohttp's source archive, which llhttp's tests are in")
    parser.add_argument("--expected", default=f"{os.path.dirname(__file__)}/expected/mirror_responses.tsv")
    parser.add_argument("--print", action="store_true", help="print what happens as a table, judge nothing")
    options = parser.parse_args()
    mirror, work = os.path.abspath(f"{options.programs}/mirror-sync"), tempfile.mkdtemp(prefix="game-depot-responses.")
    cases = list(llhttp_cases(options.aiohttp, "response", MODES))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        outcomes = list(pool.map(lambda case: tried(mirror, work, case[0], case[1][1]), enumerate(cases)))
    if options.print:
        for (name, data), (code, said, taken, result) in zip(cases, outcomes):
            print(name, code, said, data[:90], result.stderr.strip()[-100:], sep="\t")
        return
    expected = {}
    with open(options.expected, encoding="utf-8") as file:
        for line in file:
            if line.strip() and not line.startswith("#"):
                name, said, _ = line.rstrip("\n").split("\t")
                expected[name] = said
    check(f"all {CASES} cases are there", len(cases) == CASES, len(cases))
    for (name, _), (code, said, taken, result) in zip(cases, outcomes):
        check(f"{name}: exit 69", code in (69, 77), result)
        check(f"{name}: {expected.get(name, 'no row in the table')}", said == expected.get(name), said)
        check(f"{name}: soon", taken < DEADLINE, f"{taken:.1f} s")
    finish(work)


if __name__ == "__main__":
    main()
