"""Zips that others test their readers with, judged by ours.

libzip's 117, libarchive's 60 and Go's 30, each with its row in expected/zip.tsv: accepted or refused, the rules that say so,
and why. What is accepted is unpacked, and must be what Info-ZIP's unzip and Python's zipfile make of it wherever those two
agree. None may crash or take 2 s of processor time. Then bombs: each refused in less than 1 s of processor time and 64 MiB
more than a zip of one file takes. A case without a row fails, and a row without a case. Ends with `N passed, N failed`.
"""

import argparse
import base64
import binascii
import hashlib
import io
import os
import re
import resource
import subprocess
import sys
import tarfile
import tempfile
import time
import unicodedata
import zipfile
import zlib

from zip_bombs import bombs

LIBZIP, LIBARCHIVE, GO = 117, 60, 30
# As the tests beside them tell.
PASSWORDS = [
    (r"libzip/encrypt-.*-noentropy", "no-entropy"), (r"libzip/encrypt-aes", "foofoofoo"), (r"libzip/encrypt(_plus_extra)?\.zip", "foo"),
    (r"libarchive/.*_winzip_aes", "password"), (r"libarchive/.*_traditional_", "12345678"),
]
SECONDS_EACH = 2
BOMB_SECONDS, BOMB_BYTES = 1, 64 << 20
HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.normpath(os.path.join(HERE, "..", ".."))


def libzip_cases(path):
    with tarfile.open(path) as archive:
        return {f"libzip/{os.path.basename(member.name)}": archive.extractfile(member).read()
                for member in archive if re.search(r"/regress/[^/]+\.zip$", member.name)}


def libarchive_cases(path):
    """Text by uuencode(1); what reads as a zip, a jar or the like is named test_compat_zip… or test_read_format_zip…"""
    with tarfile.open(path) as archive:
        return {f"libarchive/{os.path.basename(member.name)[:-3]}": uudecode(archive.extractfile(member).read())
                for member in archive
                if re.search(r"/libarchive/test/test_(compat_zip_|read_format_zip)[^/]*\.uu$", member.name)}


def uudecode(text):
    lines = iter(text.splitlines())
    for line in lines:
        if line.startswith(b"begin "):
            break
    output = b""
    for line in lines:
        if line.strip() == b"end":
            break
        try:
            output += binascii.a2b_uu(line)
        except binascii.Error:
            # Some encoders pad the last group with what is no padding.
            output += binascii.a2b_uu(line[:1 + ((((line[0] - 32) & 63) * 4 + 5) // 3)])
    return output


def go_cases(path):
    """The files of a Debian package; two are no zip by their name."""
    tar = subprocess.run(["dpkg-deb", "--fsys-tarfile", path], capture_output=True, check=True).stdout
    cases = {}
    with tarfile.open(fileobj=io.BytesIO(tar)) as archive:
        for member in archive:
            found = re.search(r"/archive/zip/testdata/([^/]+\.(?:zip|notzip|zip\.base64))$", member.name)
            if found and member.isfile():
                content = archive.extractfile(member).read()
                name = found[1].removesuffix(".base64")
                cases[f"go/{name}"] = base64.b64decode(content) if name != found[1] else content
    return cases


def build_probe(folder):
    """Against the modules and objects that `make release` has left."""
    built = os.path.join(ROOT, ".build/release")
    probe = os.path.join(folder, "probe")
    objects = [os.path.join(built, f"{module}.build", f"{name}.o") for module in ("ZipArchive", "Platform")
               for _, _, names in os.walk(os.path.join(ROOT, "Sources", module)) for name in names if name.endswith(".swift")]
    systems = [word for module in sorted(os.listdir(os.path.join(ROOT, "Sources"))) if module.startswith("C")
               and os.path.exists(os.path.join(ROOT, "Sources", module, "module.modulemap"))
               for word in ("-I", os.path.join(ROOT, "Sources", module))]
    subprocess.run(
        ["swiftc", "-O", "-swift-version", "6", "-parse-as-library", "-I", os.path.join(built, "Modules"), *systems,
         os.path.join(HERE, "zip_probe.swift"), *objects, "-o", probe], check=True)
    return probe


class Outcome:
    """What the probe said to one zip, and what it cost."""

    def __init__(self, probe, path, folder, password=None):
        out = os.path.join(folder, "said")
        with open(out, "wb") as said:
            process = subprocess.Popen(
                [probe, path, os.path.join(folder, "ours"), *filter(None, [password])], stdout=said, stderr=subprocess.STDOUT,
                env={**os.environ, "SWIFT_BACKTRACE": "enable=no"},
                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (20, 20)))
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        self.seconds = usage.ru_utime + usage.ru_stime
        with open(out, encoding="utf-8", errors="replace") as said:
            lines = said.read().split("\n")
        self.verdict = lines[-2] if process.returncode == 0 and len(lines) > 1 else f"the probe ended with {process.returncode}"
        self.findings = [line.split("\t")[1:] for line in lines if line.startswith("finding\t")]
        # Not ru_maxrss: that counts this program's own memory, which the child begins with.
        self.memory = int(next((line[5:] for line in lines if line.startswith("peak\t")), 0)) * 1024
        self.root = next((line[5:] for line in lines if line.startswith("root\t")), "")

    @property
    def rules(self):
        """Errors where it is refused, else what there is to say."""
        wanted = {"error"} if self.verdict == "refused" else {"error", "warning", "notice"}
        return ",".join(sorted({rule for rule, severity, *_ in self.findings if severity in wanted})) or "-"

    @property
    def dropped(self):
        return {path for rule, _, path, *_ in self.findings if rule == "junk"}


def digest(content):
    return hashlib.sha256(content).hexdigest()[:16]


def files_below(folder):
    found = {}
    for where, _, names in os.walk(folder):
        for name in names:
            path = os.path.join(where, name)
            if not os.path.islink(path):
                with open(path, "rb") as file:
                    found[os.path.relpath(path, folder)] = digest(file.read())
    return found


def seen_by_python(path, password):
    """Path -> digest of each file, or None where zipfile will not."""
    try:
        with zipfile.ZipFile(path) as archive:
            return {info.filename: digest(archive.read(info, (password or "").encode())) for info in archive.infolist() if not info.is_dir()}
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, ValueError, OSError, EOFError, zlib.error):
        return None


def seen_by_unzip(path, folder, password):
    """The same, or None where unzip has so much as a warning."""
    os.mkdir(folder)
    run = subprocess.run(["unzip", "-qq", "-o", "-P", password or "", path, "-d", folder], capture_output=True, timeout=60,
                         stdin=subprocess.DEVNULL, env={**os.environ, "LC_ALL": "C.UTF-8"})
    return files_below(folder) if run.returncode == 0 else None


def as_package(files, outcome):
    """What a package makes of the names: NFC, `/`, without `./`, junk and wrapper folder."""
    made = {}
    for name, content in files.items():
        name = unicodedata.normalize("NFC", name.replace("\\", "/")).removeprefix("./")
        if name not in outcome.dropped:
            made[name.removeprefix(outcome.root)] = content
    return made


def compare(path, folder, outcome, password):
    """What is wrong with what was unpacked, or None; and whether there was something to compare with."""
    python, unzip = seen_by_python(path, password), seen_by_unzip(path, os.path.join(folder, "theirs"), password)
    if python is None or unzip is None or as_package(python, outcome) != as_package(unzip, outcome):
        return None, False
    ours = {unicodedata.normalize("NFC", name): content for name, content in files_below(os.path.join(folder, "ours")).items()}
    theirs = as_package(python, outcome)
    if ours == theirs:
        return None, True
    differ = sorted(set(ours.items()) ^ set(theirs.items()))[:4]
    return f"unzip and Python agree, and differ from us: {differ}", True


def read_table(path):
    table = {}
    with open(path, encoding="utf-8") as lines:
        for line in lines:
            if line.strip() and not line.startswith("#"):
                case, verdict, rules, why = line.rstrip("\n").split("\t")
                table[case] = ((verdict, rules), why)
    return table


class Judge:
    def __init__(self, probe, folder):
        self.probe, self.folder = probe, folder
        self.passed = self.failed = self.compared = 0
        self.slowest = (0, "")
        self.sealed = set()

    def fail(self, name, why):
        self.failed += 1
        print(f"FAIL {name}: {why}")

    def run(self, name, content):
        place = tempfile.mkdtemp(dir=self.folder)
        os.mkdir(os.path.join(place, "ours"))
        path = os.path.join(place, "package.zip")
        with open(path, "wb") as file:
            file.write(content)
        password = next((word for pattern, word in PASSWORDS if re.match(pattern, name)), None)
        outcome = Outcome(self.probe, path, place, password)
        self.slowest = max(self.slowest, (outcome.seconds, name))
        return outcome, path, place, password

    def case(self, name, content, expected, why):
        outcome, path, place, password = self.run(name, content)
        if (outcome.verdict, outcome.rules) != expected:
            return self.fail(name, f"{outcome.verdict} {outcome.rules} and not {expected} ({why}): {outcome.findings[:3]}")
        if outcome.seconds >= SECONDS_EACH:
            return self.fail(name, f"{outcome.seconds:.2f} s of processor time")
        if re.match("libzip/encrypt-(aes|pkware|none)", name):
            # The same content, sealed in eight ways and not at all.
            self.sealed.add(frozenset(files_below(os.path.join(place, "ours")).items()))
        if outcome.verdict == "accepted":
            wrong, was_compared = compare(path, place, outcome, password)
            self.compared += was_compared
            if wrong:
                return self.fail(name, wrong)
        self.passed += 1

    def bomb(self, name, content, rules, base):
        outcome, path, _, _ = self.run(name, content)
        os.unlink(path)
        more = outcome.memory - base.memory
        told = f"{len(content)} bytes, {outcome.seconds:.2f} s of processor time, {more / 2**20:.1f} MiB"
        found = {rule for rule, severity, *_ in outcome.findings if severity == "error"}
        if outcome.verdict != "refused" or not rules <= found:
            return self.fail(name, f"{outcome.verdict} {outcome.rules}, without {rules - found}: {told}")
        if outcome.seconds >= BOMB_SECONDS or more >= BOMB_BYTES or not outcome.memory:
            return self.fail(name, f"dear: {told}")
        self.passed += 1
        print(f"{name}: refused by {outcome.rules}: {told}")


def honest():
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("index.html", "<p>hello</p>")
    return output.getvalue()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--libzip", required=True, help="libzip's source archive")
    parser.add_argument("--libarchive", required=True, help="libarchive's source archive")
    parser.add_argument("--go", required=True, help="Debian's package of Go's sources")
    parser.add_argument("--expected", default=os.path.join(HERE, "expected/zip.tsv"))
    parser.add_argument("--print", action="store_true", help="print what came back as a table, judge nothing")
    options = parser.parse_args()

    corpora = [libzip_cases(options.libzip), libarchive_cases(options.libarchive), go_cases(options.go)]
    if [len(corpus) for corpus in corpora] != [LIBZIP, LIBARCHIVE, GO]:
        sys.exit(f"{[len(corpus) for corpus in corpora]} cases are not the {LIBZIP}, {LIBARCHIVE} and {GO} judged here")
    cases = {name: content for corpus in corpora for name, content in corpus.items()}
    table = {} if options.print else read_table(options.expected)
    # Names that are not UTF-8 are made and removed here.
    with tempfile.TemporaryDirectory() as folder:
        judge = Judge(build_probe(folder), folder)
        if options.print:
            for name, content in sorted(cases.items()):
                outcome, path, place, password = judge.run(name, content)
                told = "; ".join(f"{rule} {where} {detail}" for rule, _, where, detail in outcome.findings[:3])
                wrong, was_compared = compare(path, place, outcome, password) if outcome.verdict == "accepted" else (None, None)
                print(name, outcome.verdict, outcome.rules, f"{told} | compared {was_compared} {wrong or ''}", sep="\t")
            return
        for name, content in sorted(cases.items()):
            judge.case(name, content, *table.pop(name, (None, "no row in the table")))
        for name in table:
            judge.fail(name, "the table has a row for no case")
        if len(judge.sealed) != 1:
            judge.fail("libzip/encrypt-*.zip", f"{len(judge.sealed)} contents, and one by libzip's tests")
        print(f"{len(cases)} zips; {judge.compared} unpacked as by unzip and Python, which agree on them; "
              f"the slowest took {judge.slowest[0]:.2f} s of processor time ({judge.slowest[1]})")
        base, *_ = judge.run("honest", honest())
        for name, content, rules in bombs():
            judge.bomb(name, content, rules, base)
    print(f"{judge.passed} passed, {judge.failed} failed")
    sys.exit(1 if judge.failed else 0)


if __name__ == "__main__":
    main()
