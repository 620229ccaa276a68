"""The lies of `mirror_cuts.py`: what a depot says wrong, and what a mirror makes of it."""

import io
import json
import os
import re
import time
import zipfile
from dataclasses import dataclass, field

from mirror_peers import LyingDepot, make_zip


@dataclass
class Lie:
    code: int
    words: tuple = ()
    lie: object = None
    change: object = None
    games: dict = field(default_factory=dict)
    options: tuple = ()
    # Whether the new version comes into use all the same.
    arrives: bool = False


def changing(**said):
    """Says something else of the game."""
    return lambda game: {**game, **said}


def on_package(answer):
    """Answers requests for packages."""
    return lambda depot, connection, target, head: answer(depot, connection, head) if "/package.zip" in target else None


def on_listing(answer):
    """Answers requests for the listing, and those for what changed."""
    return lambda depot, connection, target, head: answer(depot, connection, head) if target.startswith("/games?") else None


def raw(text, goes_on=True):
    def answer(depot, connection, head):
        connection.sendall(text if isinstance(text, bytes) else text.encode())
        return goes_on
    return answer


def zip_of(*entries):
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        for name, text in entries:
            archive.writestr(name, text)
    return memory.getvalue()


def symlink():
    memory = io.BytesIO()
    with zipfile.ZipFile(memory, "w") as archive:
        info = zipfile.ZipInfo("index.html")
        info.create_system, info.external_attr = 3, 0o120777 << 16
        archive.writestr(info, "/etc/passwd")
    return memory.getvalue()


# For a body that never ends: others come in time, whatever else the machine does.
SOON = ("--stall-timeout", "3s")


def drip(depot, connection, head):
    """A byte at a time, for ever."""
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000\r\n\r\n")
    while True:
        connection.sendall(b" ")
        time.sleep(0.05)


def endless_json(depot, connection, head):
    connection.sendall(b'HTTP/1.1 200 OK\r\n\r\n{"catalogue":"c","revision":1,"next":null,"games":[')
    while True:
        connection.sendall(b"0," * 32768)


def cut_then(then):
    """The first body is cut in the middle, the next request gets something else."""
    def answer(depot, connection, head):
        data = depot.games["game"][1]
        if sum("/package.zip" in request for request in depot.requests) == 1:
            head = f'HTTP/1.1 200 OK\r\nETag: "{depot.describe("game", "2.0", data)["h5Sha256"]}"\r\nContent-Length: {len(data)}\r\n\r\n'
            connection.sendall(head.encode() + data[:len(data) // 2])
            return False
        return then(depot, connection, head, data)
    return on_package(answer)


def whole_to_a_range(depot, connection, head, data):
    return LyingDepot.send(connection, 200, data)


def another_range(depot, connection, head, data):
    if "range:" not in head.lower():
        return LyingDepot.send(connection, 200, data)
    half = len(data) // 2
    return LyingDepot.send(connection, 206, data[half + 1:], f"Content-Range: bytes {half + 1}-{len(data) - 1}/{len(data)}")


def replaced(depot, connection, head, data):
    """The package has become another one, of the same size."""
    return depot.send_package(connection, head, os.urandom(len(data)))


def spliced(depot, connection, head, data):
    """The same, and If-Range does not matter to the server."""
    half = len(data) // 2
    if "range:" not in head.lower():
        return LyingDepot.send(connection, 200, os.urandom(len(data)))
    return LyingDepot.send(connection, 206, os.urandom(len(data) - half), f"Content-Range: bytes {half}-{len(data) - 1}/{len(data)}")


def lies():
    """Every lie by its name."""
    def hostile(data):
        return {"games": {"other": ("1.0", data)}, "code": 1, "arrives": True}

    endless = on_package(lambda depot, connection, head: raw(
        f"HTTP/1.1 302 There\r\nLocation: {depot.url}/games/game/package.zip?{len(depot.requests)}\r\nContent-Length: 0\r\n\r\n")(
            depot, connection, head))
    moved = "HTTP/1.1 302 There\r\nLocation: {}\r\nContent-Length: 0\r\n\r\n".format
    wrong_digest = on_package(lambda depot, connection, head: LyingDepot.send(connection, 200, make_zip(3, 6, 250_000)[:-1] + b"x"))
    found = {
        "other bytes": Lie(1, ("game: SHA-256 is",), lie=on_package(lambda depot, connection, head: LyingDepot.send(
            connection, 200, b"x" * len(depot.games["game"][1])))),
        "a wrong SHA-256": Lie(1, ("game",), change=changing(h5Sha256="ab" * 32)),
        "a wrong MD5": Lie(1, ("game: MD5 is",), change=changing(h5Md5="cd" * 16)),
        "a size too small": Lie(1, ("game", "bytes"), change=changing(h5Size=1000)),
        "a size too large": Lie(1, ("game", "bytes"), change=changing(h5Size=9_000_000)),
        "a size that fits no disk": Lie(73, ("game: not enough room",), change=changing(h5Size=1 << 62)),
        "the package of another": Lie(1, ("game: SHA-256 is",), lie=wrong_digest),
        "an id that climbs": Lie(1, ("../../evil",), games={"../../evil": ("1.0", make_zip(4, 1, 10))}, arrives=True),
        "an absolute id": Lie(1, ("/etc/evil",), games={"/etc/evil": ("1.0", make_zip(4, 1, 10))}, arrives=True),
        "a version that climbs": Lie(1, ("other",), games={"other": ("../../../evil", make_zip(4, 1, 10))}, arrives=True),
        "an id with an escape": Lie(1, ("\N{REPLACEMENT CHARACTER}",), games={"a\x1b[31m": ("1.0", make_zip(4, 1, 10))}, arrives=True),
        "a path that climbs": Lie(words=("parent-path",), **hostile(zip_of(("index.html", "x"), ("../../up.txt", "evil")))),
        "an absolute path": Lie(words=("absolute-path",), **hostile(zip_of(("/etc/up.txt", "evil")))),
        "a symlink": Lie(words=("other",), **hostile(symlink())),
        "no zip at all": Lie(words=("not-a-zip",), **hostile(b"this is no zip")),
        "a file for a package": Lie(1, ("h5Down",), change=changing(h5Down="file:///etc/passwd")),
        "endless JSON": Lie(69, ("unusable answer",), lie=on_listing(endless_json)),
        "deep JSON": Lie(69, ("unusable answer",), lie=on_listing(lambda depot, connection, head: LyingDepot.send(
            connection, 200, b"[" * 1_000_000))),
        "no JSON": Lie(69, ("unusable answer",), lie=on_listing(raw("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>"))),
        "an endless head": Lie(69, lie=on_listing(raw(b"HTTP/1.1 200 OK\r\nA: " + b"a" * 2_000_000, False))),
        "a listing that drips": Lie(69, lie=on_listing(drip), options=SOON),
        "a package that drips": Lie(1, ("game",), lie=on_package(drip), options=SOON),
        "a redirect to a file": Lie(1, ("game",), lie=on_package(raw(moved("file:///etc/passwd")))),
        "a redirect to gopher": Lie(1, ("game",), lie=on_package(raw(moved("gopher://127.0.0.1:1/x")))),
        "endless redirects": Lie(1, ("game",), lie=endless),
        "a coded package": Lie(1, ("game",), lie=on_package(raw("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc"))),
        "a login page": Lie(1, ("game",), lie=on_package(raw("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n<login>"))),
        "a part nobody asked for": Lie(1, ("game",), lie=on_package(raw("HTTP/1.1 206 Part\r\nContent-Range: bytes 0-2/3\r\nContent-Length: 3\r\n\r\nabc"))),
        "the whole for a range": Lie(0, lie=cut_then(whole_to_a_range), arrives=True),
        "another range": Lie(0, lie=cut_then(another_range), arrives=True),
        "a package replaced in the middle": Lie(1, ("game: SHA-256 is",), lie=cut_then(replaced)),
        "a package spliced in the middle": Lie(1, ("game: SHA-256 is",), lie=cut_then(spliced)),
    }
    for year in ("1970", "2100", "9999"):
        date = f"HTTP/1.1 200 OK\r\nDate: Fri, 01 Jan {year} 00:00:00 GMT\r\nLast-Modified: Fri, 01 Jan {year} 00:00:00 GMT\r\n"

        def dated(depot, connection, head, date=date):
            data = depot.games["game"][1]
            connection.sendall(f"{date}Content-Length: {len(data)}\r\n\r\n".encode() + data)
            return True

        found[f"a clock of {year}"] = Lie(0, change=changing(publishedAt=f"{year}-01-01T00:00:00Z"), lie=on_package(dated), arrives=True)
    later = "HTTP/1.1 503 Later\r\nDate: Fri, 01 Jan 1970 00:00:00 GMT\r\nRetry-After: {}\r\nContent-Length: 0\r\n\r\n".format
    found["a pause until 2100"] = Lie(1, ("game",), lie=on_package(raw(later("Fri, 01 Jan 2100 00:00:00 GMT"))))
    found["a pause of a million years"] = Lie(1, ("game",), lie=on_package(raw(later("99999999999999999999"))))
    return found


def send(connection, status, body, *fields):
    return LyingDepot.send(connection, status, body, *fields)


def said_otherwise(change):
    """delta.json, changed."""
    def twist(connection, body, head):
        said = json.loads(body)
        change(said)
        return send(connection, 200, json.dumps(said).encode(), "Content-Type: application/json")
    return twist


def of_part(answer):
    """Parts of a package; `answer` gets the connection, the package, and where the part begins and ends."""
    def twist(connection, body, head):
        asked = re.search(r"^range: bytes=(\d+)-(\d+)", head, re.I | re.M)
        if not asked:
            return send(connection, 200, body, "Accept-Ranges: bytes")
        return answer(connection, body, int(asked[1]), int(asked[2]) + 1)
    return twist


def index_lies():
    """What may be wrong with an update by parts: the path of the answer that is another one, and what comes instead. Each
    must end in the right package, fetched whole where nothing else helps."""
    def part(connection, body, begin, end, said=None):
        said = begin if said is None else said
        return send(connection, 206, body[begin:end], f"Content-Range: bytes {said}-{said + end - begin - 1}/{len(body)}")

    def flipped(connection, package, begin, end):
        return part(connection, package[:begin] + bytes(byte ^ 0xFF for byte in package[begin:end]) + package[end:], begin, end)

    other = make_zip(77, 6, 1000)
    return {
        "no delta.json": ("/delta.json", lambda connection, body, head: send(connection, 404, b"")),
        "a delta.json that is no JSON": ("/delta.json", lambda connection, body, head: send(connection, 200, b"<html>")),
        "a delta.json that is cut": ("/delta.json", lambda connection, body, head: send(connection, 200, body[:len(body) // 2])),
        "a delta.json of another package": ("/delta.json", said_otherwise(lambda said: said.update(h5Sha256="ab" * 32))),
        "an index that is a file": ("/delta.json", said_otherwise(lambda said: said["index"].update(url="file:///etc/passwd"))),
        "an index that is endless": ("/delta.json", said_otherwise(lambda said: said["index"].update(size=1 << 62))),
        "an index of no bytes": ("/delta.json", said_otherwise(lambda said: said["index"].update(size=0))),
        "an index of another digest": ("/delta.json", said_otherwise(lambda said: said["index"].update(sha256="cd" * 32))),
        "no index": ("/index", lambda connection, body, head: send(connection, 404, b"")),
        "an index of other bytes": ("/index", lambda connection, body, head: send(connection, 200, body[::-1])),
        "an index that is cut": ("/index", lambda connection, body, head: send(connection, 200, body[:-1])),
        "an index that is a zip": ("/index", lambda connection, body, head: send(connection, 200, other)),
        "an index of a broken server": ("/index", lambda connection, body, head: send(connection, 500, b"")),
        "the whole for a part": ("/package.zip", of_part(lambda connection, package, begin, end: send(connection, 200, package))),
        "a part from elsewhere": ("/package.zip", of_part(lambda connection, package, begin, end: part(connection, package, begin + 1, end, begin + 1))),
        "a part too short": ("/package.zip", of_part(lambda connection, package, begin, end: part(connection, package, begin, end - 1))),
        "a part of other bytes": ("/package.zip", of_part(flipped)),
        "parts refused": ("/package.zip", of_part(lambda connection, package, begin, end: send(connection, 416, b""))),
        "a package that is another now": ("/package.zip", of_part(lambda connection, package, begin, end: send(connection, 412, b""))),
        "parts forbidden": ("/package.zip", of_part(lambda connection, package, begin, end: send(connection, 403, b""))),
    }
