"""Keeps a check in a store."""

from argparse import Namespace
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from everylink.cli.answers import is_brief
from everylink.store.acks import Ack, acks_in, active, first_that_covers, now, quieted, with_acks
from everylink.store.index import index_of
from everylink.store.keep import Kept, folder_name, put, summarised, thin_out
from everylink.store.layout import RUNS, Store
from everylink.store.since import since_last
from everylink.store.summary import seen_in
from everylink.terminal.console import terminal
from everylink.text.check import Checked

Write = Callable[[Checked, Path], None]


def keep_in_store(store: Store, checked: Checked, write: Write, options: Namespace, days: Kept) -> Checked:
    """Make the folder of a check a run of the store; `write` adds the verdict and the report to it, and what is older
    than `days` is thinned out.

    Returns the check as it is answered. Raises EverylinkError: then what was measured is still in `incoming`.
    """
    index = index_of(store)
    acks, damaged = acks_in(store)
    acks = active(acks, now())
    findings = with_acks(seen_in(checked.run, checked.unusable), acks)
    checked, known = _without_acknowledged(checked, acks)
    summary = summarised(index, checked.run, checked.conclusion, findings, checked.where, checked.mode, is_check=True)
    name = folder_name(summary)
    since = [*known, str(since_last(index, summary))]
    if summary.clock_went_back:
        since.append(f"the clock went back: this run says {summary.time}; it is kept as the newest nevertheless")
    kept = replace(checked, folder=store.path / RUNS / name[:4] / name, since=tuple(since))
    write(kept, checked.folder)
    put(store, checked.folder, checked.run.results, summary)
    index = index_of(store)
    thin_out(store, index, days)
    if not is_brief(options):
        for note in (*index.notes, *damaged):
            terminal().print(note, soft_wrap=True)
    return kept


def _without_acknowledged(checked: Checked, acks: Sequence[Ack]) -> tuple[Checked, list[str]]:
    """The check without what is acknowledged, and a line for each thing that is."""
    run = checked.run
    judgement, said = quieted(run.results, run.judgement, acks)
    unusable = dict(checked.unusable)
    for host, reason in checked.unusable.items():
        if (ack := first_that_covers(acks, "host", (host,))) is not None:
            del unusable[host]
            said.append(f"{ack.text}: host {host}: unreachable ({reason})")
    return replace(checked, run=replace(run, judgement=judgement), unusable=unusable), said
