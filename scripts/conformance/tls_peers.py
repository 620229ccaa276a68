"""TLS of the live server, as programs nobody here wrote see it.

Three certificates of a CA made here: ECDSA P-256 and RSA 2048 for one name, ECDSA for another. openssl, curl, wget,
h2load and Python's ssl check versions, ALPN, resumption, names, bytes and endings; what is no handshake must not hurt.
With --long also testssl.sh and sslyze against Mozilla's intermediate profile. Talks to 127.0.0.1 only.
Ends with `N passed, N failed`.
"""

import argparse
import http.client
import json
import os
import random
import re
import socket
import ssl
import tempfile

import harness
from clients import make_zip
from harness import Server, check, run

NAME, OTHER = "depot.test", "other.test"
ASK = "GET /healthz HTTP/1.1\r\nHost: depot.test\r\nConnection: close\r\n\r\n"
# testssl.sh's findings above LOW that we accept, each with its reason.
ACCEPTED_FINDINGS = {
    # The CA was made a moment ago and publishes no revocations.
    "cert_revocation",
    # Mozilla's intermediate profile leaves the choice to the client, who knows whether it has AES in hardware: each cipher is strong.
    "cipher_order",
}


class Authority:
    """A CA, and server certificates of it as the files that serve takes."""

    def __init__(self, folder):
        self.folder, self.file = folder, f"{folder}/ca.pem"
        self.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{folder}/ca.key", "-out",
                     self.file, "-days", "90", "-subj", "/CN=Conformance CA", "-addext", "keyUsage=critical,keyCertSign,cRLSign")

    def openssl(self, *words):
        result = run("openssl", *words)
        if result.returncode != 0:
            raise SystemExit(f"openssl {' '.join(words)}: {result.stderr}")

    def certificate(self, file, name, *key):
        base = f"{self.folder}/{file}"
        with open(f"{base}.ext", "w") as extensions:
            extensions.write(f"subjectAltName=DNS:{name},IP:127.0.0.1\nbasicConstraints=critical,CA:FALSE\n"
                             "keyUsage=critical,digitalSignature\nextendedKeyUsage=serverAuth\n")
        self.openssl("req", "-newkey", *key, "-nodes", "-keyout", f"{base}.key", "-out", f"{base}.csr", "-subj", f"/CN={name}")
        self.openssl("x509", "-req", "-in", f"{base}.csr", "-CA", self.file, "-CAkey", f"{self.folder}/ca.key", "-CAcreateserial", "-days", "89",
                     "-sha256", "-extfile", f"{base}.ext", "-out", f"{base}.pem")
        return ["--tls-cert", f"{base}.pem", "--tls-key", f"{base}.key"]


class Peer:
    def __init__(self, work, server, authority):
        self.work, self.url, self.authority = work, server.url, authority
        self.address = server.url.split("//")[1]
        self.port = int(self.address.rsplit(":")[1])

    def s_client(self, *words, name=NAME, ask=ASK):
        names = ("-servername", name) if name else ("-noservername",)
        return run("openssl", "s_client", "-connect", self.address, "-CAfile", self.authority.file, *names, "-ign_eof", *words, input=ask)

    def curl(self, target, *words, **options):
        words = (*words, "--cacert", self.authority.file, "--resolve", f"{NAME}:{self.port}:127.0.0.1", f"https://{NAME}:{self.port}{target}")
        return run("curl", "-sS", *words, text=False, **options)


def handshakes(peer):
    for version in ("1_2", "1_3"):
        seen = peer.s_client(f"-tls{version}", "-alpn", "h2,http/1.1", "-verify_hostname", NAME, "-verify_return_error").stdout
        check(f"TLS {version}: openssl verifies the chain and the name and gets an answer",
              "Verify return code: 0 (ok)" in seen and '{"status":"ok"}' in seen, seen)
        check(f"TLS {version}: ALPN is http/1.1", "ALPN protocol: http/1.1" in seen, seen)
    for version in ("1", "1_1"):
        seen = peer.s_client(f"-tls{version}", "-cipher", "ALL:@SECLEVEL=0")
        check(f"TLS {version} is refused by an alert", seen.returncode != 0 and "alert protocol version" in seen.stderr, seen)
    seen = peer.s_client("-tls1_2", "-cipher", "AES128-SHA:AES256-SHA:DES-CBC3-SHA:@SECLEVEL=0")
    check("ciphers without forward secrecy are refused", seen.returncode != 0 and "handshake failure" in seen.stderr, seen)
    # Without -ign_eof, R is a command to s_client.
    seen = run("openssl", "s_client", "-connect", peer.address, "-tls1_2", input="R\n").stderr
    check("a client cannot renegotiate", "RENEGOTIATING" in seen and "no renegotiation" in seen, seen)

    for words, kind in ((("-tls1_2", "-cipher", "ECDHE-RSA-AES128-GCM-SHA256"), "rsaEncryption"),
                        (("-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-GCM-SHA256"), "id-ecPublicKey"),
                        (("-tls1_3", "-sigalgs", "rsa_pss_rsae_sha256:ecdsa_secp384r1_sha384"), "rsaEncryption"), (("-tls1_3",), "id-ecPublicKey")):
        leaf = run("openssl", "x509", "-noout", "-text", input=peer.s_client(*words).stdout).stdout
        check(f"{' '.join(words)}: the certificate with {kind}", f"Public Key Algorithm: {kind}" in leaf, leaf)
    for asked, given in ((NAME, NAME), (OTHER, OTHER), (OTHER.upper(), OTHER), ("unknown.test", NAME), (None, NAME)):
        seen = peer.s_client(name=asked).stdout
        check(f"who asks for {asked} gets the certificate of {given}", re.search(rf"subject=CN ?= ?{given}", seen), seen)

    seen = peer.s_client("-tls1_2", "-reconnect", ask="").stdout
    check("TLS 1.2: five reconnects are resumed", seen.count("Reused, TLSv1.2") == 5, seen)
    for version in ("1_2", "1_3"):
        session = f"{peer.work}/session{version}"
        peer.s_client(f"-tls{version}", "-sess_out", session)
        seen = peer.s_client(f"-tls{version}", "-sess_in", session).stdout
        check(f"TLS {version}: a kept session is resumed and answers", "\nReused, " in seen and '{"status":"ok"}' in seen, seen)
    seen = peer.s_client("-tls1_3", "-sess_in", f"{peer.work}/session1_3", "-early_data", f"{peer.work}/early", ask="")
    check("early data, which could be replayed, is not taken", "Early data was accepted" not in seen.stdout, seen.stdout)


def transfers(peer, token, package):
    upload = peer.curl("/games", "-o", "/dev/null", "-w", "%{http_code} %{http_version} %{ssl_verify_result}", "-H", f"Authorization: Bearer {token}", "-F",
                       "gameId=large", "-F", "h5Version=1.0", "-F", f"package=@{peer.work}/large.zip")
    check("curl publishes 16 MB as a form", upload.stdout == b"201 1.1 0", upload)
    with open(f"{peer.work}/large.zip", "rb") as file:
        chunked = peer.curl("/games?gameId=chunked&h5Version=1.0", "-o", "/dev/null", "-w", "%{http_code}", "-H", f"Authorization: Bearer {token}",
                            "-H", "Content-Type: application/zip", "-X", "POST", "-T", "-", stdin=file)
    check("curl publishes 16 MB chunked", chunked.stdout == b"201", chunked)
    target, size = "/games/large/package.zip", len(package)
    for version in ("--tlsv1.3", "--tls-max 1.2"):
        for name in ("large", "chunked"):
            check(f"curl {version}: the bytes of {name}", peer.curl(f"/games/{name}/package.zip", *version.split()).stdout == package)
        for spec, expected in (("0-0", package[:1]), ("65530-131080", package[65530:131081]), (f"{size - 100000}-", package[-100000:]), ("-1", package[-1:])):
            check(f"curl {version} -r {spec}", peer.curl(target, *version.split(), "-r", spec).stdout == expected)
        several = peer.curl(target, *version.split(), "-r", "0-99999,200000-299999").stdout
        check(f"curl {version}: two ranges", package[:100000] in several and package[200000:300000] in several)
    detail = json.loads(peer.curl("/games/large").stdout)
    check("links say https", detail["h5Down"] == f"https://{NAME}:{peer.port}/games/large/versions/1.0/package.zip", detail)
    with open(f"{peer.work}/resumed.zip", "wb") as file:
        file.write(package[:5_000_000])
    wget = run("wget", "-q", "-c", f"--ca-certificate={peer.authority.file}", "-O", f"{peer.work}/resumed.zip", f"{peer.url}{target}")
    with open(f"{peer.work}/resumed.zip", "rb") as file:
        check("wget -c resumes", wget.returncode == 0 and file.read() == package, wget)
    for count, clients, path, expected in ((2000, 16, "/healthz", 15), (16, 4, target, size)):
        out = run("h2load", "--h1", "-t1", "-n", str(count), "-c", str(clients), peer.url + path).stdout
        data = re.search(r"\((\d+)\) data", out)
        check(f"h2load: {count} answers of {expected} bytes",
              f"{count} succeeded, 0 failed, 0 errored" in out and data and int(data[1]) == count * expected, out)


def python(peer, package):
    context = ssl.create_default_context(cafile=peer.authority.file)
    connection = http.client.HTTPSConnection("127.0.0.1", peer.port, context=context, timeout=30)
    for _ in range(2):
        connection.request("GET", "/games/large/package.zip")
        check("http.client has the bytes", connection.getresponse().read() == package)
    first = connection.sock
    connection.request("HEAD", "/games/large/package.zip")
    answer = connection.getresponse()
    check("and HEAD on the same connection", answer.read() == b"" and int(answer.headers["Content-Length"]) == len(package) and connection.sock is first)
    connection.close()

    # Without close_notify Python raises SSLEOFError here: a cut answer would look whole.
    for target, name in (("/healthz", "a small answer"), ("/games/large/package.zip", "16 MB")):
        with socket.create_connection(("127.0.0.1", peer.port), timeout=30) as plain:
            with context.wrap_socket(plain, server_hostname=NAME, suppress_ragged_eofs=False) as client:
                client.sendall(f"GET {target} HTTP/1.1\r\nHost: {NAME}\r\nConnection: close\r\n\r\n".encode())
                received, ending = bytearray(), "close_notify"
                try:
                    while piece := client.recv(1 << 16):
                        received += piece
                except ssl.SSLError as error:
                    ending = repr(error)
        head, _, body = bytes(received).partition(b"\r\n\r\n")
        length = int(re.search(rb"Content-Length: (\d+)", head)[1])
        check(f"{name} whole, and close_notify after it", ending == "close_notify" and len(body) == length, ending)


def strangers(peer):
    """What is no handshake."""
    with socket.create_connection(("127.0.0.1", peer.port), timeout=10) as client:
        client.sendall(b"GET / HTTP/1.1\r\nHost: depot.test\r\n\r\n")
        received = b""
        try:
            while piece := client.recv(65536):
                received += piece
        except ConnectionResetError:
            received += b"(reset)"
    check("plain HTTP is told 400 in plain HTTP, and closed", received.startswith(b"HTTP/1.1 400 ") and b"(reset)" not in received, received)

    dice = random.Random(7)
    hello = bytes.fromhex("16030100f5010000f10303") + bytes(32) + b"\x20" + bytes(32)
    garbage = [b"", b"\x16", b"\x16\x03\x01", hello, hello + dice.randbytes(600), b"\x16\x03\x01\xff\xff" + dice.randbytes(70000), b"\x80\x2e\x01\x03\x01",
               b"\x15\x03\x01\x00\x02\x02\x28", b"SSH-2.0-x\r\n", b"\x00" * 5000, b"PROXY TCP4 1.1.1.1 1.1.1.1 1 1\r\n"]
    garbage += [dice.randbytes(dice.randrange(1, 3000)) for _ in range(200)]
    waiting = []
    for data in garbage:
        client = socket.create_connection(("127.0.0.1", peer.port), timeout=10)
        try:
            client.sendall(data)
        except (BrokenPipeError, ConnectionResetError):
            pass
        waiting.append(client)
    check("handshakes go on beside 200 that are none", peer.curl("/healthz").stdout == b'{"status":"ok"}')
    for client in waiting:
        client.close()
    check("and after them", peer.curl("/healthz").stdout == b'{"status":"ok"}')


def judges(peer, sslyze):
    """Minutes: testssl.sh, and sslyze against Mozilla's intermediate profile."""
    result = run(sslyze, "--mozilla_config", "intermediate", "--certinfo_ca_file", peer.authority.file, f"{NAME}:{peer.port}{{127.0.0.1}}", timeout=900)
    compliant = re.search(r"^ *\S+: OK - Compliant\.", result.stdout, re.M)
    check("sslyze: Mozilla's intermediate profile", result.returncode == 0 and compliant, result.stdout[-3000:] + result.stderr)

    out = f"{peer.work}/testssl.json"
    result = run("testssl", "--quiet", "--warnings", "off", "--color", "0", "--nodns", "none", "--add-ca", peer.authority.file, "--jsonfile", out,
                 "--ip", "127.0.0.1", f"https://{NAME}:{peer.port}/", timeout=1800)
    with open(out) as file:
        findings = json.load(file)
    check("testssl.sh looked at everything", len(findings) > 100, result.stdout[-3000:])
    bad = [f"{one['id']}: {one['severity']}: {one['finding']}" for one in findings
           if one["severity"] in ("MEDIUM", "HIGH", "CRITICAL", "FATAL") and one["id"].split(" ")[0] not in ACCEPTED_FINDINGS]
    check(f"testssl.sh: nothing above LOW in {len(findings)} findings but what is accepted", not bad, "\n".join(bad))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--programs", required=True, help="folder with game-depot")
    parser.add_argument("--sslyze", help="the program, for --long")
    parser.add_argument("--long", action="store_true", help="also testssl.sh and sslyze")
    options = parser.parse_args()
    work = tempfile.mkdtemp(prefix="game-depot-tls.")
    authority = Authority(work)
    certificates = (authority.certificate("ecdsa", NAME, "ec", "-pkeyopt", "ec_paramgen_curve:P-256")
                    + authority.certificate("rsa", NAME, "rsa:2048")
                    + authority.certificate("other", OTHER, "ec", "-pkeyopt", "ec_paramgen_curve:P-256"))
    program, data = os.path.join(options.programs, "game-depot"), f"{work}/depot"
    token = run(program, "token", "create", "--data", data, "--name", "tls", "--scope", "admin").stdout.strip()
    server = Server(program, "serve", "--data", data, "--listen", "127.0.0.1:0", "--disk-floor", "0", "--access-log", "off", *certificates,
                    log=f"{work}/depot.log")
    peer = Peer(work, server, authority)
    package = make_zip(f"{work}/large.zip", 1, 16 << 20)
    with open(f"{work}/early", "w") as file:
        file.write(ASK)
    handshakes(peer)
    transfers(peer, token, package)
    python(peer, package)
    strangers(peer)
    if options.long:
        judges(peer, options.sslyze)
    harness.end_of_server(server, work)
    harness.finish(work)


if __name__ == "__main__":
    main()
