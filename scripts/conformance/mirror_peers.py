"""Peers of mirror-sync that do not behave: a proxy that cuts, and a depot that lies. Both listen on 127.0.0.1 only."""

import hashlib
import io
import json
import random
import re
import socket
import struct
import subprocess
import threading
import urllib.parse
import zipfile

RESET = struct.pack("ii", 1, 0)


def make_zip(seed, files, size, changed=None):
    """The bytes of a game that looks like no other; with its first file as in none, when `changed` is the seed of that."""
    dice, memory = random.Random(seed), io.BytesIO()
    with zipfile.ZipFile(memory, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("index.html", f"<h1>{seed}</h1>")
        for index in range(files):
            content = dice.randbytes(size)
            if changed is not None and index == 0:
                content = random.Random(changed).randbytes(size)
            archive.writestr(f"part{index % 3}/{index}.bin", content)
    return memory.getvalue()


class Listener:
    """Accepts connections, each on a thread of its own, until it is stopped."""

    def __init__(self):
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            threading.Thread(target=self.talk, args=(connection,), daemon=True).start()

    def talk(self, connection):
        rest = b""
        try:
            with connection:
                while True:
                    while b"\r\n\r\n" not in rest:
                        piece = connection.recv(65536)
                        if not piece:
                            return
                        rest += piece
                    head, rest = rest.split(b"\r\n\r\n", 1)
                    if not self.answer(connection, head.decode("latin-1")):
                        return
        except OSError:
            return

    def stop(self):
        self.socket.close()


def reset(connection):
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)


class CuttingProxy(Listener):
    """Passes requests on to `backend`, and does `fault(proxy)` to the first body of a package after `offset` bytes. Counts
    what it sent of packages."""

    def __init__(self, backend, offset, fault):
        self.backend, self.offset, self.fault = backend, offset, fault
        self.packages, self.sent = [], 0
        super().__init__()

    def answer(self, connection, head):
        lines = head.split("\r\n")
        is_package = "/package.zip" in lines[0]
        if is_package:
            self.packages.append(head)
        host, port = self.backend.removeprefix("http://").split(":")
        with socket.create_connection((host, int(port))) as upstream:
            kept = [line for line in lines if not line.lower().startswith("connection:")]
            upstream.sendall("\r\n".join(kept + ["Connection: close", "", ""]).encode("latin-1"))
            reply = b""
            while b"\r\n\r\n" not in reply:
                piece = upstream.recv(65536)
                if not piece:
                    return False
                reply += piece
            answer, body = reply.split(b"\r\n\r\n", 1)
            connection.sendall(answer + b"\r\n\r\n")
            faulty = is_package and len(self.packages) == 1 and self.fault is not None
            sent = 0
            while body or (body := upstream.recv(65536)):
                if faulty and sent + len(body) > self.offset:
                    count = self.offset - sent
                    connection.sendall(body[:count])
                    self.sent += count
                    faulty, rest = False, body[count:]
                    if not self.fault(self, connection):
                        return False
                    # What comes on is wrong in its first byte.
                    body = bytes([rest[0] ^ 0xFF]) + rest[1:]
                    sent += count
                connection.sendall(body)
                sent += len(body)
                self.sent += len(body) if is_package else 0
                body = b""
        return False

    @staticmethod
    def close(proxy, connection):
        return False

    @staticmethod
    def cut(proxy, connection):
        reset(connection)
        return False

    @staticmethod
    def stall(proxy, connection):
        # Until the peer has had enough.
        while connection.recv(65536):
            pass
        return False

    @staticmethod
    def corrupt(proxy, connection):
        return True


def sha256(data):
    return hashlib.sha256(data).hexdigest()


class LyingDepot(Listener):
    """A depot of a few packages in memory. `lie(depot, connection, target, head)` may answer in its place: True when the
    connection goes on, False when it is over, None when the truth is to be told. `change(game)` may change what is said
    of a game."""

    def __init__(self, games, lie=None, change=None, catalogue="c0ffee00-0000-4000-8000-000000000000", revision=1):
        self.games, self.lie, self.change = games, lie, change
        self.catalogue, self.revision, self.requests = catalogue, revision, []
        super().__init__()

    def describe(self, game, version, data):
        said = {
            "gameId": game, "title": game, "h5Version": version, "h5Down": f"{self.url}/games/{game}/versions/{version}/package.zip",
            "h5Md5": hashlib.md5(data).hexdigest(), "h5Sha256": sha256(data), "h5Size": len(data), "publishedAt": "2026-03-01T12:00:00Z",
            "mandatory": False, "minHostVersion": None, "channel": "stable", "notes": None}
        return self.change(said) if self.change else said

    def answer(self, connection, head):
        target = head.split(" ", 2)[1]
        self.requests.append(head)
        if self.lie:
            answer = self.lie(self, connection, target, head)
            if answer is not None:
                return answer
        path, _, query = target.partition("?")
        if path == "/games":
            said = [self.describe(game, version, data) for game, (version, data) in sorted(self.games.items())]
            if "since" in urllib.parse.parse_qs(query):
                return self.send_json(connection, {"revision": self.revision, "changed": said, "removed": [], "next": None})
            return self.send_json(connection, {"catalogue": self.catalogue, "revision": self.revision, "games": said, "next": None})
        found = re.fullmatch(r"/games/([^/]+)/versions/([^/]+)/(package\.zip|manifest)", path)
        if not found or found[1] not in self.games:
            return self.send(connection, 404, b"")
        data = self.games[found[1]][1]
        if found[3] == "manifest":
            return self.send_json(connection, self.manifest(found[1], found[2], data))
        return self.send_package(connection, head, data)

    def manifest(self, game, version, data):
        try:
            with zipfile.ZipFile(io.BytesIO(data)) as archive:
                files = [info for info in archive.infolist() if not info.is_dir()]
        except zipfile.BadZipFile:
            files = []
        said = self.describe(game, version, data)
        return {"gameId": game, "h5Version": version, "h5Sha256": said["h5Sha256"], "h5Size": said["h5Size"], "root": "",
                "namesEncoding": "utf-8", "unpackedSize": sum(info.file_size for info in files),
                "files": [{"path": info.filename, "encrypted": False} for info in files]}

    def send_package(self, connection, head, data):
        tag = f'"{sha256(data)}"'
        asked = re.search(r"^range: bytes=(\d+)-\r?$", head, re.I | re.M)
        if asked and f"if-range: {tag}" in head.lower() and int(asked[1]) < len(data):
            begin = int(asked[1])
            return self.send(connection, 206, data[begin:], f"Content-Range: bytes {begin}-{len(data) - 1}/{len(data)}", f"ETag: {tag}")
        return self.send(connection, 200, data, f"ETag: {tag}", "Accept-Ranges: bytes")

    def send_json(self, connection, value):
        return self.send(connection, 200, json.dumps(value).encode(), "Content-Type: application/json")

    @staticmethod
    def send(connection, status, body, *fields):
        head = [f"HTTP/1.1 {status} Status", *fields, f"Content-Length: {len(body)}", "", ""]
        connection.sendall("\r\n".join(head).encode() + body)
        return True


def run_mirror(mirror, url, destination, *more, timeout=120, env=None):
    words = [mirror, "sync", "--server", url, "--dest", destination, *more]
    return subprocess.run(words, capture_output=True, text=True, timeout=timeout, env=env)
