"""The two servers, each on the servers' core: one event loop here, one worker there."""

import os
import resource
import subprocess
from dataclasses import dataclass, field

from process import SERVER_CORE, Process, free_port, pinned, wait_for

# How nginx sends a small file depends on these; each row takes what is fastest there.
VARIANTS = {
    "sendfile, tcp_nopush": "sendfile on; tcp_nopush on;",
    "sendfile": "sendfile on; tcp_nopush off;",
    "no sendfile": "sendfile off;",
    "": "",
    "kernel TLS": "sendfile on; ssl_conf_command Options KTLS;",
    "sendfile, no open_file_cache": "sendfile on; tcp_nopush off;",
    "no sendfile, no open_file_cache": "sendfile off;",
}
# Files nginx may keep open: what the descriptor limit leaves, and no more than any depot here has.
CACHED_FILES = min(120_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1] - 1500)
CIPHER = "TLS_AES_256_GCM_SHA384"


@dataclass(frozen=True)
class Setting:
    """What a row asks of both servers."""

    addresses: tuple = ("127.0.0.1",)
    tls: bool = False
    access_log: bool = False
    # A body that nginx answers from memory under /memory.
    memory: bytes = b""


@dataclass
class Server:
    """A server that runs, and where."""

    name: str
    process: Process
    urls: list = field(default_factory=list)

    def stop(self):
        """Ends it."""
        self.process.stop()


def supports_tls(program):
    """Whether this build of game-depot speaks TLS itself."""
    done = subprocess.run([program, "serve", "--help"], capture_output=True, text=True, check=False)
    return "--tls-cert" in done.stdout


def make_certificate(folder):
    """A self-signed ECDSA P-256 certificate and its key."""
    certificate, key = f"{folder}/certificate.pem", f"{folder}/key.pem"
    if not os.path.exists(certificate):
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "3650",
             "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", key, "-out", certificate],
            check=True, capture_output=True)
    return certificate, key


def start_game_depot(program, data, setting, work):
    """game-depot with one loop, everything else as it comes."""
    command = [program, "serve", "--data", data, "--threads", "1"]
    command += ["--access-log", f"{work}/game-depot.access.log" if setting.access_log else "off"]
    for address in setting.addresses:
        command += ["--listen", f"{address}:0"]
    if setting.tls:
        certificate, key = make_certificate(work)
        command += ["--tls-cert", certificate, "--tls-key", key]
    with open(f"{work}/game-depot.log", "ab") as log:
        process = Process(pinned(SERVER_CORE, command), stdout=subprocess.PIPE, stderr=log, text=True)
    server = Server("game-depot", process)
    for _ in setting.addresses:
        line = process.child.stdout.readline()
        if not line.startswith("listening on "):
            process.stop()
            raise RuntimeError(f"game-depot did not start: see {work}/game-depot.log")
        server.urls.append(line.split()[-1].rstrip("/"))
    return server


def start_nginx(root, setting, variant, work):
    """nginx with one worker, set for this work."""
    port = free_port()
    scheme = "https" if setting.tls else "http"
    flags = " ssl" if setting.tls else ""
    listen = " ".join(f"listen {address}:{port}{flags};" for address in setting.addresses)
    if setting.tls:
        certificate, key = make_certificate(work)
        listen += f" ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_protocols TLSv1.2 TLSv1.3;"
        listen += f" ssl_session_cache shared:all:10m; ssl_conf_command Ciphersuites {CIPHER};"
    log = f"access_log {work}/nginx.access.log combined buffer=64k;" if setting.access_log else "access_log off;"
    memory = f"location = /memory {{ return 200 '{setting.memory.decode()}'; }}" if setting.memory else ""
    cache = "" if "no open_file_cache" in variant else (
        f"open_file_cache max={CACHED_FILES} inactive=600s; open_file_cache_valid 600s; open_file_cache_min_uses 1;")
    configuration = f"{work}/nginx.conf"
    with open(configuration, "w", encoding="utf-8") as file:
        file.write(f"""daemon off; pid {work}/nginx.pid; error_log {work}/nginx.log crit;
worker_processes 1; worker_rlimit_nofile {CACHED_FILES + 1500}; user root;
events {{ worker_connections 1024; }}
http {{
  {log} {cache} {VARIANTS[variant]} tcp_nodelay on; etag on; default_type application/json;
  keepalive_requests 1000000000; keepalive_timeout 300s;
  server {{ {listen} root {root}; {memory} }}
}}
""")
    with open(f"{work}/nginx.err", "ab") as errors:
        process = Process(pinned(SERVER_CORE, ["nginx", "-c", configuration, "-p", work]), stderr=errors)
    try:
        wait_for(setting.addresses[0], port)
    except RuntimeError:
        process.stop()
        raise
    process.count_children()
    return Server("nginx", process, [f"{scheme}://{address}:{port}" for address in setting.addresses])
