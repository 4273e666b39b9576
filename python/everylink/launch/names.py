"""Which hosts the name service of this machine knows, asked for all of them at once and in bounded time."""

import queue
import socket
import threading
import time
from collections.abc import Sequence

AT_ONCE = 32
ANSWER_LIMIT = 20.0  # seconds, for all


def unknown(hosts: Sequence[str]) -> dict[str, str]:
    """The hosts that have no address, and why."""
    wanted: queue.SimpleQueue[str] = queue.SimpleQueue()
    found: queue.SimpleQueue[tuple[str, str]] = queue.SimpleQueue()
    for host in hosts:
        wanted.put(host)
    for _ in range(min(AT_ONCE, len(hosts))):  # a resolver cannot be interrupted, so nobody waits for these threads
        threading.Thread(target=_ask, args=(wanted, found), daemon=True).start()
    left = dict.fromkeys(hosts, f"the name service gives no answer within {ANSWER_LIMIT:.0f} s")
    until = time.monotonic() + ANSWER_LIMIT
    wrong = {}
    while left:
        try:
            host, reason = found.get(timeout=max(0.0, until - time.monotonic()))
        except queue.Empty:
            break
        del left[host]
        if reason:
            wrong[host] = reason
    return wrong | left


def _ask(wanted: "queue.SimpleQueue[str]", found: "queue.SimpleQueue[tuple[str, str]]") -> None:
    while True:
        try:
            host = wanted.get_nowait()
        except queue.Empty:
            return
        try:
            socket.getaddrinfo(host, None)
            found.put((host, ""))
        except (OSError, UnicodeError) as error:
            found.put((host, getattr(error, "strerror", None) or str(error)))
