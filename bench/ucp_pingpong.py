"""Compares everylink-measure --mode ucp with ucx_perftest's tag_lat: two processes on this machine, one per core.

Both use the same UCX transport and poll; the value is the mean of half a round trip. Over tcp both enable UCX's error
handling (-e), as our errors=auto does where it exists; without it, UCX sends large messages by another protocol.
"""

from __future__ import annotations

from functools import partial

from side_by_side import arguments, client_output, need, print_heading, print_rows

CARRIERS: list[tuple[str, str, dict[int, int]]] = [  # name, UCX_TLS, messages per size
    ("ucp tcp", "tcp", {8: 20_000, 65_536: 4_000, 1_048_576: 400}),
    ("ucp posix", "posix", {8: 200_000, 65_536: 10_000, 1_048_576: 1_000}),
]


def perftest_mean(peer: str, transport: str, port: int, size: int, messages: int) -> float:
    environment = {"UCX_TLS": transport, "UCX_NET_DEVICES": "lo"} if transport == "tcp" else {"UCX_TLS": transport}
    options = [
        *(["-e"] if transport == "tcp" else []),
        "-t",
        "tag_lat",
        "-s",
        str(size),
        "-n",
        str(messages),
        "-w",
        str(max(10, messages // 10)),
        "-p",
        str(port),
    ]
    said = client_output([peer, *options], [peer, "127.0.0.1", *options, "-f"], environment)
    (line,) = (line.split() for line in said.splitlines() if line.strip()[:1].isdigit())
    return float(line[3]) * 1e-6  # columns: iterations, median, average since the last line, average of all


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--peer", default="ucx_perftest", metavar="PATH")
    parser.add_argument("--port", type=int, default=13_337)
    chosen = parser.parse_args()
    peer = need(chosen.peer, "it is in Debian's package ucx-utils")
    measure = need(chosen.measure, "name it with --measure")
    print_heading("ucx_perftest")
    for name, transport, messages_of in CARRIERS:
        device = ",net_devices=lo" if transport == "tcp" else ""
        ours = [measure, "--np", "2", "--mode", f"ucp:tls={transport}{device}"]
        print_rows(name, ours, partial(perftest_mean, peer, transport, chosen.port), messages_of, chosen)


if __name__ == "__main__":
    main()
