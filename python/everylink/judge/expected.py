"""What the judge expects of each link: what its equals take, as small tables instead of a matrix of all links."""

from dataclasses import dataclass

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

    def seconds(self, frm: NDArray[np.integer], to: NDArray[np.integer]) -> NDArray[np.float64]:
        """What links between ranks take on healthy hosts; two arrays broadcast as in an index.

        NaN within a host, and where no link of that class was measured.
        """
        return np.asarray(np.exp(self.log_seconds(frm, to)))

    def log_seconds(self, frm: NDArray[np.integer], to: NDArray[np.integer]) -> NDArray[np.float64]:
        """The same as logarithm."""
        hosts = self.host_of[frm], self.host_of[to]
        near = self.group_of[hosts[0]] == self.group_of[hosts[1]]
        log = self.typical[self.kind_of[hosts[0]], self.kind_of[hosts[1]], near.astype(np.int64)]
        if len(self.place_of):
            places = self.place_of[frm], self.place_of[to]
            known = (places[0] >= 0) & (places[1] >= 0)
            log = log + np.where(known, np.nan_to_num(self.of_places[near.astype(np.int64), *places]), 0)
        return np.asarray(np.where(hosts[0] == hosts[1], np.nan, log))


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
