"""What to do about each verdict, and which hosts to drain."""

from collections.abc import Callable
from pathlib import Path

import h5py
import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.judge.verdict import Conclusion, Judgement
from everylink.model.rows import Outcome
from inventories import Machine, cluster, make_inventory
from make_results import Link, all_links, make_results, steady

SIZES = (8, 1 << 20)


def with_cables(machines: list[Machine]) -> None:
    for number, machine in enumerate(machines):
        machine.facts["net/eth0", "neighbour"] = f"leaf1 Ethernet{number}"


def made(
    path: Path, time: Callable[[Link, int], float], hosts: int = 8, change: Callable[[list[Machine]], object] = len
) -> Judgement:
    """The judgement of a run with one rank on each of the hosts n00, n01, ..."""
    machines = cluster(hosts, fabric="ethernet", rails=1)
    change(machines)
    return judged(read(make_inventory(path / "x.h5", machines, sizes=SIZES, time=time))).judgement


def slow_host(link: Link, size: int) -> float:
    return steady(link, size) * (3 if 1 in link else 1)


def test_a_slow_host_is_drained_and_its_adapter_and_cable_are_named(tmp_path: Path) -> None:
    judgement = made(tmp_path, slow_host, change=with_cables)
    (verdict,) = judgement.verdicts
    assert verdict.action == (
        "Drain n01; compare speed, width and error counters of eth0 (cable to leaf1 port Ethernet1) with a good "
        "host's, and look at the cable."
    )
    assert judgement.drain == ("n01",)


def test_a_cause_that_is_proven_is_to_be_corrected(tmp_path: Path) -> None:
    def slower(machines: list[Machine]) -> None:
        machines[1].grow("host", "Tcp.RetransSegs", 9000)

    (verdict,) = made(tmp_path, slow_host, change=slower).verdicts
    assert verdict.action == "Drain n01; correct what is named as the cause, and measure again."


def test_no_end_of_a_pair_is_drained(tmp_path: Path) -> None:
    path = make_results(
        tmp_path / "x.h5", hosts=[f"n{i}" for i in range(8)], sizes=SIZES,
        outcomes={(1, 2): Outcome.TIMEOUT, (2, 1): Outcome.TIMEOUT},
    )  # fmt: skip
    judgement = judged(read(path)).judgement
    assert [verdict.kind for verdict in judgement.verdicts] == ["pair"]
    assert judgement.verdicts[0].action.startswith("Look at routes, firewalls, addresses and MTU between n1:1 and n2:2")
    assert judgement.drain == ()


@pytest.mark.parametrize("ranks", [1, 2])
def test_of_three_hosts_the_slow_one_is_not_accused(ranks: int, tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    options = ("--hosts", 3, "--ranks-per-host", ranks, "--sizes", "8,1MiB", "--confirm")
    assert everylink("simulate", *options, "--fault", "slow-host:n1*0.5", "-o", path)[0] == 0
    judgement = judged(read(path)).judgement
    assert judgement.conclusion is Conclusion.UNDECIDED
    (suspect,) = judgement.suspects
    assert (suspect.subject, judgement.verdicts, judgement.drain) == (("n0", "n1", "n2"), (), ())
    assert "four or more hosts" in suspect.action
    assert "one of the hosts n0, n1, n2: slow" in everylink("diagnose", path)[1]


@pytest.mark.parametrize("fault", ["slow-rank:n1:2*0.5", "jitter-host:n1"])
@pytest.mark.parametrize("hosts", [2, 3])
def test_of_few_hosts_no_rank_and_no_late_host_is_accused(
    hosts: int, fault: str, tmp_path: Path, everylink: Command
) -> None:
    path = tmp_path / "x.h5"
    assert everylink("simulate", "--hosts", hosts, "--ranks-per-host", 4, "--fault", fault, "-o", path)[0] == 0
    judgement = judged(read(path)).judgement
    assert (judgement.verdicts, judgement.drain) == ((), ())


def test_a_host_of_three_is_named_where_its_links_fail_but_not_drained(tmp_path: Path) -> None:
    outcomes = {link: Outcome.TIMEOUT for link in all_links(3) if 1 in link}
    path = make_results(tmp_path / "x.h5", hosts=["n0", "n1", "n2"], sizes=SIZES, outcomes=outcomes)
    judgement = judged(read(path)).judgement
    assert [verdict.subject for verdict in judgement.verdicts] == [("n1",)]
    assert judgement.verdicts[0].action.startswith("See whether n1 is up")
    assert judgement.drain == ()


def test_a_slow_adapter_is_compared_with_the_others_of_its_host(tmp_path: Path, everylink: Command) -> None:
    def slow(link: Link, size: int) -> float:
        return steady(link, size) * (2 if {6, 7}.intersection(link) else 1)

    hosts = [f"n{rank // 4}" for rank in range(32)]
    path = make_results(tmp_path / "x.h5", hosts=hosts, sizes=SIZES, time=slow)
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        file["ranks/device"][...] = [f"e{rank % 4 // 2}".encode() for rank in range(32)]
    (verdict,) = judged(read(path)).judgement.verdicts
    assert (verdict.kind, verdict.subject) == ("rank", ("n1:6", "n1:7"))
    assert verdict.action == "Drain n1; compare e1 with the other adapters of its host."
    out = everylink("diagnose", path)[1]
    assert f"FAULTS: 2 ranks\n  ranks n1:6, n1:7: slow, {verdict.factor:.2f}x the time, at" in out


def test_the_hosts_of_bad_hosts_and_ranks_are_one_node_set_at_the_end(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    faults = ("--fault", "slow-host:n3*0.5", "--fault", "slow-rank:n4:1*0.5", "--fault", "slow-link:n9>n11*0.4")
    options = ("--hosts", 16, "--ranks-per-host", 4, "--confirm")
    assert everylink("simulate", *options, *faults, "-o", path)[0] == 0
    out = everylink("diagnose", path)[1]
    assert out.splitlines()[-1] == "drain: n[3-4]"
    assert "pair n9 -> n11" in out


def test_ten_suspects_are_shown_and_the_rest_counted(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    faults = [word for i in range(14) for word in ("--fault", f"slow-link:n{i}>n{i + 14}*{0.3 + 0.02 * i:.2f}")]
    assert everylink("simulate", "--hosts", 32, *faults, "-o", path)[0] == 0
    out = everylink("diagnose", path)[1]
    suspects = judged(read(path)).judgement.suspects
    assert len(suspects) >= 14
    factors = [suspect.factor or 0 for suspect in suspects]
    assert factors == sorted(factors, reverse=True)
    assert out.count("\n  pair ") == 10
    assert f"  {len(suspects) - 10} more; everylink diagnose FILE --all lists them\n" in out
    every = everylink("diagnose", path, "--all")[1]
    assert every.count("\n  pair ") == len(suspects)
    assert "lists them" not in every
    assert out.count("everylink run --confirm") == 1


def test_after_confirming_nothing_says_to_confirm(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    faults = ("--fault", "slow-host:n0*0.7", "--fault", "slow-host:n2*0.7")  # of four: too many to be verdicts
    assert everylink("simulate", "--hosts", 4, *faults, "--confirm", "-o", path)[0] == 0
    out = everylink("diagnose", path)[1]
    assert "suspected:" in out
    assert "--confirm" not in out


def test_a_rank_that_never_joined_names_no_host_to_drain(tmp_path: Path) -> None:
    dead: dict[Link, int] = {link: Outcome.ABSENT for link in all_links(8) if 3 in link}
    hosts = [f"n{rank}" if rank != 3 else "rank 3" for rank in range(8)]  # as the core names it
    make_results(tmp_path / "x.h5", hosts=hosts, outcomes=dead)
    judgement = judged(read(tmp_path / "x.h5")).judgement
    assert judgement.drain == ()
    (verdict,) = judgement.verdicts
    assert verdict.action == "See on which host rank 3 was to run, whether that is up, and why the rank did not join."
