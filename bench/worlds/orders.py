"""Which pairs of ranks run at the same time: orders of all pairs, and samples."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from worlds.physics import Index

NOBODY = -1


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


def screening(group_of: Index, meet_themselves: bool, steps: int, random: np.random.Generator) -> Order:
    """The schedule `screen:K` over ranks in groups, as core/schedule/screen.cpp makes it.

    Groups meet by the circle method, with as many rounds at the same time as a group has ranks; of groups that also
    `meet_themselves` two ranks take part in each round.
    """
    shuffled = random.permutation(int(group_of.max()) + 1)
    by_size = shuffled[np.argsort(-np.bincount(group_of)[shuffled], kind="stable")]
    player_of = np.argsort(by_size)[group_of]
    size = np.bincount(player_of)
    first = np.cumsum(size) - size
    together = 1 + meet_themselves
    rounds = {players: random.permutation(players - 1 + players % 2) for players in range(2, len(size) + 2)}
    one, other, count = list[Index](), list[Index](), np.zeros(steps, np.int64)
    for step in range(steps):
        drawn = np.lexsort((random.random(len(player_of)), player_of))
        left = list[Index]()
        for place in range(int(size[0])):
            present = int((size > place).sum())
            players = present | 1 if meet_themselves else present
            at = drawn[first[:present] + place]
            met = np.full(present, NOBODY)
            if players > 1:
                number = place // together + -(-int(size[0]) // together) * step
                met = _met(players, int(rounds[players][number % len(rounds[players])]))[:present]
            is_left = (met == NOBODY) | (met >= present)
            left.append(at[is_left])
            leads = ~is_left & (np.arange(present) < met)
            one.append(at[leads])
            other.append(at[met[leads]])
            count[step] += leads.sum()
        rest = np.concatenate(left)
        rest = rest[np.argsort(group_of[rest], kind="stable")][: len(rest) // 2 * 2]
        pairs = rest.reshape(-1, 2) if meet_themselves else rest.reshape(2, -1).T
        one.append(pairs[:, 0])
        other.append(pairs[:, 1])
        count[step] += len(pairs)
    return _ordered(np.repeat(np.arange(steps), count), np.concatenate(one), np.concatenate(other))


def _met(players: int, number: int) -> Index:
    """Whom each player meets in a round of the circle method."""
    rest = players - 1 + players % 2
    met = (2 * number - np.arange(rest)) % rest
    alone = met == np.arange(rest)
    met[alone] = rest if players > rest else NOBODY
    return np.append(met, np.flatnonzero(alone)) if players > rest else met


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
