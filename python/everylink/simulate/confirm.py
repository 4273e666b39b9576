"""Measures the suspects of a made-up cluster again, as `everylink run --confirm` does with a real one."""

from dataclasses import replace
from typing import Protocol

import numpy as np

from everylink.analysis.judge.confirm import ITERATIONS, ROUNDS, pairs_to_confirm
from everylink.analysis.judge.grouping import Grouping
from everylink.links import CONFIRM, DIRECTION, Rows
from everylink.results import Results
from everylink.simulate.fabric import Index


class Measurable(Protocol):
    """A fabric whose links can be measured again."""

    def measure(self, frm: Index, to: Index, size: int, attempt: int, draw: int) -> Rows: ...
    def one_way(self) -> "Measurable": ...


def confirmed(fabric: Measurable, results: Results, grouping: Grouping | None = None) -> Results:
    """The same results with rows of attempt CONFIRM behind them."""
    for turn in range(ROUNDS):
        wanted = pairs_to_confirm(results, grouping)
        if not len(wanted.pairs):
            break
        frm, to = np.concatenate([wanted.pairs, wanted.pairs[:, ::-1]]).T
        sizes = []
        for size in results.sizes:
            again = [
                fabric.measure(frm, to, size.bytes, CONFIRM, turn * ITERATIONS + draw) for draw in range(ITERATIONS)
            ]
            if wanted.one_way:
                again.append(fabric.one_way().measure(frm, to, size.bytes, DIRECTION, turn))
            sizes.append(replace(size, rows=size.rows.with_more(again)))
        results = replace(results, sizes=tuple(sizes))
    return results
