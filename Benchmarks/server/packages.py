"""Zip files that look like games."""

import random
import zipfile


def write_game(path, size, seed):
    """A third text that deflates, the rest media that does not; about `size` bytes."""
    dice = random.Random(seed)
    letters = b"abcdefghijklmnopqrstuvwxyz_(){};= "
    words = [bytes(dice.choices(letters, k=dice.randint(2, 12))) for _ in range(400)]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(entry("index.html"), b"<!doctype html><script src=js/0.js></script>")
        written, index = 0, 0
        while written < size:
            part = min(size - written, dice.randint(20_000, 400_000))
            if index % 3 == 0:
                archive.writestr(entry(f"js/{index}.js"), b" ".join(dice.choices(words, k=part // 3)))
            else:
                archive.writestr(entry(f"media/{index}.png"), dice.randbytes(part), zipfile.ZIP_STORED)
            written += part
            index += 1


def write_tiny(path, files):
    """That many small files: what counts is how long its manifest is."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(entry("index.html"), b"<!doctype html>")
        for index in range(1, files):
            archive.writestr(entry(f"media/picture-{index:03}.png"), random.Random(index).randbytes(64))


def entry(name):
    """An entry with a fixed time, so that the same call makes the same bytes."""
    return zipfile.ZipInfo(name, (2026, 1, 1, 0, 0, 0))
