"""What an idle keep-alive connection costs a server in resident memory: game-depot and nginx, in turns.

Opens so many connections from several loopback addresses, asks once on each, reads the answer whole and leaves it open;
the server's resident bytes then, less those before, over the connections. A first, smaller crowd comes and goes before
that, so that what a server keeps for itself in any case is not counted.

Prints a table row for each server, or JSON with --json. Talks to 127.0.0.0/8 only.
"""

import argparse
import json
import os
import re
import resource
import shutil
import signal
import socket
import ssl
import subprocess
import sys
import tempfile
import time
import zipfile

PAGE = os.sysconf("SC_PAGE_SIZE")
# A source address has some 28,000 ports to connect from.
PER_ADDRESS = 5000


def resident(pids):
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/statm") as file:
            total += int(file.read().split()[1]) * PAGE
    return total


def private(pids):
    """Resident memory that is the server's own: code pages that come in from a file are nobody's cost."""
    total = 0
    for pid in pids:
        with open(f"/proc/{pid}/smaps_rollup") as file:
            total += int(re.search(r"^Anonymous:\s+(\d+) kB", file.read(), re.M)[1]) * 1024
    return total


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def wait_for(port):
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    sys.exit(f"idle: nothing listens on {port}")


def answer_length(head):
    found = re.search(rb"\r\ncontent-length: (\d+)", head, re.I)
    return int(found[1]) if found else 0


def connect(port, number, path, context):
    """One connection that has had an answer."""
    client = socket.socket()
    client.bind((f"127.0.0.{2 + number // PER_ADDRESS}", 0))
    client.settimeout(30)
    client.connect(("127.0.0.1", port))
    if context:
        client = context.wrap_socket(client, server_hostname="localhost")
    client.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())
    text = b""
    while b"\r\n\r\n" not in text:
        piece = client.recv(4096)
        if not piece:
            sys.exit(f"idle: connection {number} was closed: {text[:200]!r}")
        text += piece
    head, body = text.split(b"\r\n\r\n", 1)
    if b" 200 " not in head.split(b"\r\n", 1)[0]:
        sys.exit(f"idle: {head[:200]!r}")
    left = answer_length(head) - len(body)
    while left > 0:
        left -= len(client.recv(min(left, 65536)))
    return client


def measure(name, port, pids, path, options, context):
    crowd = [connect(port, number, path, context) for number in range(options.connections // 10)]
    for client in crowd:
        client.close()
    time.sleep(0.5)
    before = private(pids)
    clients = [connect(port, number, path, context) for number in range(options.connections)]
    time.sleep(0.5)
    after = private(pids)
    # All of them are still there: the first and the last are asked again.
    for client in (clients[0], clients[-1]):
        client.sendall(b"GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n" % path.encode())
        if not client.recv(4096).startswith(b"HTTP/1.1 200"):
            sys.exit(f"idle: {name} gave a connection up")
    for client in clients:
        client.close()
    return {"server": name, "connections": options.connections, "tls": context is not None, "before": before, "after": after,
            "residentBytesPerConnection": round((after - before) / options.connections, 1), "resident": resident(pids)}


def certificate(work):
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                    "-days", "2", "-keyout", f"{work}/key.pem", "-out", f"{work}/cert.pem"], check=True, capture_output=True)
    context = ssl.create_default_context(cafile=f"{work}/cert.pem")
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


def start_depot(program, work, options):
    data = f"{work}/depot"
    with zipfile.ZipFile(f"{work}/game.zip", "w") as archive:
        archive.writestr("index.html", "<p>")
    subprocess.run([program, "publish", f"{work}/game.zip", "--game", "game", "--h5-version", "1.0", "--data", data, "--disk-floor", "0"],
                   check=True, stdout=subprocess.DEVNULL)
    words = [program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--disk-floor", "0", "--threads", str(options.threads),
             "--access-log", "off"]
    if options.tls:
        words += ["--tls-cert", f"{work}/cert.pem", "--tls-key", f"{work}/key.pem"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=open(f"{work}/depot.log", "wb"), text=True)
    line = process.stdout.readline()
    if not line.startswith("listening on "):
        sys.exit(f"idle: the depot did not start: {open(f'{work}/depot.log').read()}")
    return process, int(line.rsplit(":", 1)[1]), [process.pid]


def start_nginx(work, options):
    # nginx gives idle connections up when less than a sixteenth of its places are free.
    port = free_port()
    os.makedirs(f"{work}/www")
    with open(f"{work}/www/check.json", "w") as file:
        file.write(json.dumps({"updateAvailable": False, "reason": "up_to_date", "game": None}).ljust(300))
    tls = f"ssl_certificate {work}/cert.pem; ssl_certificate_key {work}/key.pem; ssl_protocols TLSv1.3;" if options.tls else ""
    with open(f"{work}/nginx.conf", "w") as file:
        file.write(f"""daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log crit; worker_processes {options.threads}; user root;
worker_rlimit_nofile {options.connections * 5 // 4 + 512};
events {{ worker_connections {options.connections * 5 // 4 + 256}; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_timeout 600s; keepalive_requests 1000000;
server {{ listen 127.0.0.1:{port} reuseport{' ssl' if options.tls else ''}; {tls} root {work}/www; }} }}""")
    process = subprocess.Popen(["nginx", "-c", f"{work}/nginx.conf", "-p", work], stderr=subprocess.DEVNULL)
    wait_for(port)
    with open(f"/proc/{process.pid}/task/{process.pid}/children") as file:
        return process, port, [int(child) for child in file.read().split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", default=".build/release")
    parser.add_argument("--connections", type=int, default=10_000)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--tls", action="store_true")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    # Each server has a process of its own; this one holds the other ends.
    needed = options.connections + 512
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft < needed:
        try:
            resource.setrlimit(resource.RLIMIT_NOFILE, (needed, max(hard, needed)))
        except (ValueError, OSError) as error:
            sys.exit(f"idle: {needed} descriptors are needed, and the limit is {hard}: {error}")
    work = tempfile.mkdtemp(prefix="game-depot-idle.")
    started, rows = [], []
    try:
        context = certificate(work) if options.tls else None
        process, port, pids = start_depot(os.path.abspath(f"{options.programs}/game-depot"), work, options)
        started.append(process)
        rows.append(measure("game-depot", port, pids, "/games/game/check?h5Version=0.9", options, context))
        if shutil.which("nginx"):
            process, port, pids = start_nginx(work, options)
            started.append(process)
            rows.append(measure("nginx", port, pids, "/check.json", options, context))
    finally:
        for process in started:
            process.send_signal(signal.SIGTERM)
            process.wait(timeout=60)
        shutil.rmtree(work, ignore_errors=True)
    if options.json:
        print(json.dumps(rows))
        return
    for row in rows:
        print(f"| {row['server']} | {row['connections']} idle{' TLS' if row['tls'] else ''} connections | "
              f"{row['residentBytesPerConnection']:.0f} B each | {row['resident'] / 1e6:.1f} MB resident in all |")


if __name__ == "__main__":
    main()
