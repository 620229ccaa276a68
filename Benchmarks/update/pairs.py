"""Real updates: two versions each of packages that ship web pages, and the example game; as they are, and zipped afresh."""

import os
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass

# From PyPI, each with the version before it.
WHEELS = [
    ("bokeh", "3.4.2", "3.4.3"), ("dash", "2.17.1", "2.18.0"), ("gradio", "4.44.0", "4.44.1"),
    ("jupyterlab", "4.2.4", "4.2.5"), ("nbclassic", "1.1.0", "1.2.0"), ("notebook", "7.2.1", "7.2.2"),
    ("panel", "1.4.4", "1.4.5"), ("plotly", "5.23.0", "5.24.0"), ("streamlit", "1.38.0", "1.39.0"),
    ("swagger-ui-bundle", "0.0.9", "1.1.0"), ("swagger-ui-py", "22.7.13", "23.9.23"),
]
GAME = f"{os.path.dirname(os.path.abspath(__file__))}/../../Examples/deep-courier"


@dataclass
class Pair:
    """Two packages of one game."""

    name: str
    versions: tuple
    files: tuple
    # Zipped afresh by `zip -r -9`, not as somebody published it.
    is_fresh: bool


def all_pairs(folder):
    """The pairs, kept in `folder` from run to run."""
    pairs = []
    for name, *versions in WHEELS:
        wheels = [download(f"{folder}/wheels", name, version) for version in versions]
        fresh = [zipped(f"{folder}/fresh", wheel) for wheel in wheels]
        pairs += [Pair(name, tuple(versions), tuple(fresh), True), Pair(name, tuple(versions), tuple(wheels), False)]
    versions = sorted(os.listdir(GAME))
    game = [zipped_folder(f"{folder}/fresh", f"{GAME}/{version}", f"deep-courier-{version}") for version in versions]
    return pairs + [Pair("deep-courier", tuple(versions), tuple(game), True)]


def download(folder, name, version):
    """The wheel of that version."""
    os.makedirs(folder, exist_ok=True)
    stem = f"{name.replace('-', '_')}-{version}-"
    found = [file for file in os.listdir(folder) if file.startswith(stem)]
    if not found:
        command = [sys.executable, "-m", "pip", "-q", "download", "--no-deps", "--only-binary", ":all:", "-d", folder]
        subprocess.run(command + [f"{name}=={version}"], check=True)
        found = [file for file in os.listdir(folder) if file.startswith(stem)]
    return f"{folder}/{found[0]}"


def zipped(folder, wheel):
    """The same files, unpacked now and zipped as people do."""
    stem = os.path.splitext(os.path.basename(wheel))[0]
    if os.path.exists(f"{folder}/{stem}.zip"):
        return f"{folder}/{stem}.zip"
    unpacked = f"{folder}/{stem}.unpacked"
    shutil.rmtree(unpacked, ignore_errors=True)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(unpacked)
    package = zipped_folder(folder, unpacked, stem)
    shutil.rmtree(unpacked)
    return package


def zipped_folder(folder, source, stem):
    """`zip -r -9` of what is in a folder."""
    os.makedirs(folder, exist_ok=True)
    package = f"{folder}/{stem}.zip"
    if not os.path.exists(package):
        subprocess.run(["zip", "-q", "-r", "-9", f"{package}.new.zip", "."], cwd=source, check=True)
        os.replace(f"{package}.new.zip", package)
    return package
