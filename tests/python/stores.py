"""Stores of simulated nights, made in memory: no results file is written or read."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from everylink.cli.kinds import judged
from everylink.judge.verdict import JudgedRun
from everylink.model.results import Results
from everylink.simulate.fabric import Fabric, all_links
from everylink.simulate.faults import parse_fault
from everylink.simulate.results import measured
from everylink.store.index import Index, index_of
from everylink.store.keep import put, summarised
from everylink.store.layout import Store, opened_or_new
from everylink.store.summary import seen_in

HOSTS = 12
Change = Callable[[Results], Results]


def time_of(day: int) -> str:
    """Two o'clock of a day of November or later."""
    return f"2026-{11 + (day - 1) // 30:02}-{(day - 1) % 30 + 1:02}T02:00:00Z"


def night(day: int, faults: Sequence[str] = (), hosts: int = HOSTS, sizes: Sequence[int] = (2**20,)) -> Results:
    """What is measured in a night; the day is the seed, too."""
    fabric = Fabric(
        hosts=hosts, ranks_per_host=1, group_size=hosts, noise=0.01, transient=0.0, messages=100, seed=day,
        faults=tuple(map(parse_fault, faults)), both_directions=True,
    )  # fmt: skip
    results = measured(fabric, all_links(hosts), list(sizes), Path(f"night-{day}.h5"), "everylink simulate")
    return replace(results, facts=replace(results.facts, created=time_of(day)))


def kept(store: Store, results: Results, *, is_check: bool = False, unusable: dict[str, str] | None = None) -> Path:
    """The folder of a run that is put into a store."""
    return run_kept(store, judged(results), is_check=is_check, unusable=unusable)


def run_kept(store: Store, run: JudgedRun, *, is_check: bool = False, unusable: dict[str, str] | None = None) -> Path:
    """The same of a run that is judged already."""
    findings = seen_in(run, unusable or {})
    summary = summarised(
        index_of(store), run, run.judgement.conclusion, findings, "here", "simulate", is_check=is_check
    )
    return put(store, store.new_folder("new"), run.results, summary)


def nights(path: Path, faults: Sequence[Sequence[str]], hosts: int = HOSTS) -> tuple[Store, Index]:
    """A store with a night for each list of faults."""
    store = opened_or_new(path)
    for day, planted in enumerate(faults, 1):
        kept(store, night(day, planted, hosts))
    return store, index_of(store)
