"""Serves pages on this machine only, under an address that cannot be guessed."""

import secrets
import signal
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import ClassVar
from urllib.parse import urlsplit

from everylink.errors import UserMistake

HERE = "127.0.0.1"
LONGEST_SILENCE = 60.0  # seconds until a connection that asks nothing is closed
PIECE = 2**20  # bytes that are read together


@dataclass(frozen=True)
class File:
    """A file that is served, whole or in ranges."""

    path: Path
    kind: str  # its media type


class Server(ThreadingHTTPServer):
    """Serves `files` by their names below the token. Raises UserMistake if the port is taken."""

    daemon_threads = True

    def __init__(self, files: Mapping[str, File], port: int | None) -> None:
        self.token, self.files = secrets.token_urlsafe(16), files
        try:
            super().__init__((HERE, port or 0), _Handler)
        except OSError as error:
            raise UserMistake(f"--port {port}: {error.strerror}; leave it out to take a free one") from None

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    @property
    def address(self) -> str:
        """The address to open in a browser."""
        return f"http://{HERE}:{self.port}/{self.token}/"

    @property
    def forwarding(self) -> str:
        """What to type on another machine, so that the address works there, too."""
        return f"ssh -L {self.port}:{HERE}:{self.port} {socket.gethostname()}"


class _Handler(BaseHTTPRequestHandler):
    server: Server
    protocol_version = "HTTP/1.1"
    timeout = LONGEST_SILENCE
    server_version, sys_version = "Everylink", ""
    headers_of_all: ClassVar[dict[str, str]] = {
        "Cache-Control": "no-store",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "Cross-Origin-Resource-Policy": "same-origin",
    }

    def do_GET(self) -> None:
        file = self._asked()
        if file is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        length = file.path.stat().st_size
        begin, end = _range(self.headers.get("Range"), length)
        if begin >= end:
            self.send_error(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            return
        in_part = "Range" in self.headers
        self.send_response(HTTPStatus.PARTIAL_CONTENT if in_part else HTTPStatus.OK)
        for name, value in self.headers_of_all.items():
            self.send_header(name, value)
        self.send_header("Content-Type", file.kind)
        self.send_header("Content-Length", str(end - begin))
        if in_part:
            self.send_header("Content-Range", f"bytes {begin}-{end - 1}/{length}")
        self.end_headers()
        self._send(file.path, begin, end)

    def _asked(self) -> File | None:
        """The file of this request; None if it is for anything else, or comes from a page of another name."""
        if self.headers.get("Host") not in (f"{HERE}:{self.server.port}", f"localhost:{self.server.port}"):
            return None
        _, token, *rest = [*urlsplit(self.path).path.split("/"), ""]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()) or len(rest) != 2:
            return None
        return self.server.files.get(rest[0])

    def _send(self, path: Path, begin: int, end: int) -> None:
        try:
            with path.open("rb") as file:
                file.seek(begin)
                while begin < end and (piece := file.read(min(PIECE, end - begin))):
                    self.wfile.write(piece)
                    begin += len(piece)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True  # the browser wants no more of it

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing of requests."""


def _range(text: str | None, length: int) -> tuple[int, int]:
    """Begin and end of what a request asks for; (0, 0) if that is not in the file."""
    if text is None:
        return 0, length
    first, dash, last = text.removeprefix("bytes=").partition("-")
    if not (text.startswith("bytes=") and dash and first.isdecimal() and (last == "" or last.isdecimal())):
        return 0, 0
    begin, end = int(first), min(int(last) + 1, length) if last else length
    return (begin, end) if begin < end else (0, 0)


def until_stopped(server: Server) -> None:
    """Serve until Ctrl-C, SIGTERM, or the terminal is closed (SIGHUP)."""
    with server, suppress(KeyboardInterrupt):
        server.serve_forever(poll_interval=0.2)


@contextmanager
def interrupted_by_signals() -> Iterator[None]:
    """SIGTERM and SIGHUP end what runs as Ctrl-C does, so that nothing is left behind."""
    before = {number: signal.signal(number, signal.default_int_handler) for number in (signal.SIGTERM, signal.SIGHUP)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
