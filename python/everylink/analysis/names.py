"""Host names short enough to draw: without their domain, where that still tells all hosts apart."""

from everylink.results import Ranks


def short_hosts(ranks: Ranks) -> tuple[str, ...]:
    """The host of each rank; without its domain, unless hosts would be mixed up or names are addresses."""
    short = tuple(name.partition(".")[0] for name in ranks.host)
    clear = len(set(short)) == len(set(ranks.host)) and not any(name == "" or name.isdigit() for name in short)
    return short if clear else ranks.host
