"""The exchanges of exchange.c over plain TCP between hosts of a test bed (testbed/netns), sleeping while they wait.

usage: exchange_tcp.py RANK RANKS PATTERN:BYTES:ROUNDS ...   on every host. Rank 0 prints one line of seconds per
argument: the median over ROUNDS of the slowest rank.
"""

import selectors
import socket
import statistics
import sys
import time

PORT = 7800
PATIENCE = 120
WORD = b"!"  # sent when ready, and when everything has arrived


def address(rank: int) -> tuple[str, int]:
    return f"10.77.0.{rank + 1}", PORT


def connections(rank: int, ranks: int) -> dict[int, socket.socket]:
    """A socket to every other rank; the higher rank connects."""
    listener = socket.create_server(address(rank), backlog=ranks)
    peers: dict[int, socket.socket] = {}
    for peer in range(rank):
        until = time.monotonic() + PATIENCE
        while peer not in peers:
            try:
                peers[peer] = socket.create_connection(address(peer), timeout=PATIENCE)
            except ConnectionRefusedError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.05)
        peers[peer].sendall(bytes([rank]))
    while len(peers) < ranks - 1:
        caller, _ = listener.accept()
        peers[caller.recv(1)[0]] = caller
    for link in peers.values():
        link.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        link.setblocking(False)
    return peers


def exchange(to: socket.socket, frm: socket.socket, out: memoryview, into: memoryview) -> None:
    """Send one message and receive one at the same time, from when both ends are ready to when all has arrived.

    MPI libraries do the same with long messages. Without the handshakes, data in kernel buffers would delay the next
    phase.
    """
    transfer(frm, to, memoryview(WORD), memoryview(bytearray(WORD)))
    transfer(to, frm, out, into)
    transfer(frm, to, memoryview(WORD), memoryview(bytearray(WORD)))


def transfer(to: socket.socket, frm: socket.socket, out: memoryview, into: memoryview) -> None:
    sent = received = 0
    with selectors.DefaultSelector() as waiting:
        while sent < len(out) or received < len(into):
            wanted = {}
            if sent < len(out):
                wanted[to] = selectors.EVENT_WRITE
            if received < len(into):
                wanted[frm] = wanted.get(frm, 0) | selectors.EVENT_READ
            for known in list(waiting.get_map().values()):
                waiting.unregister(known.fileobj)
            for peer, events in wanted.items():
                waiting.register(peer, events)
            for _key, events in waiting.select(PATIENCE):
                if events & selectors.EVENT_WRITE:
                    sent += to.send(out[sent:])
                if events & selectors.EVENT_READ:
                    received += frm.recv_into(into[received:])


def meet(peers: dict[int, socket.socket], rank: int, value: float) -> float:
    """The largest value over all ranks; rank 0 collects and distributes it."""
    word = bytearray(f"{value:<24.12g}".encode())
    if rank:
        answer = bytearray(len(word))
        transfer(peers[0], peers[0], memoryview(word), memoryview(answer))
        return float(answer)
    for peer in peers.values():
        said = bytearray(len(word))
        transfer(peer, peer, memoryview(b""), memoryview(said))
        value = max(value, float(said))
    for peer in peers.values():
        transfer(peer, peer, memoryview(f"{value:<24.12g}".encode()), memoryview(bytearray()))
    return value


def distances(pattern: str, ranks: int) -> list[int]:
    """The distance of each phase, in ranks."""
    if pattern == "all-to-all":
        return list(range(1, ranks))
    return [int(pattern.removeprefix("shift-"))] if pattern.startswith("shift-") else [1]


def timed(peers: dict[int, socket.socket], rank: int, pattern: str, size: int, rounds: int) -> float:
    ranks = len(peers) + 1
    out, into = memoryview(bytes(size)), memoryview(bytearray(size))
    took = []
    for _ in range(rounds + 1):
        began = time.monotonic()
        for distance in distances(pattern, ranks):
            exchange(peers[(rank + distance) % ranks], peers[(rank - distance) % ranks], out, into)
        took.append(time.monotonic() - began)
    return meet(peers, rank, statistics.median(took[1:]))  # the first round is warm-up


def main() -> None:
    rank, ranks = int(sys.argv[1]), int(sys.argv[2])
    peers = connections(rank, ranks)
    for word in sys.argv[3:]:
        pattern, size, rounds = word.split(":")
        slowest = timed(peers, rank, pattern, int(size), int(rounds))
        if rank == 0:
            print(slowest, flush=True)


if __name__ == "__main__":
    main()
