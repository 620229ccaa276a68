#!/usr/bin/env python3
"""Has systemd read the units of docs/operations.md: what people copy must be right.

A unit is a block of `ini` whose first line is a comment with its name. The programs it starts are those of the build.
"""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXPECTED = {"game-depot.service", "game-depot.socket", "mirror-sync.service", "mirror-sync.timer", "mirror-watch.service"}


def units():
    text = open(os.path.join(ROOT, "docs/operations.md")).read()
    return dict(re.findall(r"^```ini\n# ([\w.-]+)\n(.*?)^```", text, re.MULTILINE | re.DOTALL))


def main():
    if not shutil.which("systemd-analyze"):
        sys.exit("systemd-analyze is missing: apt-get install systemd")
    found = units()
    if set(found) != EXPECTED:
        sys.exit(f"docs/operations.md has the units {sorted(found)}, not {sorted(EXPECTED)}")
    with tempfile.TemporaryDirectory() as folder:
        for name, text in found.items():
            text = text.replace("/usr/local/bin", os.path.join(ROOT, ".build/release"))
            # Users of the place where it is installed.
            text = re.sub(r"^(User|SocketUser|SocketGroup)=.*\n", "", text, flags=re.MULTILINE)
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        verdict = subprocess.run(
            ["systemd-analyze", "verify", "--man=no", *(os.path.join(folder, name) for name in sorted(found))],
            capture_output=True, text=True)
    # What it says of units that are not ours, systemd's own, is not for us to mend.
    wrong = [line for line in verdict.stderr.splitlines() if folder in line or any(line.startswith(name) for name in found)]
    if wrong or verdict.returncode:
        print(verdict.stderr)
        sys.exit("systemd finds fault with units of docs/operations.md")
    print(f"{len(found)} units as systemd wants them")


if __name__ == "__main__":
    main()
