"""Ranks that are started by hand at a rendezvous on loopback, and strangers that call it and say nothing."""

import os
import selectors
import socket
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from hosts_runs import wait_until

from conftest import PATIENCE, measure_program

WORDS = ["--mode", "tcp", "-s", "1", "-n", "3", "-w", "0", "--num-slowest", "0", "--progress", "none", "-o", "x.h5"]


def start(
    rank: int, port: int, folder: Path, size: int = 3, words: Sequence[str] = WORDS, **options: Any
) -> subprocess.Popen[str]:
    variables = {"EVERYLINK_RANK": str(rank), "EVERYLINK_SIZE": str(size), "EVERYLINK_RENDEZVOUS": f"127.0.0.1:{port}"}
    return subprocess.Popen(
        [measure_program(), *words], cwd=folder, env=os.environ | variables,
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    """Its exit code and what it said."""
    _, said = process.communicate(timeout=PATIENCE)
    return process.returncode, said


def wait_for_listener(port: int, process: subprocess.Popen[str]) -> None:
    listening = f":{port:04X} 00000000:0000 0A"

    def listens() -> bool:
        assert process.poll() is None, process.communicate()
        return listening in Path("/proc/net/tcp").read_text()

    wait_until(listens, f"nobody listens at port {port}")


@contextmanager
def silent_strangers(port: int, count: int) -> Iterator[None]:
    """So many connections that say nothing; whichever is closed is made again."""
    selector, over = selectors.DefaultSelector(), threading.Event()

    def call() -> None:
        stranger = socket.socket()
        stranger.setblocking(False)
        stranger.connect_ex(("127.0.0.1", port))
        selector.register(stranger, selectors.EVENT_READ)

    def keep_calling() -> None:
        while not over.is_set():
            for key, _ in selector.select(0.05):
                selector.unregister(key.fileobj)
                key.fileobj.close()  # type: ignore[union-attr]
                call()

    for _ in range(count):
        call()
    thread = threading.Thread(target=keep_calling)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()
        for key in list(selector.get_map().values()):
            key.fileobj.close()  # type: ignore[union-attr]
        selector.close()
