"""Links some at a time give the same tables as all of them at once."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from everylink.inventory.cables import Belongs, Wiring
from everylink.inventory.switches import switch_rows
from everylink.io.read import read
from everylink.links import stream
from everylink.links.classes import CLASSES, histogram, summarise
from everylink.links.extremes import slowest
from everylink.links.host_pairs import host_pairs, how_many_pairs
from everylink.links.stream import link_blocks, order_statistics
from everylink.model.results import Results
from make_results import all_links, failed_row, make_results, row

Values = NDArray[np.float32]
SWITCHES = Belongs(np.arange(30), np.arange(30) // 16, 30, 2)


def _scattered(link: tuple[int, int], size: int) -> float:
    return float(1e-6 * 50.0 ** (((link[0] * 37 + link[1] * 101) % 17) / 16))


@pytest.fixture(params=["once", "twice", "with retests and failures"])
def run(request: pytest.FixtureRequest, tmp_path: Path) -> Results:
    hosts = [f"n{rank // 3}" for rank in range(30)]
    extra: Callable[[int], list[dict[str, object]]] = {
        "once": lambda size: [],
        "twice": lambda size: [row(link, 3 * _scattered(link, size), step=9) for link in all_links(30)[::3]],
        "with retests and failures": lambda size: [
            *(row(link, 1e-6, attempt=1) for link in all_links(30)[::7]),
            *(failed_row(link, 1, attempt=2) for link in ((3, 4), (5, 29))),
            row((0, 1), 1e-6, outcome=6),
        ],
    }[request.param]
    lost = {(3, 4): 1, (5, 29): 2} if "failures" in request.param else {}
    return read(make_results(tmp_path / "x.h5", hosts=hosts, time=_scattered, outcomes=lost, extra=extra))


def test_parts_are_the_links(run: Results, monkeypatch: pytest.MonkeyPatch) -> None:
    (size,) = run.sizes
    links = size.links
    whole = (summarise(run, size), histogram(run, size), slowest(run, size, 40))
    wiring, pairs = Wiring((), ("a", "b"), Belongs(np.arange(0), np.arange(0), 30, 0), SWITCHES, ""), 45
    of_pairs, of_switches = host_pairs(run, size, None), switch_rows(run, size, wiring, [])
    assert len(of_pairs) == how_many_pairs(run, size) == pairs
    monkeypatch.setattr(stream, "HELD_BYTES", 5000)
    monkeypatch.setattr("everylink.model.rows.BLOCK", 50)
    for statistic in ("median", "max"):
        parts = list(link_blocks(size, statistic))
        assert len(parts) > 3
        found = {
            (int(f), int(t)): (bool(bad), float(seconds))
            for part in parts
            for f, t, bad, seconds in zip(part.frm, part.to, part.failed, part.seconds, strict=True)
        }
        assert len(found) == sum(len(part.frm) for part in parts) == len(links)
        for i in range(len(links)):
            bad, seconds = found[int(links.frm[i]), int(links.to[i])]
            assert bad == links.failed[i]
            assert seconds == pytest.approx(float(links.statistic(statistic)[i]), nan_ok=True, rel=0)
    again = replace(size)
    assert summarise(run, again) == whole[0]
    assert slowest(run, again, 40) == whole[2]
    assert host_pairs(run, again, None) == of_pairs
    assert host_pairs(run, again, 5) == of_pairs[:5]
    assert switch_rows(run, again, wiring, []) == of_switches
    counted = histogram(run, again)
    assert counted is not None
    assert whole[1] is not None
    np.testing.assert_array_equal(counted.edges, whole[1].edges)
    assert {c: n.tolist() for c, n in counted.counts.items()} == {c: n.tolist() for c, n in whole[1].counts.items()}
    assert set(counted.counts) == set(CLASSES)


@pytest.mark.parametrize("seed", range(6))
def test_order_statistics_are_exact(seed: int) -> None:
    random = np.random.default_rng(seed)
    classes: list[Values] = [
        np.exp(random.normal(-12, 0.02 if seed % 2 else 4, 3001)).astype(np.float32),
        random.integers(0, 4, 50).astype(np.float32),
        np.zeros(0, np.float32),
        np.array([7.5], np.float32),
    ]

    def parts() -> list[tuple[int, Values]]:
        return [(number, part) for number, values in enumerate(classes) for part in np.array_split(values, 3)]

    places = [0, 0, 1, 17, -1]
    found = order_statistics(parts, 4, lambda count: [place % count for place in places])
    for own, values in zip(found, classes, strict=True):
        ordered = np.sort(values)
        assert own == ([float(ordered[place % len(values)]) for place in places] if len(values) else [])


@pytest.mark.parametrize("seed", range(20))
def test_medians_of_groups_are_exact(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With ties, zeros, values of one digit, groups without values, and groups that do not fit at once."""
    draw = np.random.default_rng(seed)
    groups, count = int(draw.integers(1, 12)), int(draw.integers(0, 400))
    monkeypatch.setattr(stream, "GROUPS", int(draw.integers(1, 13)))
    group = draw.integers(0, groups, count)
    values = draw.choice([0.0, 1e-6, 1.0000001e-6, 2.5e-3, 3e38, 1e-45], count).astype(np.float32)
    if seed % 2:
        values = draw.lognormal(-10, 3, count).astype(np.float32)
    cuts = np.sort(draw.integers(0, count + 1, 3))
    parts = list(zip(np.split(group, cuts), np.split(values, cuts), strict=True))
    found = stream.medians(lambda: iter(parts), groups)
    expected = [np.median(own) if len(own := values[group == one].astype(float)) else np.nan for one in range(groups)]
    np.testing.assert_array_equal(found, expected)
