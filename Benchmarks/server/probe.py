"""A small HTTP client: looks at single answers, and goes through very many of them quickly."""

import socket
import ssl
from dataclasses import dataclass
from urllib.parse import urlsplit


@dataclass(frozen=True)
class Reply:
    """One answer."""

    status: int
    head: bytes
    body: bytes

    def field(self, name):
        """The value of a field, or nothing."""
        for line in self.head.split(b"\r\n")[1:]:
            key, _, value = line.partition(b":")
            if key.strip().lower() == name.lower().encode():
                return value.strip().decode()
        return None


class Probe:
    """One connection to a server."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.host = parts.netloc
        self.socket = socket.create_connection((parts.hostname, parts.port), timeout=60)
        if parts.scheme == "https":
            context = ssl.create_default_context()
            context.check_hostname = False
            context.verify_mode = ssl.CERT_NONE
            self.socket = context.wrap_socket(self.socket)
        self.buffer = bytearray()

    def get(self, path, headers=()):
        """The answer to one request."""
        return next(self.get_all([(path, headers)]))

    def get_all(self, requests, depth=32):
        """The answers to many requests in their order; `depth` of them are on their way at a time."""
        for start in range(0, len(requests), depth):
            batch = requests[start:start + depth]
            self.send(batch)
            for _ in batch:
                yield self.reply()

    def send(self, requests):
        """Sends requests without waiting for their answers."""
        self.socket.sendall(b"".join(request_bytes(self.host, path, headers) for path, headers in requests))

    def reply(self):
        """The next answer; one without a length has no body."""
        while (end := self.buffer.find(b"\r\n\r\n")) < 0:
            self.fill()
        head = bytes(self.buffer[:end])
        status = int(head[9:12])
        reply = Reply(status, head, b"")
        length = 0 if status == 304 else int(reply.field("Content-Length") or 0)
        while len(self.buffer) < end + 4 + length:
            self.fill()
        body = bytes(self.buffer[end + 4:end + 4 + length])
        del self.buffer[:end + 4 + length]
        return Reply(status, head, body)

    def fill(self):
        """Reads more."""
        data = self.socket.recv(1 << 18)
        if not data:
            raise RuntimeError("the server closed the connection")
        self.buffer += data

    def cipher(self):
        """What the connection is encrypted with: the protocol and the cipher suite."""
        return self.socket.version(), self.socket.cipher()[0]

    def close(self):
        """Ends the connection."""
        self.socket.close()


def request_bytes(host, path, headers=()):
    """A request as wrk writes it."""
    lines = [f"GET {path} HTTP/1.1", f"Host: {host}"] + [f"{name}: {value}" for name, value in headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()
