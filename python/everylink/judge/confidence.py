"""How sure a verdict on times is: what noise leaves, limited by how often such verdicts were right.

Noise alone says that a clear verdict is never wrong. Wrong ones come from what was not thought of, so the limits are
counted in worlds with structures that the judge had not seen (bench/score_worlds.py; the table is in docs/verdicts.md),
hosts as the mean over these structures: a new one may be as bad for the judge as the worst of them was. Of n verdicts
without a wrong one no more than 1 - 3 / n is claimed (the rule of three, Hanley and Lippman-Hand 1983).
"""

from collections.abc import Mapping
from dataclasses import replace

from everylink.judge.verdict import OF_TIMES, Verdict

RIGHT: Mapping[str, float] = {"host": 0.94, "rank": 0.9, "pair": 0.6, "link": 0.9, "group": 0.7, "trunk": 0.5}
DOUBTFUL = 0.8  # of what was never measured alone, or rests on few links
FEWEST_LINKS = 5  # of a host or rank


def calibrated(verdict: Verdict, is_alone: bool) -> Verdict:
    """The verdict, no surer than such verdicts are right. `is_alone`: whether links were measured without others."""
    if verdict.symptom not in OF_TIMES:
        return verdict
    is_few = verdict.kind in ("host", "rank") and 0 < verdict.links < FEWEST_LINKS
    most = RIGHT.get(verdict.kind, DOUBTFUL)
    if is_few or (verdict.symptom == "slow" and not is_alone):
        most = min(most, DOUBTFUL)
    return replace(verdict, confidence=min(verdict.confidence, most))
