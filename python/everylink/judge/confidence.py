"""How sure a verdict on times is: what noise leaves, limited by how often such verdicts were right.

Noise alone says that a clear verdict is never wrong. Wrong ones come from what was not thought of, so the limits are
counted in worlds with structures that the judge had not seen when it judged them (bench/score_worlds.py; the table is
in docs/accuracy.md). In structures that it was tuned on more are right.
"""

from collections.abc import Mapping
from dataclasses import replace

from everylink.distributions import normal_tail
from everylink.judge.verdict import OF_TIMES, SURE, Scope, Verdict

MOST, LESS = 0.98, 0.97
OF_WAY = 0.9  # of a trunk: what passes a slow part looks like one; counted where trunks are slow as often as others
RIGHT: Mapping[str, float] = {
    "host": MOST, "group": MOST, "link": LESS, "rank": LESS, "pair": LESS, "trunk": OF_WAY,
}  # fmt: skip
DOUBTFUL = 0.8  # of what was never measured alone
FEWEST_LINKS = 5  # of a host or rank; with fewer LESS, and where only those that leave its group are slow


def calibrated(verdict: Verdict, is_alone: bool) -> Verdict:
    """The verdict, no surer than such verdicts are right. `is_alone`: whether links were measured without others."""
    if verdict.symptom not in OF_TIMES:
        return verdict
    most = min(RIGHT.get(verdict.kind, DOUBTFUL), LESS if _is_by_few(verdict) else MOST)
    if verdict.symptom == "slow" and not is_alone:
        most = min(most, DOUBTFUL)
    return replace(verdict, confidence=min(verdict.confidence, most))


def is_less(verdict: Verdict) -> bool:
    """Whether its confidence is limited to LESS: a host or rank that few links show to be slow, or only those that
    leave its group; or a host in place of several slow pairs."""
    return _is_by_few(verdict) or verdict.confidence == LESS


def _is_by_few(verdict: Verdict) -> bool:
    return verdict.scope is Scope.BEYOND or (verdict.is_end and 0 < verdict.links < FEWEST_LINKS)


def stated(suspect: Verdict) -> Verdict:
    """The suspect as users are told of it. Its own confidence is against noise alone: nothing was measured again."""
    return calibrated(suspect, is_alone=False)


def confidence_of(z: float, tested: int) -> float:
    """1 - the expected number of such scores by chance (Bonferroni), between 0.5 and SURE."""
    return float(min(max(1 - float(normal_tail(z)) * max(tested, 1), 0.5), SURE))
