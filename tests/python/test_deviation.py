"""Links reduced to blocks: every number against the links themselves."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.deviation import reduce
from everylink.deviation.blocks import blocks_of
from everylink.deviation.marks import Places
from everylink.deviation.model import Deviations
from everylink.deviation.reduce import deviations
from everylink.deviation.scale import FAILED, LEAST_KNOWN, MOST, NOT_MEASURED, code_of, coded, factors
from everylink.deviation.strips import SECONDS, strip
from everylink.deviation.usual import Usual
from everylink.io.foreign import bare_facts, bare_ranks, bare_steps
from everylink.judge.expected import Expected
from everylink.judge.judge import judge
from everylink.model.results import Results, Size
from everylink.model.rows import MAIN, Outcome, Rows, chosen

USUAL = 10e-6


def _rows(frm: NDArray[np.integer], to: NDArray[np.integer], seconds: NDArray[np.floating]) -> Rows:
    count = len(frm)
    times = seconds.astype(np.float32)
    return Rows(
        frm=frm.astype(np.uint32), to=to.astype(np.uint32), step=np.arange(count, dtype=np.uint32),
        attempt=np.full(count, MAIN, np.uint8), outcome=np.zeros(count, np.uint8),
        arrived=np.full(count, 9, np.int32), setup=times, n=np.full(count, 9, np.uint32), min=times, median=times,
        mean=times, p99=times, max=times, late=np.zeros(count, np.uint32), all_to_all=times,
    )  # fmt: skip


def _run(hosts: Sequence[int], rows: Rows) -> Results:
    """`hosts`: of each rank."""
    host = np.array(hosts)
    local = np.array([sum(host[:rank] == host[rank]) for rank in range(len(host))])
    ranks = bare_ranks([f"n{one}" for one in host], host, local)
    facts = bare_facts("unidirectional", ranks=len(host), hosts=int(host.max()) + 1, messages=9)
    return Results(Path("run.h5"), facts, ranks, bare_steps(len(rows)), (Size(1 << 20, 1, len(host), rows),))


def _all(ranks: int, turns: int = 1) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    frm, to = np.nonzero(~np.eye(ranks, dtype=bool))
    return np.tile(frm, turns), np.tile(to, turns)


def _noisy(hosts: Sequence[int], turns: int = 1, seed: int = 1, lost: float = 0.1) -> Results:
    """Some readings are missing, some links fail, some take several times as long."""
    random = np.random.default_rng(seed)
    frm, to = _all(len(hosts), turns)
    times = USUAL * np.exp(0.05 * random.standard_normal(len(frm))) * np.where(random.random(len(frm)) < 0.1, 3, 1)
    rows = _rows(frm, to, times)
    rows.outcome[random.random(len(frm)) < 0.05] = Outcome.TIMEOUT
    rows.outcome[random.random(len(frm)) < 0.02] = Outcome.LOCAL
    rows.median[rows.outcome != Outcome.OK] = np.nan
    return _run(hosts, chosen(rows, random.permutation(np.flatnonzero(random.random(len(frm)) >= lost))))


def _flat(ranks: int, hosts: Sequence[int]) -> Expected:
    """USUAL between all hosts, or all ranks of one."""
    host = np.array(hosts) if max(hosts) else np.arange(ranks)
    none = np.zeros(int(host.max()) + 1, np.int64)
    return Expected(
        1 << 20, host, none, none, np.full((1, 1, 2), np.log(USUAL)), np.zeros(0, np.int64),
        np.zeros((2, 0, 0), np.float32),
    )  # fmt: skip


def _matrix(results: Results) -> NDArray[np.int16]:
    """The code of each link by its definition, [from, to] by rank."""
    links, ranks = results.sizes[0].links, len(results.ranks)
    host = results.ranks.host_index
    same = (host[links.frm] == host[links.to]) & bool(host.any())
    usual = np.full(len(links), USUAL)
    if same.any():
        rows = results.sizes[0].rows
        own = (host[rows.frm] == host[rows.to]) & (rows.outcome == Outcome.OK)
        usual[same] = np.median(rows.median[own].astype(float))
    codes = coded(np.log(links.median.astype(float) / usual)).astype(np.int16)
    codes[links.failed] = FAILED
    matrix = np.full((ranks, ranks), NOT_MEASURED, np.int16)
    matrix[links.frm, links.to] = codes
    return matrix


def _reduced(results: Results, most: int, links: bool = True) -> Deviations:
    host = results.ranks.host_index.tolist()
    blocks = blocks_of(results.ranks, most)
    size = results.sizes[0]
    return deviations(size, Usual.of(results.ranks, size, _flat(len(host), host)), blocks, links)


def _lower_median(codes: NDArray[np.int16]) -> int:
    known = np.sort(codes[codes >= LEAST_KNOWN].ravel())
    return int(known[(len(known) - 1) // 2]) if len(known) else NOT_MEASURED


SHAPES = {
    "one rank each": list(range(12)),
    "four ranks each": [rank // 4 for rank in range(24)],
    "as they come": [0, 1, 2, 2, 3, 3, 3, 4, 5, 5, 6, 7, 7, 7, 7, 8],
    "one host": [0] * 9,
    "ranks in turns": [rank % 5 for rank in range(20)],
}


@pytest.mark.parametrize("hosts", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("turns", [1, 3])
@pytest.mark.parametrize("most", [3, 5, 100])
def test_every_plane_is_what_its_links_say(hosts: Sequence[int], turns: int, most: int) -> None:
    results = _noisy(hosts, turns)
    found = _reduced(results, most)
    order, edges = found.blocks.order.ranks, found.blocks.edges
    matrix = _matrix(results)[np.ix_(order, order)]
    assert found.links is not None
    np.testing.assert_allclose(found.links, matrix, atol=1 if turns > 1 else 0)  # codes are medians, not their times
    matrix = found.links.astype(np.int16)
    begins = found.blocks.hosts
    for a in range(len(edges) - 1):
        for b in range(len(edges) - 1):
            block = matrix[edges[a] : edges[a + 1], edges[b] : edges[b + 1]]
            medians = [_lower_median(line) for line in (*block, *block.T)]
            if found.blocks.have_pairs_of_hosts:
                for one in begins[:-1][(begins[:-1] >= edges[a]) & (begins[:-1] < edges[a + 1])]:
                    for other in begins[:-1][(begins[:-1] >= edges[b]) & (begins[:-1] < edges[b + 1])]:
                        own, far = (begins[np.searchsorted(begins, place, "right")] for place in (one, other))
                        medians.append(_lower_median(matrix[one:own, other:far]))
            known = [median for median in medians if median >= LEAST_KNOWN]
            assert found.usual[a, b] == max(known, key=lambda code: (abs(code), code), default=NOT_MEASURED)
            timed = block[block >= LEAST_KNOWN]
            assert found.worst[a, b] == (timed.max() if len(timed) else NOT_MEASURED)
            lost, slow_ones = block[block == FAILED], timed[timed >= code_of(1.25)]
            for plane, those in ((found.timed, timed), (found.failed, lost), (found.slow, slow_ones)):
                assert plane[a, b] == (max(1, round(255 * len(those) / block.size)) if len(those) else 0)
    for ends, rows in ((found.senders, matrix), (found.receivers, matrix.T)):
        assert ends.median.tolist() == [_lower_median(row) for row in rows]
        assert ends.timed.tolist() == (rows >= LEAST_KNOWN).sum(axis=1).tolist()
        assert ends.failed.tolist() == (rows == FAILED).sum(axis=1).tolist()
        assert ends.slow.tolist() == (rows >= code_of(1.25)).sum(axis=1).tolist()
    slow = sorted(((int(matrix[i, j]), i, j) for i, j in zip(*np.nonzero(matrix >= code_of(1.25)), strict=True)))
    kept = zip(found.outliers.code.tolist(), found.outliers.frm.tolist(), found.outliers.to.tolist(), strict=True)
    assert sorted(kept) == slow
    assert found.outliers.code.tolist() == sorted(found.outliers.code.tolist(), reverse=True)
    failures = set(zip(found.failures.frm.tolist(), found.failures.to.tolist(), strict=True))
    assert failures == set(zip(*(places.tolist() for places in np.nonzero(matrix == FAILED)), strict=True))


@pytest.mark.parametrize("hosts", SHAPES.values(), ids=SHAPES)
def test_strips_and_blocks_of_rows_change_nothing(hosts: Sequence[int], monkeypatch: pytest.MonkeyPatch) -> None:
    results = _noisy(hosts, 3)
    whole = _reduced(results, 4)
    monkeypatch.setattr(reduce, "STRIP_BYTES", 1)
    monkeypatch.setattr("everylink.deviation.strips.CHUNK", 7)
    monkeypatch.setattr("everylink.model.rows.BLOCK", 5)
    parts = _reduced(results, 4)
    for name in ("usual", "worst", "slow", "failed", "timed", "links"):
        np.testing.assert_array_equal(getattr(parts, name), getattr(whole, name), err_msg=name)
    for name in ("outliers", "failures"):
        for column in ("frm", "to", "code"):
            np.testing.assert_array_equal(getattr(getattr(parts, name), column), getattr(getattr(whole, name), column))


def test_only_the_slowest_links_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("everylink.deviation.planes.MOST_OUTLIERS", 4)
    frm, to = _all(30)
    times = USUAL * (1.5 + ((frm * 31 + to * 17) % 97) / 97)
    found = _reduced(_run(range(30), _rows(frm, to, times)), 10)
    assert len(found.outliers) == 4
    assert found.outliers.code.min() >= np.sort(coded(np.log(times / USUAL)))[-4]
    assert found.senders.slow.sum() == len(frm)


@pytest.mark.parametrize("ranks", [640, 1000])
@pytest.mark.one_in(2)
def test_a_slow_host_stands_out_of_transients_where_sixteen_hosts_share_a_block(ranks: int) -> None:
    """And so does a pair of hosts, where hosts have several ranks; the worst links of blocks tell neither."""
    random = np.random.default_rng(3)
    for each, factor in ((1, 1.1), (4, 1.1)):
        hosts = np.arange(ranks) // each
        frm, to = _all(ranks)
        times = USUAL * np.exp(0.02 * random.standard_normal(len(frm)))
        times *= np.where(random.random(len(frm)) < 0.005, 3, 1)
        slow = (hosts[frm] == 7) | (hosts[to] == 7)
        pair = (each > 1) & np.isin(hosts[frm], (30, 90)) & np.isin(hosts[to], (30, 90)) & (hosts[frm] != hosts[to])
        times *= np.where(slow & (hosts[frm] != hosts[to]), factor, 1) * np.where(pair, 2, 1)
        found = _reduced(_run(hosts.tolist(), _rows(frm, to, times)), ranks // 16, links=False)
        own = np.searchsorted(found.blocks.edges, np.flatnonzero(hosts == 7)[0], "right") - 1
        bad = np.zeros(found.usual.shape, bool)
        bad[own] = bad[:, own] = True
        if each > 1:
            ends = (
                np.searchsorted(found.blocks.edges, np.flatnonzero(hosts == one)[0], "right") - 1 for one in (30, 90)
            )
            one, other = ends
            bad[one, other] = bad[other, one] = True
            assert min(found.usual[one, other], found.usual[other, one]) > code_of(1.8)
        np.fill_diagonal(bad, False)
        rest = ~bad & ~np.eye(len(bad), dtype=bool)
        assert found.usual[bad].min() > found.usual[rest].max()
        assert found.usual[rest].max() <= code_of(1.05)
        assert (found.worst[rest] > code_of(2)).mean() > 0.5


def test_codes_cover_what_a_picture_shows() -> None:
    assert factors(coded(np.log(np.array([0.25, 1.0, 1.1, 4.0])))) == pytest.approx([0.25, 1.0, 1.1, 4.0], rel=0.0063)
    assert coded(np.array([9.0, -9.0, np.nan])).tolist() == [MOST, LEAST_KNOWN, NOT_MEASURED]
    assert np.isnan(factors(np.array([FAILED, NOT_MEASURED]))).all()


def test_without_what_the_judge_expects_links_are_compared_with_each_other() -> None:
    frm, to = _all(6)
    results = _run(range(6), _rows(frm, to, np.where((frm == 2) & (to == 3), 2.0, 1.0) * USUAL))
    size = results.sizes[0]
    found = deviations(size, Usual.of(results.ranks, size, None), blocks_of(results.ranks, 100), with_links=True)
    assert found.links is not None
    assert found.links[2, 3] == code_of(2)
    assert sorted(np.unique(found.links).tolist()) == [NOT_MEASURED, 0, code_of(2)]


def test_the_judge_and_the_picture_expect_the_same() -> None:
    frm, to = _all(20)
    near = (frm < 10) == (to < 10)
    times = np.where(near, 1.0, 1.3) * np.where((frm == 4) | (to == 4), 1.5, 1.0) * USUAL
    results = _run(range(20), _rows(frm, to, times))
    (expected,) = judge(results).expected
    usual = Usual.of(results.ranks, results.sizes[0], expected)
    found = deviations(results.sizes[0], usual, blocks_of(results.ranks, 100), with_links=True)
    assert found.links is not None
    assert found.links[4, 1] == found.links[1, 4] == found.links[4, 15] == code_of(1.5)
    assert found.links[1, 2] == found.links[1, 15] == 0


def test_runs_without_rows_and_with_nothing_but_failures_are_reduced_too() -> None:
    frm, to = _all(6)
    rows = _rows(frm, to, np.full(len(frm), USUAL))
    none = _reduced(_run(range(6), chosen(rows, np.zeros(0, np.int64))), 3)
    assert (none.usual == NOT_MEASURED).all()
    assert not none.timed.any()
    rows.outcome[:] = Outcome.BROKEN
    lost = _reduced(_run(range(6), rows), 3)
    assert (lost.usual == NOT_MEASURED).all()
    assert (lost.failed[~np.eye(3, dtype=bool)] == 255).all()


@pytest.mark.parametrize(
    ("hosts", "most", "edges"),
    [
        ([0] * 9, 4, [0, 3, 6, 9]),
        ([0, 0, 0, 1, 1, 1], 6, [0, 1, 2, 3, 4, 5, 6]),
        ([0, 0, 0, 1, 1, 1], 5, [0, 2, 3, 5, 6]),
        ([0, 0, 0, 1, 1, 1], 3, [0, 3, 6]),
        ([0, 0, 1, 2, 2, 2, 3], 2, [0, 3, 7]),
        ([0, 1, 2, 3, 4], 2, [0, 3, 5]),
        ([0, 1, 2, 3, 4], 1, [0, 5]),
    ],
)
def test_blocks_have_whole_hosts_or_parts_of_one(hosts: Sequence[int], most: int, edges: list[int]) -> None:
    frm, to = _all(len(hosts))
    results = _run(hosts, _rows(frm, to, np.full(len(frm), USUAL)))
    assert blocks_of(results.ranks, most).edges.tolist() == edges


def _medians_of_readings(size: Size, ranks: int) -> NDArray[np.float32]:
    """What `strip` keeps of seconds, one link at a time; [ranks, ranks]."""
    found = np.full((ranks, ranks), -np.inf, np.float32)
    rows = size.rows
    for frm, to in zip(*_all(ranks), strict=True):
        own = (rows.frm == frm) & (rows.to == to) & (rows.outcome != Outcome.LOCAL)
        failed = rows.outcome[own & (rows.outcome != Outcome.OK)]
        if len(failed):
            found[frm, to] = -float(failed[0])
        elif own.any():
            found[frm, to] = np.median(rows.median[own])
    return found


@pytest.mark.parametrize("turns", [1, 3, 40, 5000])
@pytest.mark.parametrize("block", [1, 7, 100, 2**18])
@pytest.mark.parametrize("last", [False, True], ids=["in any order", "one link last"])
@pytest.mark.one_in(2)
def test_of_any_number_of_readings_a_link_has_their_median(
    turns: int, block: int, last: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    def valued(frm: Any, to: Any, outcome: Any, median: Any) -> NDArray[np.float32]:
        return np.asarray(np.where(outcome == Outcome.OK, median, -outcome.astype(np.float32)))

    ranks, random = 4, np.random.default_rng(turns)
    frm, to = _all(ranks, turns)
    rows = _rows(frm, to, USUAL * random.uniform(1, 2, len(frm)))
    rows.outcome[random.random(len(frm)) < 0.3 / turns] = Outcome.TIMEOUT
    order = random.permutation(len(frm))[: 1000 if block < 100 else len(frm)]
    if last:
        order = order[np.argsort((frm[order] == 0) & (to[order] == 1), kind="stable")]
    rows = chosen(rows, order)
    size = Size(1, 1, ranks, rows)
    monkeypatch.setattr("everylink.model.rows.BLOCK", block)
    found = strip(size, np.arange(ranks), 0, ranks, SECONDS, valued)
    np.testing.assert_allclose(found, _medians_of_readings(size, ranks), rtol=1e-6)


def test_neighbouring_hosts_of_one_verdict_are_marked_as_one() -> None:
    ranks = _noisy([0, 0, 1, 1, 2, 2, 3, 3]).ranks
    places = Places(ranks, blocks_of(ranks, 512), {})
    assert places.ends("group", ["n1", "n2"]) == [[(2, 6)]]
    assert places.ends("group", ["n0", "n2", "n3"]) == [[(0, 2), (4, 8)]]
    assert places.ends("trunk", ["n[0-1]", "n[2-3]"]) == [[(0, 4)], [(4, 8)]]
