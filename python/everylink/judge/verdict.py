"""A verdict, and the judgement of a whole run."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np

from everylink.exit_codes import Exit
from everylink.io.topology import Topology
from everylink.judge.covered import Coverage
from everylink.judge.expected import Expected
from everylink.links.unmeasured import Unmeasured
from everylink.model.results import Results

SURE = 0.9999  # upper limit of every confidence
FEW_HOSTS = 4  # of fewer hosts, or ranks of one host, none can be accused: the others are too few to compare it with
STRONG_FACTOR, STRONG_CONFIDENCE = 1.5, 0.999  # a suspect that, if confirmed, nobody would call healthy
ENOUGH = 0.5  # of the planned links
LATENCY, BANDWIDTH = 1024, 65536  # bytes: messages up to the first size show latency, from the second on bandwidth
OF_TIMES = ("drifting", "slow", "loss", "flapping", "intermittent", "jitter", "unfair")
SYMPTOMS = ("absent", "timeout", "broken", "corrupt", *OF_TIMES)  # worst first


ON = " on "  # between the hosts and the device of a subject


class Side(StrEnum):
    """Which messages of a subject are meant; BOTH also if the kernel cannot tell the direction."""

    SEND = "send"
    RECEIVE = "receive"
    BOTH = "both"


class Scope(StrEnum):
    """With which links, or when, a subject is slow."""

    ALL = "all"
    WITHIN = "within"  # links between the ranks of its own host
    BEYOND = "beyond"  # links with other groups of hosts; those inside its group are as fast as others
    LOAD = "load"  # only while others measure, too
    EACH = "each"  # of several hosts: each of them with all others


@dataclass(frozen=True)
class Verdict:
    """What is faulty. `kind`: host, rank, link, pair, trunk or group; `direction`: send, receive or both.

    `symptom`: one of SYMPTOMS. `factor`: measured / expected time, for loss of means; for jitter, the rate of late
    messages / the typical rate; None if nothing arrived. `links`: number of links used. `bytes`: the message size at
    which it shows most.
    `because`: what the host itself says of the cause, or that it says nothing; empty if it was not asked. `action`:
    what to do, one sentence; empty until explain.actions has judged it.
    """

    kind: str
    subject: tuple[str, ...]
    direction: str
    symptom: str
    bytes: int
    factor: float | None
    confidence: float
    links: int
    evidence: str
    because: str = ""
    scope: Scope = Scope.ALL
    action: str = ""

    @property
    def is_end(self) -> bool:
        return self.kind in ("host", "rank")

    @property
    def is_slow_host(self) -> bool:
        return self.kind == "host" and self.symptom == "slow"

    @property
    def is_slow_rank(self) -> bool:
        return self.kind == "rank" and self.symptom == "slow"

    @property
    def device(self) -> str:
        """Of a group that is what uses one device on several hosts, as on_device names it: the device; else empty."""
        return self.subject[0].partition(ON)[2] if self.kind == "group" else ""

    @property
    def is_slow_group(self) -> bool:
        """Whether it is on all links of a group with others."""
        return self.kind == "group" and self.symptom == "slow" and self.scope is Scope.ALL

    @property
    def is_slow_pair(self) -> bool:
        return self.kind in ("pair", "link") and self.symptom == "slow"

    @property
    def worth(self) -> tuple[int, int, float]:
        """Sort key, worst first: failures before slowness, large losses before small ones."""
        kinds = ("group", "trunk", "host", "rank", "pair", "link")
        lost = self.symptom not in OF_TIMES
        loss = 0.0 if self.factor is None else np.log(max(self.factor, 1.0)) * self.links
        return (0 if lost else 1, kinds.index(self.kind) if lost else 0, -float(self.links if lost else loss))


def on_device(where: str, device: str) -> str:
    """The subject of a verdict on what uses a device, such as `n[4-7] on mlx5_0 port 1`. `where`: hosts or a group."""
    return f"{where}{ON}{device}"


@dataclass(frozen=True)
class Finding:
    """What deviates on hosts though nothing is slow. `kind`: config, a setting or part; errors, what counters say.

    `parts` are named as in /inventory, `severity` is warning or critical, `text` one sentence. `is_fault`: the hosts
    are not what their equals are, so that the run is not healthy; any other finding is only said.
    """

    kind: str
    hosts: tuple[str, ...]
    parts: tuple[str, ...]
    severity: str
    text: str
    is_fault: bool


@dataclass(frozen=True)
class Structure:
    """A difference among links that is how the cluster is built, and no fault.

    `kind`: adapters, rails, class, position, groups, oversubscription, contention or drift. `subject`: node sets, the
    numbers of ranks on each host, devices, groups, or nothing. `factor`: time against that of the others, at messages
    of `bytes`. `told_by`: facts or times. `question`: what the times cannot tell, and what would.
    """

    kind: str
    subject: tuple[str, ...]
    factor: float | None
    bytes: int
    told_by: str
    text: str
    question: str


class Conclusion(StrEnum):
    """What a judgement comes to. Every place that says or draws whether a run is healthy says this."""

    HEALTHY = "healthy"
    NO_FAULT = "no fault found"  # but latency or bandwidth was not tested
    UNDECIDED = "undecided"
    FAULTS = "faults"

    @property
    def exit_code(self) -> Exit:
        """The exit code of a command that judges."""
        return {Conclusion.FAULTS: Exit.FAULTS, Conclusion.UNDECIDED: Exit.UNDECIDED}.get(self, Exit.FINE)

    @property
    def is_alarm(self) -> bool:
        return self.exit_code != Exit.FINE


@dataclass(frozen=True, kw_only=True)
class Judgement:
    """`verdicts` are sure; `suspects` need more measurements; `remarks` say what the data can and cannot show.

    `sizes`: bytes of the messages that were measured.
    """

    verdicts: tuple[Verdict, ...]
    suspects: tuple[Verdict, ...]
    links_measured: int
    links_failed: int
    sizes: tuple[int, ...]
    remarks: tuple[str, ...]
    links_planned: int | None = None  # known only of a run that did not finish
    unmeasured: tuple[Unmeasured, ...] = ()  # of links that hosts could not measure; of load patterns one for each
    findings: tuple[Finding, ...] = ()  # of the inventory, the most severe first
    structure: tuple[Structure, ...] = ()
    links_possible: int | None = None  # from each rank to each other one; not known of load patterns
    not_looked_for: tuple[str, ...] = ()  # kinds of components, each with the reason
    drain: tuple[str, ...] = ()  # names of the hosts to take out of service
    coverage: Coverage | None = None  # of a screening
    expected: tuple[Expected, ...] = field(default=(), compare=False)  # of the links of each size that was judged

    @property
    def conclusion(self) -> Conclusion:
        """The one rule for what a run is called."""
        if self.verdicts or self.links_failed or self.faulty_findings:
            return Conclusion.FAULTS
        if self.unmeasured or self.strong_suspects or not self.covers_enough:
            return Conclusion.UNDECIDED
        return Conclusion.NO_FAULT if self.untested else Conclusion.HEALTHY

    @property
    def faulty_findings(self) -> tuple[Finding, ...]:
        return tuple(finding for finding in self.findings if finding.is_fault)

    @property
    def untested(self) -> tuple[str, ...]:
        """Which of latency and bandwidth no message size shows."""
        return tuple(name for name, sizes in self.tested_sizes.items() if not sizes)

    @property
    def tested_sizes(self) -> dict[str, list[int]]:
        """The message sizes that show latency, and those that show bandwidth."""
        return {
            "latency": [size for size in self.sizes if size <= LATENCY],
            "bandwidth": [size for size in self.sizes if size >= BANDWIDTH],
        }

    @property
    def subjects(self) -> list[tuple[str, ...]]:
        """The names in each verdict."""
        return [verdict.subject for verdict in self.verdicts]

    @property
    def strong_suspects(self) -> tuple[Verdict, ...]:
        """The suspects that are too slow, and too surely so, to call the run healthy."""
        return tuple(suspect for suspect in self.suspects if _is_strong(suspect))

    @property
    def covers_enough(self) -> bool:
        """Whether enough of the plan was measured to say that nothing is faulty."""
        return self.links_measured > 0 and self.links_measured >= ENOUGH * (self.links_planned or 0)


def _is_strong(suspect: Verdict) -> bool:
    slow = suspect.factor is None or suspect.factor >= STRONG_FACTOR
    return slow and suspect.confidence >= STRONG_CONFIDENCE


def describe(verdict: Verdict) -> Mapping[str, object]:
    """The verdict as a JSON object."""
    return {
        "kind": verdict.kind, "subject": list(verdict.subject), "direction": str(verdict.direction),
        "symptom": verdict.symptom, "bytes": verdict.bytes,
        "factor": None if verdict.factor is None else round(verdict.factor, 4),
        "confidence": round(verdict.confidence, 4), "links": verdict.links, "evidence": verdict.evidence,
        "because": verdict.because or None, "scope": str(verdict.scope), "action": verdict.action,
    }  # fmt: skip


NOT_JUDGED = Judgement(verdicts=(), suspects=(), links_measured=0, links_failed=0, sizes=(), remarks=())


@dataclass(frozen=True)
class JudgedRun:
    """A run and its judgement, computed once for the terminal and every page of a report.

    `topology`: what a file tells of the switches, where the user gave one.
    """

    results: Results
    judgement: Judgement
    topology: Topology | None = None
