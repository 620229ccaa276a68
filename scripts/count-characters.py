#!/usr/bin/env python3
"""Counts which characters names in each language use, and writes Sources/ZipArchive/Names/CommonCharacters.swift.

usage: apt-get download gimp-data krita-l10n audacity-data minetest-data freeciv-data
       scripts/count-characters.py *.deb > Sources/ZipArchive/Names/CommonCharacters.swift

The text is that of the programs' own translations (Debian 12: GIMP 2.10.34, Krita 5.1.5, Audacity 3.2.4, Minetest 5.6.1,
Freeciv 3.0.6): words for pictures, sounds and games. Only labels of at most 24 characters count, since names are short, a
character once a label, and each program as much as each other.
"""
import collections
import gettext
import io
import re
import subprocess
import sys
import tarfile

LANGUAGES = {
    "simplifiedChinese": (["zh_CN"], "gb18030", 1200),
    "traditionalChinese": (["zh_TW"], "big5hkscs", 1200),
    "japanese": (["ja"], "cp932", 1000),
    "korean": (["ko"], "cp949", 700),
    "western": (["de", "fr", "es", "it", "nl", "sv"], "cp437", 60),
}


def labels(path, locale):
    """All translations of a package for a locale."""
    data = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], stdout=subprocess.PIPE, check=True).stdout
    archive = tarfile.open(fileobj=io.BytesIO(data))
    for member in archive:
        if member.isfile() and re.search(rf"/locale/{locale}/LC_MESSAGES/[^/]+\.mo$", member.name):
            catalogue = gettext.GNUTranslations(archive.extractfile(member))._catalog
            yield from (text for original, text in catalogue.items() if original)


def common(paths, locales, encoding, size):
    """The most frequent characters beyond ASCII that take part in the encoding."""
    shares = collections.Counter()
    for path in paths:
        for locale in locales:
            counts = collections.Counter()
            for label in labels(path, locale):
                if len(label) <= 24:
                    counts.update({c for c in label if ord(c) > 0x7F})
            for character, count in counts.items():
                shares[character] += count / counts.total()
    known = [c for c in shares if c.encode(encoding, "ignore") and c.isprintable() and not c.isspace()]
    return "".join(sorted(known, key=lambda c: (-shares[c], c))[:size])


print("""\
/// The characters beyond ASCII that names in each language use most, the most frequent first.
///
/// Counted by `scripts/count-characters.py` in the translations of GIMP 2.10.34, Krita 5.1.5, Audacity 3.2.4, Minetest 5.6.1
/// and Freeciv 3.0.6 (Debian 12): words for pictures, sounds and games. Do not edit: run it again.
enum CommonCharacters {""")
for index, (name, (locales, encoding, size)) in enumerate(LANGUAGES.items()):
    text = common(sys.argv[1:], locales, encoding, size)
    lines = [text[start:start + 80] for start in range(0, len(text), 80)]
    print(("\n" if index else "") + f'  static let {name} = """')
    print("\\\n".join("    " + line for line in lines))
    print('    """')
print("}")
