"""How long a browser takes to load a game: mirror-sync's play server against nginx over the same files."""

import json
import os
import random
import shutil
import statistics
import struct
import subprocess
import zlib
from dataclasses import dataclass

from process import Process, free_port, wait_for

HERE = os.path.dirname(os.path.abspath(__file__))
TURNS = 5
FILES, SIZE = 400, 60_000_000
CHROMIUM = "/usr/bin/chromium"


@dataclass
class Load:
    """Medians in milliseconds from the start of the navigation to the load event, with an empty cache each time."""

    files: int
    size: int
    ours: float
    theirs: float


def measure(programs, work, is_quick):
    """Both servers load the same page in turns, each time in a browser context that knows nothing yet."""
    missing = [tool for tool in ("chromium", "nginx") if not shutil.which(tool)]
    if missing:
        raise RuntimeError(f"not installed: {', '.join(missing)}; scripts/setup.sh benchmarks installs them")
    folder = f"{work}/play/games/big/versions/1.0"
    size = write_game(folder, FILES, SIZE // 20 if is_quick else SIZE)
    os.symlink("versions/1.0", f"{work}/play/games/big/current")
    ours = start_play(f"{programs}/mirror-sync", f"{work}/play")
    theirs, port = start_nginx(folder, work)
    try:
        urls = [f"{ours.url}/play/big/", f"http://127.0.0.1:{port}/"]
        times = json.loads(subprocess.run(
            [browser(), f"{HERE}/load.py", CHROMIUM, str(1 if is_quick else TURNS), str(FILES), *urls],
            check=True, stdout=subprocess.PIPE, text=True).stdout)
        return Load(FILES, size, *(statistics.median(times[url]) for url in urls))
    finally:
        ours.stop()
        theirs.stop()


def browser():
    """The Python that has Playwright, as the conformance scripts install it."""
    script = f"source {HERE}/../../scripts/conformance/common.sh; tool playwright"
    program = subprocess.run(["bash", "-ec", script], check=True, stdout=subprocess.PIPE, text=True).stdout.strip()
    return os.path.join(os.path.dirname(program), "python")


def write_game(folder, count, size):
    """A page that loads images, scripts and styles, `count` files with it, of `size` bytes altogether."""
    source = random.Random(6)
    each = size // count
    names, total = [], 0
    for number in range(count - 1):
        kind = "js" if number % 5 == 0 else "css" if number % 50 == 1 else "png"
        name = f"{kind}/{number}.{kind}"
        data = {"js": text, "css": text, "png": picture}[kind](source, each)
        os.makedirs(f"{folder}/{kind}", exist_ok=True)
        with open(f"{folder}/{name}", "wb") as file:
            file.write(data)
        total += len(data)
        names.append(name)
    tags = {"js": '<script src="{}" defer></script>', "css": '<link rel="stylesheet" href="{}">', "png": '<img src="{}">'}
    page = "<!doctype html><meta charset=utf-8><title>Big</title>\n" + "\n".join(
        tags[name.rsplit(".", 1)[1]].format(name) for name in names)
    with open(f"{folder}/index.html", "w", encoding="utf-8") as file:
        file.write(page)
    return total + len(page)


def text(source, size):
    """A comment, which scripts and styles both may be, about as compressible as code."""
    words = ["player", "velocity", "update", "return", "this", "const", "sprite", "frame"]
    body = " ".join(f"{source.choice(words)}{source.randrange(10_000)}" for _ in range(size // 11))
    return f"/* {body[:size]} */\n".encode()


def picture(source, size):
    """A PNG of noise, which is as long as its pixels; read by the browser as any image of that size."""
    width = 160
    height = max(1, size // (width * 3))
    rows = b"".join(b"\0" + source.randbytes(width * 3) for _ in range(height))

    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows, 1)) + chunk(b"IEND", b"")


class Play:
    """The play server, and where."""

    def __init__(self, process, url):
        self.process, self.url = process, url

    def stop(self):
        """Ends it."""
        self.process.stop()


def start_play(program, folder):
    """Everything as it comes."""
    process = Process([program, "serve", "--dest", folder, "--listen", "127.0.0.1:0"], stdout=subprocess.PIPE, text=True)
    line = process.child.stdout.readline()
    if not line.startswith("listening on "):
        process.stop()
        raise RuntimeError("the play server did not start")
    return Play(process, line.split()[-1].rstrip("/"))


def start_nginx(root, work):
    """nginx as Debian sets it for static files: a worker a core, sendfile, its own list of types."""
    port = free_port()
    with open(f"{work}/play-nginx.conf", "w", encoding="utf-8") as file:
        file.write(f"""daemon off; pid {work}/play-nginx.pid; error_log {work}/play-nginx.log crit; worker_processes auto; user root;
events {{ worker_connections 1024; }}
http {{
  include /etc/nginx/mime.types; default_type application/octet-stream;
  access_log off; sendfile on; tcp_nopush on; tcp_nodelay on; etag on;
  open_file_cache max=2000; open_file_cache_min_uses 1;
  server {{ listen 127.0.0.1:{port}; root {root}; }}
}}
""")
    process = Process(["nginx", "-c", f"{work}/play-nginx.conf", "-p", work], stderr=subprocess.DEVNULL)
    try:
        wait_for("127.0.0.1", port)
    except RuntimeError:
        process.stop()
        raise
    return process, port
