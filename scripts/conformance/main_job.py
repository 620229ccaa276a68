"""The main job on zips nobody here wrote, with peers nobody here wrote.

Publishes wheels with curl, mirrors them, compares every installed file with what `unzip` makes of the wheel, updates
one of them, resumes downloads with curl, wget and aria2c, lets nginx serve the mirror's packages and sqlite3 open the
catalogue. Talks to 127.0.0.1 only. Ends with `N passed, N failed`.
"""

import argparse
import glob
import json
import os
import subprocess
import tempfile
import urllib.request

import harness
from harness import Server, check, run, sha256, tree


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True)
    parser.add_argument("--wheels", required=True)
    parser.add_argument("--list", required=True)
    options = parser.parse_args()
    depot_program = os.path.join(options.programs, "game-depot")
    mirror_program = os.path.join(options.programs, "mirror-sync")
    work = tempfile.mkdtemp(prefix="game-depot-conformance.")
    rows = [line.split() for line in open(options.list) if line.strip() and not line.startswith("#")]
    data, mirror = f"{work}/depot", f"{work}/mirror"

    token = run(depot_program, "token", "create", "--data", data, "--name", "conformance", "--scope", "admin").stdout.strip()
    check("a token is printed alone on stdout", len(token) >= 40 and " " not in token, token)
    server = Server(depot_program, "serve", "--data", data, "--listen", "127.0.0.1:0", log=f"{work}/depot.log")

    def wheel(name, version):
        return glob.glob(f"{options.wheels}/{name}-{version}-*.whl")[0]

    def publish(name, version):
        answer = run(
            "curl", "-sS", "-w", "\n%{http_code}", "-H", f"Authorization: Bearer {token}", "-F", f"gameId={name}",
            "-F", f"h5Version={version}", "-F", f"package=@{wheel(name, version)};type=application/zip", f"{server.url}/games")
        body, _, status = answer.stdout.rpartition("\n")
        return status, body

    def sync(*more):
        return run(mirror_program, "sync", "--server", server.url, "--dest", mirror, *more)

    def same_as_unzip(name, version):
        with tempfile.TemporaryDirectory(dir=work) as folder:
            run("unzip", "-q", "-o", wheel(name, version), "-d", folder)
            expected = tree(folder)
        manifest = json.load(urllib.request.urlopen(f"{server.url}/games/{name}/versions/{version}/manifest"))
        for ignored in manifest["ignored"]:
            expected.pop(ignored["path"], None)
        installed = tree(f"{mirror}/games/{name}/versions/{version}")
        odd = sorted(set(expected.items()) ^ set(installed.items()))[:3]
        check(f"{name} {version}: {len(expected)} installed files are what unzip makes", installed == expected and expected, odd)
        listed = {file["path"]: file["sha256"] for file in manifest["files"]}
        check(f"{name} {version}: the manifest lists the same files and digests", listed == installed)
        kept = f"{mirror}/packages/{name}/{version}.zip"
        check(f"{name} {version}: the mirror's package is the wheel byte for byte", sha256(kept) == sha256(wheel(name, version)))

    latest, updates = {}, []
    for name, version, _ in rows:
        if name in latest:
            updates.append((name, version))
            continue
        status, body = publish(name, version)
        if check(f"{name} {version} is published", status == "201", f"{status} {body[:600]}"):
            latest[name] = version
    check("at least ten wheels came through", len(latest) >= 10)

    first = sync()
    check("the first sync ends with 0 and prints nothing", first.returncode == 0 and first.stdout + first.stderr == "", first)
    for name, version in latest.items():
        same_as_unzip(name, version)

    again = sync()
    check("a sync with nothing to do ends with 0", again.returncode == 0, again)
    for name, version in updates:
        old = latest[name]
        status, body = publish(name, version)
        check(f"{name} {version} is published as an update", status == "201", f"{status} {body[:600]}")
        answer = json.load(urllib.request.urlopen(f"{server.url}/games/{name}/check?h5Version={old}"))
        check(f"an app with {name} {old} is told of {version}", answer["reason"] == "new_version" and answer["game"]["h5Version"] == version, answer)
        update = sync()
        check(f"the mirror updates {name}", update.returncode == 0, update)
        same_as_unzip(name, version)
        check(f"current of {name} points to {version}", os.readlink(f"{mirror}/games/{name}/current") == f"versions/{version}")
        check(f"{name} {old} is kept beside it", os.path.isdir(f"{mirror}/games/{name}/versions/{old}"))
        latest[name] = version

    # Real clients: whole, and resumed from a part.
    name = max(latest, key=lambda name: os.path.getsize(wheel(name, latest[name])))
    original = wheel(name, latest[name])
    size, digest = os.path.getsize(original), sha256(original)
    url = f"{server.url}/games/{name}/package.zip"
    clients = {
        "curl": lambda out: run("curl", "-sS", "--fail", "-C", "-", "-o", out, url),
        "wget": lambda out: run("wget", "-q", "-c", "-O", out, url),
        "aria2c": lambda out: run("aria2c", "-q", "-c", "--allow-overwrite=false", "--auto-file-renaming=false",
                                  "-d", os.path.dirname(out), "-o", os.path.basename(out), url),
        "aria2c in eight parts": lambda out: run("aria2c", "-q", "-x8", "-s8", "-k1M", "--allow-overwrite=true",
                                                 "-d", os.path.dirname(out), "-o", os.path.basename(out), url),
    }
    for client, download in clients.items():
        for start in (0, 1, size // 3, size - 1):
            if start and "parts" in client:
                continue
            out = f"{work}/download-{abs(hash(client))}-{start}.zip"
            if start:
                with open(original, "rb") as source, open(out, "wb") as target:
                    target.write(source.read(start))
            result = download(out)
            good = result.returncode == 0 and os.path.exists(out) and sha256(out) == digest
            check(f"{client} downloads from byte {start} and has the right bytes", good, result)

    # nginx serves the mirror's packages.
    port = free_port()
    with open(f"{work}/nginx.conf", "w") as file:
        file.write(f"""daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log; worker_processes 1; user root;
events {{ }} http {{ access_log off; server {{ listen 127.0.0.1:{port}; root {mirror}/packages; }} }}""")
    nginx = subprocess.Popen(["nginx", "-c", f"{work}/nginx.conf", "-p", work], stderr=subprocess.DEVNULL)
    try:
        out = f"{work}/nginx.zip"
        result = run("curl", "-sS", "--fail", "--retry", "20", "--retry-connrefused", "--retry-delay", "0", "-o", out,
                     f"http://127.0.0.1:{port}/{name}/{latest[name]}.zip")
        check("nginx serves the mirror's packages", result.returncode == 0 and sha256(out) == digest, result)
    finally:
        nginx.terminate()
        nginx.wait(timeout=20)

    catalogue = f"{data}/catalogue.sqlite"
    intact = run("sqlite3", catalogue, "PRAGMA integrity_check; SELECT count(*) FROM games;")
    check("sqlite3 opens the catalogue of the running server", intact.stdout.split() == ["ok", str(len(latest))], intact)
    verify = run(depot_program, "verify", "--data", data)
    check("verify finds every package whole, beside the running server", verify.returncode == 0, verify)
    check("the server ends with 0 on SIGTERM", server.stop() == 0)

    harness.finish(work)


def free_port():
    import socket

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


if __name__ == "__main__":
    main()
