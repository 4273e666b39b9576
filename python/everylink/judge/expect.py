"""Judges against what a fabric should reach: a latency, a bandwidth. This finds what comparing links cannot."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from everylink.errors import UserMistake
from everylink.judge.verdict import SURE, Verdict
from everylink.links.hosts import host_names
from everylink.model.results import Results, Size
from everylink.robust import low_index
from everylink.units import BYTES_A_SECOND, NUMBER, RATE, bandwidth, bandwidth_text, time_text

SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
LATENCY = re.compile(NUMBER + r"\s*(ns|us|ms|s)")
BANDWIDTH = re.compile(r"(?:" + NUMBER + r"%\s*:\s*)?" + RATE)
MANY = 0.5  # part of all hosts from which the fabric as a whole falls short
FORM = "use latency=2us,bandwidth=90%:100Gb/s, or one of them"


@dataclass(frozen=True)
class Expectation:
    """`latency`: longest one-way time of the smallest messages, seconds; `bandwidth`: least of the largest, bytes/s."""

    latency: float | None = None
    bandwidth: float | None = None


def parse_expectation(text: str) -> Expectation:
    """Read `latency=2us,bandwidth=90%:100Gb/s`. Raises UserMistake."""
    found: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.strip().partition("=")
        if name == "latency" and (match := LATENCY.fullmatch(value.strip())):
            found[name] = float(match[1]) * SECONDS[match[2]]
        elif name == "bandwidth" and (match := BANDWIDTH.fullmatch(value.strip())):
            found[name] = float(match[1] or 100) / 100 * float(match[2]) * BYTES_A_SECOND[match[3]]
        else:
            raise UserMistake(f"--expect {text}: cannot parse '{part}'; {FORM}")
    if not all(0 < value < float("inf") for value in found.values()):
        raise UserMistake(f"--expect {text}: values must be above 0; {FORM}")
    return Expectation(**found)


def below_expectation(results: Results, wanted: Expectation) -> Iterable[Verdict]:
    """Verdicts on hosts most of whose links fall short; a single verdict if that is half of the hosts or more."""
    sizes = [size for size in results.sizes if size.bytes > 0 and np.isfinite(size.links.median).any()]
    if not sizes:
        return
    if wanted.latency is not None:
        yield from _slower_than(results, sizes[0], wanted.latency, f"expected is {time_text(wanted.latency)} at most")
    if wanted.bandwidth is not None:
        if len(results.possible_directions) > 1:
            raise UserMistake(
                f"--expect bandwidth: {results.path} does not name its kernel, which may double its bandwidths; "
                f"everylink convert {results.path} FILE.h5 --kernel NAME writes a file that does"
            )
        limit = sizes[-1].bytes * results.directions / wanted.bandwidth
        yield from _slower_than(results, sizes[-1], limit, f"expected is {bandwidth_text(wanted.bandwidth)} at least")


def _slower_than(results: Results, size: Size, limit: float, expected: str) -> Iterable[Verdict]:
    host_of, names, kind = _units(results)
    links = size.links
    frm, to = host_of[links.frm], host_of[links.to]
    counted = np.isfinite(links.median) & (frm != to)
    unit, time = np.concatenate([frm[counted], to[counted]]), np.tile(links.median[counted].astype(float), 2)
    own = np.array([_low(time[unit == host]) for host in range(len(names))])
    bad = np.flatnonzero(own > limit)
    if not len(bad):
        return

    def read(seconds: float) -> str:
        return f"{time_text(seconds)} ({bandwidth_text(float(bandwidth(size.bytes, seconds, results.directions)))})"

    if len(names) == 2 or len(bad) >= MANY * len(names):
        typical = float(np.median(own[bad]))
        subject = ("all hosts",) if len(names) > 2 else tuple(names)
        text = f"{len(bad)} of {len(names)} {kind}s: most of their links take {read(typical)}, {expected}"
        if len(names) == 2:
            text = f"takes {read(typical)}, {expected}; with two ends it cannot be told which is at fault"
        links_of = int(counted.sum())
        yield Verdict(
            "group" if len(names) > 2 else "pair",
            subject,
            "both",
            "slow",
            size.bytes,
            typical / limit,
            SURE,
            links_of,
            text,
        )
        return
    for host in bad.tolist():
        count = int((unit == host).sum())
        text = f"most of its {count} links take {read(own[host])}, {expected}"
        yield Verdict(kind, (names[host],), "both", "slow", size.bytes, float(own[host] / limit), SURE, count, text)


def _units(results: Results) -> tuple[NDArray[np.int64], list[str], str]:
    names = host_names(results.ranks)
    if len(names) > 1:
        return results.ranks.host_index.astype(np.int64), names, "host"
    return np.arange(len(results.ranks)), [results.ranks.name(rank) for rank in range(len(results.ranks))], "rank"


def _low(times: NDArray[np.float64]) -> float:
    """A low quantile of a host's times: most of its links are slower only if this one is."""
    return float(np.sort(times)[low_index(np.array(len(times)))]) if len(times) else float("nan")
