"""Slow pairs between the same two sets of hosts are one verdict on a trunk."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from conftest import Command
from everylink.judge.confidence import LESS

ACROSS = {("n1", "n8"): 0.6, ("n1", "n9"): 0.6, ("n2", "n8"): 0.6, ("n2", "n9"): 0.6}


def _verdicts(everylink: Command, folder: Path, slow: dict[tuple[str, str], float]) -> list[Any]:
    options = [word for (one, other), rate in slow.items() for word in ("--fault", f"slow-link:{one}>{other}*{rate}")]
    options += [word for (one, other), rate in slow.items() for word in ("--fault", f"slow-link:{other}>{one}*{rate}")]
    path = folder / "run.h5"
    assert everylink("simulate", "--hosts", 32, *options, "--confirm", "-o", path, "--force")[0] == 0
    code, out, err = everylink("diagnose", path, "--format", "json")
    assert (code, err) == (3, "")
    return list(json.loads(out)["verdicts"])


def test_all_pairs_between_two_hosts_and_two_others_are_one_trunk(tmp_path: Path, everylink: Command) -> None:
    (verdict,) = _verdicts(everylink, tmp_path, ACROSS)
    assert (verdict["kind"], verdict["subject"], verdict["direction"]) == ("trunk", ["n[1-2]", "n[8-9]"], "both")
    assert verdict["evidence"].startswith("all 4 pairs between them are slow: one of the cables between the switches; ")
    assert 1.5 < verdict["factor"] < 1.8


def test_all_pairs_between_two_hosts_and_two_others_are_one_trunk_though_one_is_less_slow(
    tmp_path: Path, everylink: Command
) -> None:
    """Load may hide a part of what it has."""
    (verdict,) = _verdicts(everylink, tmp_path, {**ACROSS, ("n2", "n9"): 0.8})
    assert (verdict["kind"], verdict["subject"]) == ("trunk", ["n[1-2]", "n[8-9]"])


def test_most_of_these_pairs_are_one_trunk_too(tmp_path: Path, everylink: Command) -> None:
    (verdict,) = _verdicts(everylink, tmp_path, dict(list(ACROSS.items())[:3]))
    assert (verdict["kind"], verdict["subject"], verdict["direction"]) == ("trunk", ["n[1-2]", "n[8-9]"], "both")
    assert verdict["evidence"].startswith("3 pairs between these hosts are slow, and the hosts are not: ")


def test_all_pairs_among_some_hosts_are_one_group(tmp_path: Path, everylink: Command) -> None:
    among = dict.fromkeys(itertools.combinations(("n1", "n10", "n20"), 2), 0.6)
    (verdict,) = _verdicts(everylink, tmp_path, among)
    assert (verdict["kind"], verdict["subject"], verdict["direction"]) == ("group", ["n1", "n10", "n20"], "both")
    assert verdict["evidence"].startswith("all 3 pairs among them are slow, and none with others is; of n1")
    assert verdict["confidence"] == LESS


@pytest.mark.long
def test_pairs_that_share_no_host_or_differ_are_verdicts_of_their_own(tmp_path: Path, everylink: Command) -> None:
    apart = {("n1", "n8"): 0.6, ("n2", "n9"): 0.6, ("n3", "n10"): 0.6}
    for slow in (apart, {**ACROSS, ("n1", "n8"): 0.3}):
        found = _verdicts(everylink, tmp_path, slow)
        assert {verdict["kind"] for verdict in found} <= {"pair", "link"}
        assert len(found) == len(slow)
