"""Keeps a check in a store."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from everylink.cli.answers import is_brief
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
    findings = seen_in(checked.run, checked.unusable)
    summary = summarised(index, checked.run, checked.conclusion, findings, checked.where, checked.mode, is_check=True)
    name = folder_name(summary)
    since = [str(since_last(index, summary))]
    if summary.clock_went_back:
        since.append(f"the clock went back: this run says {summary.time}; it is kept as the newest nevertheless")
    kept = replace(checked, folder=store.path / RUNS / name[:4] / name, since=tuple(since))
    write(kept, checked.folder)
    put(store, checked.folder, checked.run.results, summary)
    index = index_of(store)
    thin_out(store, index, days)
    if not is_brief(options):
        for note in index.notes:
            terminal().print(note, soft_wrap=True)
    return kept
