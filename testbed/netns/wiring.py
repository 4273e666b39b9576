"""Changes the namespaces of a bed from one set of faults to another, with nft, tc, ip and a relay for delays."""

import contextlib
import itertools
import os
import select
import subprocess
from pathlib import Path

import kernel
from faults import Effects, effects_of, from_to
from hosts import NETNS, TRUNK, Bed, address, bridge_port, mac
from kernel import BedError

UNLIMITED = 10**11
RELAY_SOURCE = Path(__file__).resolve().parent / "relay.c"
Device = tuple[str, str]  # namespace, interface


def set_faults(bed: Bed, faults: list[list[str]]) -> None:
    """Plant exactly these faults. If one cannot be planted, restore the earlier ones."""
    before = bed.state["faults"]
    old, new = effects_of(bed, before), effects_of(bed, faults)
    bed.state["faults"] = faults
    bed.save()
    try:
        change(bed, old, new)
    except BaseException:
        bed.state["faults"] = before
        bed.save()
        with contextlib.suppress(BedError):
            change(bed, new, old)
        raise


def change(bed: Bed, old: Effects, new: Effects) -> None:
    if switch_rules(old) != switch_rules(new):
        kernel.run("nsenter", f"--net={NETNS / bed.switch}", "nft", "-f", "-", text=switch_rules(new))
    rewired = [host for host in range(bed.size) if relay_words(host, old) != relay_words(host, new)]
    for host in rewired:
        end_relay(bed, host)
        if words := relay_words(host, new):
            start_relay(bed, host, words)
    before, after = queues(bed, old), queues(bed, new)
    fresh = {(bed.switch, f"b{host}") for host in rewired}
    for device in before.keys() | after.keys():
        if before.get(device) != after.get(device) or device in fresh:
            set_queue(device, after.get(device, []))
    for host in old.no_carrier ^ new.no_carrier:
        for rail in bed.rails:
            state = "down" if host in new.no_carrier else "up"
            kernel.run("ip", "-n", bed.switch, "link", "set", bridge_port(host, rail), state)
    for host in old.names.keys() | new.names.keys():
        with kernel.inside(bed.folder / f"h{host}/uts", "uts", kernel.CLONE_NEWUTS):
            kernel.set_host_name(f"h{new.names.get(host, host)}")
    change_addresses(bed, old, new)


# --- nft -------------------------------------------------------------------------------------------------------
def queue_of_pair(sender: int) -> str:
    return f"1:{0x100 + sender:x}"


def switch_rules(effects: Effects) -> str:
    rules = list(effects.drops)
    for (a, b), (_, above) in effects.pair_rates.items():
        which = f" meta length > {above}" if above else ""
        rules.append(f"{from_to(a, b)}{which} meta priority set {queue_of_pair(a)}")
    lines = ["table bridge faults", "delete table bridge faults", "table bridge faults {", "chain planted {"]
    lines += ["type filter hook forward priority 0; policy accept;", *rules, "}", "}"]
    return "\n".join(lines) + "\n"


# --- tc --------------------------------------------------------------------------------------------------------
def queues(bed: Bed, effects: Effects) -> dict[Device, list[str]]:
    """The lines for tc of each interface with a limit."""
    found = {(bed.switch, end): queue(bed, end, effects.trunk, {}) for end in TRUNK if effects.trunk}
    for host, rail in itertools.product(range(bed.size), bed.rails):
        limit = effects.rates.get((host, rail))
        pairs = {a: bits for (a, b), (bits, _) in effects.pair_rates.items() if b == host}
        if limit:
            found[bed.namespace(host), f"eth{rail}"] = queue(bed, f"eth{rail}", limit, {})
        if limit or pairs:
            side = f"b{host}" if rail == 0 and relay_words(host, effects) else bridge_port(host, rail)
            found[bed.switch, side] = queue(bed, side, limit or UNLIMITED, pairs)
    return found


def queue(bed: Bed, device: str, limit: int, pairs: dict[int, int]) -> list[str]:
    def kind(least: int, most: int) -> str:
        burst = max(2 * bed.state["mtu"], most // 8 // 1000)  # the bytes of one millisecond
        return f"htb rate {least}bit ceil {most}bit burst {burst} cburst {burst} quantum 60000"

    lines = [f"qdisc add dev {device} root handle 1: htb default 2"]
    lines += [f"class add dev {device} parent 1: classid 1:1 {kind(limit, limit)}"]
    # The classes below borrow, so together they stay within the limit.
    lines += [f"class add dev {device} parent 1:1 classid 1:2 {kind(limit // 10, limit)}"]
    for sender, bits in pairs.items():
        most = min(bits, limit)
        lines.append(f"class add dev {device} parent 1:1 classid {queue_of_pair(sender)} {kind(most // 10, most)}")
    return lines


def set_queue(device: Device, lines: list[str]) -> None:
    space, interface = device
    with contextlib.suppress(BedError):  # it may have no queue, or may have been removed with its relay
        kernel.run("tc", "-n", space, "qdisc", "del", "dev", interface, "root")
    if lines:
        kernel.run("tc", "-n", space, "-batch", "-", text="\n".join(lines))


# --- the relay -------------------------------------------------------------------------------------------------
def relay_words(host: int, effects: Effects) -> list[str]:
    pairs = {a: us for (a, b), us in effects.pair_delays.items() if b == host}
    always = effects.delays.get(host, 0)
    if not always and not pairs:
        return []
    return [str(always), str(always), *(f"{mac(a)}={us}" for a, us in pairs.items())]


def start_relay(bed: Bed, host: int, words: list[str]) -> None:
    program = bed.folder / "relay"
    if not program.exists():
        kernel.need({"cc": "gcc"})
        kernel.run("cc", "-O2", "-o", str(program), str(RELAY_SOURCE))
    mtu = bed.state["mtu"]
    lines = [f"link add r{host} mtu {mtu} type veth peer name b{host} mtu {mtu}", f"link set p{host} nomaster"]
    lines += [f"link set r{host} addrgenmode none up", f"link set b{host} addrgenmode none"]
    lines += [f"link set b{host} master {bed.bridge(host)} up"]
    kernel.run("ip", "-n", bed.switch, "-batch", "-", text="\n".join(lines))
    command = ["nsenter", f"--net={NETNS / bed.switch}", str(program), f"p{host}", f"r{host}", *words]
    relay = subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    assert relay.stdout
    (bed.folder / f"relay{host}.pid").write_text(str(relay.pid))
    ready, _, _ = select.select([relay.stdout], [], [], 10)
    said = os.read(relay.stdout.fileno(), 4096).decode() if ready else "no output within 10 s"
    if said != "ready\n":
        raise BedError(f"the relay for h{host} did not start: {said.strip()}")


def end_relay(bed: Bed, host: int) -> None:
    file = bed.folder / f"relay{host}.pid"
    if not file.exists():
        return
    ended = kernel.kill(int(file.read_text()), [NETNS / bed.switch])
    if ended is not None:
        kernel.wait_for([ended], 5)
    file.unlink()
    lines = f"link del r{host}\nlink set p{host} master {bed.bridge(host)}"
    kernel.run("ip", "-n", bed.switch, "-batch", "-", text=lines)


# --- addresses -------------------------------------------------------------------------------------------------
def change_addresses(bed: Bed, old: Effects, new: Effects) -> None:
    for effects, other, verb in ((old, new, "del"), (new, old, "add")):
        for host, twin in effects.addresses.items():
            if other.addresses.get(host) != twin:
                kernel.run("ip", "-n", bed.namespace(host), "addr", verb, f"{address(twin)}/32", "dev", "eth0")
    for host in {host for host, _ in old.misled.keys() | new.misled.keys()}:
        lines = [f"neigh del {address(of)} dev eth0" for at, of in old.misled if at == host]
        lines += [
            f"neigh replace {address(of)} lladdr {mac(by)} dev eth0 nud permanent"
            for (at, of), by in new.misled.items()
            if at == host
        ]
        kernel.run("ip", "-n", bed.namespace(host), "-batch", "-", text="\n".join(lines))
