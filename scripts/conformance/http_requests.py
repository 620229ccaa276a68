"""Requests that two other HTTP implementations test themselves with, sent to the live server.

gunicorn's 143 raw requests and llhttp's 134 strict request cases, each sent whole and then byte by byte, and those
without a Host also with one. What should come back stands in expected/http_requests.tsv, judged by RFC 9112 and not by what either project expects: the first
final status, how many final responses, whether the server closes the connection by itself, and the section that says
so. One response more than expected is how request smuggling looks. Talks to 127.0.0.1 only.
Ends with `N passed, N failed`.
"""

import argparse
import concurrent.futures
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tarfile
import tempfile
import time

GUNICORN, LLHTTP = 143, 134
# How long the server may take over one input, and how long it must be silent to have said everything.
DEADLINE, SILENCE = 1.0, 0.15


def gunicorn_cases(path):
    """Real newlines are only there for the reader; \\r \\n \\t \\0 and \\xHH stand for bytes."""
    escapes = {b"\\r": b"\r", b"\\n": b"\n", b"\\t": b"\t", b"\\0": b"\0"}

    def expand(match):
        escape = match.group()
        return escapes[escape] if escape in escapes else bytes([int(escape[2:], 16)])

    with tarfile.open(path) as archive:
        for member in archive:
            found = re.search(r"/tests/requests/(invalid|valid)/([^/]+)\.http$", member.name)
            if found:
                text = archive.extractfile(member).read().replace(b"\n", b"")
                yield f"gunicorn/{found[1]}/{found[2]}", re.sub(rb"\\(?:[rnt0]|x[0-9A-Fa-f]{2})", expand, text)


def llhttp_cases(path, kind="request", modes=("request",)):
    """Markdown: a heading, a comment with the mode, a block with the message. As llhttp's md-test.ts reads it."""
    with tarfile.open(path) as archive:
        for member in archive:
            found = re.search(rf"/llhttp/test/{kind}/([^/]+)\.md$", member.name)
            if found:
                yield from llhttp_file(found[1], archive.extractfile(member).read().decode(), modes)


def llhttp_file(file, text, modes):
    seen, heading, mode, block = {}, "", "", None
    for line in text.split("\n"):
        if block is not None:
            if not line.startswith("```"):
                block.append(line)
                continue
            if mode in modes:
                slug = re.sub(r"[^a-z0-9]+", "-", heading.lower()).strip("-")
                seen[slug] = seen.get(slug, 0) + 1
                number = f"-{seen[slug]}" if seen[slug] > 1 else ""
                yield f"llhttp/{file}/{slug}{number}", llhttp_bytes("\n".join(block))
            block, mode = None, ""
        elif line.startswith("#"):
            heading = line.lstrip("# ")
        elif "meta=" in line:
            mode = re.search(r'"type":\s*"([^"]*)"', line)[1]
        elif line.startswith("```http"):
            block = []


def llhttp_bytes(text):
    text = re.sub(r"\\(\r\n|\r|\n)", "", text)
    text = re.sub(r"\r\n|\r|\n", "\r\n", text)
    for escape, byte in ((r"\r", "\r"), (r"\n", "\n"), (r"\t", "\t"), (r"\f", "\f")):
        text = text.replace(escape, byte)
    text = re.sub(r"\\x([0-9a-fA-F]+)", lambda match: chr(int(match[1], 16)), text)
    text = re.sub(r"\\([0-7]{1,3})", lambda match: chr(int(match[1], 8)), text)
    # The files use ${'x'.repeat(n)} for long runs.
    text = re.sub(r"\$\{'([^']*)'\.repeat\((\d+)\)\}", lambda match: match[1] * int(match[2]), text)
    return text.encode("latin-1", "replace")


def with_host(cases):
    """Adds each HTTP/1.1 request that has no Host once more with one, so that what it is really about is reached."""
    for name, data in cases:
        yield name, data
        line, end, rest = data.partition(b"\r\n")
        if line.endswith(b" HTTP/1.1") and not re.search(rb"(?i)[\r\n]host[ \t]*:", end + rest.partition(b"\r\n\r\n")[0]):
            yield name + "+host", line + b"\r\nHost: a" + (end or b"\r\n") + rest


class Outcome:
    def __init__(self):
        self.received, self.closed, self.was_reset, self.seconds = b"", False, False, 0.0

    def statuses(self):
        """The statuses of the final responses; None for bytes that are no response."""
        rest, statuses = self.received, []
        while rest:
            head, end, after = rest.partition(b"\r\n\r\n")
            line = re.match(rb"HTTP/1\.1 (\d{3}) ", head)
            if not line or not end:
                return None
            status = int(line[1])
            length = re.search(rb"\r\n[Cc]ontent-[Ll]ength: (\d+)", head)
            # The answer to HEAD has a length and no body: the next status line follows at once, or nothing.
            bodiless = status < 200 or status in (204, 304) or not after or after.startswith(b"HTTP/1.1 ")
            rest = after if bodiless or not length else after[int(length[1]):]
            if status >= 200:
                statuses.append(status)
        return statuses


def exchange(port, data, bytewise):
    outcome = Outcome()
    with socket.create_connection(("127.0.0.1", port), timeout=5) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            # Byte by byte, and no further once the server has closed its side, as a decent client would.
            for index in range(len(data) if bytewise else 0):
                client.sendall(data[index:index + 1])
                # Enough for the server to see most bytes alone.
                if index < 2000:
                    time.sleep(0.00005)
                if select.select([client], [], [], 0)[0]:
                    piece = client.recv(65536)
                    outcome.received += piece
                    outcome.closed = not piece
                    if outcome.closed:
                        break
            if not bytewise:
                client.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        started = last = time.monotonic()
        try:
            while not outcome.closed:
                client.settimeout(SILENCE)
                try:
                    piece = client.recv(65536)
                except TimeoutError:
                    break
                last = time.monotonic()
                if not piece:
                    outcome.closed = True
                    break
                outcome.received += piece
        except ConnectionResetError:
            outcome.closed = outcome.was_reset = True
        outcome.seconds = last - started
    return outcome


def verdict(outcome):
    statuses = outcome.statuses()
    if statuses is None:
        return ("unreadable", "-", "-")
    return (str(statuses[0]) if statuses else "-", str(len(statuses)), "yes" if outcome.closed else "no")


def read_table(path):
    table = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                case, status, responses, closed, section = line.rstrip("\n").split("\t")
                table[case] = (list(zip(*(cell.split("|") for cell in (status, responses, closed)))), section)
    return table


def start(programs, folder):
    # Descriptors of the caller do not matter here; stderr tells why it would not start.
    server = subprocess.Popen(
        [os.path.join(programs, "game-depot"), "serve", "--data", folder, "--listen", "127.0.0.1:0",
         "--disk-floor", "0", "--access-log", "off", "--log-level", "error"],
        stdout=subprocess.PIPE, text=True)
    line = server.stdout.readline()
    found = re.search(r"http://127\.0\.0\.1:(\d+)", line)
    if not found:
        server.kill()
        sys.exit(f"the server did not start: {line!r}")
    return server, int(found[1])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, help="folder with game-depot")
    parser.add_argument("--gunicorn", required=True, help="gunicorn's source archive")
    parser.add_argument("--aiohttp", required=True, help="aiohttp's source archive, which holds llhttp's")
    parser.add_argument("--expected", default=os.path.join(os.path.dirname(__file__), "expected/http_requests.tsv"))
    parser.add_argument("--print", action="store_true", help="print what came back as a table, judge nothing")
    parser.add_argument("--only", default="", help="cases whose names hold this")
    options = parser.parse_args()

    gunicorn, llhttp = list(gunicorn_cases(options.gunicorn)), list(llhttp_cases(options.aiohttp))
    if (len(gunicorn), len(llhttp)) != (GUNICORN, LLHTTP):
        sys.exit(f"{len(gunicorn)} and {len(llhttp)} cases are not the {GUNICORN} and {LLHTTP} judged here")
    cases = [case for case in sorted(with_host(gunicorn + llhttp)) if options.only in case[0]]
    table = {} if options.print else read_table(options.expected)
    failures = []

    with tempfile.TemporaryDirectory() as folder:
        server, port = start(options.programs, folder)
        try:
            with concurrent.futures.ThreadPoolExecutor(8) as pool:
                whole = [pool.submit(exchange, port, data, False) for _, data in cases]
                bytewise = [pool.submit(exchange, port, data, True) for _, data in cases]
            for (name, data), one, other in zip(cases, whole, bytewise):
                one, other = one.result(), other.result()
                if options.print:
                    print(name, *verdict(one), *verdict(other), repr(data[:300]), repr(one.received[-200:]), sep="\t")
                    continue
                failures += judge(name, table.pop(name, None), {"whole": one, "byte by byte": other})
            if not options.only:
                failures += [f"{name}: the table has a row for no case" for name in table if not options.print]
            if server.poll() is not None:
                failures.append(f"the server ended with {server.returncode}")
        finally:
            server.send_signal(signal.SIGTERM)
            if server.wait(timeout=40) != 0:
                failures.append(f"the server did not end well: {server.returncode}")

    if options.print:
        return
    for failure in failures:
        print(f"FAIL {failure}")
    failed = len({failure.split(":")[0] for failure in failures})
    print(f"{len(cases) - min(failed, len(cases))} passed, {failed} failed")
    sys.exit(1 if failures else 0)


def judge(name, row, outcomes):
    if row is None:
        return [f"{name}: no row in the table"]
    expected, section = row
    failures = []
    for way, outcome in outcomes.items():
        found = verdict(outcome)
        allowed = expected[:1] if way == "whole" else expected
        if found not in allowed:
            wanted = " or ".join(" ".join(one) for one in allowed)
            failures.append(f"{name}: {way}: {' '.join(found)} and not {wanted} ({section})")
        if outcome.seconds >= DEADLINE:
            failures.append(f"{name}: {way}: it took {outcome.seconds:.2f} s")
        if outcome.was_reset:
            failures.append(f"{name}: {way}: reset, so the client may have missed the answer")
    return failures


if __name__ == "__main__":
    main()
