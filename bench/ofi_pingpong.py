"""Compares everylink-measure --mode ofi with fi_pingpong: two processes on this machine, each on its own core.

Both use the same libfabric provider and poll; the value is the mean of half a round trip.
"""

from __future__ import annotations

from functools import partial

from side_by_side import arguments, client_output, need, print_heading, print_rows

PROVIDERS: dict[str, dict[int, int]] = {  # messages per size
    "tcp;ofi_rxm": {8: 10_000, 65_536: 3_000, 1_048_576: 300},
    "shm": {8: 100_000, 65_536: 5_000, 1_048_576: 500},
}


def fi_mean(peer: str, provider: str, port: int, size: int, messages: int) -> float:
    options = ["-p", provider, "-e", "rdm", "-m", "tagged", "-I", str(messages), "-S", str(size)]
    said = client_output([peer, *options, "-B", str(port)], [peer, *options, "-P", str(port), "127.0.0.1"], {})
    heading, line = [line.split() for line in said.splitlines() if line.strip()][-2:]
    return float(dict(zip(heading, line, strict=True))["usec/xfer"]) * 1e-6


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--peer", default="fi_pingpong", metavar="PATH")
    parser.add_argument("--port", type=int, default=47_592)
    chosen = parser.parse_args()
    peer = need(chosen.peer, "it is in Debian's package libfabric-bin")
    measure = need(chosen.measure, "name it with --measure")
    print_heading("fi_pingpong")
    for provider, messages_of in PROVIDERS.items():
        ours = [measure, "--np", "2", "--mode", f"ofi:provider={provider}"]
        print_rows(f"ofi {provider}", ours, partial(fi_mean, peer, provider, chosen.port), messages_of, chosen)


if __name__ == "__main__":
    main()
