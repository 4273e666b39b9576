"""Thousands of parts of hosts are summed and judged another way than a few, and cost the same."""

import numpy as np
import pytest

from everylink.judge import groups
from everylink.judge.groups import Links, cost_of, parts_of

HOSTS = 120


@pytest.fixture
def links() -> Links:
    random = np.random.default_rng(3)
    known, times = np.triu(random.random((HOSTS, HOSTS)) < 0.9, 1), random.standard_normal((HOSTS, HOSTS))
    weight, flat = ((half + half.T).astype(np.float32) for half in (known.astype(float), times * known))
    return Links(flat, weight, float((flat**2).sum(dtype=np.float64)))


@pytest.mark.parametrize("parts", [2, 7, 90])
def test_many_parts_have_the_sums_and_the_cost_of_few(
    links: Links, parts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_host = np.random.default_rng(parts).permutation(np.arange(HOSTS) % parts).astype(np.int64)
    few = parts_of(links, of_host)
    cost = cost_of(few, links)
    monkeypatch.setattr(groups, "MOST_GROUPS", 1)
    many = parts_of(links, of_host)
    assert many.sums == pytest.approx(few.sums, abs=1e-4)
    assert (many.counts == few.counts).all()
    assert cost_of(many, links) == pytest.approx(cost, rel=1e-8)
