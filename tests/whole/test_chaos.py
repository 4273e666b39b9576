"""Under random faults a run ends in time, its file opens and names what failed, and no process remains.

To repeat a failed seed: EVERYLINK_CHAOS_SEED=17 pytest tests/whole/test_chaos.py; 0-99 is a range of seeds.
"""

import io
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import chaos
import netns
import numpy as np
import pytest
from chaos import SUPERVISOR, Seen
from rich.console import Console

from conftest import read_plainly
from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.model.results import Results, Size
from everylink.terminal.summary import print_summary

OK, TIMEOUT, BROKEN, CORRUPT, ABSENT, PRESUMED = range(6)
LONG = bool(os.environ.get("EVERYLINK_TEST_LONG"))


# Quick seeds that cover each kind of fault.
QUICK_HERE, QUICK_BED = (3, 5, 11, 14, 33), (1, 4)


def seeds(quick: tuple[int, ...], long: int) -> tuple[int, ...]:
    if wanted := os.environ.get("EVERYLINK_CHAOS_SEED"):
        first, _, last = wanted.partition("-")
        return tuple(range(int(first), int(last or first) + 1))
    return tuple(range(long)) if LONG else quick


@pytest.fixture(scope="module")
def figures(request: pytest.FixtureRequest) -> Iterator[list[Seen]]:
    """Collects all runs, adopts their orphans meanwhile, and prints a summary at the end."""
    runs: list[Seen] = []
    chaos.adopt_orphans(True)
    yield runs
    chaos.adopt_orphans(False)
    capture = request.config.pluginmanager.getplugin("capturemanager")
    with capture.global_and_fixture_disabled():
        print("\n" + told(runs))


def told(runs: list[Seen]) -> str:
    """The summary of many runs."""
    kinds = Counter(fault.kind for run in runs for fault in run.planted)
    codes = Counter(run.code for run in runs)
    nearest = max(runs, key=lambda run: run.took / run.scenario.limit, default=None)
    longest = max(runs, key=lambda run: run.took, default=None)
    lines = [
        f"chaos: {len(runs)} runs, {sum(kinds.values())} faults: "
        + ", ".join(f"{count} {kind}" for kind, count in kinds.most_common()),
        "chaos: exit codes " + ", ".join(f"{code}: {count}" for code, count in codes.most_common()),
    ]
    if longest and nearest:
        lines.append(
            f"chaos: longest run {longest.took:.1f} s (seed {longest.scenario.seed}); nearest to its limit: "
            f"{nearest.took:.1f} of {nearest.scenario.limit:.0f} s (seed {nearest.scenario.seed})"
        )
    return "\n".join(lines)


@pytest.mark.parametrize("seed", seeds(QUICK_HERE, 140))
@pytest.mark.one_in(5)
def test_a_run_survives_random_faults_of_its_ranks(seed: int, tmp_path: Path, figures: list[Seen]) -> None:
    judge(chaos.in_processes(seed, tmp_path), tmp_path / "x.h5", figures)


@pytest.fixture(scope="module")
def bed_possible() -> None:
    netns.skip_unless_possible()


@pytest.mark.usefixtures("bed_possible")
@pytest.mark.parametrize("seed", seeds(QUICK_BED, 60))
@pytest.mark.one_in(2)
def test_a_run_survives_random_faults_of_its_network(seed: int, tmp_path: Path, figures: list[Seen]) -> None:
    judge(chaos.in_bed(seed, tmp_path), tmp_path / "x.h5", figures)


def judge(seen: Seen, path: Path, figures: list[Seen]) -> None:
    """Check everything that is promised of a run; a failure states all that is needed to reproduce it."""
    figures.append(seen)
    try:
        check_end(seen)
        if path.exists():
            check_file(seen, path)
        else:
            assert seen.code not in (0, 3), "the run ended well without a file"
            assert seen.before_the_file, "there is no file, though nothing happened before it was made"
    except BaseException as error:
        error.add_note(seen.told())
        raise


def check_end(seen: Seen) -> None:
    assert seen.code is not None, f"the run had not ended within {seen.scenario.limit:.0f} s"
    assert not seen.left_over, "processes were left over"
    supervisor = seen.kinds(SUPERVISOR)
    if "end supervisor" in supervisor:
        return
    if seen.code in (-signal.SIGTERM, -signal.SIGINT):
        assert seen.before_the_file, "a signal was not heeded"
        return
    assert seen.code in (0, 1, 3), "the exit code is none of ours"
    if seen.code == 1:
        may_fail = (
            seen.before_the_file or supervisor & {"term", "int"} or rank_0_is_lost(seen) or is_cut_off_at_the_end(seen)
        )
        assert may_fail, "a fault of the machine was said, and there was none"
    assert "terminate called" not in seen.err
    assert "Sanitizer" not in seen.err


def rank_0_is_lost(seen: Seen) -> bool:
    """Whether it was killed, stopped, or possibly cut off from the others by the network."""
    return bool(seen.kinds(0)) or any("h0" in word for fault in seen.planted for word in fault.words)


def is_cut_off_at_the_end(seen: Seen) -> bool:
    """Whether a host of a bed fell dark after its links were measured: then only its own rank says that it failed."""
    return seen.in_bed and bool(suspects(seen)) and "lost the connection to rank 0" in seen.out + seen.err


def suspects(seen: Seen) -> set[int]:
    """The ranks with links that may fail."""
    named = {
        int(host) for f in seen.planted for w in f.words[2:] for host in w.replace("h", "").split(">") if host.isdigit()
    }
    percent_and_all = {rank for rank in named if rank < seen.scenario.ranks}
    return percent_and_all | {fault.rank for fault in seen.planted if fault.rank >= 0}


def check_file(seen: Seen, path: Path) -> None:
    began = time.monotonic()
    results = read(path)
    assert time.monotonic() - began < 60 * chaos.PATIENCE
    try:
        raw = read_plainly(path)
    except OSError:
        assert not results.facts.complete, "a complete file does not open plainly"
        assert not results.facts.interrupted, "a file that was closed after a signal does not open plainly"
        raw = read_plainly(path, swmr=True)
    assert raw.attributes["complete"] == results.facts.complete
    assert results.parts_left_out == ()
    print_summary(judged(results), Console(file=io.StringIO(), width=160))
    for size in results.sizes:
        check_rows(seen, size)
    check_agreement(seen, results)
    if results.facts.complete:
        for size in results.sizes:
            check_whole(results, size)


def check_rows(seen: Seen, size: Size) -> None:
    """The rows are possible, and only links of ranks hit by a fault have failed."""
    rows, blamed = size.rows, np.array(sorted(suspects(seen)), np.uint32)
    ok = rows.outcome == OK
    assert (rows.median[ok] > 0).all()
    assert (rows.n[ok] > 0).all()
    assert not np.isin(rows.outcome, [CORRUPT]).any(), "wrong bytes without --check"
    innocent = ~ok & ~np.isin(rows.frm, blamed) & ~np.isin(rows.to, blamed)
    if any("h0" in word for fault in seen.planted for word in fault.words):
        return  # a rank that does not hear rank 0 is absent, whatever its own links are
    accused = sorted({(int(rows.frm[i]), int(rows.to[i]), int(rows.outcome[i])) for i in np.flatnonzero(innocent)})
    assert not accused, f"links without a fault are said to have failed: {accused}"


def check_agreement(seen: Seen, results: Results) -> None:
    """The exit code agrees with the file."""
    failed = any(size.links.failed.any() for size in results.sizes)
    if "end supervisor" in seen.kinds(SUPERVISOR) and not results.facts.complete:
        return
    # In a bed it is the highest of all ranks: 1 if one has lost rank 0; 3 overrides it.
    ended_well = {0, 1, 3} if seen.in_bed else {0, 3}
    assert results.facts.complete <= (seen.code in ended_well), "the exit code and `complete` contradict each other"
    assert results.facts.complete or seen.code != 0, "an incomplete run ended well"
    assert results.facts.complete or seen.in_bed or seen.code != 3, "an incomplete run ended well"
    if results.facts.complete:
        assert failed == (seen.code == 3), "the exit code and the outcomes contradict each other"
    if results.facts.interrupted:
        assert seen.kinds(SUPERVISOR) & {"term", "int"}, "no signal was sent, and the file says that one was"


def check_whole(results: Results, size: Size) -> None:
    """Each link occurs exactly once in every iteration."""
    ranks, rows = len(results.ranks), size.rows
    main = rows.attempt == 0
    iteration = results.steps.iteration[rows.step[main]]
    links = rows.frm[main].astype(np.int64) * ranks + rows.to[main]
    expected = np.array([a * ranks + b for a in range(ranks) for b in range(ranks) if a != b])
    for turn in np.unique(iteration):
        found = np.sort(links[iteration == turn])
        missing, twice = np.setdiff1d(expected, found), found[:-1][np.diff(found) == 0]
        assert not len(missing), f"iteration {turn}: no row for links {[divmod(int(m), ranks) for m in missing]}"
        assert not len(twice), f"iteration {turn}: two rows for links {[divmod(int(m), ranks) for m in twice]}"


if __name__ == "__main__":
    sys.exit(pytest.main([__file__, *sys.argv[1:]]))
