"""What other formats cannot hold of a run, each in a line: only what this very run has."""

from collections.abc import Iterator

import numpy as np

from everylink.links import Rows
from everylink.report.words import plural
from everylink.results import UNKNOWN, Results


def run_losses(results: Results, kept_kernel: str | None, own_remarks: tuple[str, ...] = ()) -> Iterator[str]:
    """Of the run as a whole; a format that holds one kernel keeps that, and says some remarks by itself."""
    facts, ranks = results.facts, results.ranks
    if facts.created or facts.transport != UNKNOWN:
        yield "when, by what and how it was measured, what ranks were bound to, and what steps were like"
    if facts.kernel != kept_kernel:
        whose = "" if kept_kernel is None else f": its times will count as {kept_kernel}"
        yield f"the kernel, {facts.kernel}{whose}"
    if len(set(ranks.host)) <= ranks.host_index.max():
        yield "which of several hosts of one name is meant: they become one"
    if count := len(set(results.remarks) - set(own_remarks)):
        yield plural(count, "remark")


def has_details(rows: Rows) -> bool:
    """Whether it is known how long connecting took, or how many messages arrived."""
    return bool(np.isfinite(rows.setup).any() or (rows.arrived >= 0).any())
