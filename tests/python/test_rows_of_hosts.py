"""Hosts in a row that are slow alike are one verdict."""

import json
from pathlib import Path
from typing import Any

import numpy as np

from conftest import Command
from everylink.judge.names import Names
from everylink.judge.rows_of_hosts import rows_of_hosts, without_further, without_scattered
from everylink.judge.verdict import Verdict
from pair_rows import run_of

IN_A_ROW = {"n8": 0.7, "n9": 0.7, "n10": 0.7}


def _judged(everylink: Command, folder: Path, slow: dict[str, float]) -> Any:
    faults = (("--fault", f"slow-host:{host}*{rate}") for host, rate in slow.items())
    path = folder / "run.h5"
    options = [option for one in faults for option in one]
    assert everylink("simulate", "--hosts", 32, *options, "-o", path, "--force")[0] == 0
    code, out, err = everylink("diagnose", path, "--format", "json")
    assert (code, err) == (3, "")
    return json.loads(out)


def test_three_hosts_in_a_row_that_are_slow_alike_are_one_verdict_and_all_are_drained(
    tmp_path: Path, everylink: Command
) -> None:
    found = _judged(everylink, tmp_path, IN_A_ROW)
    (verdict,) = found["verdicts"]
    assert (verdict["kind"], verdict["scope"], verdict["symptom"]) == ("group", "each", "slow")
    assert verdict["subject"] == list(IN_A_ROW) == found["drain"]
    assert verdict["evidence"].startswith("3 hosts in a row, each slow by itself; ")
    assert verdict["action"].startswith("Drain n[8-10]; ")
    assert not found["suspects"]


def test_hosts_that_differ_or_are_not_in_a_row_are_verdicts_of_their_own(tmp_path: Path, everylink: Command) -> None:
    for slow in ({"n8": 0.7, "n9": 0.7}, {"n8": 0.7, "n10": 0.7, "n12": 0.7}, {**IN_A_ROW, "n9": 0.4}):
        found = _judged(everylink, tmp_path, slow)
        assert sorted(verdict["kind"] for verdict in found["verdicts"]) == ["host"] * len(slow)
        assert sorted(found["drain"]) == sorted(slow)


def test_a_slow_group_is_told_in_place_of_all_of_its_hosts() -> None:
    names = Names(run_of(np.arange(8), 9, {}), None, np.arange(8) // 4)
    hosts = [Verdict("host", (f"n{host}",), "both", "slow", 1, 1.3, 0.96, 7, "") for host in range(4)]
    group = Verdict("group", ("n0", "n1", "n2", "n3"), "both", "slow", 1 << 20, 1.5, 0.96, 28, "")
    assert rows_of_hosts([group, *hosts], names) == [group]
    assert [one.subject for one in rows_of_hosts([group, *hosts[1:]], names)] == [group.subject, group.subject[1:]]


def test_hosts_in_a_row_that_are_a_little_slow_in_small_messages_only_are_told_with_a_question() -> None:
    names = Names(run_of(np.arange(16), 17, {}), None, np.zeros(16, np.int64))

    def told(factor: float, *sizes: int) -> tuple[int, list[tuple[str, ...]]]:
        of_sizes = [
            [Verdict("host", (f"n{host}",), "both", "slow", size, factor, 0.93, 15, "") for host in range(4, 8)]
            for size in sizes
        ]
        rows = rows_of_hosts(of_sizes[0], names)
        verdicts, structures = without_further(rows, [one for every in of_sizes for one in every])
        return len(verdicts), [one.subject for one in structures]

    assert told(1.1, 1) == (0, [("n[4-7]",)])
    assert told(1.1, 1, 1 << 20) == told(1.1, 1 << 20) == told(1.3, 1) == (1, [])


def test_a_fifth_of_the_hosts_in_no_row_that_are_slow_alike_are_told_with_a_question() -> None:
    names = Names(run_of(np.arange(8), 9, {}), None, np.zeros(8, np.int64))

    def told(slow: dict[int, float]) -> tuple[int, list[tuple[str, ...]]]:
        hosts = [Verdict("host", (f"n{at}",), "both", "slow", 1, factor, 0.93, 7, "") for at, factor in slow.items()]
        verdicts, structures = without_scattered(hosts, names)
        return len(verdicts), [one.subject for one in structures if one.question]

    assert told({3: 1.3, 7: 1.29}) == (0, [("n[3,7]",)])
    assert told({3: 1.3}) == (1, [])
    assert told({3: 1.3, 4: 1.3}) == (2, [])  # they may share a chassis
    assert told({3: 1.3, 7: 1.6}) == (2, [])
    assert told({3: 2.5, 7: 2.5}) == (2, [])
