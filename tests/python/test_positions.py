"""What a place on every host costs is no fault of the ranks that have it."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from everylink.io.foreign import bare_ranks, counted_hosts
from everylink.judge.judge import judge
from everylink.judge.positions import Places, places_of, positions_of
from everylink.judge.readings import readings
from everylink.model.rows import MAIN
from pair_rows import rows_of_pairs, run_of

HOSTS, EACH = 8, 2
FAR, SLOW = 0.2, 0.5  # log of the factor
HOST_OF = np.repeat(np.arange(HOSTS), EACH)
PLACE_OF = np.tile(np.arange(EACH), HOSTS)
ONE = np.zeros(HOSTS, np.int64)
PAIRS = np.meshgrid(np.arange(HOSTS * EACH), np.arange(HOSTS * EACH), indexing="ij")


def times() -> np.ndarray[tuple[int, int], np.dtype[np.float32]]:
    """Second ranks are far from the adapter; rank 4 is slow as well."""
    far = (PLACE_OF[:, None] == 1) | (PLACE_OF[None, :] == 1)
    slow = (PAIRS[0] == 4) | (PAIRS[1] == 4)
    made = np.log(1e-6) + FAR * far + SLOW * slow
    return np.where(HOST_OF[:, None] == HOST_OF[None, :], np.nan, made).astype(np.float32)


def test_the_links_of_far_ranks_are_like_others_without_what_their_place_adds() -> None:
    places = places_of(times(), PLACE_OF, HOST_OF, ONE, ONE)
    assert places is not None
    rest = times() - places.added_at(*PAIRS)
    healthy = rest[np.isfinite(rest) & (PAIRS[0] != 4) & (PAIRS[1] != 4)]
    assert np.ptp(healthy) == pytest.approx(0, abs=1e-5)
    slow = rest[4][np.isfinite(rest[4])]
    assert slow - healthy[0] == pytest.approx(SLOW, abs=1e-5)
    assert np.diff(places.of_place) == pytest.approx(FAR, abs=1e-5)


@pytest.mark.parametrize(("known", "place"), [(True, [1, 0]), (False, [-1, -1])], ids=["known", "distance not known"])
def test_the_first_rank_of_few_hosts_is_as_far_from_their_adapter_as_the_second_one_of_others(
    known: bool, place: list[int]
) -> None:
    """The adapter of two hosts is on the other socket."""
    swapped = np.repeat(np.arange(HOSTS) % 4 == 3, EACH)
    numa = np.tile(np.arange(EACH), HOSTS).astype(np.int32)
    distance = np.where((numa == 1) ^ swapped, 20, 10) if known else np.full(len(numa), -1)
    ranks = replace(
        bare_ranks(*counted_hosts([f"n{host}" for host in HOST_OF.tolist()])),
        device=("mlx5_0",) * len(numa), numa=np.where(swapped, numa + 4, numa), numa_distance=distance,
    )  # fmt: skip
    found = positions_of(ranks, ONE)
    assert (found[~swapped] == PLACE_OF[~swapped]).all()
    assert found[swapped].tolist() == 2 * place


def test_the_kinds_of_hosts_differ_still() -> None:
    kind = np.arange(HOSTS) // 4
    of_rank = PLACE_OF + 2 * kind[HOST_OF]
    slower = np.where((kind[HOST_OF][:, None] == 1) | (kind[HOST_OF][None, :] == 1), np.log(2), 0)
    places = places_of((times() + slower).astype(np.float32), of_rank, HOST_OF, ONE, kind)
    assert places is not None
    rest = times() + slower - places.added_at(*PAIRS)
    among = [np.nanmedian(rest[np.ix_(own, own)]) for own in (np.arange(8), np.arange(8, 16))]
    assert np.diff(among) == pytest.approx(np.log(2), abs=1e-5)


def test_without_places_nothing_is_taken() -> None:
    assert places_of(times(), np.full(HOSTS * EACH, -1), HOST_OF, ONE, ONE) is None


def test_nothing_is_taken_where_too_few_links_between_any_two_places_are_known() -> None:
    known = HOST_OF < 3  # 6 links of any two places
    few = np.where(known[:, None] & known[None, :], times(), np.float32(np.nan))
    assert places_of(few, PLACE_OF, HOST_OF, ONE, ONE) is None


def test_a_place_costs_as_much_with_those_of_which_nothing_is_known() -> None:
    """Places 0 and 3 are near to the adapter, 1 and 2 far; links of the last two with each other were not measured."""
    unknown = np.nan
    added = np.array(
        [[0.0, FAR, FAR, 0.0], [FAR, FAR, FAR, FAR], [FAR, FAR, unknown, unknown], [0.0, FAR, unknown, 0.0]]
    )
    beyond = Places(np.arange(4), np.zeros(4, np.int64), np.stack([added, np.full((4, 4), unknown)])).beyond_quickest()
    assert beyond.reshape(5, 5)[1:, 1:] == pytest.approx(np.where(np.isnan(added), FAR, added))


def test_the_links_of_ranks_that_were_measured_between_two_hosts_are_counted_once() -> None:
    host_of, pairs, random = (
        np.array([0, 1, 1, 0]),
        np.array([(0, 1), (0, 2), (0, 1), (3, 2)]),
        np.random.default_rng(1),
    )
    results = run_of(host_of, 4, {1: [rows_of_pairs(pairs, np.full(4, 1e-6), np.arange(4), MAIN, 0.0, random)]})
    assert readings(results, results.sizes[0]).links_of_hosts().tolist() == [[0, 3], [3, 0]]


def test_a_slow_rank_in_a_zone_of_two_leaves_is_no_place() -> None:
    """Two zones of two leaves of two hosts; the second rank of the last host is slow."""
    leaf, zone = HOST_OF // 2, np.arange(HOSTS) // 4
    slow = (PAIRS[0] == 15) | (PAIRS[1] == 15)
    time = np.log(1e-6) + 0.4 * (leaf[PAIRS[0]] != leaf[PAIRS[1]]) + SLOW * slow
    first = np.where(HOST_OF[:, None] == HOST_OF[None, :], np.nan, time).astype(np.float32)
    usual = np.nanmin(first.reshape(HOSTS, EACH, HOSTS, EACH), axis=(1, 3), initial=np.inf)
    alone, beside = (places_of(first, PLACE_OF, HOST_OF, zone, ONE, of) for of in (None, usual))
    assert alone is not None
    assert beside is not None
    assert np.ptp(alone.added) == pytest.approx(0.4, abs=1e-5)  # the slow rank decides which leaves are compared
    assert np.ptp(beside.added) == pytest.approx(0, abs=1e-5)


@pytest.mark.parametrize("small", [(2, 3), (3,)])
def test_ranks_that_pay_alike_for_their_place_are_told_together(small: tuple[int, ...]) -> None:
    """The ranks 2 and 3 of each host pay for their place in large messages, these in small ones."""
    each = 4
    host_of = np.repeat(np.arange(HOSTS), each)
    pairs = np.array([(a, b) for a, b in itertools.combinations(range(len(host_of)), 2) if host_of[a] != host_of[b]])
    random, rows = np.random.default_rng(1), {}
    for size, usual, far in ((1, 1e-6, small), (1 << 20, 1e-4, (2, 3))):
        times = usual * np.where(np.isin(pairs % each, far).any(axis=1), 1.2 if size == 1 else 1.3, 1.0)
        rows[size] = [rows_of_pairs(pairs, times, np.arange(len(pairs)), MAIN, 0.01, random)]
    told = [one for one in judge(run_of(host_of, len(pairs), rows)).structure if one.kind == "position"]
    assert [one.subject for one in told] == [("2", "3")]
    assert told[0].text == f"each host: its ranks 2-3 take {told[0].factor:.2f}x the time"
    assert told[0].factor == pytest.approx(1.3, abs=0.02)
