"""Named faults, and their effects on the hosts' ports."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from hosts import MOST_RAILS, Bed, bridge_port, mac
from kernel import BedError

Words = list[str]


@dataclass
class Effects:
    """The effects of all faults of a bed on the switch and the hosts."""

    drops: list[str] = field(default_factory=list)  # nft rules of the switch
    rates: dict[tuple[int, int], int] = field(default_factory=dict)  # (host, rail): bit/s each way
    pair_rates: dict[tuple[int, int], tuple[int, int]] = field(default_factory=dict)  # (A, B): bit/s, above bytes
    trunk: int = 0  # bit/s each way between the leaves; 0: unlimited
    delays: dict[int, int] = field(default_factory=dict)  # host: microseconds each way
    pair_delays: dict[tuple[int, int], int] = field(default_factory=dict)  # (A, B): microseconds
    no_carrier: set[int] = field(default_factory=set)
    names: dict[int, int] = field(default_factory=dict)  # host: the host with the name that it takes
    addresses: dict[int, int] = field(default_factory=dict)  # host: the host with the address that it takes too
    misled: dict[tuple[int, int], int] = field(default_factory=dict)  # (host, address of): the host that it reaches

    def limit(self, host: int, rail: int, rate: int) -> None:
        self.rates[host, rail] = min(rate, self.rates.get((host, rail), rate))


def port(host: int) -> str:
    """The host's ports of the bridge, with or without a relay, in nft's syntax."""
    names = [f"b{host}", *(bridge_port(host, rail) for rail in range(MOST_RAILS))]
    return "{ " + ", ".join(f'"{name}"' for name in names) + " }"


def from_to(a: int, b: int) -> str:
    """An nft match for packets from a to b; a may be on another bridge."""
    senders = ", ".join(mac(a, rail) for rail in range(MOST_RAILS))
    return f"oifname {port(b)} ether saddr {{ {senders} }}"


# --- reading words ---------------------------------------------------------------------------------------------
def rate(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmg]?)bit(?:/s)?", text.lower())
    if not found:
        raise BedError(f"invalid rate '{text}'; use for example 50mbit (kbit, mbit, gbit)")
    bits = float(found[1]) * {"": 1, "k": 1e3, "m": 1e6, "g": 1e9}[found[2]]
    if not 1e4 <= bits <= 1e11:
        raise BedError(f"rate '{text}' is out of range; use 10kbit to 100gbit")
    return int(bits)


def number(text: str, what: str, least: float, most: float) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not least <= value <= most:
        raise BedError(f"'{text}': {what} must be a number from {least:g} to {most:g}")
    return value


def one_way(bed: Bed, text: str) -> tuple[int, int]:
    a, arrow, b = text.partition(">")
    if not arrow:
        raise BedError(f"'{text}' is not a direction; write 'h1>h2', quoted for the shell")
    return two(bed, a, b)


def two(bed: Bed, a: str, b: str) -> tuple[int, int]:
    first, second = bed.host(a), bed.host(b)
    if first == second:
        raise BedError(f"h{first} and h{second} are the same host; two are required")
    return first, second


# --- the faults ------------------------------------------------------------------------------------------------
def shape(bed: Bed, to: Effects, words: Words) -> None:
    for host in range(bed.size):
        for rail in bed.rails:
            to.limit(host, rail, rate(words[0]))


def slow(bed: Bed, to: Effects, words: Words) -> None:
    for rail in bed.rails:
        to.limit(bed.host(words[0]), rail, rate(words[1]))


def slow_rail(bed: Bed, to: Effects, words: Words) -> None:
    rail = int(number(words[1], "a rail", 0, len(bed.rails) - 1))
    to.limit(bed.host(words[0]), rail, rate(words[2]))


def slow_pair(bed: Bed, to: Effects, words: Words) -> None:
    above = 0
    if len(words) > 2:
        if len(words) != 4 or words[2] != "above":
            raise BedError("slow-pair takes A>B RATE, optionally followed by: above BYTES")
        above = int(number(words[3], "a size of packets", 1, 65535))
    to.pair_rates[one_way(bed, words[0])] = (rate(words[1]), above)


def trunk(bed: Bed, to: Effects, words: Words) -> None:
    if len(bed.leaves) < 2:
        raise BedError("trunk requires a bed of two leaves: bed up N --leaves 2")
    to.trunk = min(rate(words[0]), to.trunk or rate(words[0]))


def delay(bed: Bed, to: Effects, words: Words) -> None:
    host = bed.host(words[0])
    to.delays[host] = to.delays.get(host, 0) + int(number(words[1], "a delay in microseconds", 1, 1e7))


def delay_pair(bed: Bed, to: Effects, words: Words) -> None:
    pair = one_way(bed, words[0])
    to.pair_delays[pair] = int(number(words[1], "a delay in microseconds", 1, 1e7))


def drop(bed: Bed, to: Effects, words: Words) -> None:
    host = bed.host(words[0])
    part = round(100 * number(words[1], "a loss in percent", 0.01, 100))
    for side in ("iifname", "oifname"):
        to.drops.append(f"{side} {port(host)} numgen random mod 10000 < {part} drop")


def dark(bed: Bed, to: Effects, words: Words) -> None:
    if ">" in words[0]:
        a, b = one_way(bed, words[0])
        to.drops.append(f"{from_to(a, b)} drop")
    else:
        host = bed.host(words[0])
        to.drops += [f"iifname {port(host)} drop", f"oifname {port(host)} drop"]


def dark_pair(bed: Bed, to: Effects, words: Words) -> None:
    a, b = two(bed, words[0], words[1])
    dark(bed, to, [f"{a}>{b}"])
    dark(bed, to, [f"{b}>{a}"])


def mtu_hole(bed: Bed, to: Effects, words: Words) -> None:
    host = bed.host(words[0])
    most = int(number(words[1], "a size of packets", 64, 65535)) if len(words) > 1 else int(bed.state["mtu"]) - 100
    for side in ("iifname", "oifname"):
        to.drops.append(f"{side} {port(host)} meta length > {most} drop")


def link_down(bed: Bed, to: Effects, words: Words) -> None:
    to.no_carrier.add(bed.host(words[0]))


def duplicate_ip(bed: Bed, to: Effects, words: Words) -> None:
    a, b = two(bed, words[0], words[1])
    seers = {bed.host(word) for word in words[2:]} or set(range(bed.size))
    to.addresses[b] = a
    for host in set(range(bed.size)) - {a, b}:
        to.misled[host, a] = b if host in seers else a


def duplicate_name(bed: Bed, to: Effects, words: Words) -> None:
    a, b = two(bed, words[0], words[1])
    to.names[b] = a


@dataclass(frozen=True)
class Fault:
    usage: str
    meaning: str
    least: int  # words
    most: int
    add: Callable[[Bed, Effects, Words], None]


FAULTS = {
    "shape": Fault("RATE", "every host sends and receives at most at RATE (200mbit)", 1, 1, shape),
    "slow": Fault("HOST RATE", "the host sends and receives at most at RATE", 2, 2, slow),
    "slow-rail": Fault("HOST N RATE", "its interface ethN sends and receives at most at RATE", 3, 3, slow_rail),
    "slow-pair": Fault(
        "A>B RATE [above BYTES]", "A sends to B at most at RATE; only packets above BYTES, if given", 2, 4, slow_pair
    ),
    "trunk": Fault("RATE", "the cable between the two leaves carries at most RATE each way", 1, 1, trunk),
    "delay": Fault("HOST US", "every packet from or to the host takes US microseconds longer", 2, 2, delay),
    "delay-pair": Fault("A>B US", "every packet from A to B takes US microseconds longer", 2, 2, delay_pair),
    "drop": Fault("HOST PERCENT", "PERCENT of the packets from and to the host are lost", 2, 2, drop),
    "dark": Fault("A>B | HOST", "nothing from A arrives at B; nothing from or to the host arrives", 1, 1, dark),
    "dark-pair": Fault("A B", "nothing arrives between A and B", 2, 2, dark_pair),
    "mtu-hole": Fault(
        "HOST [BYTES]", "packets above BYTES (the MTU less 100) from and to the host are dropped", 1, 2, mtu_hole
    ),
    "link-down": Fault("HOST", "its port of the switch is down", 1, 1, link_down),
    "duplicate-ip": Fault(
        "A B [SEEN_BY ...]",
        "B also takes A's address; all others, or only the named ones, reach B at it",
        2,
        MOST := 1000,
        duplicate_ip,
    ),
    "duplicate-name": Fault("A B", "B takes A's host name", 2, 2, duplicate_name),
}


def effects_of(bed: Bed, faults: list[Words]) -> Effects:
    effects = Effects()
    for name, *words in faults:
        if name not in FAULTS:
            raise BedError(f"unknown fault '{name}'; use {', '.join(FAULTS)}")
        fault = FAULTS[name]
        if not fault.least <= len(words) <= fault.most:
            raise BedError(f"the usage is: {name} {fault.usage}")
        fault.add(bed, effects, words)
    return effects
