"""A world: a structure with planted parts, which is measured as the core would, and answers follow-up plans."""

import itertools
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import numpy as np

from everylink.io.foreign import bare_facts, bare_ranks
from everylink.model.plan import Plan
from everylink.model.results import Ranks, Results, Size, Steps
from everylink.model.rows import MAIN, Outcome, Rows, chosen, joined
from everylink.simulate.follow_up import passes_of
from worlds import orders
from worlds.facts import inventory
from worlds.faults import ENDS, Fault
from worlds.orders import Order
from worlds.physics import NONE, Flows, Index, Mask, Values, chance, fair_rates
from worlds.structures import Structure

BLOCK = 1 << 18  # flows that are computed together
SHOWS = 1e-3  # log factor of a single row from which a part counts as its cause
CLEAR, CLEAR_LINK, FEWEST = 6.0, 1.08, 4
PART = 0.1  # of what a part costs with one other, from which it shows with another one
LOMAX = 0.75**0.5  # standard deviation of Lomax's distribution of shape 3
LATE = 0.001  # part of the messages that come late anywhere
MOMENTS = 16  # at which a pair is taken alone: routes may change
AGAIN = 1 << 32  # moments of a follow-up begin here: routes and intermittent parts are drawn anew
BOTH_WAYS, ONE_WAY, AT_ONCE = "semidirectional", "unidirectional", "bidirectional"


@dataclass(frozen=True)
class Visible:
    """How clearly a planted part shows to an observer who knows the structure: the median log factor over the rows
    that it touches, and that many standard errors; both 0 where nothing measured shows it.

    `partners`: with how many others each of its hosts shows it, or its rank; all of them if that is not counted.
    """

    log_factor: float
    errors: float
    partners: float = np.inf

    def counts(self, fault: Fault, structure: Structure) -> bool:
        """Whether missing the part is a mistake: 6 standard errors, links also 8 %, ends only among 4 hosts or more, if
        they are slow of one kind, and if they show with 3 others, leaves and the ways between them from 4 leaves on,
        and among as many of equal hosts. An end that shows with one other only may as well be that one."""
        if fault.kind in ("leaf", "uplink", "trunk") and _equals(fault, structure) < FEWEST:
            return False
        is_slow = fault.kind in ENDS and not fault.dark and not fault.late
        if is_slow and structure.hosts > 1 and _equal_hosts(fault, structure) < FEWEST:
            return False
        if fault.kind in ("link", "one-way link"):
            return bool(self.errors >= CLEAR and self.log_factor >= np.log(CLEAR_LINK))
        is_among_few = 1 < structure.hosts < FEWEST or self.partners < FEWEST - 1
        return self.errors >= CLEAR and not is_among_few


def _equal_hosts(fault: Fault, structure: Structure) -> int:
    """How many hosts are of the kind of one of this fault's hosts, itself among them; of the kind that has fewest."""
    kind_of = structure.kind_of_host
    return int(np.bincount(kind_of)[kind_of[list(fault.hosts)]].min())


def _equals(fault: Fault, structure: Structure) -> int:
    """How many leaves, or ways between two, have the same kinds of hosts as this one, itself among them."""
    kinds = structure.kinds_of_groups
    own = np.unique(structure.group[list(fault.hosts)]).tolist()
    if fault.kind != "trunk":
        return kinds.count(kinds[own[0]])
    ends = sorted(kinds[end] for end in own)
    return sum(sorted(pair) == ends for pair in itertools.combinations(kinds, 2))


@dataclass(frozen=True)
class Costs:
    """Latency of each flow in seconds, and its rate in bytes per second; `touched` [fault, flow]: by which faults."""

    latency: Values
    rate: Values
    touched: Mask


@dataclass(frozen=True)
class World:
    """`noise`: standard deviation of the log time of a row. `partners`: of each rank, in a sample; 0: all others.

    A `screening` takes this many steps, once, spread evenly over the groups of hosts; 0: all pairs, or the sample.

    Each of `iterations` measures all pairs again, `relabelled` in a new order; `serial`: one pair at a time.
    """

    structure: Structure
    faults: tuple[Fault, ...] = ()
    seed: int = 1
    sizes: tuple[int, ...] = (1, 1 << 16, 1 << 20)
    iterations: int = 3
    relabelled: bool = False
    serial: bool = False
    partners: int = 0
    screening: int = 0
    kernel: str = BOTH_WAYS
    noise: float = 0.01
    messages: int = 50

    @cached_property
    def order(self) -> Order:
        """The pairs of the main run, with true steps."""
        ranks, random = self.structure.ranks, np.random.default_rng([self.seed, 1])
        made = []
        if self.screening:
            of_host, have_leaves = self.structure.group, bool(self.structure.group.any())
            groups = (of_host if have_leaves else np.arange(self.structure.hosts)).repeat(self.structure.each)
            return orders.screening(groups, have_leaves, self.screening, random)
        for turn in range(self.iterations):
            if self.partners:
                made.append(orders.sample(ranks, self.partners, np.random.default_rng([self.seed, 2])))
            else:
                label = random.permutation(ranks) if self.relabelled and turn else None
                made.append(orders.circle(ranks, label))
        whole = orders.joined(made)
        return orders.one_by_one(whole) if self.serial else whole

    @cached_property
    def costs(self) -> Costs:
        """Of the main run."""
        return self.costs_of(self.order, MAIN)

    @cached_property
    def results(self) -> Results:
        """The main run."""
        order, structure = self.order, self.structure
        sizes = tuple(
            Size(size, 1, structure.ranks, self._rows(order, self.costs, size, MAIN, 0)) for size in sorted(self.sizes)
        )
        steps = int(order.step.max(initial=-1)) + 1
        turns = 1 if self.screening else self.iterations
        per_turn = max(1, steps // turns)
        schedule = f"sample:{self.partners}" if self.partners else "all"
        facts = bare_facts(
            self.kernel, transport="worlds", ranks=structure.ranks, hosts=structure.hosts, messages=self.messages,
            schedule=f"screen:{self.screening}" if self.screening else schedule, seed=self.seed,
        )  # fmt: skip
        facts = replace(facts, serial=self.serial, min_iterations=turns)
        turn = (np.arange(steps) // per_turn).astype(np.uint32)
        overlap = np.full(steps, 0.0 if self.serial else 1.0, np.float32)
        none = np.zeros(steps, np.uint32)
        about = Steps(turn, none.astype(np.uint64), np.linspace(0, steps / 100, steps), overlap, none)
        path, read = Path("worlds"), lambda: inventory(structure)
        return Results(path, facts, self.ranks, about, sizes, read_inventory=read)

    @cached_property
    def ranks(self) -> Ranks:
        structure = self.structure
        rank = np.arange(structure.ranks)
        of, local = rank // structure.each, rank % structure.each
        bare = bare_ranks([f"n{host}" for host in of], of, local)
        if structure.hosts == 1:
            return bare
        single = structure.single[of]  # such hosts have one socket
        socket = np.where(single, 0, structure.socket[local]).astype(np.int32)
        far = structure.position_rate[structure.place_of(rank)] < 1
        return replace(
            bare,
            device=tuple(f"{structure.device(rail)} port 1" for rail in structure.rail_of(rank).tolist()),
            numa=socket,
            numa_distance=np.where(far, 20, 10).astype(np.int32),
            adapters=np.where(single, 1, 1 if structure.bonded else structure.rails).astype(np.int32),
        )

    def answer(self, plan: Plan, size: int, turn: int) -> Rows:
        """Fresh readings of a plan, the `turn`-th of this world, and of the pairs that filled up; true steps from 0."""
        parts = []
        for one in passes_of(plan, self.structure.ranks, self.seed, turn):
            world, order = self.one_way() if one.phase.one_way else self, Order(one.step, one.a, one.b)
            parts.append(world._rows(order, world.costs_of(order, turn + 1), size, one.phase.attempt, one.draw + 1))
        return joined(parts)

    def one_way(self) -> "World":
        """The same world, measured one way."""
        return replace(self, kernel=ONE_WAY)

    def visible(self, fault: Fault) -> Visible:
        """What the main run shows of one planted part, at the message size that shows it best."""
        touched = self.costs.touched[self.faults.index(fault)] & self.structure.reachable(self.order.a, self.order.b)
        if fault.dark:
            return Visible(np.inf, np.inf)
        if fault.late:
            messages = 2 * int(touched.sum()) * self.messages
            errors = fault.late * np.sqrt(messages / LATE)
            return Visible(float(np.log1p(fault.late * fault.lateness)), float(errors))
        without = replace(self, faults=tuple(other for other in self.faults if other is not fault))
        usual = [(size, self.true_times(without.costs, size)) for size in self.sizes]
        longer = [(np.log(self.true_times(self.costs, size) / times), times) for size, times in usual]
        shown = [self._shown(log[:, touched], times) for log, times in longer]
        best = max(range(len(shown)), key=lambda one: shown[one].errors)
        partners = self._partners(fault, longer[best][0]) if fault.kind in ENDS else np.inf
        return replace(shown[best], partners=partners)

    def longer_alone(self, one: int, other: int) -> float:
        """The log of the factor by which messages between two hosts take longer for the planted parts, measured one
        pair of ranks at a time, 16 times: the median, at the message size that shows it best. 0 for what is dark."""
        each = np.arange(self.structure.each)
        a, b = (grid.ravel() for grid in np.meshgrid(one * len(each) + each, other * len(each) + each))
        a, b = np.tile(np.minimum(a, b), MOMENTS), np.tile(np.maximum(a, b), MOMENTS)
        reached = self.structure.reachable(a, b)
        order = Order(np.arange(int(reached.sum())), a[reached], b[reached])
        if not len(order):
            return 0.0
        costs, usual = (world.costs_of(order, 1) for world in (self, replace(self, faults=())))
        longer = (np.log(self.true_times(costs, size) / self.true_times(usual, size)) for size in self.sizes)
        return max(float(np.median(of_size)) for of_size in longer)

    def _partners(self, fault: Fault, longer: Values) -> int:
        """The fewest of the others, hosts or ranks, with which one of the fault's hosts, or its rank, takes longer: on
        average at least PART of what it does with the one where it shows most. `longer`: log factors as true_times."""
        of_ranks = bool(len(fault.ranks))
        ends = [end if of_ranks else end // self.structure.each for end in (self.order.a, self.order.b)]
        fewest = self.structure.ranks
        for own in fault.ranks.tolist() if of_ranks else fault.hosts:
            at = (ends[0] == own) != (ends[1] == own)
            other = np.where(ends[0] == own, ends[1], ends[0])[at]
            means = np.bincount(other, longer.max(axis=0)[at]) / np.maximum(np.bincount(other), 1)
            fewest = min(fewest, int((means >= max(PART * means.max(initial=0.0), SHOWS * PART)).sum()))
        return fewest

    def _shown(self, longer: Values, times: Values) -> Visible:
        """`longer`: the log factors of the rows that a part touches; `times`: of all rows without it."""
        effect = longer[longer > SHOWS]
        if not len(effect):
            return Visible(0.0, 0.0)
        factor = float(np.median(effect))
        noise = self.noise
        if self.structure.interrupts:
            noise = float(np.hypot(noise, LOMAX * self.structure.interrupts / np.median(times)))
        return Visible(factor, factor / noise * float(np.sqrt(len(effect))))

    def true_times(self, costs: Costs, size: int) -> Values:
        """Seconds without noise, [2, pair]: the row from each pair's smaller rank, and the row from its larger one."""
        there, back = costs.latency + size / costs.rate
        if self.kernel == ONE_WAY:
            return np.stack([there, back])
        both = np.maximum(there, back) if self.kernel == AT_ONCE else (there + back) / 2
        return np.stack([both, both])

    def costs_of(self, order: Order, draw: int) -> Costs:
        """In a step the smaller rank of each pair leads in one phase, the other in the next; at once: in one phase.

        Which of the two comes first alternates by step, as in the core.
        """
        when, count = self._when(order, draw), len(order)
        from_a = order.step % 2 == 0
        leads, follows = np.where(from_a, order.a, order.b), np.where(from_a, order.b, order.a)
        frm, to = np.concatenate([leads, follows]), np.concatenate([follows, leads])
        at_once = self.kernel == AT_ONCE
        phase = np.tile(order.step, 2) * 2 + (0 if at_once else np.repeat([0, 1], count))
        costs = self._of_phases(phase, frm, to, np.tile(when, 2))
        turned = np.where(from_a, np.arange(count), np.arange(count) + count)
        both = np.stack([turned, (turned + count) % (2 * count)])
        touched = costs.touched[:, both[0]] | costs.touched[:, both[1]]
        return Costs(costs.latency[both], costs.rate[both], touched)

    def _when(self, order: Order, draw: int) -> Index:
        return np.asarray(order.step + (AGAIN * (draw + 1) if draw else 0) + self.seed * 7919)

    def _progress(self, when: Index) -> Values:
        """The part of the main run that is over; 1 in what follows it."""
        last = int(self.order.step.max(initial=0))
        return np.minimum((when - self.seed * 7919) / max(last, 1), 1.0)

    def _of_phases(self, phase: Index, frm: Index, to: Index, when: Index) -> Costs:
        """Flows of one phase run at the same time. Blocks hold whole phases."""
        order = np.argsort(phase, kind="stable")
        in_order = phase[order]
        made = Costs(np.empty(len(phase)), np.empty(len(phase)), np.zeros((len(self.faults), len(phase)), bool))
        begin = 0
        while begin < len(phase):
            last = in_order[min(begin + BLOCK, len(phase)) - 1]
            end = int(np.searchsorted(in_order, last, "right"))
            part = order[begin:end]
            block = self._block(phase[part], frm[part], to[part], when[part])
            made.latency[part], made.rate[part], made.touched[:, part] = block.latency, block.rate, block.touched
            begin = end
        return made

    def _block(self, phase: Index, frm: Index, to: Index, when: Index) -> Costs:
        ways, limit, latency = self.structure.path(frm, to, when)
        flows = Flows(phase, frm, to, ways, limit.copy(), latency.copy())
        capacity = self.structure.capacity
        local = phase - phase[0]
        of_phases = np.tile(capacity, (int(local[-1]) + 1, 1))
        touched = np.zeros((len(self.faults), len(phase)), bool)
        for number, fault in enumerate(self.faults):
            touched[number] = fault.touches(self.structure, flows)
            active = chance(when // fault.stretch, number, self.seed, 9) < fault.steps
            kept = np.where(active, fault.kept(self._progress(when)), 1.0)
            slow = fault.cut(self.structure, flows) & active
            narrow = kept * self._narrowest(flows, capacity)
            flows.limit[slow] = np.minimum(flows.limit[slow], narrow[slow])
            flows.latency[touched[number] & active] += fault.delay
            if len(fault.ways) and fault.rate < 1:
                of_phase = np.ones(len(of_phases))
                of_phase[local] = kept
                at = np.ix_(np.arange(len(of_phases)), fault.ways)
                of_phases[at] = np.minimum(of_phases[at], np.outer(of_phase, capacity[fault.ways]))
        key = np.where(ways == NONE, NONE, ways + (local * len(capacity))[:, None])
        return Costs(flows.latency, fair_rates(key, of_phases.ravel(), flows.limit), touched)

    @staticmethod
    def _narrowest(flows: Flows, capacity: Values) -> Values:
        width = np.where(flows.ways == NONE, np.inf, capacity[flows.ways]).min(axis=1, initial=np.inf)
        return np.asarray(np.minimum(flows.limit, width))

    def _rows(self, order: Order, costs: Costs, size: int, attempt: int, draw: int) -> Rows:
        """Both links of each pair as rows: first all from the smaller ranks, then all from the larger ones."""
        random = np.random.default_rng([self.seed, size, attempt, draw])
        true = self.true_times(costs, size).ravel()
        count = len(true)
        step = np.tile(order.step, 2)
        part = step / max(1, int(step.max(initial=0))) if attempt == MAIN else np.ones(count)
        typical = true * np.exp(self.noise * random.standard_normal(count) + self.structure.drift * part)
        if self.structure.interrupts:
            typical = typical + self.structure.interrupts * random.pareto(3, count)
        disturbed = random.random(count) < self.structure.hyperthreads
        typical = np.where(disturbed, 10 * typical, typical)
        if self.structure.tail:
            longer = random.random(count) < self.structure.tail
            typical = np.where(longer, typical * (1 + random.pareto(1.5, count)), typical)
        share, lateness = np.full(count, LATE), 2 + random.exponential(2, count)
        lost, dark = np.zeros(count, bool), np.zeros(count, bool)
        for fault, hit in zip(self.faults, costs.touched, strict=True):
            touched = np.tile(hit, 2)
            if fault.late:
                share = np.where(touched, share + fault.late, share)
                lateness = np.where(touched, lateness * fault.lateness / 4, lateness)
            lost |= touched & (random.random(count) < fault.missing) & (attempt == MAIN)
            dark |= touched & fault.dark
        a, b = np.concatenate([order.a, order.b]), np.concatenate([order.b, order.a])
        dark |= ~self.structure.reachable(a, b)
        late = random.binomial(self.messages, share)
        ok = ~dark

        def seconds(values: Values) -> np.ndarray[tuple[int], np.dtype[np.float32]]:
            return np.where(ok, values, np.nan).astype(np.float32)

        rows = Rows(
            frm=a.astype(np.uint32), to=b.astype(np.uint32), step=step.astype(np.uint32),
            attempt=np.full(count, attempt, np.uint8),
            outcome=np.where(ok, Outcome.OK, Outcome.TIMEOUT).astype(np.uint8),
            arrived=np.where(ok, self.messages, 0).astype(np.int32), setup=np.full(count, 1e-4, np.float32),
            n=np.where(ok, self.messages, 0).astype(np.uint32),
            min=seconds(typical * (1 - self.noise * random.random(count))), median=seconds(typical),
            mean=seconds(typical * (1 + self.noise / 2 + late / self.messages * lateness)),
            p99=seconds(typical * np.where(late > 0, lateness, 1 + 3 * self.noise)),
            max=seconds(typical * np.where(late > 0, 1.2 * lateness, 1 + 4 * self.noise)),
            late=np.where(ok, late, 0).astype(np.uint32), all_to_all=np.full(count, np.nan, np.float32),
        )  # fmt: skip
        return chosen(rows, ~lost)
