"""Says what to do about each verdict, and which hosts to take out of service."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from everylink.errors import NotEnoughMemory
from everylink.explain.because import CUDA, was_read
from everylink.host_lists import folded
from everylink.inventory.cables import Cable, Wiring, wiring_of_run
from everylink.inventory.cluster import cluster_of
from everylink.inventory.folding import parts_text
from everylink.inventory.gpus import GpusOfRun
from everylink.io.topology import Topology
from everylink.judge.crowd import crowded_names, is_doubtful
from everylink.judge.verdict import FEW_HOSTS, OF_TIMES, Judgement, Scope, Side, Verdict
from everylink.links.hosts import host_names
from everylink.links.rails import rails
from everylink.model.results import Results

NO_ADAPTER = ("", "lo", "memory", "sim")
MOST_ADAPTERS = 4  # named in a sentence
PROVEN = "because: "  # begins a cause that is no guess
IF_CROWDED = "Measure again with at most one rank per core, while nothing else runs there."
OF_LOAD = "Measure the links, too (everylink run --confirm): a load alone does not tell what of this is a fault."
SUSPECT = "Measure it again: everylink run --confirm."
SUSPECT_OF_LOAD = "Measure it again in more scenes (--duration, --niters)."
SUSPECT_CONFIRMED = (
    "Measure it again in more passes (--min-iterations), or compare with a run from before (--baseline)."
)
OF_FEW = "Measure together with others, four or more {}s in all: then the slow one shows."
RANK_OF_FEW = "Measure four hosts or more: then it shows whether ranks at its place are as slow on each."


def with_actions(results: Results, judgement: Judgement, topology: Topology | None = None) -> Judgement:
    """The judgement with what to do about each verdict and suspect, and with the hosts to take out of service.

    `topology`: what a file tells, where the cables of ports end among it.
    """
    known = _Known(results, topology)
    verdicts = tuple(replace(one, action=_action(one, known)) for one in judgement.verdicts)
    suspects = tuple(replace(one, action=_of_suspect(one, known)) for one in judgement.suspects)
    drained = {host for one in verdicts for host in _drained(one, known)}
    drain = tuple(name for name in known.names if name in drained)
    return replace(judgement, verdicts=verdicts, suspects=suspects, drain=drain)


class _Known:
    """What actions need of a run: the hosts of ranks, their adapters, and where the cables of these end."""

    def __init__(self, results: Results, topology: Topology | None) -> None:
        self.results, self.topology = results, topology
        self.names = host_names(results.ranks)
        self.crowded = crowded_names(results)
        self.unnamed = {f"rank {rank}" for rank in range(len(results.ranks))}  # hosts of ranks that did not join

    @cached_property
    def numbers(self) -> dict[str, list[int]]:
        """The numbers of the ranks by the name of each host and of each rank."""
        ranks = self.results.ranks
        found: dict[str, list[int]] = {name: [] for name in self.names}
        for rank, host in enumerate(ranks.host_index.tolist()):
            found[self.names[host]].append(rank)
            found[ranks.name(rank)] = [rank]
        return found

    @cached_property
    def rails(self) -> tuple[str, ...]:
        return rails(self.results.ranks)

    @cached_property
    def wiring(self) -> Wiring | None:
        try:
            return wiring_of_run(self.results, self.topology)
        except NotEnoughMemory:
            return None

    def host_of(self, name: str) -> str:
        """The host of a rank, or the host itself; empty for any other name."""
        ranks = self.numbers.get(name, [])
        return self.names[int(self.results.ranks.host_index[ranks[0]])] if ranks else ""

    def adapters(self, name: str) -> str:
        """The adapters that a host or rank uses with the ends of their cables, as far as these are known."""
        own = self.numbers[name]
        devices = {part for rank in own for part in self.rails[rank].split("+") if part not in NO_ADAPTER}
        if not devices or len(devices) > MOST_ADAPTERS:
            return "its adapter" if len(devices) < 2 else "its adapters"
        ends = {cable.switch + " port " + cable.switch_port for cable in self.cables(own)}
        text = " and ".join(sorted(device.replace(":", " port ") for device in devices))
        return f"{text} (cable to {', '.join(sorted(ends))})" if ends else text

    def inside(self, subject: Sequence[str]) -> str:
        """What lies between two ranks of a host."""
        one, other = (self.numbers[name][0] for name in subject)
        if min(self.results.ranks.gpu[[one, other]]) < 0:
            return "their cores and NUMA nodes"
        if not was_read(self.results):
            return "NVLinks, or PCIe, between their GPUs"
        gpus = GpusOfRun(cluster_of(self.results), over_nvlinks=True)
        if links := gpus.nvlinks_between(one, other):
            return f"{parts_text(links)} and the other ends of these"
        way = gpus.way_between(one, other)
        if way.startswith("NV"):
            return f"the NVLinks of both GPUs and the switches between them ({way})"
        return f"PCIe between their GPUs ({way})" if way else "NVLinks, or PCIe, between their GPUs"

    def used_by(self, name: str) -> str:
        """What a rank uses: its GPU, its adapters and its cores, as far as these are known."""
        (rank,) = self.numbers[name]
        cores = self.results.ranks.cores[rank]
        of_gpu = f"GPU {self.results.ranks.gpu[rank]} (clocks, PCIe, NVLinks)"
        if self.results.facts.transport == CUDA:
            return of_gpu
        parts = [of_gpu] if self.results.ranks.gpu[rank] >= 0 else []
        return ", ".join([*parts, f"{self.adapters(name)} and the cores it runs on" + (f" ({cores})" if cores else "")])

    def cables(self, ranks: Sequence[int]) -> list[Cable]:
        if self.wiring is None:
            return []
        used = np.isin(self.wiring.on_cables.rank, ranks)
        return [self.wiring.cables[number] for number in np.unique(self.wiring.on_cables.thing[used]).tolist()]


def _drained(verdict: Verdict, known: _Known) -> list[str]:
    """The host that a verdict accuses by itself; none where others may be at fault."""
    is_accused = verdict.is_end or verdict.scope is Scope.EACH
    if not is_accused or is_doubtful(verdict, known.crowded):
        return []
    if verdict.symptom in OF_TIMES:
        is_own = not known.results.loads and verdict.scope in (Scope.ALL, Scope.WITHIN, Scope.EACH)
    else:
        is_own = verdict.symptom == "absent" or len(known.names) >= FEW_HOSTS
    hosts = [known.host_of(name) for name in verdict.subject]
    return hosts if is_own and all(hosts) and known.unnamed.isdisjoint(hosts) else []


def _of_suspect(suspect: Verdict, known: _Known) -> str:
    if suspect.is_end and len(suspect.subject) > 1:
        return OF_FEW.format(suspect.kind)
    if suspect.kind == "rank" and 1 < len(known.names) < FEW_HOSTS:
        return RANK_OF_FEW
    if known.results.loads:
        return SUSPECT_OF_LOAD
    if is_doubtful(suspect, known.crowded):
        return IF_CROWDED
    return SUSPECT_CONFIRMED if known.results.is_confirmed else SUSPECT


def _action(verdict: Verdict, known: _Known) -> str:
    if is_doubtful(verdict, known.crowded):
        return IF_CROWDED
    if verdict.symptom in OF_TIMES and known.results.loads:
        return OF_LOAD
    hosts = _drained(verdict, known)
    what = _look(verdict, known)
    return f"Drain {folded(hosts)}; {what}." if hosts else f"{what[0].upper()}{what[1:]}."


def _look(verdict: Verdict, known: _Known) -> str:
    """Where to look, without the full stop."""
    if verdict.scope is Scope.LOAD and verdict.kind != "trunk":
        return "look at what it shares with others under load, such as uplinks: alone it is as fast as they are"
    if verdict.because.startswith(PROVEN):
        return "correct what is named as the cause, and measure again"
    match verdict.kind:
        case "rank" if verdict.scope is Scope.EACH:
            return _of_ranks(verdict, known)
        case "host" | "rank" if known.host_of(verdict.subject[0]):
            return _of_rank(verdict, known) if verdict.kind == "rank" else _of_host(verdict, known)
        case "pair" | "link":
            return _of_pair(verdict, known)
        case "trunk":
            return _of_trunk(verdict, known)
    return _of_group(verdict)


def _of_host(verdict: Verdict, known: _Known) -> str:
    (name,) = verdict.subject
    adapters = known.adapters(name)
    if verdict.scope is Scope.WITHIN:
        return "compare its processors, memory and firmware settings with those of a good host, and look for other load"
    if verdict.scope is Scope.BEYOND:
        return f"look at the uplinks of its switch that {name} uses: to hosts of its own group it is as fast as others"
    match verdict.symptom:
        case "slow":
            return f"compare speed, width and error counters of {adapters} with a good host's, and look at the cable"
        case "drifting":
            return f"look at the temperatures of the host, of {adapters} and of the cable under load, and at its fans"
        case "flapping":
            return f"see when {adapters} went down or changed speed (counters, system log), and look at cable and port"
        case "intermittent":
            return f"look at the error counters of {adapters}, at the cable, and at what else runs there at times"
        case "jitter":
            return f"look at what else runs there, at its power saving settings, and at the load of {adapters}"
        case "loss":
            return f"look at drops and error counters of {adapters} and of its switch port, then at the cable"
        case "absent" if name in known.unnamed:
            return f"see on which host {name} was to run, whether that is up, and why the rank did not join"
        case "absent":
            return f"see whether {name} is up, and why its ranks did not join or did not stay"
        case "corrupt":
            return f"look at its memory, at {adapters} and at the cable: what arrives is not what was sent"
    return f"see whether {name} is up, then look at its routes and firewall, at {adapters} and at the cable"


def _of_rank(verdict: Verdict, known: _Known) -> str:
    (name,) = verdict.subject
    of = known.used_by(name)
    if verdict.symptom == "absent":
        return f"see why the process of {name} did not join or did not stay"
    if verdict.symptom in OF_TIMES:
        return f"compare, for {name}, {of} with those of the other ranks of its host"
    return f"see whether the process of {name} still runs, then look at {of}"


def _of_ranks(verdict: Verdict, known: _Known) -> str:
    """Of several of a host, which share an adapter, or a PCIe switch if they have GPUs."""
    own, ranks = [known.numbers[name][0] for name in verdict.subject], known.results.ranks
    of_switch = "look at the PCIe switch above them, at its link to the processor, and at what else is below it"
    here = known.numbers[known.host_of(verdict.subject[0])]
    if {rank for rank in here if ranks.device[rank] == ranks.device[own[0]]} != set(own):
        return of_switch
    of_adapter = f"compare {known.adapters(verdict.subject[0])} with the other adapters of its host"
    return f"{of_adapter}, and {of_switch}" if (ranks.gpu[own] >= 0).all() else of_adapter


def _of_pair(verdict: Verdict, known: _Known) -> str:
    frm, to = verdict.subject
    hosts = known.host_of(frm), known.host_of(to)
    word = "between" if verdict.kind == "pair" and verdict.direction == Side.BOTH else "from"
    ways = f"{word} {frm} {'and' if word == 'between' else 'to'} {to}"
    if hosts[0] and hosts[0] == hosts[1]:
        return f"look at the way {ways} inside {hosts[0]}: {known.inside(verdict.subject)}"
    ends = [
        f"{cable.switch} port {cable.switch_port}"
        for name in verdict.subject
        for cable in known.cables(known.numbers.get(name, []))[:MOST_ADAPTERS]
    ]
    at = f" (its ends: {', '.join(ends)})" if ends else ""
    match verdict.symptom:
        case "corrupt":
            return f"look at the error counters of the ports and cables on the way {ways}{at}"
        case "absent":
            return f"see whether both ends of the way {ways} were up and their ranks stayed alive"
        case "timeout" | "broken":
            return f"look at routes, firewalls, addresses and MTU {ways}, then at the cables on the way{at}"
    return f"look at the way {ways}, its route, cables and switch ports{at}"


def _of_trunk(verdict: Verdict, known: _Known) -> str:
    if len(known.names) == 1:
        ends = " and ".join(verdict.subject)
        return f"look at what joins {ends} inside {known.names[0]}: links between its sockets, NUMA nodes or GPUs"
    if len(verdict.subject) == 2:
        one, other = verdict.subject
        return f"look at the cables between the switches of {one} and {other}: some may be down or slow"
    return f"look at the uplinks of the switch of {verdict.subject[0]}: some may be down or slow"


def _of_group(verdict: Verdict) -> str:
    if verdict.symptom == "unfair":
        return "look at what the last to finish share: a switch, an adapter, a route"
    if verdict.subject in (("all hosts",), ("all ranks",)) or verdict.kind != "group":
        return "look at what all of them share: the settings and version of the transport, the firewall, the fabric"
    if verdict.device:
        return f"look at the switches behind {verdict.device}, and at its settings, which all of them share"
    if verdict.scope is Scope.EACH:
        return "look at what these hosts share, such as a chassis, its power and cooling, or a part of a switch"
    share = "its hosts" if len(verdict.subject) == 1 else "these hosts"
    return f"look at the switch that {share} share, and at its uplinks"
