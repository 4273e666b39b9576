"""Hosts whose processor too few have for a kind are structure if they are slower alike, and suspects otherwise."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from everylink.io.read import read
from everylink.judge.judge import judge
from everylink.judge.names import Names
from everylink.judge.unlike_hosts import of_unlike, told_of
from everylink.judge.verdict import Verdict
from inventories import OLDER, Model, cluster, machine, make_inventory
from make_results import Link, steady
from pair_rows import run_of

FAT = {"n0": "processor, Xeon Gold 6140", "n4": "processor, Xeon Gold 6140", "n8": "processor, Xeon Gold 6140"}
SLOW = Verdict("host", ("n0",), "both", "slow", 1, 1.16, 0.96, 13, "its 13 connections take 2 us")


def of(**factors: float) -> list[Verdict]:
    return [replace(SLOW, subject=(name,), factor=factor) for name, factor in factors.items()]


def test_hosts_with_one_processor_that_are_slower_alike_are_one_class() -> None:
    (structure,), suspects = told_of(of(n0=1.16, n4=1.15, n8=1.17), FAT)
    assert (structure.kind, structure.subject, structure.factor) == ("class", ("n[0,4,8]",), 1.17)
    assert structure.text.endswith("no others have their processor, Xeon Gold 6140")
    assert structure.question
    assert not suspects


@pytest.mark.parametrize(
    "factors",
    [
        {"n0": 1.16, "n4": 1.15},  # one of three is not slower
        {"n0": 1.16, "n4": 1.15, "n8": 1.4},  # one is slower than the two others
        {"n0": 1.7, "n4": 1.7, "n8": 1.7},  # no design slows so much
    ],
)
def test_they_are_suspects_where_they_differ_or_are_slow_by_much(factors: dict[str, float]) -> None:
    structures, suspects = told_of(of(**factors), FAT)
    assert not structures
    assert {one.subject[0] for one in suspects} == set(factors)


def test_only_slow_hosts_with_a_processor_of_their_own_are_meant_and_their_ranks() -> None:
    (slow,) = of(n0=1.2)
    other, lossy = replace(slow, subject=("n1",)), replace(slow, symptom="loss")
    rank, pair = replace(slow, kind="rank", subject=("n4:17",)), replace(slow, kind="pair", subject=("n0", "n1"))
    names = Names(run_of(np.repeat(np.arange(9), 4), 1, {}), None, np.zeros(9, np.int64))
    assert of_unlike([slow, other, lossy, rank, pair], names, FAT) == [slow, rank]
    assert told_of([rank], FAT) == ([], [rank])


def test_a_host_is_slow_if_two_others_with_its_processor_are_well() -> None:
    (slow,) = of(n0=1.2)
    rank = replace(slow, kind="rank", subject=("n0:1",))
    names = Names(run_of(np.repeat(np.arange(9), 4), 1, {}), None, np.zeros(9, np.int64))
    two = {"n0": FAT["n0"], "n4": FAT["n4"], "n8": "processor, Xeon Gold 6154"}
    assert of_unlike([slow, rank], names, FAT) == []
    assert of_unlike([slow], names, two) == [slow]


def test_of_several_sizes_the_worst_counts() -> None:
    (structure,), _ = told_of([*of(n0=1.16, n4=1.15, n8=1.17), *of(n0=1.2)], FAT)
    assert structure.factor == 1.2


@pytest.mark.parametrize("hosts", [4, 7])
@pytest.mark.parametrize("is_older", [True, False], ids=["an older adapter", "a port at half of its rate"])
def test_the_only_host_with_adapters_of_its_rate_is_a_suspect_in_a_small_run_unless_they_could_do_more(
    is_older: bool, hosts: int, tmp_path: Path
) -> None:
    machines = cluster(hosts)
    if is_older:
        machines[2] = machine(2, model=replace(OLDER, cpu=Model().cpu))
    else:
        machines[2].facts |= {(f"ib/mlx5_{rail}/1", "rate"): "200 Gb/sec (2X NDR)" for rail in range(2)}

    def slow(link: Link, size: int) -> float:
        return steady(link, size) * (2 if 2 in link else 1)

    judgement = judge(read(make_inventory(tmp_path / "x.h5", machines, sizes=(65536,), time=slow)))
    said = judgement.suspects if is_older else judgement.verdicts
    assert [(one.kind, one.subject) for one in said] == [("host", ("n02",))]
    assert len(judgement.verdicts) == (not is_older)


def test_hosts_with_adapters_that_too_few_have_for_a_kind_are_told_with_what_they_have(tmp_path: Path) -> None:
    machines = [machine(number, model=OLDER if number >= 8 else Model()) for number in range(16)]
    for number in (12, 14):
        machines[number] = machine(number, model=replace(OLDER, rate="100 Gb/sec (4X EDR)", speed=100000))
    structure = judge(read(make_inventory(tmp_path / "x.h5", machines, sizes=(65536,), time=steady))).structure
    assert {one.text for one in structure if one.kind == "adapters"} == {
        "n[00-07]: 400 + 400 Gbit/s",
        "n[08-11,13,15]: 200 + 200 Gbit/s; n[12,14] (100 + 100 Gbit/s) compared with them, too few to be a kind",
    }
