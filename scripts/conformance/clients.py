"""Clients nobody here wrote, against the live server: load generators, command line clients, Python's own.

h2load, wrk and ab must get every answer they asked for, byte for byte; curl, wget and Python's http.client and urllib
must see what the contract says. Whole and resumed downloads by curl, wget and aria2c stand in main_job.py.
Talks to 127.0.0.1 only. Ends with `N passed, N failed`.
"""

import argparse
import email
import gzip
import hashlib
import http.client
import json
import os
import random
import re
import sqlite3
import tempfile
import urllib.error
import urllib.request
import zipfile

import harness
from harness import Server, check, run

GAMES = 12
LUA = """
-- Counts answers that are not the one expected, and says so in the end.
local threads = {}
function setup(thread) thread:set("wrong", 0); thread:set("right", 0); table.insert(threads, thread) end
function response(status, headers, body)
  if status == 200 and #body == %d then right = right + 1 else wrong = wrong + 1 end
end
function done(summary)
  local right, wrong = 0, 0
  for _, thread in ipairs(threads) do right = right + thread:get("right"); wrong = wrong + thread:get("wrong") end
  local errors = summary.errors
  io.write(string.format("RESULT %%d %%d %%d\\n", right, wrong,
    errors.connect + errors.read + errors.write + errors.status + errors.timeout))
end
"""


def make_zip(path, seed, size):
    """A file that deflate cannot make smaller, so that the package is as large."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr("index.html", f"<h1>{seed}</h1>")
        archive.writestr("data.bin", random.Random(seed).randbytes(size))
    with open(path, "rb") as file:
        return file.read()


class Depot:
    """A served depot with a large package and some small games."""

    def __init__(self, program, work):
        self.work = work
        data = f"{work}/depot"
        self.token = run(program, "token", "create", "--data", data, "--name", "clients", "--scope", "admin").stdout.strip()
        self.server = Server(program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--disk-floor", "0",
                             "--access-log", f"{work}/access.log", log=f"{work}/depot.log")
        self.url = self.server.url
        self.address = self.url.split("//")[1]
        self.package = make_zip(f"{work}/large.zip", 1, 16 << 20)
        self.small = make_zip(f"{work}/small.zip", 2, 5000)

    def fetch(self, target, **fields):
        request = urllib.request.Request(self.url + target, headers={name.replace("_", "-"): value for name, value in fields.items()})
        with urllib.request.urlopen(request) as answer:
            return answer.read(), answer.headers


def uploads(depot):
    """curl in every way it can send a package."""
    bearer = f"Authorization: Bearer {depot.token}"

    def status(*words, **options):
        result = run("curl", "-sS", "-o", f"{depot.work}/answer", "-w", "%{http_code} %{size_upload}", "-H", bearer, *words, **options)
        return result.stdout.split() + [result.stderr]

    form = status("-v", "-F", "gameId=large", "-F", "h5Version=1.0", "-F", f"package=@{depot.work}/large.zip;type=application/zip",
                  f"{depot.url}/games")
    check("curl publishes 16 MB as a form", form[0] == "201", form)
    # curl before 8 says Expect for anything over a megabyte, and sends nothing before it gets the 100.
    asked = run("curl", "-sSv", "-o", "/dev/null", "-H", bearer, "-H", "Content-Type: application/zip", "-H", "Expect: 100-continue",
                "--data-binary", f"@{depot.work}/small.zip", f"{depot.url}/games?gameId=expect&h5Version=1.0").stderr
    check("curl gets 100 Continue and then 201", re.search(r"< HTTP/1.1 100 .*< HTTP/1.1 201 ", asked, re.S), asked)
    refused = run("curl", "-sSv", "-o", "/dev/null", "-H", "Content-Type: application/zip", "-H", "Expect: 100-continue", "--data-binary",
                  f"@{depot.work}/large.zip", f"{depot.url}/games?gameId=no&h5Version=1.0").stderr
    check("curl without a token gets 401 and no 100", "< HTTP/1.1 401 " in refused and "HTTP/1.1 100" not in refused, refused)
    with open(f"{depot.work}/large.zip", "rb") as file:
        chunked = status("-X", "POST", "-T", "-", "-H", "Content-Type: application/zip", f"{depot.url}/games?gameId=chunked&h5Version=1.0",
                         stdin=file)
    check("curl publishes 16 MB chunked from a pipe", chunked[0] == "201", chunked)
    again = status("-H", "Content-Type: application/zip", "--data-binary", f"@{depot.work}/large.zip",
                   f"{depot.url}/games?gameId=large&h5Version=1.0")
    check("the same bytes in the other form are 200", again[0] == "200", again)
    for number in range(GAMES):
        sent = status("-F", f"gameId=game-{number:02}", "-F", "h5Version=1.0", "-F", f"notes={'Note. ' * 300}", "-F",
                      f"package=@{depot.work}/small.zip", f"{depot.url}/games")
        if sent[0] != "201":
            check(f"game-{number:02} is published", False, sent)
    for name in ("large", "chunked"):
        check(f"{name} has the bytes that were sent", depot.fetch(f"/games/{name}/package.zip")[0] == depot.package)


def load(depot, requests):
    """h2load, ab and wrk: every answer, right in number and bytes."""
    check_target, listing = "/games/large/check?h5Version=1.0", "/games"
    body = depot.fetch(check_target)[0]
    plain, headers = depot.fetch(listing)
    tag = headers["ETag"]
    small = depot.fetch(listing, Accept_Encoding="gzip")[0]
    size = len(depot.package)

    def h2load(name, target, count, expected, *words, kind=2):
        out = run("h2load", "--h1", "-t1", "-n", str(count), *words, depot.url + target).stdout
        totals = f"requests: {count} total, {count} started, {count} done, {count} succeeded, 0 failed, 0 errored, 0 timeout"
        statuses = ", ".join(f"{count if hundred == kind else 0} {hundred}xx" for hundred in (2, 3, 4, 5))
        data = re.search(r"\((\d+)\) data", out)
        good = totals in out and f"status codes: {statuses}" in out and data and int(data[1]) == count * expected
        check(f"h2load --h1: {name}: {count} answers of {expected} bytes", good, out)

    h2load("check on 64 connections", check_target, requests, len(body), "-c64")
    h2load("check, eight at once on each of 16", check_target, requests, len(body), "-c16", "-m8")
    h2load("listing as it is", listing, requests // 4, len(plain), "-c16")
    h2load("listing under gzip", listing, requests // 4, len(small), "-c16", "-H", "accept-encoding: gzip")
    h2load("304", listing, requests, 0, "-c16", "-H", f"if-none-match: {tag}", kind=3)
    h2load("64 KiB ranges", "/games/large/package.zip", requests // 4, 65536, "-c16", "-H", "range: bytes=1000001-1065536")
    h2load("16 MB packages", "/games/large/versions/1.0/package.zip", 32, size, "-c8")
    h2load("a batch check", "/games/check", requests // 4, len(depot_batch(depot)), "-c16", "-d", f"{depot.work}/batch.json", "-H",
           "content-type: application/json")

    def ab(name, target, count, expected, *words):
        out = run("ab", "-q", "-n", str(count), "-c", "16", *words, depot.url + target).stdout
        facts = {key.strip(): value.split()[0] for key, value in re.findall(r"^([A-Z][A-Za-z /-]+):\s+(.+)$", out, re.M)}
        good = facts.get("Complete requests") == str(count) and facts.get("Failed requests") == "0" and "Non-2xx" not in out
        good = good and "Write errors" not in out and facts.get("HTML transferred") == str(count * expected)
        if "-k" in words:
            good = good and facts.get("Keep-Alive requests") == str(count)
        check(f"ab {' '.join(word for word in words if word.startswith('-'))}: {name}: {count} answers of {expected} bytes", good, out)

    ab("HTTP/1.0, a connection each", check_target, requests // 4, len(body))
    ab("HTTP/1.0 keep-alive", check_target, requests, len(body), "-k")
    ab("16 MB packages", "/games/large/package.zip", 32, size, "-k")
    ab("POST", "/games/check", requests // 4, len(depot_batch(depot)), "-k", "-p", f"{depot.work}/batch.json", "-T", "application/json")

    for name, target, expected in (("check", check_target, len(body)), ("listing", listing, len(plain))):
        script = f"{depot.work}/wrk.lua"
        with open(script, "w") as file:
            file.write(LUA % expected)
        out = run("wrk", "-t1", "-c16", "-d1s", "--timeout", "60s", "-s", script, depot.url + target).stdout
        result = re.search(r"RESULT (\d+) (\d+) (\d+)", out)
        good = result and int(result[1]) > 0 and int(result[2]) == int(result[3]) == 0
        check(f"wrk: {name}: every answer has {expected} bytes", good, out)


def depot_batch(depot):
    """A body for POST /games/check in a file, and the answer it gets."""
    question = json.dumps({"installed": [{"gameId": f"game-{number:02}", "h5Version": "0.9"} for number in range(GAMES)]})
    with open(f"{depot.work}/batch.json", "w") as file:
        file.write(question)
    request = urllib.request.Request(f"{depot.url}/games/check", question.encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        return answer.read()


def curl(depot):
    url, package = f"{depot.url}/games/large/package.zip", depot.package
    size = len(package)

    def get(*words, **options):
        return run("curl", "-sS", *words, text=False, **options).stdout

    for spec, expected in (("0-99", package[:100]), ("-100", package[-100:]), (f"{size - 5}-", package[-5:]), ("5-5", package[5:6]),
                           ("0-", package), ("100-199,200-299", package[100:300])):
        check(f"curl -r {spec}", get("-r", spec, url) == expected)
    check("curl of a range beyond the end", get("-o", "/dev/null", "-w", "%{http_code}", "-r", f"{size}-", url) == b"416")
    head, _, body = get("-i", "-r", "0-9,100-119,-1", url).partition(b"\r\n\r\n")
    kind = re.search(rb"Content-Type: ([^\r]+)", head)[1]
    message = email.message_from_bytes(b"Content-Type: " + kind + b"\r\n\r\n" + body)
    parts = [(part["Content-Range"], part.get_payload(decode=True)) for part in message.get_payload()]
    wanted = [(f"bytes {start}-{end - 1}/{size}", package[start:end]) for start, end in ((0, 10), (100, 120), (size - 1, size))]
    check("curl's three ranges are a multipart that Python's email reads", parts == wanted, head)
    check("its Content-Length is right", int(re.search(rb"Content-Length: (\d+)", head)[1]) == len(body))

    for target in ("/games", "/games/game-01", "/games/game-01/versions", "/games/large/manifest", "/openapi.yaml"):
        plain = get(depot.url + target)
        check(f"curl --compressed {target} is the same content", get("--compressed", depot.url + target) == plain)
        coded = get("-H", "Accept-Encoding: gzip", depot.url + target)
        check(f"{target} comes under gzip and smaller", gzip.decompress(coded) == plain and len(coded) < len(plain))
    for target in ("/games", "/games/large/manifest", "/games/large/package.zip"):
        for words in ((), ("-H", "Accept-Encoding: gzip")):
            lines = [set(get(*words, *how, depot.url + target).split(b"\r\n")) for how in (("-I",), ("-o", "/dev/null", "-D", "-"))]
            differing = {line.split(b":")[0] for line in lines[0] ^ lines[1]} - {b"Date", b"X-Request-Id"}
            check(f"curl -I {target} {' '.join(words)} has the fields of the GET", not differing, differing)

    code = ("-o", "/dev/null", "-w", "%{http_code} %{size_download}")
    etags = f"{depot.work}/etag"
    get("--etag-save", etags, "-o", "/dev/null", url)
    check("curl --etag-compare gets 304", get("--etag-compare", etags, *code, url) == b"304 0")
    check("curl -z gets 304 for what is not newer", get("-z", "Tue, 01 Jan 2199 00:00:00 GMT", *code, url) == b"304 0")
    check("curl --http1.0 gets the whole package", hashlib.sha256(get("--http1.0", url)).digest() == hashlib.sha256(package).digest())
    many = get("-Z", "--parallel-max", "50", "-w", "%{http_code}\n", *sum((["-o", "/dev/null", url] for _ in range(40)), []))
    check("curl -Z gets forty packages at once", many.split() == [b"200"] * 40, many)
    reused = get("-v", *sum((["-o", "/dev/null", f"{depot.url}/games/game-{number:02}/check"] for number in range(10)), []),
                 "-w", "%{num_connects} ")
    check("curl asks ten times on one connection", sum(map(int, reused.split())) == 1, reused)


def wget(depot):
    out = f"{depot.work}/wget"
    os.mkdir(out)
    url = f"{depot.url}/games/large/package.zip"
    first = run("wget", "-nv", "-N", "-P", out, url)
    with open(f"{out}/package.zip", "rb") as file:
        check("wget -N has the bytes", first.returncode == 0 and file.read() == depot.package, first)
    second = run("wget", "-S", "-N", "-P", out, url)
    check("wget -N is told 304 the second time", second.returncode == 0 and "304 Not Modified" in second.stderr, second)
    spider = run("wget", "-q", "--spider", url)
    check("wget --spider finds it", spider.returncode == 0, spider)
    named = run("wget", "-nv", "--content-disposition", "-P", out, url)
    check("wget --content-disposition takes the name", os.path.exists(f"{out}/large-1.0.zip"), named)


def python(depot):
    connection = http.client.HTTPConnection(depot.address, timeout=30)
    connection.connect()
    socket = connection.sock

    def ask(method, target, body=None, encode_chunked=False, **fields):
        fields = {name.replace("_", "-"): value for name, value in fields.items()}
        connection.request(method, target, body, fields, encode_chunked=encode_chunked)
        answer = connection.getresponse()
        return answer, answer.read()

    package = "/games/large/versions/1.0/package.zip"
    answer, body = ask("GET", package)
    check("http.client gets 16 MB", answer.status == 200 and body == depot.package)
    tag, length = answer.headers["ETag"], answer.headers["Content-Length"]
    answer, body = ask("HEAD", package)
    check("and HEAD", answer.status == 200 and body == b"" and answer.headers["Content-Length"] == length)
    answer, body = ask("GET", package, Range="bytes=1-3")
    check("and a range", answer.status == 206 and body == depot.package[1:4])
    answer, body = ask("GET", package, If_None_Match=tag)
    check("and 304", answer.status == 304 and body == b"")
    answer, body = ask("GET", "/games/nobody")
    check("and a problem", answer.status == 404 and json.loads(body)["type"] == "urn:game-depot:problem:unknown-game")
    question = json.dumps({"installed": [{"gameId": "large", "h5Version": "0"}]}).encode()
    answer, body = ask("POST", "/games/check", question, Content_Type="application/json")
    check("and a batch check", answer.status == 200 and len(json.loads(body)["updates"]) == 1)
    answer, body = ask("POST", "/games/check", iter([question[:5], question[5:]]), True, Content_Type="application/json")
    check("and one in chunks", answer.status == 200 and len(json.loads(body)["updates"]) == 1)
    pieces = (depot.small[start:start + 700] for start in range(0, len(depot.small), 700))
    answer, body = ask("POST", "/games?gameId=pieces&h5Version=1.0", pieces, True, Content_Type="application/zip",
                       Authorization=f"Bearer {depot.token}")
    check("and publishes in chunks", answer.status == 201, body)
    check("all on one connection", connection.sock is socket)
    connection.close()

    for fields, status in (({"If-None-Match": tag}, 304), ({"If-Match": '"x"'}, 412), ({"Range": "bytes=99999999-"}, 416)):
        try:
            urllib.request.urlopen(urllib.request.Request(depot.url + package, headers=fields)).close()
            found = 200
        except urllib.error.HTTPError as error:
            found = error.code
        check(f"urllib is told {status}", found == status, found)


def lock(depot):
    """Another program that holds the catalogue's lock for longer than the server waits."""
    other = sqlite3.connect(f"{depot.work}/depot/catalogue.sqlite", isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    put = ("curl", "-sS", "-i", "-X", "PUT", "-H", f"Authorization: Bearer {depot.token}", "-H", "Content-Type: application/json", "-d",
           '{"h5Version":"1.0"}', f"{depot.url}/games/large/channels/beta")
    told = run(*put).stdout
    check("a change is told 503 with Retry-After and a problem",
          told.startswith("HTTP/1.1 503 ") and "\nRetry-After: " in told and "urn:game-depot:problem:unavailable" in told, told)
    check("and reads are answered meanwhile", depot.fetch("/games/large/check")[0])
    other.execute("ROLLBACK")
    other.close()
    told = run(*put).stdout
    check("and the same change goes through afterwards", told.startswith("HTTP/1.1 200 "), told)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, help="folder with game-depot")
    parser.add_argument("--long", action="store_true", help="ten times the requests, and what waits")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="game-depot-clients.")
    depot = Depot(os.path.join(options.programs, "game-depot"), work)
    uploads(depot)
    load(depot, 100_000 if options.long else 10_000)
    curl(depot)
    wget(depot)
    python(depot)
    if options.long:
        lock(depot)
    # With --long, the lock that somebody held is one.
    harness.end_of_server(depot.server, work, expected_errors=1 if options.long else 0)
    harness.finish(work)


if __name__ == "__main__":
    main()
