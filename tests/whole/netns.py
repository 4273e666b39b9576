"""Beds of network namespaces for tests: made by testbed/netns/bed, observed through sockets inside the hosts."""

import contextlib
import itertools
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[2] / "testbed" / "netns"
PROGRAM = FOLDER / "bed"
sys.path.insert(0, str(FOLDER))
import kernel  # noqa: E402  the bed's own, which knows how to enter a namespace
from hosts import NETNS, address  # noqa: E402

PATIENCE = float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))
UDP_PORT, TCP_PORT = 5201, 5202
SO_RCVBUFFORCE = 33  # missing from Python's socket module
_numbers = itertools.count()


def call(*words: object, name: str = "", environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    command = [str(PROGRAM), *(["--name", name] if name else []), *map(str, words)]
    return subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        timeout=60 * PATIENCE,
        env=os.environ | (environment or {}),
    )


def skip_unless_possible() -> None:
    done = call("check")
    if done.returncode == 77:
        pytest.skip(done.stderr.strip().removeprefix("bed: "))
    assert done.returncode == 0, done.stderr


def new_name() -> str:
    return f"test-{os.getpid()}-{next(_numbers)}"


def a_bed(hosts: int, rails: int = 1, *options: str) -> Iterator["Bed"]:
    """The body of a fixture."""
    bed = Bed(new_name(), hosts)
    bed.do("up", hosts, "--rails", rails, *options)
    yield bed
    bed.do("down")


def reach_by_ssh(bed: "Bed", folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The ssh of the fixture `ssh_folder` enters the hosts of the bed."""
    (folder / "bin/ssh").unlink()
    (folder / "bin/ssh").symlink_to(FOLDER / "rsh")
    monkeypatch.setenv("EVERYLINK_BED", bed.name)


@dataclass
class Bed:
    name: str
    hosts: int

    def do(self, *words: object) -> str:
        done = call(*words, name=self.name)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def fault(self, words: str) -> None:
        self.do("fault", *words.split())

    def heal(self, words: str = "") -> None:
        self.do("heal", *words.split())

    def socket(self, host: int, kind: socket.SocketKind, port: int = 0) -> socket.socket:
        """A socket remains in the namespace where it was created, so this process need not be in it."""
        with kernel.inside(NETNS / f"{self.name}-h{host}", "net", kernel.CLONE_NEWNET):
            made = socket.socket(socket.AF_INET, kind)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind(("", port))
        made.settimeout(10 * PATIENCE)
        return made

    def delivered(self, a: int, b: int, count: int = 5, size: int = 100, to: str = "") -> int:
        """The number of `count` datagrams that arrive from a at b."""
        with self.socket(a, socket.SOCK_DGRAM) as sender, self.socket(b, socket.SOCK_DGRAM, UDP_PORT) as receiver:
            receiver.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, 1 << 24)
            arrived = 0
            for _ in range(count):
                try:
                    sender.sendto(bytes(size), (to or address(b), UDP_PORT))
                except OSError:
                    continue  # unreachable: not delivered either
            # Packets in flight get a moment more; the first may wait for address resolution.
            receiver.settimeout(0.15 * PATIENCE)
            while arrived < count:
                try:
                    receiver.recv(65536)
                except OSError:
                    break
                arrived += 1
            return arrived

    def delivers(self, size: int = 100) -> list[list[int]]:
        """1 if datagrams from the row arrive at the column. Sent all at once, because lost ones cost time."""
        hosts = range(self.hosts)
        receivers = [self.socket(host, socket.SOCK_DGRAM, UDP_PORT) for host in hosts]
        senders = [self.socket(host, socket.SOCK_DGRAM) for host in hosts]
        found = [[0] * self.hosts for _ in hosts]
        for a, b in itertools.permutations(hosts, 2):
            try:
                senders[a].sendto(bytes([a]) * size, (address(b), UDP_PORT))
            except OSError:
                continue
        for b, receiver in enumerate(receivers):
            receiver.settimeout(0.15 * PATIENCE)
            try:
                while sum(row[b] for row in found) < self.hosts - 1:
                    found[receiver.recv(65536)[0]][b] = 1
            except OSError:
                continue
        for one in (*receivers, *senders):
            one.close()
        return found

    def is_whole(self, size: int = 100) -> bool:
        """Whether all hosts reach each other, with time for ports to come up and addresses to be resolved again."""
        whole = [[int(a != b) for b in range(self.hosts)] for a in range(self.hosts)]
        deadline = time.monotonic() + 10 * PATIENCE
        while self.delivers(size) != whole:
            if time.monotonic() > deadline:
                return False
        return True

    def round_trip(self, a: int, b: int, times: int = 7, size: int = 100) -> float:
        """The shortest of several round trips, seconds: noise only adds."""
        best = float("inf")
        with self.socket(a, socket.SOCK_DGRAM) as one, self.socket(b, socket.SOCK_DGRAM, UDP_PORT) as other:
            for _ in range(times):
                began = time.monotonic()
                one.sendto(bytes(size), (address(b), UDP_PORT))
                back = other.recvfrom(65536)[1]
                other.sendto(b"back", back)
                one.recv(65536)
                best = min(best, time.monotonic() - began)
        return best

    def stream(self, a: int, b: int, size: int) -> float:
        """The seconds that `size` bytes take from a to b over TCP."""
        with self.socket(b, socket.SOCK_STREAM, TCP_PORT) as listener, self.socket(a, socket.SOCK_STREAM) as sender:
            listener.listen(1)
            sender.connect((address(b), TCP_PORT))
            receiver, _ = listener.accept()
            with receiver:
                receiver.settimeout(10 * PATIENCE)
                sender.setblocking(False)
                began, left, sent = time.monotonic(), size, 0
                while left:
                    with contextlib.suppress(BlockingIOError):
                        sent += sender.send(bytes(min(65536, size - sent))) if sent < size else 0
                    try:
                        left -= len(receiver.recv(65536, socket.MSG_DONTWAIT if sent < size else 0))
                    except BlockingIOError:
                        time.sleep(0.0005)
                return time.monotonic() - began
