"""What `everylink check` plans, chooses and answers; tests/whole/test_check.py runs it."""

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.inventory.ceilings import GIGABIT
from everylink.io.read import read
from everylink.judge.verdict import Judgement, Side, Verdict
from everylink.launch.plan import FEWEST_PARTNERS, plan_of
from everylink.launch.transports import CHOICES, Refused, adapters_of_each_host, hosts_not_joined
from everylink.model.results import Results
from everylink.text.check import MOST_LINES, Checked, check_headline, check_json, check_text
from everylink.version import VERSION
from inventories import cluster, make_inventory
from make_results import make_results

SIZES = (8, 65536, 2**20)
UNDECIDED = "12 links measured; no fault is proven, but there are strong suspects: 1 host"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A folder to work in, outside of every batch job."""
    monkeypatch.chdir(tmp_path)
    for name in list(os.environ):
        if name.startswith(("SLURM_", "PBS_", "LSB_", "PE_", "FLUX_")):
            monkeypatch.delenv(name)


def first_run(ranks: int, seconds_per_mib: float) -> Results:
    """A first run over hosts of one rank each, in which a message of 1 MiB takes so long."""
    hosts = [f"n{i}" for i in range(ranks)]
    return read(
        make_results(Path("first.h5"), hosts=hosts, sizes=SIZES, time=lambda link, size: seconds_per_mib * size / 2**20)
    )


# --- the plan --------------------------------------------------------------------------------------------------
def test_messages_take_at_most_50_ms_but_there_are_5_to_100() -> None:
    assert plan_of(first_run(4, 0.5), 4, 300).messages == (100, 5, 5)
    assert plan_of(first_run(4, 1e-4), 4, 300).messages == (100, 100, 100)
    assert plan_of(first_run(4, 1e-3), 4, 300).messages == (100, 100, 25), "there and back"


def test_every_pair_is_measured_if_that_takes_at_most_half_of_the_time() -> None:
    first = first_run(16, 1e-3)
    complete = plan_of(first, 16, 300)
    assert complete.is_complete
    assert "--schedule" not in complete.core_options
    assert complete.seconds <= 150
    some = plan_of(first, 16, complete.seconds)
    assert not some.is_complete
    assert some.core_options[-2:] == ["--schedule", f"sample:{some.partners}"]
    assert some.seconds <= complete.seconds / 2
    assert plan_of(first, 16, 0.3).partners == FEWEST_PARTNERS


# --- the transport ---------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("lanes", "accepted"),
    [
        ("rc_mlx5/mlx5_0:1", "ucp ibverbs tcp"),
        ("tcp/eth0", "ibverbs tcp"),
        ("tcp/eth0 + tcp/eth1", "ibverbs tcp"),
        ("cxi/cxi0", "ucp ofi ibverbs tcp"),
        ("", "ucp ibverbs tcp"),
    ],
)
def test_a_library_that_finds_only_tcp_is_not_what_applications_use(lanes: str, accepted: str) -> None:
    first = first_run(4, 1e-3)
    first = replace(first, ranks=replace(first.ranks, lanes=(lanes,) * 4))
    found = []
    for choice in CHOICES:
        try:
            choice.accept(first)
            found.append(choice.mode)
        except Refused:
            pass
    assert found == accepted.split()


def test_a_rank_per_adapter_where_the_mode_uses_adapters() -> None:
    first = first_run(4, 1e-3)
    with_adapters = replace(first, ranks=replace(first.ranks, adapters=np.array([4, 2, 4, 4], np.int32)))
    assert adapters_of_each_host(with_adapters, "ucp") == 2, "the fewest, so that all hosts have the same number"
    assert adapters_of_each_host(with_adapters, "tcp") == 1
    assert adapters_of_each_host(with_adapters, "ucp:net_devices=mlx5_0:1") == 1
    assert adapters_of_each_host(first, "ucp") == 1


def test_hosts_whose_only_rank_recorded_neither_cores_nor_device_did_not_join() -> None:
    first = first_run(4, 1e-3)
    known = replace(first.ranks, cores=("0-3", "", "0-3", ""), device=("lo", "", "", "sim"))
    some = replace(first, ranks=known)
    assert hosts_not_joined(some, ["a", "b", "c", "d"]) == ["b"]
    assert hosts_not_joined(some, ["a", "b"]) == [], "one of the two ranks of a joined"
    assert hosts_not_joined(some, []) == [], "this machine alone"


# --- the answer ------------------------------------------------------------------------------------------------
def verdict(number: int) -> Verdict:
    return Verdict("host", (f"n{number}",), Side.BOTH, "slow", 2**20, 2.0, 0.9999, 7, "its 7 links are slow")


def answer(faults: int = 0, suspects: int = 0, unusable: dict[str, str] | None = None, failed: int = 0) -> Checked:
    run = judged(first_run(4, 1e-3))
    judgement = Judgement(
        verdicts=tuple(verdict(i) for i in range(faults)),
        suspects=tuple(verdict(i) for i in range(suspects)),
        links_measured=12,
        links_failed=failed,
        sizes=(8, 2**20),
        remarks=(),
    )
    run = replace(run, judgement=judgement)
    return Checked(
        run, "n[1-4] (named hosts: 4 hosts), 1 rank per host", False, unusable or {}, "tcp", "so", True, Path("f")
    )


def test_the_bandwidth_is_set_against_what_the_adapters_carry(tmp_path: Path) -> None:
    def takes(link: object, size: int) -> float:
        return size / (0.25 * 400 * GIGABIT) if size > 8 else 1e-6

    machines = cluster(4, rails=1)
    run = judged(read(make_inventory(tmp_path / "x.h5", machines, sizes=(8, 2**20), time=takes)))
    said = check_text(replace(answer(), run=run)).plain.splitlines()
    assert "  between hosts 25 % of what 400 Gbit/s carries" in said
    assert not any("between hosts" in line for line in check_text(answer()).plain.splitlines())


@pytest.mark.parametrize(
    ("kind", "subject", "fine"),
    [
        ("host", ("n1",), "fine: 6 of 12 links; nothing points at n[0,2-3]"),
        ("rank", ("n1:1",), "fine: 6 of 12 links; nothing points at n[0,2-3]"),
        ("group", ("n0", "n1"), "fine: 2 of 12 links; nothing points at n[2-3]"),
        ("pair", ("n0:0", "n1:1"), "fine: 10 of 12 links; nothing points at n[2-3]"),
        ("trunk", ("n[0-1]", "n[2-3]"), None),  # groups, whose ranks the answer does not know
    ],
)
def test_what_no_finding_touches_is_called_fine(kind: str, subject: tuple[str, ...], fine: str | None) -> None:
    checked = answer()
    found = replace(verdict(0), kind=kind, subject=subject)
    known = checked.run.judgement
    for judgement in (replace(known, verdicts=(found,)), replace(known, suspects=(found,))):
        said = check_text(replace(checked, run=replace(checked.run, judgement=judgement))).plain.splitlines()
        assert [line for line in said if line.startswith("fine:")] == ([fine] if fine else [])


def test_the_answer_ends_with_the_verdict_and_has_at_most_20_lines() -> None:
    lines = check_text(answer(faults=30, suspects=9, unusable={"n7": "ssh: timed out"})).plain.splitlines()
    assert len(lines) == MOST_LINES
    assert lines[-1] == "FAULTS: 1 host unreachable, 30 faults"
    assert "host n7: unreachable (ssh: timed out)" in lines
    assert any("more: verdict.json has all" in line for line in lines)
    assert any(line.startswith("  latency ") and "bandwidth" in line for line in lines)


@pytest.mark.parametrize(
    ("given", "code", "last"),
    [
        (answer, 0, "healthy: latency and bandwidth of 12 links"),
        (
            lambda: answer(suspects=1),
            4,
            "UNDECIDED: 12 links measured; no fault is proven, but there are strong suspects: 1 host",
        ),
        (lambda: answer(faults=1, suspects=1), 3, "FAULTS: 1 fault"),
        (lambda: answer(failed=2), 3, "FAULTS: 2 links failed"),
        (lambda: answer(unusable={"a": "x", "b": "x"}), 3, "FAULTS: 2 hosts unreachable"),
        (lambda: replace(answer(), alone=True), 0, "this machine alone is healthy: latency and bandwidth of 12 links"),
    ],
)
def test_the_verdict_and_the_exit_code_agree(given: object, code: int, last: str) -> None:
    assert callable(given)
    checked = given()
    assert checked.conclusion.exit_code == code
    assert check_headline(checked).plain == last
    assert json.loads(check_json(checked))["exit_code"] == code


# --- the command line ------------------------------------------------------------------------------------------
def test_a_dry_run_prints_the_hosts_of_the_job_and_starts_nothing(
    everylink: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    core = tmp_path / "everylink-measure"
    core.write_text(f"#!/bin/sh\n[ $1 = --version ] && echo everylink-measure {VERSION} || exit 7\n")
    core.chmod(0o755)
    monkeypatch.setenv("EVERYLINK_MEASURE", str(core))
    monkeypatch.setenv("SLURM_JOB_ID", "17")
    monkeypatch.setenv("SLURM_JOB_NODELIST", "n[1-8]")
    code, out, err = everylink("check", "--dry-run", "--launcher", "srun")
    assert (code, err) == (0, "")
    assert "n[1-8] (Slurm job 17: 8 hosts), 1 rank per host" in out
    assert "everylink run --hosts 'n[1-8]' --launcher srun -m ucp" in out
    assert not list(tmp_path.glob("everylink-n1-*"))


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--within", "soon"), "--within soon: must be a time such as 90s, 5m or 1h"),
        (("--within", "5s"), "--within 5s: must be at least 10"),
        (("n1,n2", "--hosts", "n3"), "HOSTS and --hosts exclude each other"),
        (("--launcher", "ssh"), "--launcher ssh: requires hosts; name them, as in everylink check 'n[8-11]'"),
        (("n[1-",), "HOSTS 'n[1-': unbalanced brackets"),
    ],
)
def test_a_wrong_command_line_is_one_line(
    words: tuple[str, ...], said: str, everylink: Command, tmp_path: Path
) -> None:
    core = tmp_path / "everylink-measure"
    core.write_text(f"#!/bin/sh\necho everylink-measure {VERSION}\n")
    core.chmod(0o755)
    code, out, err = everylink("check", *words)
    assert (code, out) == (2, "")
    assert err.startswith("everylink: ")
    assert said in err
    assert err.count("\n") == 1
