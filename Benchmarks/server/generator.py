"""Load by a program of one thread on the core that the servers do not have."""

import os
import re
import shutil
import subprocess
from urllib.parse import urlsplit

from process import LOAD_CORE, pinned
from server import wrk
from server.load import BadRound, Rate
from server.probe import request_bytes

SOURCE = f"{os.path.dirname(os.path.abspath(__file__))}/../load.c"


class Generator:
    """load.c, which leaves the servers no rest; for TLS it is wrk."""

    def __init__(self, work):
        self.work, self.program = work, f"{work}/load"

    def run(self, load, urls, seconds):
        """Loads the server at each of `urls` alike; raises BadRound when an answer was not what it should be."""
        if urls[0].startswith("https:"):
            return wrk.run(load, urls, seconds)
        if not os.path.exists(self.program):
            compiler = shutil.which("cc") or "clang"
            subprocess.run([compiler, "-O2", "-Wall", "-Werror", "-o", self.program, SOURCE], check=True)
        places = [urlsplit(url).netloc for url in urls]
        requests = f"{self.work}/requests"
        with open(requests, "wb") as file:
            file.write(b"".join(request_bytes(places[0], path, headers) for path, headers in load.requests))
        command = [self.program, str(load.connections), str(seconds), str(load.depth), requests] + places
        done = subprocess.run(pinned(LOAD_CORE, command), capture_output=True, text=True, check=False)
        found = re.match(r"(\d+) answers in ([\d.]+) s, (\d+) bytes, (\d+) wrong", done.stdout)
        if not found:
            raise BadRound(done.stderr.strip())
        count, seconds, size = int(found[1]), float(found[2]), int(found[3])
        if count == 0 or int(found[4]):
            raise BadRound(f"{found[4]} of {count} answers have a wrong status")
        # Of bodies on their way when time is over only the beginning is counted as an answer: those count in bytes.
        if not 0 <= size - count * load.body <= load.connections * load.depth * load.body:
            raise BadRound(f"{count} answers have {size} bytes in bodies, each should have {load.body}")
        return Rate(count / seconds, count, seconds)
