"""What a place on every host costs is no fault of the ranks that have it."""

import numpy as np
import pytest

from everylink.judge.positions import places_of

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
