"""Rows of one link become one entry, exactly as in a slow reference implementation."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everylink.io.unsaved import settled
from everylink.model.links import Links, newest, pool
from everylink.model.rows import RETEST, Outcome, Rows, outcome_text
from make_results import columns_of, failed_row, row

RANKS = 3
links_of_three = st.sampled_from([(0, 1), (1, 0), (0, 2), (2, 1)])
some_rows = st.lists(
    st.builds(
        lambda link, median, n, outcome, attempt: (
            failed_row(link, outcome, attempt=attempt) if outcome else row(link, median, n=n, attempt=attempt)
        ),
        links_of_three,
        st.floats(1e-7, 1.0),
        st.integers(1, 5000),
        st.sampled_from([0, 0, 0, 1, 3]),
        st.sampled_from([0, 0, 0, 1]),
    ),
    max_size=12,
)


def rows_of(rows: list[dict[str, Any]]) -> Rows:
    columns = columns_of(rows)
    return Rows(frm=columns.pop("from"), all_to_all=np.full(len(rows), np.nan, np.float32), **columns)


def entry(links: Links, link: tuple[int, int]) -> int:
    return int(np.flatnonzero((links.frm == link[0]) & (links.to == link[1]))[0])


@pytest.mark.long
@settings(max_examples=150)
@given(some_rows)
def test_pooling_agrees_with_a_reference_implementation(rows: list[dict[str, Any]]) -> None:
    links = pool(rows_of(rows), RANKS)
    main = [r for r in rows if r["attempt"] == 0]
    keys = sorted({(r["from"], r["to"]) for r in main})
    assert [(int(f), int(t)) for f, t in zip(links.frm, links.to, strict=True)] == keys
    for i, key in enumerate(keys):
        mine = [r for r in main if (r["from"], r["to"]) == key]
        ok = [r for r in mine if r["outcome"] == 0]
        failed = [r["outcome"] for r in mine if r["outcome"]]
        assert links.outcome[i] == (failed[0] if failed else 0)
        assert links.n[i] == sum(r["n"] for r in ok)
        if not ok:
            assert np.isnan([links.min[i], links.median[i], links.mean[i], links.max[i]]).all()
            continue
        weights = [r["n"] for r in ok]
        expected = (
            min(r["min"] for r in ok),
            np.median([r["median"] for r in ok]),
            np.average([r["mean"] for r in ok], weights=weights),
            max(r["max"] for r in ok),
        )
        found = (links.min[i], links.median[i], links.mean[i], links.max[i])
        np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_a_retest_does_not_change_the_first_value_and_the_newest_retest_counts() -> None:
    rows = rows_of([row((0, 1), 1.0), row((0, 1), 0.5, attempt=1), row((0, 1), 0.25, attempt=1)])
    assert pool(rows, RANKS).median.tolist() == [1.0]
    assert newest(rows, RANKS, RETEST).median.tolist() == [0.25]


def test_a_late_rank_is_not_absent_where_it_has_an_ok_row() -> None:
    absent = [failed_row((0, 1), Outcome.ABSENT, step=step) for step in (1, 2)]
    rows = settled(rows_of([*absent, row((0, 2), 1.0), row((0, 1), 0.5, step=1)]), RANKS)
    assert list(zip(rows.frm.tolist(), rows.to.tolist(), rows.step.tolist(), rows.outcome.tolist(), strict=True)) == [
        (0, 1, 2, Outcome.ABSENT),
        (0, 2, 0, Outcome.OK),
        (0, 1, 1, Outcome.OK),
    ]


@settings(max_examples=100)
@given(some_rows)
def test_settling_late_rows_loses_no_link(rows: list[dict[str, Any]]) -> None:
    before, after = rows_of(rows), settled(rows_of(rows), RANKS)
    turns = [
        set(zip(r.frm.tolist(), r.to.tolist(), r.step.tolist(), r.attempt.tolist(), strict=True))
        for r in (before, after)
    ]
    assert turns[0] == turns[1]
    assert (before.outcome == 0).sum() == (after.outcome == 0).sum()


def test_an_unknown_p99_stays_unknown_without_hiding_the_rest() -> None:
    links = pool(rows_of([row((0, 1), 1.0, p99=np.nan), row((0, 1), 2.0, p99=np.nan)]), RANKS)
    assert np.isnan(links.p99[0])
    assert links.median[0] == 1.5


def test_a_link_that_failed_in_one_of_two_measurements_counts_as_failed_but_keeps_its_time() -> None:
    links = pool(rows_of([row((0, 1), 1.0), failed_row((0, 1), Outcome.CORRUPT)]), RANKS)
    assert links.failed.tolist() == [True]
    assert links.median.tolist() == [1.0]
    assert outcome_text(int(links.outcome[0])) == "delivered wrong bytes"


def test_unmeasured_links_are_distinguished_from_failed_ones() -> None:
    matrix = pool(rows_of([failed_row((0, 1), 1), row((1, 0), 1.0)]), RANKS).outcome_matrix(RANKS)
    assert (matrix[0, 1], matrix[1, 0], matrix[2, 0]) == (1, 0, -1)
