"""Hosts of a bed: network, UTS and IPC namespaces, connected by veth to a bridge in a separate namespace."""

import itertools
import json
import os
import re
from pathlib import Path
from typing import Any

import kernel
import neighbours
from kernel import BASE, BedError, CannotHere

NETNS = Path("/run/netns")
TOOLS = {"ip": "iproute2", "tc": "iproute2", "nft": "nftables"}
MOST_HOSTS = 2000
MOST_RAILS = 4  # interfaces per host: eth0 to eth3
TRUNK = "t0", "t1"  # the two ends of the cable between two leaves


def address(host: int, rail: int = 0) -> str:
    return f"10.{77 + rail}.{host // 250}.{host % 250 + 1}"


def address_6(host: int, rail: int = 0) -> str:
    return f"fd{77 + rail}::{host + 1:x}"


def mac(host: int, rail: int = 0) -> str:
    return f"02:ee:00:{rail:02x}:{host >> 8:02x}:{host & 255:02x}"


def bridge_port(host: int, rail: int = 0) -> str:
    return f"p{host}-{rail}" if rail else f"p{host}"


class Bed:
    def __init__(self, name: str) -> None:
        if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", name):
            raise BedError(f"invalid bed name '{name}'; use lower-case letters, digits and -")
        self.name = name
        self.folder = BASE / name
        self.state: dict[str, Any] = {"hosts": 0, "rails": 1, "leaves": 1, "mtu": 1500, "faults": [], "families": "4"}

    # --- names and state -----------------------------------------------------------------------------------------
    @property
    def size(self) -> int:
        return int(self.state["hosts"])

    @property
    def rails(self) -> range:
        return range(int(self.state["rails"]))

    @property
    def leaves(self) -> range:
        return range(int(self.state["leaves"]))

    def bridge(self, host: int) -> str:
        """The first half of the hosts is on the first leaf."""
        return f"br{host * len(self.leaves) // self.size}"

    @property
    def switch(self) -> str:
        return f"{self.name}-switch"

    def namespace(self, host: int) -> str:
        return f"{self.name}-h{host}"

    def own_namespaces(self) -> list[Path]:
        names = re.compile(re.escape(self.name) + r"-(switch|h\d+)")
        return sorted(path for path in NETNS.glob(f"{self.name}-*") if names.fullmatch(path.name))

    def load(self) -> "Bed":
        try:
            self.state = json.loads((self.folder / "bed.json").read_text())
        except FileNotFoundError:
            raise BedError(f"there is no bed '{self.name}'; bed --name {self.name} up N creates it") from None
        return self

    def save(self) -> None:
        new = self.folder / "bed.json.new"
        new.write_text(json.dumps(self.state))
        new.rename(self.folder / "bed.json")

    def host(self, text: str) -> int:
        found = re.fullmatch(r"h?(\d{1,6})", text)
        if not found or int(found[1]) >= self.size:
            raise BedError(f"'{text}' is not a host of this bed; its hosts are h0 to h{self.size - 1}")
        return int(found[1])

    # --- up -----------------------------------------------------------------------------------------------------
    def up(
        self, hosts: int, mtu: int, rails: int = 1, offload: bool = True, congestion: str = "", leaves: int = 1,
        families: str = "4", loopback: str = "46",
    ) -> None:  # fmt: skip
        if not 1 <= hosts <= MOST_HOSTS:
            raise BedError(f"a bed has 1 to {MOST_HOSTS} hosts")
        if not 1 <= rails <= MOST_RAILS:
            raise BedError(f"a host of a bed has 1 to {MOST_RAILS} rails")
        kernel.need(TOOLS)
        if self.folder.exists() or self.own_namespaces():
            raise BedError(f"bed '{self.name}' already exists; bed --name {self.name} down removes it")
        self.state |= {"hosts": hosts, "rails": rails, "leaves": leaves, "mtu": mtu}
        self.state |= {"offload": offload, "congestion": congestion, "families": families, "loopback": loopback}
        try:
            self._make_folder()
            self._make_hosts()
            self._join_hosts()
            neighbours.make_room(self.name, self.size * len(self.rails))
            self.save()
        except BaseException:
            self.down()
            raise

    # A tmpfs, so that one unmount removes everything stored or mounted in it.
    def _make_folder(self) -> None:
        self.folder.mkdir()
        try:
            kernel.mount("everylink-bed", self.folder, "tmpfs")
            kernel.mount("", self.folder, flags=kernel.MS_PRIVATE)
        except OSError as error:
            raise CannotHere(f"a bed of network namespaces cannot be made here: {error}") from None
        loopbacks = {"4": "127.0.0.1", "6": "::1"}
        lines = [f"{loopbacks[family]} localhost" for family in self.state["loopback"]]
        for family, of in (("4", address), ("6", address_6)):
            lines += [f"{of(i)} h{i}" for i in range(self.size) if family in self.state["families"]]
        (self.folder / "hosts").write_text("\n".join(lines) + "\n")

    # This process enters the new namespaces itself, which is faster than one child per namespace.
    def _make_hosts(self) -> None:
        names = [self.namespace(i) for i in range(self.size)]
        homes = {kind: os.open(f"/proc/self/ns/{kind}", os.O_RDONLY | os.O_CLOEXEC) for kind in ("uts", "ipc")}
        try:
            kernel.run("ip", "-batch", "-", text="\n".join(f"netns add {name}" for name in [self.switch, *names]))
            for i in range(self.size):
                home = self.folder / f"h{i}"
                (home / "shm").mkdir(parents=True)
                kernel.unshare(kernel.CLONE_NEWUTS | kernel.CLONE_NEWIPC)
                kernel.set_host_name(f"h{i}")
                for kind in homes:
                    (home / kind).touch()
                    kernel.mount(f"/proc/self/ns/{kind}", home / kind, flags=kernel.MS_BIND)
        except (OSError, BedError) as error:
            raise CannotHere(f"a bed of network namespaces cannot be made here: {error}") from None
        finally:
            kernel.setns(f"/proc/self/fd/{homes['uts']}", kernel.CLONE_NEWUTS)
            kernel.setns(f"/proc/self/fd/{homes['ipc']}", kernel.CLONE_NEWIPC)
            for descriptor in homes.values():
                os.close(descriptor)

    def _join_hosts(self) -> None:
        mtu = self.state["mtu"]
        lines = ["link set lo up"]
        for leaf in self.leaves:
            lines += [f"link add br{leaf} mtu {mtu} type bridge forward_delay 0 mcast_snooping 0"]
            lines += [f"link set br{leaf} addrgenmode none up"]
        if len(self.leaves) > 1:
            lines += [f"link add {TRUNK[0]} mtu {mtu} type veth peer name {TRUNK[1]} mtu {mtu}"]
            for leaf, end in enumerate(TRUNK):
                lines += [f"link set {end} addrgenmode none", f"link set {end} master br{leaf} up"]
        for i, rail in itertools.product(range(self.size), self.rails):
            port = bridge_port(i, rail)
            peer = f"peer name eth{rail} mtu {mtu} address {mac(i, rail)} netns {self.namespace(i)}"
            lines += [f"link add {port} mtu {mtu} type veth {peer}"]
            lines += [f"link set {port} addrgenmode none", f"link set {port} master {self.bridge(i)} up"]
        try:
            kernel.run("ip", "-n", self.switch, "-batch", "-", text="\n".join(lines))
        except BedError as error:
            raise CannotHere(f"a bed of network namespaces cannot be made here: {error}") from None
        for i in range(self.size):
            if len(self.rails) > 1:
                self._answer_for_own_addresses(i)
            lines = ["link set lo up"]
            for family, own in (("4", "127.0.0.1/8"), ("6", "::1/128")):
                lines += [f"addr del {own} dev lo"] if family not in self.state["loopback"] else []
            for rail in self.rails:
                lines += [f"link set eth{rail} addrgenmode none"]
                if "4" in self.state["families"]:
                    lines += [f"addr add {address(i, rail)}/16 dev eth{rail}"]
                if "6" in self.state["families"]:
                    lines += [f"addr add {address_6(i, rail)}/64 dev eth{rail} nodad"]
                lines += [f"link set eth{rail} gso_max_segs 1"] if not self.state["offload"] else []
                lines += [f"link set eth{rail} up"]
            kernel.run("ip", "-n", self.namespace(i), "-batch", "-", text="\n".join(lines))
            if self.state["congestion"]:
                self._choose_congestion_control(i)

    # Selects it by routes, because a namespace's setting allows only what unprivileged users may use.
    def _choose_congestion_control(self, host: int) -> None:
        for rail in self.rails:
            route = f"10.{77 + rail}.0.0/16 dev eth{rail} proto kernel scope link src {address(host, rail)} congctl"
            command = ["ip", "-n", self.namespace(host), "route", "change", *route.split(), self.state["congestion"]]
            try:
                kernel.run(*command)
            except BedError as error:
                raise CannotHere(f"this congestion control is not available here: {error}") from None

    def _answer_for_own_addresses(self, host: int) -> None:
        """Without this, every interface of a host answers for all its addresses, and rails are mixed up."""
        with kernel.inside(NETNS / self.namespace(host), "net", kernel.CLONE_NEWNET):
            for name, value in (("arp_ignore", "1"), ("arp_announce", "2"), ("rp_filter", "0")):
                for which in ("all", "default"):
                    try:
                        Path(f"/proc/sys/net/ipv4/conf/{which}/{name}").write_text(value)
                    except OSError as error:
                        raise CannotHere(f"a bed with several rails cannot be made here: {error}") from None

    # --- down ---------------------------------------------------------------------------------------------------
    def down(self) -> None:
        """Remove all remains of a bed of this name, with the processes in its hosts; needs no state."""
        spaces = self.own_namespaces()
        for _ in range(3):  # a process may start another one in the meantime
            ended = [kernel.kill(pid, spaces) for pid in kernel.processes_in(spaces)]
            kernel.wait_for([one for one in ended if one is not None], 5)
            if not ended:
                break
        for space in spaces:
            kernel.unmount(space)
            space.unlink(missing_ok=True)
        while kernel.unmount(self.folder):
            pass
        if self.folder.exists():
            self.folder.rmdir()
        neighbours.forget(self.name)

    # --- exec ---------------------------------------------------------------------------------------------------
    def enter(self, host: int) -> None:
        """Move this process into the host permanently."""
        home = self.folder / f"h{host}"
        kernel.setns(home / "uts", kernel.CLONE_NEWUTS)
        kernel.setns(home / "ipc", kernel.CLONE_NEWIPC)
        kernel.setns(NETNS / self.namespace(host), kernel.CLONE_NEWNET)
        kernel.unshare(kernel.CLONE_NEWNS)
        kernel.mount("", "/", flags=kernel.MS_REC | kernel.MS_PRIVATE)
        kernel.mount(str(home / "shm"), "/dev/shm", flags=kernel.MS_BIND)
        kernel.mount(str(self.folder / "hosts"), "/etc/hosts", flags=kernel.MS_BIND)
        kernel.mount("sysfs", "/sys", "sysfs")  # lists the interfaces of the process that mounts it
        os.environ["EVERYLINK_BED"] = self.name


def exec_on_host(words: list[str]) -> int:
    """Run `bed exec HOST COMMAND...`: this process becomes the command, with its process id and exit code."""
    name = os.environ.get("EVERYLINK_BED", "everylink")
    try:
        if len(words) < 2:
            raise BedError("exec requires a host and a command")
        bed = Bed(name).load()
        bed.enter(bed.host(words[0]))
        os.execvp(words[1], words[1:])
    except (BedError, OSError) as error:
        os.write(2, f"bed: {error}\n".encode())
        return 1
