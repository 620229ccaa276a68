"""The responses that llhttp tests its parser with, given to the mirror's client.

Each is sent as the answer to a fetch (a list of games) and to a download (a package), in one piece, and in single bytes; then the
connection ends. What the client must make of it stands in expected/http_responses.tsv, judged by RFC 9112 and 9110:
a status and the bytes of the body, or a refusal. Where libcurl reads something in its own way, the row says so. What
counts is that no answer that is cut, doubled or unclear is taken for a whole one. Where a row has two outcomes, parted by |, the second may
come of single bytes: what is behind the answer may then come so late that it meets the next question. Talks to 127.0.0.1 only.
Ends with `N passed, N failed`.
"""

import argparse
import os
import re
import socket
import subprocess
import sys
import tempfile
import threading
import time

import http_requests

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
CASES = 85


MODES = ("response", "response-finish", "response-lenient-all", "response-lenient-data-after-close", "response-lenient-headers",
         "response-lenient-keep-alive", "response-lenient-optional-cr-before-lf", "response-lenient-optional-lf-after-cr",
         "response-lenient-version", "response-lenient-chunked-length")


def response_cases(path):
    """A redirect is followed to where nobody listens, and not out into the world."""
    for name, data in http_requests.llhttp_cases(path, "response", MODES):
        yield name, re.sub(rb"(\r\nLocation: )http://[^/\r]+", rb"\1http://127.0.0.1:1", data)


def build_probe(folder):
    """Against the modules and objects that `make release` has left."""
    built, probe = os.path.join(ROOT, ".build/release"), os.path.join(folder, "probe")
    objects = [os.path.join(built, f"{module}.build", f"{name}.o") for module in ("HTTPClient", "Platform")
               for _, _, names in os.walk(os.path.join(ROOT, "Sources", module)) for name in names if name.endswith(".swift")]
    systems = [word for module in sorted(os.listdir(os.path.join(ROOT, "Sources"))) if module.startswith("C")
               and os.path.exists(os.path.join(ROOT, "Sources", module, "module.modulemap"))
               for word in ("-I", os.path.join(ROOT, "Sources", module))]
    subprocess.run(
        ["swiftc", "-O", "-swift-version", "6", "-parse-as-library", "-I", os.path.join(built, "Modules"), *systems,
         os.path.join(HERE, "response_probe.swift"), *objects, "-o", probe], check=True)
    return probe


class Answerer:
    """Answers a request for /N with case N, and ends the connection."""

    def __init__(self, cases, bytewise):
        self.cases, self.bytewise = cases, bytewise
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.run, daemon=True).start()

    def run(self):
        while True:
            try:
                connection, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self.answer, args=(connection,), daemon=True).start()

    def answer(self, connection):
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            head = b""
            while b"\r\n\r\n" not in head:
                piece = connection.recv(65536)
                if not piece:
                    return
                head += piece
            data = self.cases[int(re.match(rb"GET /(\d+) ", head)[1])]
            try:
                for index in range(len(data) if self.bytewise else 0):
                    connection.sendall(data[index:index + 1])
                    time.sleep(0.00005)
                if not self.bytewise:
                    connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
                # What the client still sends must not become a reset that overtakes the answer.
                connection.settimeout(5)
                while connection.recv(65536):
                    pass
            except OSError:
                pass


def outcomes(probe, cases, bytewise):
    answerer = Answerer([data for _, data in cases], bytewise)
    environment = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")}
    run = subprocess.run([probe, f"http://127.0.0.1:{answerer.port}", str(len(cases))], env=environment,
                         capture_output=True, text=True, timeout=600)
    answerer.listener.close()
    if run.returncode:
        sys.exit(f"the probe ended with {run.returncode}: {run.stderr}")
    return [tuple(line.split("\t")[1:]) for line in run.stdout.splitlines()]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--aiohttp", required=True, help="aiohttp's source archive, which holds llhttp's")
    parser.add_argument("--expected", default=os.path.join(HERE, "expected/http_responses.tsv"))
    parser.add_argument("--print", action="store_true", help="print what came back as a table, judge nothing")
    options = parser.parse_args()
    cases = list(response_cases(options.aiohttp))
    if len(cases) != CASES:
        sys.exit(f"{len(cases)} cases are not the {CASES} judged here")
    with tempfile.TemporaryDirectory() as folder:
        probe = build_probe(folder)
        whole, single = outcomes(probe, cases, False), outcomes(probe, cases, True)
    if options.print:
        for (name, data), first, second in zip(cases, whole, single):
            print(name, *first, "" if first == second else f"bytes: {second}", repr(data[:300]), sep="\t")
        return
    table = {}
    with open(options.expected, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                case, fetch, download, section = line.rstrip("\n").split("\t")
                table[case] = (fetch, download)
    passed = failed = 0
    for (name, _), *found in zip(cases, whole, single):
        wanted = table.pop(name, None)
        for how, outcome in zip(("whole", "byte by byte"), found):
            if wanted and all(one in alternatives.split("|") for one, alternatives in zip(outcome, wanted)):
                passed += 1
            else:
                failed += 1
                print(f"{name} ({how}): {outcome}, not {wanted or 'in the table'}")
    for name in table:
        failed += 1
        print(f"{name}: the table has a row for no case")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
