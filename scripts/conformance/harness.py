"""What the scripts beside this one share: counting checks, running programs, and a server of ours as a process."""

import hashlib
import os
import shutil
import signal
import subprocess
import sys
import time

passed = failed = 0


def check(name, condition, evidence=""):
    global passed, failed
    if condition:
        passed += 1
        print(f"ok   {name}")
    else:
        failed += 1
        print(f"FAIL {name} {evidence}")
    return condition


def end_of_server(server, work, expected_errors=0):
    """Stops a server that logs to depot.log in the work folder, and judges its end and its log."""
    check("the server lives and ends with 0", server.is_alive() and server.stop() == 0)
    with open(f"{work}/depot.log") as log:
        errors = [line for line in log if " error: " in line]
    check(f"its log knows {expected_errors or 'no'} error", len(errors) == expected_errors, errors[:3])


def finish(work=None):
    """Tells the counts and exits; the work folder stays only when something failed."""
    if work and failed == 0:
        shutil.rmtree(work)
    elif work:
        print(f"left for a look: {work}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(1 if failed else 0)


def run(*words, **options):
    return subprocess.run(words, **{"capture_output": True, "text": True, "timeout": 300, **options})


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def tree(folder):
    """Relative path -> SHA-256 of every file below a folder."""
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            found[os.path.relpath(path, folder)] = sha256(path)
    return found


class Server:
    """A program of ours that prints `listening on http://…`, or https."""

    def __init__(self, *words, log):
        self.log = open(log, "wb")
        self.process = subprocess.Popen(words, stdout=self.log, stderr=subprocess.STDOUT)
        self.url = None
        deadline = time.monotonic() + 20
        while self.url is None:
            for line in open(log, encoding="utf-8", errors="replace"):
                if line.startswith("listening on http"):
                    self.url = line.split("listening on ")[1].split()[0].rstrip("/")
            if self.url is None:
                if time.monotonic() > deadline or self.process.poll() is not None:
                    sys.exit(f"{words[0]} did not start:\n{open(log).read()}")
                time.sleep(0.02)

    def is_alive(self):
        return self.process.poll() is None

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=60)
