"""What REDbot notes about the resources of a depot and of a mirror that plays them, against the notes we accept, each with its reason.

REDbot asks for each resource plain and under gzip, whole and by ranges, with conditions, and judges what it gets. A
note that is not in ACCEPTED fails, and so does one that must be there and is not. Talks to 127.0.0.1 only.
Ends with `N passed, N failed`.
"""

import argparse
import concurrent.futures
import os
import re
import shutil
import tempfile
import zipfile

import harness
from harness import Server, check, run

# Good news, and facts.
ACCEPTED = [
    r"The server's clock is correct\.",
    r"The Content-Length header is correct\.",
    r"The resource last changed .* ago\.",
    r"Content negotiation for gzip compression is supported, saving \d+%\.",
    r"If-None-Match conditional requests are supported\.",
    r"If-Modified-Since conditional requests are supported\.",
    r"A ranged request returned the correct partial content\.",
    r"This response cannot be served from cache without validation\.",
    r"This response allows all caches to store it\.",
    # Without --public-url the body holds links made of the request's Host, which no shared cache may keep for all.
    r"This response allows only private caches to store it\.",
]
PACKAGE = [
    # The apps that speak this protocol read it; Repr-Digest, which replaces it, is there too.
    r"The Content-MD5 header is deprecated\.",
]
IMMUTABLE = [
    # A versioned URL gives the same bytes for ever: a year is what RFC 9111 §1.2.2 lets one say for that.
    r"This response is fresh for 12 months\.",
    # With Authorization, shared caches keep only what says public (RFC 9111 §3.5).
    r"Cache-Control: public is probably not necessary\.",
    # They never become wrong, so it does no harm.
    r"In exceptional circumstances, caches can serve this response stale\.",
]
CODED = "Content negotiation for gzip compression is supported"
TAGGED = "If-None-Match conditional requests are supported"
RANGED = "A ranged request returned the correct partial content"
# target, what may be noted beside ACCEPTED, what must be noted, only with --long
RESOURCES = [
    ("/games", [], [CODED, TAGGED], False),
    ("/games/game-1/manifest", [], [CODED, TAGGED], False),
    ("/games/game-1/package.zip", PACKAGE, [TAGGED, RANGED], False),
    ("/games/game-1/versions/1.0/package.zip", PACKAGE + IMMUTABLE, [TAGGED, RANGED], False),
    ("/games/game-1", [], [CODED, TAGGED], True),
    ("/games/game-1/versions", [], [CODED, TAGGED], True),
    ("/games/game-1/versions/1.0/manifest", [], [CODED, TAGGED], True),
    ("/games/game-1/check?h5Version=0.9", [], [CODED, TAGGED], True),
    ("/openapi.yaml", [], [CODED, TAGGED], True),
    ("/healthz", [], [TAGGED], True),
]
SAFE = [r"This response instructs browsers not to 'sniff' its media type\."]
FRONT = [
    r"This response's Referrer-Policy \('no-referrer'\) restricts referrer leakage\.",
    r"This response sets a Content Security Policy\.",
]
OWN = [r"This response is only available for reading to requests from the same origin\."]
# The same of the play server.
PLAYED = [
    ("/", SAFE + FRONT, [CODED, TAGGED], False),
    ("/play/game-1/", SAFE, [CODED, TAGGED], False),
    ("/play/game-1/js/main.js", SAFE, [CODED, TAGGED], False),
    ("/play/game-1/cover.png", SAFE, [TAGGED, RANGED], False),
    ("/play/game-1/levels/1.json", SAFE, [TAGGED], False),
    ("/play/game-1/_depot/game.json", SAFE + OWN, [CODED, TAGGED], True),
]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--redbot", required=True, help="the program")
    parser.add_argument("--programs", required=True, help="folder with game-depot and mirror-sync")
    parser.add_argument("--long", action="store_true", help="every kind of resource, not just list, manifest and package")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="game-depot-redbot.")
    program, data = os.path.join(options.programs, "game-depot"), f"{work}/depot"
    token = run(program, "token", "create", "--data", data, "--name", "redbot", "--scope", "admin").stdout.strip()
    server = Server(program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--disk-floor", "0", "--access-log", "off",
                    log=f"{work}/depot.log")
    with zipfile.ZipFile(f"{work}/game.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("index.html", "<!doctype html><title>Game</title>\n" + "<p>Once upon a time.</p>\n" * 100)
        archive.writestr("js/main.js", "export const level = 1;\n" * 200)
        archive.writestr("cover.png", b"\x89PNG\r\n\x1a\n" + os.urandom(50_000))
        for number in range(60):
            archive.writestr(f"levels/{number}.json", f"[{number}]" * 200)
    for number in range(5):
        sent = run("curl", "-sS", "-o", "/dev/null", "-w", "%{http_code}", "-H", f"Authorization: Bearer {token}", "-F", f"gameId=game-{number}",
                   "-F", "h5Version=1.0", "-F", f"notes={'Note. ' * 300}", "-F", f"package=@{work}/game.zip", f"{server.url}/games")
        check(f"game-{number} is published", sent.stdout == "201", sent)

    mirror = f"{work}/mirror"
    synced = run(os.path.join(options.programs, "mirror-sync"), "sync", "--server", server.url, "--dest", mirror)
    check("the depot is mirrored", synced.returncode == 0, synced)
    play = Server(os.path.join(options.programs, "mirror-sync"), "serve", "--dest", mirror, "--listen", "127.0.0.1:0", log=f"{work}/play.log")

    def ask(asked):
        return run(options.redbot, "-o", "text", asked[0].url + asked[1][0])

    resources = [(server, resource) for resource in RESOURCES] + [(play, resource) for resource in PLAYED]
    resources = [asked for asked in resources if options.long or not asked[1][3]]
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for (_, (target, further, needed, _)), result in zip(resources, pool.map(ask, resources)):
            notes = re.findall(r"^ +\* (\S.*)$", result.stdout, re.M)
            bad = [note for note in notes if not any(re.fullmatch(one, note) for one in ACCEPTED + further)]
            missing = [one for one in needed if not any(note.startswith(one) for note in notes)]
            check(f"REDbot on {target}: {len(notes)} notes, all accepted", result.returncode == 0 and not bad and not missing,
                  f"not accepted: {bad}; missing: {missing}\n{result.stdout}{result.stderr}")
    check("the play server lives and ends with 0", play.is_alive() and play.stop() == 0)
    check("the server lives and ends with 0", server.is_alive() and server.stop() == 0)
    if harness.failed == 0:
        shutil.rmtree(work)
    harness.finish()


if __name__ == "__main__":
    main()
