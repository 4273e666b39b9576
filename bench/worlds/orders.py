"""Which pairs of ranks run at the same time: orders of all pairs, and samples."""

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


def _ordered(step: Index, a: Index, b: Index) -> Order:
    return Order(step, np.minimum(a, b), np.maximum(a, b))
