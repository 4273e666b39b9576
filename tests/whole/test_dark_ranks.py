"""A dark or very slow rank costs a few time limits in all, not one per step; on the simulated network, virtual time."""

import numpy as np
import pytest

from conftest import Measure

RANKS, BAD = 24, 3
OK, TIMEOUT, PRESUMED = 0, 1, 5


def test_a_dark_host_costs_a_few_time_limits_and_all_other_links_are_measured(measure: Measure) -> None:
    limit = 3
    done = measure("--np", RANKS, "--mode", f"sim:dead-host={BAD}", "--time-limit", limit, "--num-slowest", 0, expect=3)
    main = done.only.main()
    of_bad = (main["from"] == BAD) | (main["to"] == BAD)
    assert set(main["outcome"][~of_bad]) == {OK}
    assert len(main["from"]) == RANKS * (RANKS - 1)
    tried = main["outcome"][of_bad] == TIMEOUT
    assert np.isin(main["outcome"][of_bad], (TIMEOUT, PRESUMED)).all()
    # Eight in a row, up to two that were decided before it was known, and the probes at 1, 2, 4 and 8 steps.
    assert 16 <= tried.sum() <= 2 * (8 + 2 + 4)
    last = done.steps["began"][: RANKS - 1].max()
    assert last < 5 * limit, "each step would have cost a limit"


def test_three_pairs_of_a_dark_host_are_retried_and_the_others_reported(measure: Measure) -> None:
    done = measure("--np", RANKS, "--mode", f"sim:dead-host={BAD}", "--num-slowest", 0, expect=3)
    again = done.only.where(done.only["attempt"] == 2)
    assert len(again["from"]) == 6
    assert set(again["outcome"]) == {TIMEOUT}
    assert done.attributes["failed_not_retried"] == 2 * (RANKS - 1) - 6
    assert f"host n{BAD:02}: 46 of 46 links" in done.out
    assert "40 not tried again" in done.out


def test_without_a_retest_budget_nothing_is_retried(measure: Measure) -> None:
    arguments = ["--np", 6, "--mode", "sim:dead=1>2", "--retest-budget", 0, "--num-slowest", 0]
    done = measure(*arguments, expect=3)
    assert set(done.only["attempt"]) == {0}


@pytest.mark.long
def test_a_far_slower_rank_does_not_delay_every_step(measure: Measure) -> None:
    done = measure("--np", RANKS, "--mode", f"sim:slow-host={BAD}*0.005", "-s", "4MiB", "--num-slowest", 0, expect=3)
    main = done.only.main()
    of_bad = (main["from"] == BAD) | (main["to"] == BAD)
    measured = of_bad & (main["outcome"] == OK)
    assert set(main["outcome"][~of_bad]) == {OK}
    assert (main["n"][~of_bad] == 100).all()
    assert measured.sum() >= 2 * (RANKS - 1) - 8
    assert (main["n"][measured] >= 1).all()
    exact = 4194304 / (12.5e9 * 0.005) + 1e-6 / 0.005
    assert np.allclose(main["mean"][measured], exact, rtol=1e-4)
    # The first steps run at full length, then it gets fewer messages. With all of them, each step would take 30 s.
    all_messages = 2 * 2 * 110 * exact
    assert done.steps["began"][: RANKS - 1].max() < 4 * all_messages
    # Three of the shortened pairs are measured in full at the end, alone.
    again = done.only.where(done.only["attempt"] == 2)
    cut = {(a, b) for a, b in main.where(of_bad & (main["outcome"] != OK)).links()}
    assert set(again.links()) <= cut | {(b, a) for a, b in cut}
    assert len(again["from"]) == 6
    assert (again["n"] == 100).all()
    assert set(again["outcome"]) == {OK}
