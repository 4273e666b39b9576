"""Which pairs of ranks run at the same time: orders of all pairs, samples, and the steps of a follow-up plan."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worlds.physics import Index


@dataclass(frozen=True)
class Order:
    """Pairs of ranks and the step of each; no rank occurs twice in a step."""

    step: Index
    a: Index
    b: Index

    def __len__(self) -> int:
        return len(self.step)


@dataclass(frozen=True)
class Asked:
    """A pair of a follow-up plan. Pairs of one `order` may run at the same time.

    `density`: the part of all ranks that is busy meanwhile, filled up with other pairs; 0: the pair runs alone.
    """

    a: int
    b: int
    order: int
    density: float


def circle(ranks: int, label: Index | None = None) -> Order:
    """Every pair once, in steps of disjoint pairs (Kirkman 1847), as `--schedule all`; `label` renames the ranks."""
    even = ranks + ranks % 2
    if ranks < 2:
        return joined([])
    step, place = np.divmod(np.arange((even - 1) * (even // 2)), even // 2)
    last = even - 1
    a = np.where(place == 0, last, (step + place) % last)
    b = (step - place) % last
    kept = (a < ranks) & (b < ranks)
    step, a, b = step[kept], a[kept], b[kept]
    return _ordered(step, a, b) if label is None else _ordered(step, label[a], label[b])


def sample(ranks: int, partners: int, random: np.random.Generator) -> Order:
    """So many random steps of a relabelled tournament, as `--schedule sample:K`: no pair occurs twice."""
    whole = circle(ranks, random.permutation(ranks))
    steps = random.permutation(int(whole.step.max()) + 1)
    place = np.argsort(steps)[whole.step]
    kept = place < partners
    by_step = np.argsort(place[kept], kind="stable")
    return Order(*(column[kept][by_step] for column in (place, whole.a, whole.b)))


def one_by_one(order: Order) -> Order:
    """The same pairs, each in a step of its own."""
    return Order(np.arange(len(order)), order.a, order.b)


def joined(orders: Sequence[Order]) -> Order:
    """One after the other, steps counted on."""
    none = np.zeros(0, np.int64)
    columns: list[list[Index]] = [[none], [none], [none]]
    first = 0
    for order in orders:
        for column, values in zip(columns, (order.step + first, order.a, order.b), strict=True):
            column.append(values)
        first += int(order.step.max(initial=-1)) + 1
    return Order(*(np.concatenate(column) for column in columns))


def steps_of(plan: Sequence[Asked], ranks: int, random: np.random.Generator) -> tuple[Order, Index]:
    """The steps that answer a plan, with fillers; and for each pair of them its number in the plan, -1: a filler."""
    orders, numbers = [joined([])], [np.zeros(0, np.int64)]
    batches: dict[tuple[int, float], list[int]] = {}
    for number, asked in enumerate(plan):
        batches.setdefault((asked.order, asked.density), []).append(number)
    for (_, density), batch in batches.items():
        most = max(1, round(density * ranks / 2))
        for step in _packed([(plan[number].a, plan[number].b) for number in batch], most):
            own = [batch[place] for place in step]
            ends = np.array([[plan[number].a, plan[number].b] for number in own], np.int64)
            idle = random.permutation(np.setdiff1d(np.arange(ranks), ends))
            fillers = max(0, min(most - len(own), len(idle) // 2))
            pairs = np.concatenate([ends, idle[: 2 * fillers].reshape(-1, 2)])
            orders.append(_ordered(np.zeros(len(pairs), np.int64), pairs[:, 0], pairs[:, 1]))
            numbers.append(np.concatenate([own, np.full(fillers, -1)]))
    return joined(orders), np.concatenate(numbers)


def _packed(pairs: list[tuple[int, int]], most: int) -> list[list[int]]:
    """Put each pair into the first step where both ranks are idle and fewer than `most` pairs run."""
    steps: list[list[int]] = []
    taken: dict[int, int] = {}  # for each rank a bit for each of its steps
    full = 0
    for number, (a, b) in enumerate(pairs):
        busy = taken.get(a, 0) | taken.get(b, 0) | full
        first = (~busy & (busy + 1)).bit_length() - 1
        if first == len(steps):
            steps.append([])
        steps[first].append(number)
        for rank in (a, b):
            taken[rank] = taken.get(rank, 0) | 1 << first
        if len(steps[first]) == most:
            full |= 1 << first
    return steps


def _ordered(step: Index, a: Index, b: Index) -> Order:
    return Order(step, np.minimum(a, b), np.maximum(a, b))
