"""Names of hosts: told apart where two have the same, and short enough to draw."""

from collections import Counter

from everylink.results import Ranks


def host_names(ranks: Ranks) -> list[str]:
    """The name of each host by its index; two hosts of one name get their index behind it."""
    names = [""] * (int(ranks.host_index.max()) + 1)
    for rank in range(len(ranks) - 1, -1, -1):
        names[int(ranks.host_index[rank])] = ranks.host[rank]
    often = Counter(names)
    return [name if often[name] == 1 else f"{name} (host {index})" for index, name in enumerate(names)]


def short_hosts(ranks: Ranks) -> tuple[str, ...]:
    """The host of each rank; without its domain, unless hosts would be mixed up or names are addresses."""
    short = tuple(name.partition(".")[0] for name in ranks.host)
    clear = len(set(short)) == len(set(ranks.host)) and not any(name == "" or name.isdigit() for name in short)
    return short if clear else ranks.host
