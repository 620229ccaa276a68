"""What an idle connection costs in resident memory, as `idle.py` finds it."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "idle.py")


@dataclass
class Memory:
    """Bytes a connection; `most` is the bar."""

    work: str
    ours: float
    theirs: float
    most: int

    @property
    def is_met(self):
        """Whether the row is where it has to be."""
        return self.ours <= self.most


def of_idle(programs, tls, connections):
    """Opens that many connections to each server and leaves them open."""
    command = [sys.executable, SCRIPT, "--programs", programs, "--connections", str(connections), "--json"]
    text = subprocess.run(command + (["--tls"] if tls else []), capture_output=True, text=True, check=True).stdout
    found = {row["server"]: row["residentBytesPerConnection"] for row in json.loads(text)}
    work = f"resident for each of {connections} idle {'TLS ' if tls else ''}connections"
    return Memory(work, found["game-depot"], found["nginx"], 16 << 10 if tls else 512)
