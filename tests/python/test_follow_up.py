"""Tests the plan of --confirm: its file, and how simulated clusters answer it."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conftest import Command
from everylink.io.plan_file import plan_text
from everylink.io.read import read
from everylink.judge.confirm import plan_to_confirm
from everylink.model.plan import PHASES, Plan
from everylink.model.rows import ALONE, MAIN, ONE_WAY, ORDER, QUARTER
from everylink.simulate.fabric import Fabric
from everylink.simulate.faults import parse_fault
from everylink.simulate.follow_up import passes_of
from fabric_runs import fabric_run
from make_loads import flow, make_load

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


def test_only_phases_can_be_planned() -> None:
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
    assert (np.bincount(rows.attempt, minlength=7)[[ONE_WAY, ALONE]] == 2 * 3 * len(PAIRS)).all()
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
    np.testing.assert_array_equal(plan.pairs["one-way"], pairs)
    lightly = set(map(tuple, plan.pairs["quarter"].tolist()))  # and others, which show what is slow now and then
    assert lightly >= set(map(tuple, pairs.tolist()))


def test_links_of_a_run_that_sends_both_ways_at_once_are_measured_alone_so_too() -> None:
    run = fabric_run("slow-host:n5*0.7", hosts=24)
    plan = plan_to_confirm(replace(run, facts=replace(run.facts, kernel="bidirectional")), None)
    assert set(plan.pairs) == {"order", "quarter", "alone", "one-way"}
    np.testing.assert_array_equal(plan.pairs["alone"], plan.pairs["one-way"])


def test_a_simulated_file_has_the_true_steps_of_what_was_measured_again(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    code, _, said = everylink("simulate", "--hosts", 20, "--fault", "slow-host:n3*0.7", "--confirm", "-o", path)
    assert code == 0, said
    results = read(path)
    rows = results.sizes[-1].rows
    again = rows.attempt != MAIN
    assert set(rows.attempt[again].tolist()) == {ORDER, QUARTER, ONE_WAY}
    assert int(rows.step.max()) == len(results.steps.began) - 1
    led = np.stack([rows.step[again], rows.frm[again]])
    assert len(np.unique(led, axis=1).T) == int(again.sum())


def test_diagnose_writes_a_plan_that_answered_from_outside_as_a_matrix_names_the_planted_host(
    tmp_path: Path, everylink: Command
) -> None:
    h5, matrix, plan = tmp_path / "x.h5", tmp_path / "x.csv", tmp_path / "plan.txt"
    fault = "slow-host:n3*0.9"
    assert everylink("simulate", "--hosts", 24, "--fault", fault, "--noise", 0.05, "--sizes", 1 << 20, "-o", h5)[0] == 0
    fabric = Fabric(hosts=24, noise=0.05, faults=(parse_fault(fault),), seed=1)
    assert everylink("convert", h5, matrix)[0] == 0
    h5.unlink()
    for turn in range(5):
        assert everylink("convert", matrix, h5, "--kernel", "semidirectional", "--force")[0] == 0
        code, out, err = everylink("diagnose", h5, "--plan", plan, "--force")
        assert err == ""
        if out.endswith(f"{plan}: nothing to confirm\n"):
            break
        _answer_from_outside(fabric, plan, matrix, turn)
    assert turn > 0
    assert _parts(plan.read_text())[1] == []
    assert code == 3
    assert "host n3: slow" in out
    assert out.count("FAULTS: 1 host\n") == 1


def _answer_from_outside(fabric: Fabric, plan: Path, matrix: Path, turn: int) -> None:
    """Measure each line of a plan by itself, as another simulator may."""
    header, *known = matrix.read_text().splitlines()
    names = header.split(",")
    step = 1 + max(int(line.split(",")[names.index("step")]) for line in known)
    for line in _parts(plan.read_text())[1]:
        a, b, name = line.split()
        phase = next(phase for phase in PHASES if phase.name == name)
        of = fabric.one_way() if phase.one_way else fabric
        for _ in range(phase.readings):
            ends = np.array([int(a), int(b)])
            rows = of.measure(ends, ends[::-1], 1 << 20, phase.attempt, 1000 * turn + step)
            for frm, to, seconds in zip(rows.frm, rows.to, rows.median, strict=True):
                value = {"from": frm, "to": to, "host_from": f"n{frm}", "host_to": f"n{to}", "bytes": 1 << 20}
                value |= {"seconds": seconds, "outcome": "ok", "late": 0, "n": 1, "step": step, "attempt": name}
                known.append(",".join(str(value.get(column, "")) for column in names))
            step += 1
    matrix.write_text("\n".join([header, *known]) + "\n")


def test_an_existing_file_is_no_plan_to_overwrite_and_a_load_pattern_has_none(
    tmp_path: Path, everylink: Command
) -> None:
    h5, plan = tmp_path / "x.h5", tmp_path / "plan.txt"
    assert everylink("simulate", "--hosts", 8, "-o", h5)[0] == 0
    plan.write_text("precious")
    code, out, err = everylink("diagnose", h5, "--plan", plan)
    assert (code, out) == (2, "")
    assert f"{plan}: exists; --force overwrites it" in err
    assert plan.read_text() == "precious"
    code, out, err = everylink("diagnose", h5, "--plan", plan, "--force", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out)["verdicts"] == []
    assert plan.read_text() == plan_text(plan_to_confirm(read(h5), None))
    pattern = make_load(tmp_path / "pattern.h5", "incast", [flow(0, 1, 0, 1e9)], [1])
    code, _, err = everylink("diagnose", pattern, "--plan", tmp_path / "none.txt")
    assert code == 2
    assert "--plan: applies only to links" in err
    assert "has no plan" in err
    assert not (tmp_path / "none.txt").exists()
