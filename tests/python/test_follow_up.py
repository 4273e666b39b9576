"""Tests the plan of --confirm: its file, and how simulated clusters answer it."""

from pathlib import Path

import numpy as np
import pytest

from conftest import Command
from everylink.io.plan_file import plan_text
from everylink.io.read import read
from everylink.judge.confirm import plan_to_confirm
from everylink.model.plan import PHASES, Plan
from everylink.model.rows import ALONE, CONFIRM, DIRECTION, MAIN, QUARTER
from everylink.simulate.fabric import Fabric
from everylink.simulate.follow_up import passes_of
from fabric_runs import fabric_run

PAIRS = np.array([(0, 1), (0, 2), (3, 4), (5, 9)])
ALL_PHASES = Plan({phase.name: PAIRS for phase in PHASES})


def test_a_plan_is_written_as_a_line_for_each_pair_and_phase_below_a_header_that_says_how_to_measure_it() -> None:
    header, lines = _parts(plan_text(Plan({"order": PAIRS[:2], "alone": PAIRS[:1]})))
    assert lines == ["0 1 order", "0 2 order", "0 1 alone"]
    assert "everylink-measure --confirm" in header
    for phase in PHASES:
        assert f"# {phase.name}: attempt {phase.attempt}, {phase.readings} times" in header
    assert _parts(plan_text(Plan({}))) == (header, [])


def _parts(text: str) -> tuple[str, list[str]]:
    lines = text.splitlines()
    return "\n".join(line for line in lines if line.startswith("#")), [line for line in lines if line[0] != "#"]


def test_only_the_four_phases_can_be_planned() -> None:
    with pytest.raises(ValueError, match="unknown phase 'half'"):
        Plan({"half": PAIRS})


@pytest.mark.parametrize("ranks", [10, 17, 32])
def test_pairs_of_a_step_are_disjoint_and_as_many_as_the_phase_keeps_busy(ranks: int) -> None:
    first = 0
    for one in passes_of(ALL_PHASES, ranks, seed=1, turn=0):
        most = max(1, int(one.phase.busy * ranks / 2))
        steps = np.unique(one.step)
        assert steps[0] == first  # steps count on from pass to pass
        first = int(steps[-1]) + 1
        for step in steps:
            ends = np.concatenate([one.a[one.step == step], one.b[one.step == step]])
            assert len(np.unique(ends)) == len(ends) == 2 * most
        met = list(zip(one.a.tolist(), one.b.tolist(), strict=True))
        assert all(met.count(tuple(pair)) >= 1 for pair in PAIRS.tolist())


def test_each_pass_and_each_turn_draws_other_companions() -> None:
    passes = [one for turn in (0, 1) for one in passes_of(Plan({"quarter": PAIRS}), 32, seed=1, turn=turn)]
    assert len(passes) == 12
    assert len({tuple(map(tuple, np.stack([one.a, one.b]))) for one in passes}) == 12


def test_each_pair_gets_the_readings_of_its_phase_with_a_true_step_each() -> None:
    rows = Fabric(hosts=12, noise=0.0).answer(ALL_PHASES, 8, turn=0)
    for phase in PHASES:
        for a, b in PAIRS.tolist():
            there = (rows.attempt == phase.attempt) & (rows.frm == a) & (rows.to == b)
            assert int(there.sum()) >= phase.readings
            assert len(np.unique(rows.step[there])) == int(there.sum())
    assert (np.bincount(rows.attempt, minlength=7)[[DIRECTION, ALONE]] == 2 * 3 * len(PAIRS)).all()
    led = np.stack([rows.step, rows.frm])
    assert len(np.unique(led, axis=1).T) == len(rows)


def test_all_sizes_of_an_answer_have_the_same_links_steps_and_attempts() -> None:
    fabric = Fabric(hosts=12)
    one, other = (fabric.answer(ALL_PHASES, size, turn=1) for size in (8, 1 << 20))
    for name in ("frm", "to", "step", "attempt"):
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def test_suspects_and_their_controls_are_planned_under_load_at_a_quarter_of_it_and_one_way() -> None:
    plan = plan_to_confirm(fabric_run("slow-host:n5*0.7", hosts=24), None)
    assert set(plan.pairs) == {"order", "quarter", "one-way"}
    pairs = plan.pairs["order"]
    assert int((pairs == 5).any(axis=1).sum()) == 12
    assert int((pairs != 5).all(axis=1).sum()) >= 12  # controls
    for name in ("quarter", "one-way"):
        np.testing.assert_array_equal(plan.pairs[name], pairs)


def test_a_simulated_file_has_the_true_steps_of_what_was_measured_again(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    code, _, said = everylink("simulate", "--hosts", 20, "--fault", "slow-host:n3*0.7", "--confirm", "-o", path)
    assert code == 0, said
    results = read(path)
    rows = results.sizes[-1].rows
    again = rows.attempt != MAIN
    assert set(rows.attempt[again].tolist()) == {CONFIRM, QUARTER, DIRECTION}
    assert int(rows.step.max()) == len(results.steps.began) - 1
    led = np.stack([rows.step[again], rows.frm[again]])
    assert len(np.unique(led, axis=1).T) == int(again.sum())
