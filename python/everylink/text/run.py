"""Sentences about a run, shared by the terminal and the reports."""

import math
from collections import Counter
from collections.abc import Iterable

import numpy as np

from everylink.io.unsaved import folder_of
from everylink.links.turns import bisection_bandwidth, turn_means
from everylink.model.results import UNKNOWN, Results, Size
from everylink.units import bandwidth, bandwidth_text, duration_text, plural, size_text, time_text

MOST_REMARKS = 20
MOST_WAYS = 3
SAME_NUMA_NODE = 10  # the kernel's distance within a node
LAYERED = {"ucp": "UCX", "ofi": "libfabric"}  # libraries that choose the transport below them
SIMULTANEOUS = 0.8  # below this overlap, the pairs of a step did not load the network simultaneously


def pairs_text(results: Results) -> str:
    """Whether pairs ran simultaneously."""
    return "serial: one pair at a time" if results.facts.serial else "parallel: all pairs of a step at the same time"


def mode_text(results: Results) -> str:
    """The transport with its options."""
    facts = results.facts
    return f"{facts.transport}:{facts.transport_options}" if facts.transport_options else facts.transport


def kernel_text(results: Results) -> str:
    """The kernel, with its one-sided implementation and its window, if any."""
    facts = results.facts
    if facts.kernel == UNKNOWN:
        return f"kernel {UNKNOWN}"
    kernel = f"{facts.kernel} by {facts.one_sided}" if facts.one_sided else facts.kernel
    return f"{kernel}, window {facts.window}" if facts.window else kernel


def rate_text(results: Results, size: Size, seconds: float) -> str:
    """The bandwidth of a one-way time; with an unknown kernel both readings, `228 MiB/s or 456 MiB/s`."""
    rates = (bandwidth_text(bandwidth(size.bytes, seconds, directions)) for directions in results.possible_directions)
    return " or ".join(dict.fromkeys(rates))


def times_texts(results: Results, size: Size, times: Iterable[tuple[str, float]]) -> list[str]:
    """Named one-way times with their bandwidths: `min 74.2 us (842 MiB/s)`."""
    both = " both directions" if results.directions == 2 else ""
    return [f"{name} {time_text(seconds)} ({rate_text(results, size, seconds)}{both})" for name, seconds in times]


def means_texts(results: Results, size: Size) -> list[str]:
    """The shortest, mean and longest of the mean times of the turns, as the run printed them; empty if unknown."""
    means = turn_means(size)
    if means is None:
        return []
    return times_texts(results, size, (("min", means.min), ("avg", means.mean), ("max", means.max)))


def means_lines(results: Results) -> list[str]:
    """One line per size whose means are known."""
    known = ((size, means_texts(results, size)) for size in results.sizes)
    return [f"Mean of each turn at {size_text(size.bytes)}: {', '.join(means)}" for size, means in known if means]


def bisection_texts(results: Results, size: Size) -> list[str]:
    """The least, mean and greatest bandwidth of the steps of a bisection; empty of another schedule."""
    found = bisection_bandwidth(results, size)
    rates = () if found is None else (("min", found.min), ("avg", found.mean), ("max", found.max))
    return [f"{name} {bandwidth_text(rate)}" for name, rate in rates]


def bisection_lines(results: Results) -> list[str]:
    """One line per size of a bisection."""
    both = ", both directions" if results.directions == 2 else ""
    known = ((size, bisection_texts(results, size)) for size in results.sizes)
    return [
        f"Bisection bandwidth of a step at {size_text(size.bytes)}{both}: {', '.join(rates)}"
        for size, rates in known
        if rates
    ]


def began_and_ended(results: Results) -> str:
    """When the run began and ended, or how long after its beginning its last step began; empty where the file does not
    say."""
    if results.facts.created and results.facts.ended:
        return f"{results.facts.created} to {results.facts.ended}"
    began, steps = results.facts.created, results.steps.began
    last = float(np.nanmax(steps)) if np.isfinite(steps).any() else math.nan
    return f"{began}; its last step began {duration_text(last)} later" if began and last > 0 else began


def tool_text(results: Results) -> str:
    """The measuring tool; a bare version is that of everylink-measure."""
    version = results.facts.tool_version
    return f"everylink-measure {version}" if version[:1].isdigit() else version


def messages_of(results: Results, size: Size) -> int:
    """The messages per turn of this size, as requested."""
    return results.facts.messages if size.messages is None else size.messages


def turn_text(results: Results) -> str:
    """Messages and warm-ups, if known."""
    facts = results.facts
    warmups = [] if facts.warmups < 0 else [plural(facts.warmups, "warm-up")]
    numbers = [messages_of(results, size) for size in results.sizes]
    same = len(set(numbers)) < 2
    messages = plural(facts.messages, "message") if same else f"{', '.join(map(str, numbers))} messages"
    return " and ".join([messages, *warmups])


def where_and_when(results: Results) -> str:
    """The numbers of ranks and hosts, the time, and the measuring tool."""
    facts = results.facts
    where = f"{plural(facts.ranks, 'rank')} on {plural(facts.hosts, 'host')}"
    return ", ".join(filter(None, (where, facts.created, tool_text(results))))


def run_lines(results: Results) -> list[str]:
    """The settings of a run of links, and the transport actually used."""
    facts = results.facts
    sizes = ", ".join(size_text(size.bytes) for size in results.sizes)
    return [
        where_and_when(results),
        f"mode {mode_text(results)}, memory {facts.memory}, {kernel_text(results)}, schedule {facts.schedule}, "
        f"{pairs_text(results)}",
        f"{turn_text(results)} per turn, sizes {sizes}",
        *carrier_lines(results),
    ]


def carrier_lines(results: Results) -> list[str]:
    """The transport actually used, as far as the ranks know."""
    ranks = results.ranks
    ways = Counter(zip(ranks.lanes, ranks.device, ranks.libraries, strict=True))
    lines = []
    for (lanes, device, libraries), count in ways.most_common():
        if way := lanes or device:
            by = f" ({libraries})" if libraries else ""
            lines.append(f"carried by {way}{by}: {plural(count, 'rank')}")
    more = [f"and in {len(lines) - MOST_WAYS} other ways"] if len(lines) > MOST_WAYS else []
    return [*lines[:MOST_WAYS], *more, *numa_lines(results), *gpu_lines(results)]


def gpu_lines(results: Results) -> list[str]:
    """The GPUs whose memory held the messages, how these got into it, and what lies between them and their devices."""
    ranks = results.ranks
    of_gpus = np.flatnonzero(ranks.gpu >= 0).tolist()

    def counted(texts: tuple[str, ...]) -> str:
        found = Counter(texts[rank] for rank in of_gpus if texts[rank])
        return ", ".join(f"{text}: {plural(count, 'rank')}" for text, count in found.most_common())

    lines = {
        "messages in memory of GPUs": counted(ranks.gpu_name),
        "copied through memory of the host, or direct": counted(ranks.gpu_path),
        "between GPU and device": counted(ranks.gpu_to_device),
    }
    return [f"{what}: {counts}" for what, counts in lines.items() if counts]


def numa_lines(results: Results) -> list[str]:
    """The NUMA distance between ranks and their devices, if any rank is on another node."""
    distance = results.ranks.numa_distance
    far = distance > SAME_NUMA_NODE
    if not far.any():
        return []
    first = results.ranks.name(int(far.argmax()))
    count = plural(int(far.sum()), "rank")
    return [f"on another NUMA node than their device: {count}, up to distance {distance.max()}, first {first}"]


def over_tcp(results: Results) -> str | None:
    """A warning if a library used TCP although it was not told to."""
    facts = results.facts
    if facts.transport not in LAYERED or "tcp" in facts.transport_options:
        return None
    lanes = {lane for text in results.ranks.lanes for way in text.split(", ") for lane in way.split("+")}
    found = sorted(lane for lane in lanes if lane.startswith("tcp"))
    if not found:
        return None
    chosen = f"{LAYERED[facts.transport]} chose TCP on its own ({', '.join(found)})"
    return f"{chosen}: a faster network, if there is one, was not used."


def link_warnings(results: Results) -> list[str]:
    """The warnings of a run of links."""
    return warnings(results, measured=any(len(size.rows) for size in results.sizes))


def warnings(results: Results, measured: bool) -> list[str]:
    """Warnings that a reader needs before the numbers; `measured`: whether there are any."""
    found = []
    if results.facts.interrupted:
        found.append("A signal ended the run before it finished. Only the links measured so far are shown.")
    elif not results.facts.complete:
        found.append("The run is still in progress or was killed. Only the links measured so far are shown.")
    if not measured:
        found.append("No link has been measured yet.")
    if results.rows_from_parts:
        rows = plural(results.rows_from_parts, "row")
        found.append(f"{rows} merged in from {folder_of(results.path)}: they could not be written to the file itself.")
    found += results.parts_left_out
    if chosen := over_tcp(results):
        found.append(chosen)
    if not results.facts.serial and not math.isnan(results.overlap) and results.overlap < SIMULTANEOUS:
        found.append(
            f"The pairs of a step overlapped only partly: half of them had finished after "
            f"{results.overlap:.0%} of the time of the slowest one (median over the steps)."
        )
    return found


def remarks(results: Results) -> list[str]:
    """The remarks recorded in the run, at most MOST_REMARKS."""
    left_out = len(results.remarks) - MOST_REMARKS
    more = [f"and {plural(left_out, 'more remark')}"] if left_out > 0 else []
    return [*results.remarks[:MOST_REMARKS], *more]
