"""The depots that are served, and the same answers as files for nginx.

They are kept in `.bench` from run to run, under a name that changes with what makes them.
"""

import glob
import hashlib
import json
import os
import random
import shutil
import subprocess
from dataclasses import dataclass

from server.clones import game_id, multiply
from server.packages import write_game, write_tiny
from server.peers import Setting, start_game_depot
from server.probe import Probe

MANIFESTS, CHECKS, MIRRORED = 10_000, 100_000, 200
# Files in a package whose manifest is about 2 KB, and 20 KB.
SMALL_FILES, LARGE_FILES = 4, 58


@dataclass(frozen=True)
class Depot:
    """A data folder, and the folder where nginx finds the same bytes under the same paths."""

    data: str
    root: str


class Depots:
    """Makes each depot when it is first asked for."""

    def __init__(self, program, folder, work):
        self.program, self.work = program, work
        here = os.path.dirname(os.path.abspath(__file__))
        digest = hashlib.sha256()
        for path in sorted(glob.glob(f"{here}/*.py") + glob.glob(f"{here}/../../migrations/*.sql")):
            if os.path.basename(path) in ("depots.py", "clones.py", "packages.py") or path.endswith(".sql"):
                with open(path, "rb") as file:
                    digest.update(file.read())
        self.folder = f"{os.path.abspath(folder)}/{digest.hexdigest()[:12]}"
        self.made = {}

    def named(self, name):
        """The depot of that name, with nginx's files as this build of game-depot answers."""
        if name not in self.made:
            data = self.data(name)
            self.made[name] = Depot(data, self.mirrored(name, data))
        return self.made[name]

    def data(self, name):
        """The data folder, made unless it is there."""
        data = f"{self.folder}/{name}"
        if os.path.exists(data):
            return data
        print(f"making the depot \"{name}\"", flush=True)
        unfinished, packages = f"{data}.part", f"{self.work}/packages"
        for path in (unfinished, packages):
            shutil.rmtree(path, ignore_errors=True)
        os.makedirs(packages)
        count = getattr(self, f"write_{name}")(packages)
        command = [self.program, "import", packages, "--data", unfinished]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        if count > 1:
            multiply(f"{unfinished}/catalogue.sqlite", count)
        shutil.rmtree(packages)
        os.rename(unfinished, data)
        return data

    @staticmethod
    def write_packages(folder):
        """One game with a small answer, one large package, and what a mirror fetches."""
        os.makedirs(f"{folder}/g")
        write_tiny(f"{folder}/g/1.zip", 1)
        write_game(f"{folder}/large-1.0.zip", 16 << 20, 0)
        for number in range(MIRRORED):
            size = random.Random(number).randint(200_000, 2_500_000)
            write_game(f"{folder}/mirrored{number:03}-1.0.zip", size, number + 1)
        return 1

    @staticmethod
    def write_manifests(folder):
        """A game with a short and a long manifest."""
        os.makedirs(f"{folder}/{game_id(0)}")
        write_tiny(f"{folder}/{game_id(0)}/1.0.zip", SMALL_FILES)
        write_tiny(f"{folder}/{game_id(0)}/2.0.zip", LARGE_FILES)
        return MANIFESTS

    @staticmethod
    def write_checks(folder):
        """A game that is asked for news of."""
        os.makedirs(f"{folder}/{game_id(0)}")
        write_tiny(f"{folder}/{game_id(0)}/1.0.zip", 1)
        return CHECKS

    def mirrored(self, name, data):
        """nginx's files: each answer of game-depot under the path that `file_path` gives it."""
        root = f"{data}.files"
        server = start_game_depot(self.program, data, Setting(), self.work)
        probe = Probe(server.urls[0])
        try:
            paths = mirrored_paths(name)
            sizes = [len(probe.get(path).body) for path in (paths[0], paths[-1])]
            there = [os.path.getsize(f) if os.path.exists(f) else -1
                     for f in (root + file_path(path) for path in (paths[0], paths[-1]))]
            if sizes != there:
                print(f"writing the answers of the depot \"{name}\" as files", flush=True)
                shutil.rmtree(root, ignore_errors=True)
                for path, reply in zip(paths, probe.get_all([(path, ()) for path in paths])):
                    write_answer(data, root, path, reply)
        finally:
            probe.close()
            server.stop()
        return root


def mirrored_paths(name):
    """All paths of a depot that rows ask for."""
    if name == "packages":
        return [CHECK, PACKAGE]
    if name == "checks":
        return [check_path(number) for number in range(CHECKS)]
    return [manifest_path(number, version) for version in ("1.0", "2.0") for number in range(MANIFESTS)]


CHECK = "/games/g/check?h5Version=0"
PACKAGE = "/games/large/versions/1.0/package.zip"


def check_path(number):
    """A check of one of very many games."""
    return f"/games/{game_id(number)}/check?h5Version=0.9"


def manifest_path(number, version):
    """One manifest of many: version 1.0 is short, 2.0 long."""
    return f"/games/{game_id(number)}/versions/{version}/manifest"


def file_path(path):
    """Where nginx has it: a file's name ends where the query begins."""
    return path.split("?")[0]


def write_answer(data, root, path, reply):
    """Keeps one answer; it must be the right game's. Of a package both servers have the same file: how its pages lie in
    the page cache, which is decided when they are written, changes what sending them costs by half."""
    if reply.status != 200:
        raise RuntimeError(f"game-depot answers {reply.status} to {path}")
    if not path.endswith(".zip"):
        content = json.loads(reply.body)
        if (content.get("game") or content)["gameId"] != path.split("/")[2]:
            raise RuntimeError(f"game-depot answers {path} with another game")
    target = root + file_path(path)
    os.makedirs(os.path.dirname(target), exist_ok=True)
    if path.endswith(".zip"):
        digest = hashlib.sha256(reply.body).hexdigest()
        os.link(f"{data}/blobs/sha256/{digest[:2]}/{digest}", target)
        return
    with open(target, "wb") as file:
        file.write(reply.body)
