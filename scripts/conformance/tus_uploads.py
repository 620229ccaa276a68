#!/usr/bin/env python3
"""Resumable uploads by tuspy, the Python client of the tus project, and by `publish`, over a line that breaks.

A proxy between the two cuts each connection after so many bytes, of the request or of the answer; the server is killed
between and within chunks. In the end the package must be published once, byte for byte. `--long` cuts at more places.
"""

import argparse
import http.server
import json
import os
import random
import signal
import socket
import sys
import tempfile
import threading
import zipfile

import requests
from tusclient import client as tus
from tusclient.exceptions import TusCommunicationError, TusUploadFailed

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from harness import Server, check, end_of_server, finish, run  # noqa: E402


class CuttingProxy:
    """Passes connections on; those that `limits` has a pair for (bytes up, bytes down; None: all) are cut there."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.target = None
        self.limits = []
        self.cuts = 0
        self.lock = threading.Lock()
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                near, _ = self.listener.accept()
            except OSError:
                return
            with self.lock:
                up, down = self.limits.pop(0) if self.limits else (None, None)
            try:
                far = socket.create_connection(self.target)
            except OSError:
                near.close()
                continue
            for source, drain, limit in ((near, far, up), (far, near, down)):
                threading.Thread(target=self.pump, args=(source, drain, limit, near, far), daemon=True).start()

    def pump(self, source, drain, limit, near, far):
        left = limit
        try:
            while left is None or left > 0:
                data = source.recv(65536 if left is None else min(65536, left))
                if not data:
                    drain.shutdown(socket.SHUT_WR)
                    return
                drain.sendall(data)
                left = None if left is None else left - len(data)
        except OSError:
            pass  # Either side is gone: so is the other one.
        else:
            with self.lock:
                self.cuts += 1
        for one in (near, far):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # It is closed already.
            one.close()


class Bench:
    def __init__(self, programs, work):
        self.program = f"{programs}/game-depot"
        self.work = work
        self.data = f"{work}/depot"
        made = run(self.program, "token", "create", "--data", self.data, "--name", "tus", "--scope", "publish")
        self.headers = {"Authorization": f"Bearer {made.stdout.strip()}"}
        self.proxy = CuttingProxy()
        self.server = None
        self.start()
        self.version = 0

    def start(self):
        self.server = Server(
            self.program, "serve", "--data", self.data, "--listen", "127.0.0.1:0", "--disk-floor", "0",
            "--access-log", "off", log=f"{self.work}/depot.log")
        host, port = self.server.url.removeprefix("http://").split(":")
        self.proxy.target = (host, int(port))

    def kill(self):
        self.server.process.send_signal(signal.SIGKILL)
        self.server.process.wait()

    def uploader(self, path, **options):
        self.version += 1
        client = tus.TusClient(f"http://127.0.0.1:{self.proxy.port}/uploads", headers=dict(self.headers))
        metadata = {"gameId": "courier", "h5Version": str(self.version), "filename": "ünïcode.zip", "filetype": "x"}
        return client.uploader(path, metadata=metadata, retries=60, retry_delay=0, **options)

    def is_published(self, path, uploader):
        report = requests.get(f"{self.server.url}/uploads/{uploader.url.rsplit('/', 1)[1]}", headers=self.headers).json()
        package = requests.get(f"{self.server.url}{report['location']}/package.zip")
        with open(path, "rb") as file:
            return report["state"] == "published" and package.content == file.read()


def make_package(path, size, seed):
    noise = random.Random(seed)
    with zipfile.ZipFile(path, "w") as package:
        package.writestr("index.html", f"<title>{seed}</title>")
        package.writestr("noise.bin", noise.randbytes(size))


class OldServer(http.server.BaseHTTPRequestHandler):
    """A depot that has no resumable uploads."""

    protocol_version = "HTTP/1.1"
    bodies = []

    def do_POST(self):
        length = int(self.headers["Content-Length"] or 0)
        is_known = self.path.startswith("/games?")
        if self.headers["Expect"] == "100-continue" and is_known:
            self.send_response_only(100)
            self.end_headers()
        if is_known:
            self.bodies.append(self.rfile.read(length))
        body = json.dumps({"findings": []} if is_known else {"title": "no such path"}).encode()
        self.send_response(201 if is_known else 404)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


def publish(bench, path, url, version, *more):
    return run(bench.program, "publish", path, "--game", "cli", "--h5-version", version, "--server", url,
               "--token-file", f"{bench.work}/token", *more)


def command_line(bench, package, places):
    """`game-depot publish` on the same bad line, and with a server that is older."""
    with open(f"{bench.work}/token", "w") as file:
        file.write(bench.headers["Authorization"].split()[1])
    url = f"http://127.0.0.1:{bench.proxy.port}"
    for place in places:
        path = package(300_000)
        bench.proxy.limits = [(place, None), (place + 100, None), (None, 5 if place < 1000 else None)]
        done = publish(bench, path, url, str(place))
        bench.proxy.limits = []
        check(f"publish goes on after cuts at {place}", done.returncode == 0 and "published" in done.stdout, done)
        check("and says so", "trying again" in done.stderr and "\x1b" not in done.stderr, done.stderr)
        with open(path, "rb") as file:
            given = requests.get(f"{bench.server.url}/games/cli/versions/{place}/package.zip", timeout=30)
            check("the package is whole", given.content == file.read())
    bench.proxy.limits = [(300, None)] * 50
    check("it gives up in the end", publish(bench, path, url, "x", "--retries", "1").returncode == 69)
    bench.proxy.limits = []
    old = http.server.HTTPServer(("127.0.0.1", 0), OldServer)
    threading.Thread(target=old.serve_forever, daemon=True).start()
    done = publish(bench, path, f"http://127.0.0.1:{old.server_port}", "1")
    with open(path, "rb") as file:
        check("an older server gets it in one piece", done.returncode == 0 and OldServer.bodies == [file.read()], done)
    old.shutdown()


def attempt(bench, name, path, uploader):
    try:
        uploader.upload()
        return check(name, bench.is_published(path, uploader))
    except Exception as error:  # Whatever it is, it is a finding.
        return check(name, False, repr(error))


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--programs", required=True, help="the folder of the release build")
    options.add_argument("--long", action="store_true", help="cut at many more places")
    options = options.parse_args()
    work = tempfile.mkdtemp(prefix="tus-")
    bench = Bench(options.programs, work)
    draw = random.Random(1)

    def package(size):
        path = f"{work}/{bench.version}.zip"
        make_package(path, size, bench.version)
        return path

    path = package(700_000)
    attempt(bench, "in one piece", path, bench.uploader(path))
    path = package(700_000)
    attempt(bench, "in chunks", path, bench.uploader(path, chunk_size=64 << 10))
    path = package(700_000)
    attempt(bench, "in chunks with checksums", path, bench.uploader(path, chunk_size=100_000, upload_checksum=True))

    # The head of tuspy's PATCH is some 400 bytes: cuts within heads, bodies, at their ends and just before them.
    places = [1, 200, 400, 500, 1000, 4096, 33_000, 65_536, 100_000, 199_999, 250_000, 300_000]
    if options.long:
        places += [draw.randrange(1, 301_000) for _ in range(200)] + list(range(300_000, 301_200, 40))
    for place in places:
        path = package(300_000)
        uploader = bench.uploader(path, chunk_size=draw.choice([1 << 30, 90_000]))
        uploader.set_url(uploader.create_url())
        size = os.path.getsize(path)
        bench.proxy.limits = [(place, None), (None, None), (place + 777, None)]
        attempt(bench, f"cut after {place} of {size} bytes up", path, uploader)
        bench.proxy.limits = []
    for place in [1, 8, 11]:  # A status that came whole would be believed.
        path = package(300_000)
        uploader = bench.uploader(path, chunk_size=draw.choice([1 << 30, 90_000]))
        uploader.set_url(uploader.create_url())
        bench.proxy.limits = [(None, place)] * 3
        attempt(bench, f"answers cut after {place} bytes", path, uploader)
        bench.proxy.limits = []
    path = package(300_000)
    uploader = bench.uploader(path, chunk_size=50_000, upload_checksum=True)
    uploader.set_url(uploader.create_url())
    bench.proxy.limits = [(20_000, None), (None, None), (30_000, None)]
    attempt(bench, "cut chunks with checksums are sent whole again", path, uploader)
    check("the proxy did cut", bench.proxy.cuts >= len(places) + 3, bench.proxy.cuts)

    for place in [1, 5, 9] + (list(range(10)) * 3 if options.long else []):
        path = package(1_000_000)
        uploader = bench.uploader(path, chunk_size=100_000, upload_checksum=draw.random() < 0.5)
        uploader.set_url(uploader.create_url())
        for chunk in range(place):
            uploader.upload_chunk()
        bench.proxy.limits = [(50_000, None)]
        killer = threading.Timer(draw.uniform(0, 0.02), bench.kill)
        killer.start()
        try:
            uploader.retries = 0
            uploader.upload_chunk()
        except (TusCommunicationError, TusUploadFailed):
            pass
        killer.join()
        bench.proxy.limits = []
        bench.start()
        uploader.offset = uploader.get_offset()
        uploader.retries = 3
        check(f"after kill -9 in chunk {place} what was acknowledged is there", uploader.offset >= place * 100_000)
        attempt(bench, f"kill -9 in chunk {place}", path, uploader)

    command_line(bench, package, [300, 1500, 150_000, 299_000] + (places[12::8] if options.long else []))

    broken = f"{work}/broken.zip"
    with open(broken, "wb") as file:
        file.write(b"PK\x03\x04" + bytes(5000))
    uploader = bench.uploader(broken)
    uploader.retries = 0
    try:
        uploader.upload()
        check("a broken zip is refused", False)
    except TusUploadFailed as error:
        check("a broken zip is refused as POST does", error.status_code == 422, error.status_code)
    report = requests.get(uploader.url, headers=bench.headers).json()
    check("and told so later", report["state"] == "refused" and report["problem"]["findings"], report)
    check("no upload holds bytes any more", not [n for n in os.listdir(f"{bench.data}/uploads") if n.endswith(".part")])
    check("every package is whole", run(bench.program, "verify", "--data", bench.data).returncode == 0)
    end_of_server(bench.server, work)
    finish(work)


main()
