"""Serves pages on this machine only, under an address that cannot be guessed."""

import secrets
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Protocol
from urllib.parse import urlsplit

from everylink.errors import UserMistake

HERE = "127.0.0.1"
LONGEST_SILENCE = 60.0  # seconds until a connection that asks nothing is closed
HEARTBEAT = 15.0  # seconds after which a browser that gets no events is asked whether it is there
PIECE = 2**20  # bytes that are read together
MOST_DIGITS = 18  # of a number in a request
OF_ALL = {
    "Cache-Control": "no-store",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Resource(Protocol):
    """What is served under one name."""

    def answer(self, request: "Request") -> None:
        """Answer a GET request. May raise OSError if the browser goes away."""


@dataclass(frozen=True)
class File:
    """A file, whole or in ranges."""

    path: Path
    kind: str  # its media type

    def answer(self, request: "Request") -> None:
        length = self.path.stat().st_size
        asked = request.headers.get("Range")
        begin, end = (0, length) if asked is None else _range(asked, length)
        if begin >= end:
            request.send_error(HTTPStatus.REQUESTED_RANGE_NOT_SATISFIABLE)
            return
        in_part = {} if asked is None else {"Content-Range": f"bytes {begin}-{end - 1}/{length}"}
        status = HTTPStatus.OK if asked is None else HTTPStatus.PARTIAL_CONTENT
        request.begin(status, self.kind, {"Content-Length": str(end - begin), **in_part})
        with self.path.open("rb") as file:
            file.seek(begin)
            while begin < end and (piece := file.read(min(PIECE, end - begin))):
                request.wfile.write(piece)
                begin += len(piece)


@dataclass(frozen=True)
class Page:
    """A page that is made when it is asked for."""

    make: Callable[[], str]

    def answer(self, request: "Request") -> None:
        content = self.make().encode()
        request.begin(HTTPStatus.OK, "text/html", {"Content-Length": str(len(content))})
        request.wfile.write(content)


class Events:
    """Server-sent events. Each browser gets the last one of each name first, then all that follow."""

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._last: dict[str, tuple[int, str]] = {}  # number and text by name
        self._count, self._readers, self._ended = 0, 0, False

    @property
    def has_readers(self) -> bool:
        return self._readers > 0

    def send(self, name: str, text: str) -> None:
        with self._changed:
            self._count += 1
            self._last[name] = (self._count, text)
            self._changed.notify_all()

    def forget(self) -> None:
        """Give readers that come from now on none of the events before."""
        with self._changed:
            self._last.clear()

    def end(self) -> None:
        """Let all readers go once they have the last events."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def answer(self, request: "Request") -> None:
        request.begin(HTTPStatus.OK, "text/event-stream", {"Connection": "close"})
        request.close_connection = True
        seen = 0
        with self._changed:
            self._readers += 1
        try:
            while True:
                news, seen, ended = self._since(seen)
                request.wfile.write("".join(_event(name, text) for _, name, text in news).encode())
                request.wfile.write(b"" if news else b":\n\n")
                request.wfile.flush()
                if ended:
                    return
        finally:
            with self._changed:
                self._readers -= 1

    def _since(self, seen: int) -> tuple[list[tuple[int, str, str]], int, bool]:
        """Waits for events after number `seen`: these by number, the last number, and whether there will be more."""
        with self._changed:
            self._changed.wait_for(lambda: self._count > seen or self._ended, timeout=HEARTBEAT)
            news = sorted((number, name, text) for name, (number, text) in self._last.items() if number > seen)
            return news, self._count, self._ended


def _event(name: str, text: str) -> str:
    return "".join([f"event: {name}\n", *(f"data: {line}\n" for line in text.split("\n")), "\n"])


class Server(ThreadingHTTPServer):
    """Serves `resources` by their names below the token. Raises UserMistake if the port is taken."""

    daemon_threads = True

    def __init__(self, resources: Mapping[str, Resource], port: int | None) -> None:
        self.token, self.resources = secrets.token_urlsafe(16), resources
        try:
            super().__init__((HERE, port or 0), Request)
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


class Request(BaseHTTPRequestHandler):
    """A request of a browser."""

    server: Server
    protocol_version = "HTTP/1.1"
    timeout = LONGEST_SILENCE
    server_version, sys_version = "Everylink", ""

    def do_GET(self) -> None:
        found = self._asked()
        if found is None:
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        try:
            found.answer(self)
        except (BrokenPipeError, ConnectionResetError, TimeoutError):
            self.close_connection = True  # the browser wants no more of it

    def begin(self, status: HTTPStatus, kind: str, headers: Mapping[str, str]) -> None:
        """Send the head of the answer."""
        self.send_response(status)
        for name, value in {**OF_ALL, "Content-Type": kind, **headers}.items():
            self.send_header(name, value)
        self.end_headers()

    def _asked(self) -> Resource | None:
        """What is asked for; None if it is not there, or if a page of another name asks."""
        if self.headers.get("Host") not in (f"{HERE}:{self.server.port}", f"localhost:{self.server.port}"):
            return None
        _, token, *rest = [*urlsplit(self.path).path.split("/"), ""]
        if not secrets.compare_digest(token.encode(), self.server.token.encode()) or len(rest) != 2:
            return None
        return self.server.resources.get(rest[0])

    def log_message(self, format: str, *arguments: object) -> None:
        """Say nothing of requests."""


def _range(text: str, length: int) -> tuple[int, int]:
    """Begin and end of what a request asks for; (0, 0) if that is not in the file."""
    first, dash, last = text.removeprefix("bytes=").partition("-")
    numbers = (first, last or "0")
    if not (text.startswith("bytes=") and dash and all(n.isdecimal() and len(n) <= MOST_DIGITS for n in numbers)):
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
