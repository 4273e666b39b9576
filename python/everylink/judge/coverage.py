"""Says which components a run could not judge, and why."""

from collections.abc import Iterable

from everylink.judge.effects import FEWEST_GROUPS, FEWEST_HOSTS
from everylink.judge.full_load import MOST_RANKS, has_too_many
from everylink.judge.judged import Judged
from everylink.judge.trunks import FEWEST_ENDS, are_too_many
from everylink.judge.verdict import FEW_HOSTS
from everylink.model.results import UNKNOWN, Results
from everylink.units import plural


def not_looked_for(judged: Judged, kind: str) -> Iterable[str]:
    """Which components could not be judged, and why."""
    effects, count = judged.findings.effects, judged.readings.hosts
    if count < FEW_HOSTS:
        yield f"slow {kind}s (that takes {FEW_HOSTS} or more)"
    if has_too_many(judged.readings):
        yield f"{kind}s that are slow only while all of their ranks work (more than {MOST_RANKS:,} ranks)"
    elif count < judged.readings.ranks and not judged.readings.has_most_links:
        yield f"{kind}s of which all ranks together reach less (that takes two thirds of all links)"
    several = effects.whole_groups if effects.whole_groups > 1 else "none are"  # one group is all of them
    known = f"of {FEWEST_HOSTS} {kind}s; {several} known)"
    if effects.whole_groups < FEWEST_GROUPS:
        yield f"slow groups (that takes {FEWEST_GROUPS} groups {known}"
    ways = effects.whole_groups * (effects.whole_groups - 1) // 2
    left_out = ways - judged.findings.judged_ways
    if effects.whole_groups < FEWEST_ENDS:
        yield f"slow trunks (that takes {FEWEST_ENDS} groups {known}"
    elif are_too_many(effects):
        yield f"slow trunks ({effects.whole_groups:,} groups of {count:,} {kind}s are too many)"
    elif left_out:
        yield f"slow trunks between {left_out:,} of {ways:,} pairs of groups (too few links between them were measured)"


def coverage_remarks(results: Results, judged: Judged, unit_kind: str) -> Iterable[str]:
    seen, facts = judged.readings, results.facts
    pairs = judged.findings.pairs
    known = pairs.tested
    whole = seen.hosts * (seen.hosts - 1)
    if seen.hosts < FEW_HOSTS:
        yield (
            f"With {seen.hosts} {unit_kind}s, a slow one cannot be identified: that takes {FEW_HOSTS} or more. Whether "
            "they are as fast as they should be, --expect or --baseline tells."
        )
    if known < 0.9 * whole and seen.hosts > 2:
        yield (
            f"{known} of {whole} connections between {unit_kind}s were measured: a bad one among the others does not "
            "show."
        )
    if pairs.left_out:
        yield f"{plural(pairs.left_out, 'more pair')} to be measured again than the {len(pairs.suspects)} slowest."
    if facts.kernel == UNKNOWN:
        yield "The kernel is unknown: times count as those of round trips, and a link slow one way only does not show."
    if not facts.complete:
        yield "The run was not through: judged are the links so far."
