"""A verdict names its cause, if the accused host shows one."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.explain.because import NONE_SEEN, explained
from everylink.io.read import read
from everylink.judge.verdict import Conclusion, Judgement, Verdict
from inventories import Machine, cluster, make_inventory
from make_results import Link, make_results, steady

SLOW = 3
RATE = "rate 200 Gb/sec (2X NDR) of ib/mlx5_0/1; the other 7 have 400 Gb/sec (4X NDR)"


def slow_host(link: Link, size: int) -> float:
    return steady(link, size) * (3 if SLOW in link else 1)


def because(path: Path, change: Callable[[list[Machine]], object], fabric: str = "ib") -> str:
    """The cause of the one verdict on host n03, which is slow."""
    machines = cluster(8, fabric=fabric)
    change(machines)
    run = judged(read(make_inventory(path / "x.h5", machines, sizes=(8, 65536), time=slow_host)))
    (verdict,) = run.judgement.verdicts
    assert verdict.subject == ("n03",)
    return verdict.because


def fact(part: str, name: str, value: str, host: int = SLOW) -> Callable[[list[Machine]], object]:
    return lambda machines: machines[host].facts.update({(part, name): value})


def test_a_port_at_half_its_rate_is_the_cause(tmp_path: Path) -> None:
    assert because(tmp_path, fact("ib/mlx5_0/1", "rate", "200 Gb/sec (2X NDR)")) == f"because: n03: {RATE}"


def test_a_counter_that_grew_is_the_cause(tmp_path: Path) -> None:
    said = because(tmp_path, lambda machines: machines[SLOW].grow("host", "Tcp.RetransSegs", 9000), "ethernet")
    assert said.startswith("because: n03: Tcp.RetransSegs grew by 9,000 (4500 per GB): TCP sent segments again")


def test_of_few_hosts_the_one_that_lost_most_explains_its_verdict(tmp_path: Path) -> None:
    """Retransmissions as four hosts in namespaces counted them while 2 % of the packets of one were lost."""

    def lost(machines: list[Machine]) -> None:
        for number, one in enumerate(machines):
            one.grow("host", "Tcp.RetransSegs", 338 if number == SLOW else (76, 147, 186, 120)[number % 4])

    said = because(tmp_path, lost, "ethernet")
    assert not said.startswith("because")  # of eight hosts, 338 is too little beside 130
    machines = cluster(4, fabric="ethernet")
    for one, more in zip(machines, (186, 76, 147, 338), strict=True):
        one.grow("host", "Tcp.RetransSegs", more)
    results = read(make_inventory(tmp_path / "y.h5", machines))
    (verdict_with,) = explained(results, verdict("host", "n03")).verdicts
    assert verdict_with.because.startswith("because: n03: Tcp.RetransSegs grew by 338")
    assert verdict_with.because.endswith("the other 3 by 147 (median)")


def resent(own: int, others: int) -> Callable[[list[Machine]], object]:
    """TCP sends segments again from the slow host to each other, and from each other host to the next one."""

    def change(machines: list[Machine]) -> None:
        machines[SLOW].resent = dict.fromkeys(set(range(8)) - {SLOW}, own)
        for host in (0, 1, 4, 5, 6):
            machines[host].resent = {host + 1: others}

    return change


@pytest.mark.parametrize(("others", "elsewhere"), [(0, "none"), (200, "0.17")])
def test_what_tcp_sends_again_on_its_links_is_the_cause(others: int, elsewhere: str, tmp_path: Path) -> None:
    said = because(tmp_path, resent(900, others), "ethernet")
    assert said == f"because: TCP sent 3.1 segments per MB again on its links, {elsewhere} on other links"


@pytest.mark.parametrize(("own", "others"), [(2, 0), (900, 2000)], ids=["a few", "as many elsewhere"])
def test_what_tcp_sends_again_everywhere_is_no_cause(own: int, others: int, tmp_path: Path) -> None:
    assert because(tmp_path, resent(own, others), "ethernet") == NONE_SEEN


def test_a_version_is_perhaps_the_cause(tmp_path: Path) -> None:
    said = because(tmp_path, fact("host", "kernel", "5.14.0-1"))
    assert said == "perhaps because: n03: kernel 5.14.0-1; the other 7 have 5.14.0-503.el9.x86_64"


def test_the_most_severe_of_several_is_named(tmp_path: Path) -> None:
    def several(machines: list[Machine]) -> None:
        for part, name, value in (
            ("host", "kernel", "5.14.0-1"), ("ib/mlx5_0/1", "rate", "200 Gb/sec (2X NDR)"),
            ("host", "governor", "powersave"),
        ):  # fmt: skip
            machines[SLOW].facts[part, name] = value

    assert because(tmp_path, several) == f"because: n03: {RATE}"


@pytest.mark.parametrize(
    "change",
    [
        lambda machines: None,
        fact("ib/mlx5_0/1", "rate", "200 Gb/sec (2X NDR)", host=5),
        fact("net/eno1", "speed", "100"),
        fact("host", "name", "n05"),
    ],
    ids=["nothing deviates", "another host deviates", "a management interface", "a name that is used twice"],
)
def test_otherwise_no_cause_is_seen(change: Callable[[list[Machine]], object], tmp_path: Path) -> None:
    assert because(tmp_path, change) == NONE_SEEN


def verdict(kind: str, *subject: str) -> Judgement:
    one = Verdict(kind, subject, "both", "slow", 8, 2.0, 0.99, 7, "evidence")
    return Judgement(verdicts=(one,), suspects=(), links_measured=56, links_failed=0, sizes=(8,), remarks=())


@pytest.mark.parametrize(
    ("part", "name", "value", "judgement", "found"),
    [
        ("ib/mlx5_1/1", "rate", "200 Gb/sec (2X NDR)", verdict("rank", "n03:3"), "because: n03: rate"),
        ("ib/mlx5_0/1", "rate", "200 Gb/sec (2X NDR)", verdict("rank", "n03:3"), NONE_SEEN),
        ("pci/0000:22:00.0", "current_link_width", "8", verdict("rank", "n03:3"), "because: n03: PCIe lanes 8"),
        ("pci/0000:12:00.0", "current_link_width", "8", verdict("rank", "n03:3"), NONE_SEEN),
        ("host", "governor", "powersave", verdict("rank", "n03:3"), "because: n03: frequency governor"),
        ("net/eth1", "mtu", "1500", verdict("pair", "n03:3", "n05:5"), "because: n03: MTU 1500"),
        ("host", "governor", "powersave", verdict("pair", "n03:3", "n05:5"), ""),
        ("net/eth1", "mtu", "1500", verdict("pair", "n04:4", "n05:5"), ""),
        ("host", "governor", "powersave", verdict("group", "n02", "n03"), "because: n03: frequency governor"),
        ("host", "governor", "powersave", verdict("group", "n02", "n03", "n04"), ""),
        ("host", "governor", "powersave", verdict("trunk", "leaf 1"), ""),
    ],
)
@pytest.mark.one_in(2)
def test_what_is_accused_decides_what_may_explain_it(
    part: str, name: str, value: str, judgement: Judgement, found: str, tmp_path: Path
) -> None:
    """Ranks use the second adapter; a pair is kept apart only by what two healthy hosts may differ in."""
    machines = cluster(8, fabric="roce")
    for one in machines:
        one.device = "mlx5_1"
    machines[SLOW].facts[part, name] = value
    results = read(make_inventory(tmp_path / "x.h5", machines))
    (said,) = explained(results, judgement).verdicts
    assert said.because.startswith(found)
    assert bool(said.because) == bool(found)


def test_every_form_of_the_answer_has_the_cause(tmp_path: Path, everylink: Command) -> None:
    machines = cluster(8)
    machines[SLOW].facts["ib/mlx5_0/1", "rate"] = "200 Gb/sec (2X NDR)"
    file = make_inventory(tmp_path / "x.h5", machines, sizes=(8, 65536), time=slow_host)
    assert f"\n      because: n03: {RATE}\n" in everylink("diagnose", file)[1]
    said = json.loads(everylink("diagnose", file, "--format", "json")[1])
    assert said["verdicts"][0]["because"] == f"because: n03: {RATE}"
    assert f"because: n03: {RATE}" in everylink("diagnose", file, "--format", "junit")[1]


def test_without_the_memory_for_the_inventory_the_verdict_has_no_cause(
    tmp_path: Path, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = make_inventory(tmp_path / "x.h5", cluster(8), sizes=(8, 65536), time=slow_host)
    monkeypatch.setattr("everylink.io.inventory.ENTRY_BYTES", 2**60)
    assert json.loads(everylink("diagnose", file, "--format", "json")[1])["verdicts"][0]["because"] is None
    code, _, error = everylink("inventory", file)
    assert code == 1
    assert "facts and counters of hosts takes" in error


def test_a_run_without_inventory_says_nothing_of_causes(tmp_path: Path, everylink: Command) -> None:
    file = make_results(tmp_path / "x.h5", hosts=[f"n{i}" for i in range(8)], sizes=(8, 65536), time=slow_host)
    said = json.loads(everylink("diagnose", file, "--format", "json")[1])
    assert said["verdicts"][0]["because"] is None
    assert "because" not in everylink("diagnose", file)[1]


# --- what deviates without being slow -----------------------------------------------------------------------------


def judged_well(folder: Path, change: Callable[[list[Machine]], object], hosts: int = 8) -> Judgement:
    """The judgement of hosts whose links are all well."""
    machines = cluster(hosts)
    change(machines)
    return judged(read(make_inventory(folder / "x.h5", machines, sizes=(8, 65536), time=steady))).judgement


def test_equal_hosts_without_a_slow_link_are_healthy(tmp_path: Path) -> None:
    judgement = judged_well(tmp_path, lambda machines: None)
    assert (judgement.findings, judgement.conclusion) == ((), Conclusion.HEALTHY)


def test_a_port_at_half_its_rate_is_a_fault_though_its_links_are_well(tmp_path: Path, everylink: Command) -> None:
    judgement = judged_well(tmp_path, fact("ib/mlx5_0/1", "rate", "200 Gb/sec (2X NDR)"))
    assert judgement.conclusion is Conclusion.FAULTS
    code, out, _ = everylink("diagnose", tmp_path / "x.h5")
    assert code == 3
    assert out.startswith(f"FAULTS: 1 config finding\n  critical, config: n03: {RATE}\n")
    assert everylink("diagnose", tmp_path / "x.h5", "--format", "junit")[1].count("<failure") == 1
    (finding,) = json.loads(everylink("diagnose", tmp_path / "x.h5", "--format", "json")[1])["findings"]
    assert (finding["kind"], finding["hosts"], finding["is_fault"]) == ("config", ["n03"], True)


def test_another_firmware_is_said_and_no_fault(tmp_path: Path, everylink: Command) -> None:
    judgement = judged_well(tmp_path, fact("ib/mlx5_0", "fw_ver", "28.1"))
    assert judgement.conclusion is Conclusion.HEALTHY
    assert "\n  warning, config: n03: firmware 28.1 of ib/mlx5_0; the other 7 have " in everylink(
        "diagnose", tmp_path / "x.h5"
    )[1]  # fmt: skip


def test_errors_that_grew_on_a_link_that_measured_well_are_said(tmp_path: Path) -> None:
    (finding,) = judged_well(
        tmp_path, lambda machines: machines[SLOW].grow("ib/mlx5_0/1", "counters/symbol_error", 40)
    ).findings
    assert (finding.kind, finding.severity, finding.is_fault) == ("errors", "warning", False)


def test_a_port_that_went_down_during_the_run_is_a_fault(tmp_path: Path) -> None:
    (finding,) = judged_well(
        tmp_path, lambda machines: machines[SLOW].grow("ib/mlx5_0/1", "counters/link_downed", 1)
    ).findings
    assert (finding.kind, finding.severity, finding.is_fault) == ("errors", "critical", True)


def test_with_two_hosts_nobody_says_which_is_as_it_should_be(tmp_path: Path) -> None:
    judgement = judged_well(tmp_path, fact("ib/mlx5_0/1", "rate", "200 Gb/sec (2X NDR)", host=1), hosts=2)
    assert judgement.conclusion is not Conclusion.FAULTS


def test_what_is_the_cause_of_a_verdict_is_no_finding_as_well(tmp_path: Path) -> None:
    machines = cluster(8)
    machines[SLOW].facts["ib/mlx5_0/1", "rate"] = "200 Gb/sec (2X NDR)"
    run = judged(read(make_inventory(tmp_path / "x.h5", machines, sizes=(8, 65536), time=slow_host)))
    assert run.judgement.verdicts[0].because.endswith(RATE)
    assert run.judgement.findings == ()
