"""How sure verdicts on times may be at most."""

import pytest

from everylink.judge.confidence import DOUBTFUL, LESS, MOST, OF_WAY, calibrated
from everylink.judge.verdict import Scope, Verdict


@pytest.mark.parametrize(
    ("kind", "links", "scope", "symptom", "is_alone", "most"),
    [
        ("host", 30, Scope.ALL, "slow", True, MOST),
        ("host", 30, Scope.ALL, "slow", False, DOUBTFUL),
        ("host", 30, Scope.ALL, "loss", False, MOST),  # a burst of messages tells of it
        ("host", 4, Scope.ALL, "slow", True, LESS),
        ("host", 30, Scope.BEYOND, "slow", True, LESS),  # the uplinks that it uses may be
        ("trunk", 30, Scope.ALL, "slow", True, OF_WAY),  # what passes a slow part looks like one
        ("host", 4, Scope.ALL, "broken", False, 0.999),
    ],
)
def test_a_verdict_is_no_surer_than_such_verdicts_are_right(
    kind: str, links: int, scope: Scope, symptom: str, is_alone: bool, most: float
) -> None:
    verdict = Verdict(kind, ("n1",), "both", symptom, 1, 1.3, 0.999, links, "", scope=scope)
    assert calibrated(verdict, is_alone).confidence == most
