"""What the judge expects of each link: what its equals take, as small tables instead of a matrix of all links."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from everylink.judge.effects import Effects
from everylink.judge.readings import Readings
from everylink.model.results import Size


@dataclass(frozen=True, eq=False)
class Expected:
    """Of the links with messages of `bytes`. Hosts are ranks in a run on one host.

    `host_of` [ranks]; `kind_of`, `group_of` [hosts]; `typical` [kinds, kinds, 2]: log seconds of links between groups,
    and within one, by the kinds of the two hosts. `place_of` [ranks]: the place of each rank on its host, -1: not
    known; `of_places` [2, places, places]: log of the factor of links between two places, NaN: not known.
    """

    bytes: int
    host_of: NDArray[np.int64]
    kind_of: NDArray[np.int64]
    group_of: NDArray[np.int64]
    typical: NDArray[np.float64]
    place_of: NDArray[np.int64]
    of_places: NDArray[np.float32]

    @cached_property
    def _added(self) -> NDArray[np.float32]:
        """`of_places` with 0 for what is not known, and with one more place, that of ranks whose place is not known."""
        return np.pad(np.nan_to_num(self.of_places), ((0, 0), (0, 1), (0, 1)))

    @cached_property
    def _of_ranks(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The kind and the group of each rank's host, and its place, as numbers of `_added`."""
        places = np.where(self.place_of < 0, self._added.shape[-1] - 1, self.place_of)
        return self.kind_of[self.host_of], self.group_of[self.host_of], places

    def seconds(self, frm: NDArray[np.integer], to: NDArray[np.integer]) -> NDArray[np.float64]:
        """What links between ranks take on healthy hosts; two arrays broadcast as in an index.

        NaN within a host, and where no link of that class was measured.
        """
        return np.asarray(np.exp(self.log_seconds(frm, to)))

    def log_seconds(self, frm: NDArray[np.integer], to: NDArray[np.integer]) -> NDArray[np.float64]:
        """The same as logarithm."""
        frm, to = np.asarray(frm, np.intp), np.asarray(to, np.intp)
        host, (kind, group, place) = self.host_of, self._of_ranks
        near = group.take(frm) == group.take(to)
        log = self.typical.take((kind.take(frm) * len(self.typical) + kind.take(to)) * 2 + near)
        if self._added.any():
            places = self._added.shape[-1]
            log += self._added.take((near * places + place.take(frm)) * places + place.take(to))
        log[host.take(frm) == host.take(to)] = np.nan
        return np.asarray(log)


def expected_of(size: Size, seen: Readings, effects: Effects) -> Expected:
    """What was expected of the links of a size when it was judged."""
    places = seen.places
    return Expected(
        size.bytes,
        seen.host_of,
        effects.equals.kind_of,
        effects.group_of,
        effects.typical,
        np.zeros(0, np.int64) if places is None else places.of_rank,
        np.zeros((2, 0, 0), np.float32) if places is None else places.added,
    )
