"""`everylink simulate` and `everylink diagnose`, run as commands."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.figure.page import page
from everylink.io.read import read
from everylink.links.planned import links_planned
from everylink.page.html import view
from make_results import Link, add_slurm_addresses, all_links, columns_of, make_results, row, steady

SMALL = ("simulate", "--hosts", 24)


@pytest.fixture
def bad(tmp_path: Path, everylink: Command) -> Path:
    """A file in which n17 is slow."""
    path = tmp_path / "bad.h5"
    assert everylink(*SMALL, "--fault", "slow-host:n17*0.7", "--confirm", "-o", path)[0] == 0
    return path


@pytest.fixture
def healthy(tmp_path: Path, everylink: Command) -> Path:
    path = tmp_path / "healthy.h5"
    assert everylink(*SMALL, "--seed", 3, "-o", path) == (0, f"{path}\n", "")
    return path


def test_a_fault_gives_exit_code_3_and_is_named_first(bad: Path, everylink: Command) -> None:
    code, out, err = everylink("diagnose", bad)
    assert (code, err) == (3, "")
    assert out.splitlines()[0] == "FAULTS: 1 host"
    assert out.splitlines()[1].startswith("  host n17: slow, 1.4")


def test_a_healthy_run_gives_exit_code_0_and_says_so(healthy: Path, everylink: Command) -> None:
    code, out, _ = everylink("diagnose", healthy)
    assert code == 0
    assert out.startswith("no fault found in bandwidth; latency was not tested (552 links)")


def test_json_is_one_object_with_the_documented_fields(bad: Path, everylink: Command) -> None:
    code, out, _ = everylink("diagnose", bad, "--format", "json")
    said: dict[str, Any] = json.loads(out)
    assert code == 3
    assert said["schema"] == "everylink-verdicts/2"
    assert said["healthy"] is False
    (verdict,) = said["verdicts"]
    assert set(verdict) == {
        "kind", "subject", "direction", "symptom", "bytes", "factor", "confidence", "links", "evidence", "because",
        "scope", "action",
    }  # fmt: skip
    assert (verdict["kind"], verdict["subject"], verdict["bytes"], verdict["direction"]) == (
        "host",
        ["n17"],
        1 << 20,
        "both",
    )
    documented = (Path(__file__).parents[2] / "docs/verdicts.md").read_text()
    for field in (*said, *verdict):
        assert f"`{field}`" in documented, field


def test_junit_has_one_failed_case_per_verdict_or_a_single_passed_one(
    bad: Path, healthy: Path, everylink: Command
) -> None:
    suite = ElementTree.fromstring(everylink("diagnose", bad, "--format", "junit")[1].split("\n", 1)[1])
    assert (suite.get("failures"), len(suite.findall("testcase/failure"))) == ("1", 1)
    suite = ElementTree.fromstring(everylink("diagnose", healthy, "--format", "junit")[1].split("\n", 1)[1])
    assert (suite.get("tests"), suite.get("failures"), len(suite.findall("testcase"))) == ("1", "0", 1)


def test_an_unfinished_run_is_undecided_unless_half_of_its_plan_was_measured(
    tmp_path: Path, everylink: Command
) -> None:
    hosts = [f"n{host}" for host in range(16)]
    for links, code, first in (
        (119, 4, "UNDECIDED: only 119 of 240 planned links measured"),
        (120, 0, "no fault found in bandwidth; latency was not tested (120 links)"),
        (0, 4, "UNDECIDED: nothing was measured"),
    ):
        rows = columns_of([row(link, steady(link, 65536)) for link in all_links(16)][:links])
        path = make_results(tmp_path / f"{links}.h5", hosts=hosts, columns={65536: rows}, attributes={"complete": 0})
        found, out, _ = everylink("diagnose", path)
        assert (found, out.splitlines()[0].startswith(first)) == (code, True), out
    assert json.loads(everylink("diagnose", path, "--format", "json")[1])["links_planned"] == 240


@pytest.mark.parametrize(
    ("schedule", "planned"),
    [
        ("all", 6 * 5),
        ("bisection", 2 * 3 * 3),
        ("sample:2", 2 * 6),
        ("inter-host", 6 * 5 - 3 * 2 - 2 * 1),
        ("rail", 3 * 2 + 2 * 1),  # three first ranks, two second ones, one third one
        ("file:pairs", None),
        ("sample:x", None),
    ],
)
def test_the_planned_links_are_those_of_the_schedule(schedule: str, planned: int | None, tmp_path: Path) -> None:
    hosts = ["a", "a", "a", "b", "b", "c"]
    path = make_results(tmp_path / "x.h5", hosts=hosts, attributes={"complete": 0, "schedule": schedule})
    assert links_planned(read(path)) == planned


def test_show_ends_with_the_verdict(bad: Path, everylink: Command) -> None:
    code, out, _ = everylink("show", bad)
    assert code == 0
    assert out.index("One-way time") < out.index("From (rows)") < out.index("host n17: slow")


def test_the_truth_and_the_groups_are_written_on_request(tmp_path: Path, everylink: Command) -> None:
    truth, groups = tmp_path / "truth.json", tmp_path / "topology.conf"
    faults = ("--fault", "slow-link:n3>n9*0.7", "--fault", "dark:n5>n6")
    code, *_ = everylink(
        *SMALL, "--group-size", 10, *faults, "-o", tmp_path / "x.h5", "--truth", truth, "--topology", groups
    )
    assert code == 0
    assert [fault["fault"] for fault in json.loads(truth.read_text())["faults"]] == [
        "slow-link:n3>n9*0.7",
        "dark:n5>n6",
    ]
    assert groups.read_text().splitlines()[:3] == [
        "SwitchName=g0 Nodes=n[0-9]", "SwitchName=g1 Nodes=n[10-19]", "SwitchName=g2 Nodes=n[20-23]",
    ]  # fmt: skip


def test_equal_seeds_give_equal_numbers_and_different_seeds_different_ones(tmp_path: Path, everylink: Command) -> None:
    for name, seed in (("a", 1), ("b", 1), ("c", 2)):
        everylink(*SMALL, "--seed", seed, "-o", tmp_path / name)
    a, b, c = (read(tmp_path / name).sizes[0].rows.median for name in "abc")
    assert (a == b).all()
    assert not (a == c).any()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--fault", "slow-host:n99*0.5"), "there is no n99; there are n0 to n23"),
        (("--fault", "slow-host:n1*1.5"), "between 0 and 1"),
        (("--fault", "broken-host:n1"), "unknown fault 'broken-host'; use slow-host"),
        (("--fault", "slow-link:n1*0.5"), "must have the form slow-link:NAME>NAME*RATE"),
        (("--fault", "slow-host:n1"), "must have the form slow-host:NAME*RATE"),
        (("--noise", "2"), "--noise 2: must be from 0 to 0.5"),
        (("--noise", "nan"), "--noise nan: must be from 0 to 0.5"),
        (("--sizes", "8,8"), "--sizes: a message size is given twice"),
        (("--hosts", "0"), "--hosts 0: must be from 1 to 1048576"),
        (("--hosts", "1"), "use 2 to"),
        (("--seed", "-1"), "--seed -1: must be at least 0"),
    ],
)
def test_invalid_simulations_are_refused(
    arguments: tuple[str, ...], said: str, tmp_path: Path, everylink: Command
) -> None:
    code, out, err = everylink(*SMALL, *arguments, "-o", tmp_path / "x.h5")
    assert (code, out) == (2, "")
    assert said in err
    assert len(err.splitlines()) == 1


def test_an_existing_file_is_kept_without_force(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    path.write_text("mine")
    code, _, err = everylink(*SMALL, "-o", path)
    assert code == 2
    assert "--force" in err
    assert path.read_text() == "mine"
    assert everylink(*SMALL, "-o", path, "--force")[0] == 0


def test_a_file_that_is_not_a_results_file_is_named(tmp_path: Path, everylink: Command) -> None:
    code, out, err = everylink("diagnose", tmp_path / "none.h5")
    assert (code, out) == (2, "")
    assert "none.h5" in err


def test_links_below_the_expectation_are_named_even_if_all_are(bad: Path, healthy: Path, everylink: Command) -> None:
    for expected in ("latency=1s,bandwidth=1GB/s", "bandwidth=10%:90Gb/s"):
        assert everylink("diagnose", healthy, "--expect", expected)[0] == 0
    code, out, _ = everylink("diagnose", healthy, "--expect", "bandwidth=90%:200Gb/s")
    assert code == 3
    assert "group all hosts: slow" in out
    assert "24 of 24 hosts" in out
    code, out, _ = everylink("diagnose", bad, "--expect", "bandwidth=90Gb/s", "--format", "json")
    (verdict,) = json.loads(out)["verdicts"]
    assert verdict["subject"] == ["n17"]
    assert "also slow at 1 MiB" in verdict["evidence"]


def test_with_two_hosts_the_pair_falls_short(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "two.h5"
    assert everylink("simulate", "--hosts", 2, "-o", path)[0] == 0
    code, out, _ = everylink("diagnose", path, "--expect", "latency=1us")
    assert code == 3
    assert "pair n0 <-> n1: slow" in out
    assert "cannot be told which" in out


@pytest.mark.parametrize(
    "text", ["", "latency", "latency=2", "speed=2us", "latency=0us", "bandwidth=fast", "latency=2us,"]
)
def test_an_invalid_expectation_is_refused_with_a_valid_example(text: str, healthy: Path, everylink: Command) -> None:
    code, _, err = everylink("diagnose", healthy, "--expect", text)
    assert code == 2
    assert "use latency=2us,bandwidth=90%:100Gb/s" in err


def test_components_slower_than_the_baseline_are_named(bad: Path, healthy: Path, everylink: Command) -> None:
    code, out, _ = everylink("diagnose", bad, "--baseline", healthy)
    assert code == 3
    assert out.startswith("FAULTS: 1 host")
    assert "host n17" in out
    assert everylink("diagnose", healthy, "--baseline", healthy)[0] == 0
    code, _, err = everylink("diagnose", bad, "--baseline", "none.h5")
    assert code == 2
    assert "none.h5" in err


def test_groups_of_a_topology_file_have_its_names(tmp_path: Path, everylink: Command) -> None:
    path, topology = tmp_path / "x.h5", tmp_path / "topology.conf"
    groups = ("--group-size", 8, "--fault", "slow-group:g1*0.7", "--topology", topology)
    assert everylink("simulate", "--hosts", 32, *groups, "-o", path)[0] == 0
    code, out, _ = everylink("diagnose", path, "--topology", topology)
    assert code == 3
    assert "group g1: slow" in out
    topology.write_text("SwitchName=s0 Nodes=other[0-9]\n")
    code, _, err = everylink("diagnose", path, "--topology", topology)
    assert code == 2
    assert "names none of the hosts" in err


def test_hosts_missing_from_the_topology_form_no_group(tmp_path: Path, everylink: Command) -> None:
    path, topology = tmp_path / "x.h5", tmp_path / "topology.conf"
    assert everylink("simulate", "--hosts", 32, "--group-size", 8, "--fault", "slow-group:g3*0.6", "-o", path)[0] == 0
    topology.write_text("".join(f"SwitchName=g{g} Nodes=n[{8 * g}-{8 * g + 7}]\n" for g in range(3)))
    code, out, err = everylink("diagnose", path, "--topology", topology)
    assert (code, err) == (3, "")
    assert "\n  group " not in out
    assert "hosts n[24-31] (8 hosts): slow" in out
    assert "drain: n[24-31]\n" in out


def test_hosts_that_a_topology_leaves_out_or_has_twice_are_named(tmp_path: Path, everylink: Command) -> None:
    path, topology = tmp_path / "x.h5", tmp_path / "topology.conf"
    assert everylink("simulate", "--hosts", 32, "--group-size", 8, "-o", path)[0] == 0
    topology.write_text(
        "SwitchName=a Nodes=n[0-7],other[1-3]\nSwitchName=b Nodes=n[6-15]\nSwitchName=c Nodes=n[16-23],n6\n"
    )
    code, out, err = everylink("diagnose", path, "--topology", topology)
    assert (code, err) == (0, "")
    assert f"{topology} has no switch for 8 hosts of the run, n[24-31]: judged without a group." in out
    such = "such as n6 on 'a' and on 'c'"
    assert f"{topology} has 2 hosts of the run on several switches, {such}: the first one counts." in out


def test_without_a_topology_groups_are_the_leaf_switches_reported_by_slurm(tmp_path: Path, everylink: Command) -> None:
    path, topology, hosts = tmp_path / "x.h5", tmp_path / "topology.conf", range(16)

    def slow_below_leaf2(link: Link, size: int) -> float:
        leaves = {host // 4 for host in link}
        return steady(link, size) * (1 if len(leaves) == 1 else 1.3 if 2 in leaves else 1.1)

    make_results(path, hosts=[f"n{host}" for host in hosts], time=slow_below_leaf2)
    assert "group n8, n9, n10, n11: slow" in everylink("diagnose", path)[1]  # as the times show it
    add_slurm_addresses(path, [f"top.leaf{host // 4}.n{host}" for host in hosts])
    for command in ("diagnose", "show"):
        out = everylink(command, path)[1]
        assert "group leaf2: slow" in out
        assert "Groups of hosts are the 4 leaf switches of SLURM_TOPOLOGY_ADDR." in out
    run = judged(read(path))
    assert any("group leaf2" in finding["title"] for finding in view([run])["runs"][0]["findings"])
    assert any("group leaf2" in text.get_text() for text in page(run, run.results.sizes[0]).texts)
    topology.write_text("".join(f"SwitchName=s{leaf} Nodes=n[{4 * leaf}-{4 * leaf + 3}]\n" for leaf in range(4)))
    out = everylink("diagnose", path, "--topology", topology)[1]
    assert "group s2: slow" in out
    assert "SLURM_TOPOLOGY_ADDR" not in out


def test_a_pair_of_hosts_that_became_slower_is_named_as_a_pair(tmp_path: Path, everylink: Command) -> None:
    base, new = tmp_path / "base.h5", tmp_path / "new.h5"
    options = ("simulate", "--hosts", 12, "--ranks-per-host", 4)
    assert everylink(*options, "-o", base)[0] == 0
    assert everylink(*options, "--seed", 2, "--fault", "slow-link:n3>n9*0.3", "-o", new)[0] == 0
    said = json.loads(everylink("diagnose", new, "--baseline", base, "--format", "json")[1])
    assert {(verdict["kind"], *sorted(verdict["subject"])) for verdict in said["verdicts"]} == {("pair", "n3", "n9")}


def test_a_topology_is_refused_for_a_run_on_one_host(tmp_path: Path, everylink: Command) -> None:
    path, topology = tmp_path / "x.h5", tmp_path / "topology.conf"
    make_results(path, hosts=["n0"] * 8)
    topology.write_text("SwitchName=s1 Nodes=n0\n")
    code, _, err = everylink("diagnose", path, "--topology", topology)
    assert (code, err.count("\n")) == (2, 1)
    assert "is of a single host" in err


def test_alone_requires_a_serial_run_of_the_same_ranks(tmp_path: Path, everylink: Command) -> None:
    path, other = tmp_path / "x.h5", tmp_path / "y.h5"
    assert everylink("simulate", "--hosts", 8, "-o", path)[0] == 0
    assert everylink("simulate", "--hosts", 8, "-o", other)[0] == 0
    code, _, err = everylink("diagnose", path, "--alone", other)
    assert (code, err.count("\n")) == (2, 1)
    assert f"{other}: was measured without --serial-tests" in err
    code, _, err = everylink("diagnose", path, "--alone", tmp_path / "no.h5")
    assert (code, err.count("\n")) == (2, 1)
