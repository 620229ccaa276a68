"""The table's rows and their bars."""

import random

from server.depots import CHECK, CHECKS, MANIFESTS, PACKAGE, check_path, manifest_path
from server.peers import Setting
from server.row import SMALL_FILE, Bar, Row

RANGE = 64 << 10
MEMORY = ("/memory",)
# Connections opened anew for each request use up the ports of one address.
ADDRESSES = ("127.0.0.2", "127.0.0.3", "127.0.0.4", "127.0.0.5")
CLOSING = (("Connection", "close"),)
TLS = Setting(tls=True)


def random_ranges(size):
    """Range fields of parts that begin anywhere."""
    dice = random.Random(1)
    starts = [dice.randrange(size - RANGE) for _ in range(4096)]
    return tuple(f"bytes={start}-{start + RANGE - 1}" for start in starts)


def small(name, work, bar, connections, **more):
    """A row about the small answer."""
    return Row(name, work, bar, "packages", connections, (CHECK,), **more)


def all_rows(check_body, package_size):
    """All rows, given the small answer as game-depot makes it and the size of the large package."""
    size = len(check_body)
    memory = Setting(memory=check_body)
    manifests = {version: tuple(manifest_path(number, version) for number in range(MANIFESTS)) for version in ("1.0", "2.0")}
    checks = tuple(check_path(number) for number in range(CHECKS))
    file_sends = ("sendfile", "sendfile, tcp_nopush")
    return [
        small("json64", f"{size} B of JSON, keep-alive, 64 connections, against a static file", Bar(1.2, 0.70), 64),
        small("json256", "the same, 256 connections", Bar(1.2, 0.70), 256),
        small("memory64", f"{size} B of JSON, 64 connections, against `return 200` from memory", Bar(0.95, 0.95), 64,
              their_paths=MEMORY, setting=memory, variants=("",)),
        small("memory256", "the same, 256 connections", Bar(0.95, 0.95), 256, their_paths=MEMORY, setting=memory, variants=("",)),
        small("not-modified", "304 by ETag, 64 connections", Bar(1.0, 0.85), 64, revalidates=True),
        Row("manifest-2k", "2 KB manifests, 10,000 random ids, 64 connections", Bar(1.1, 0.85), "manifests", 64,
            manifests["1.0"], warms=True),
        Row("manifest-20k", "20 KB manifests, 10,000 random ids, 64 connections", Bar(1.1, 0.85), "manifests", 64,
            manifests["2.0"], warms=True),
        Row("checks-100k", "check of one game among 100,000, random ids, 64 connections", Bar(1.0, 0.9), "checks", 64, checks,
            variants=SMALL_FILE + ("sendfile, no open_file_cache", "no sendfile, no open_file_cache"), warms=True),
        Row("ranges", "64 KiB ranges from anywhere in a 16 MB package, 16 connections", Bar(1.1, 0.85), "packages", 16,
            (PACKAGE,), ranges=random_ranges(package_size), variants=file_sends, in_bytes=True, saturates=False),
        Row("package", "16 MB package, 8 connections", Bar(1.05, 0.85), "packages", 8, (PACKAGE,), variants=file_sends,
            in_bytes=True, saturates=False),
        small("close", "a connection for each request, 64 at a time", Bar(0.98, 1.03), 64, headers=CLOSING,
              setting=Setting(addresses=ADDRESSES), saturates=False),
        small("tls-small", f"TLS 1.3, {size} B of JSON, keep-alive, 64 connections", Bar(1.1, 0.85), 64, setting=TLS),
        Row("tls-package", "TLS 1.3, 16 MB package, 8 connections", Bar(1.0, 0.9), "packages", 8, (PACKAGE,), setting=TLS,
            variants=("sendfile", "no sendfile", "kernel TLS"), in_bytes=True, saturates=False),
        small("tls-handshakes", "TLS 1.3, a connection for each request, resumed by ticket, ECDSA P-256, 64 at a time", Bar(0.95, 1.05), 64,
              headers=CLOSING, setting=Setting(addresses=ADDRESSES, tls=True), variants=("sendfile",), saturates=False),
        small("pipelined", f"{size} B of JSON, 8 requests on their way on each of 64 connections", Bar(2.0, 0.4), 64, depth=8),
        small("access-log", f"{size} B of JSON, 64 connections, both write an access log", Bar(1.1), 64,
              setting=Setting(access_log=True)),
    ]
