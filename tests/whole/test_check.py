"""`everylink check` with the real core: by a fake ssh over a simulated network, and on this machine."""

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from everylink.cli import main

Check = Callable[..., tuple[int, list[str], str]]
SIM = "sim:hosts=8"


@pytest.fixture
def check(ssh_folder: Path, capfd: pytest.CaptureFixture[str]) -> Check:
    """Runs `everylink check`; returns exit code, lines of standard output and standard error."""

    def call(*words: str) -> tuple[int, list[str], str]:
        capfd.readouterr()
        code = main(["check", *words])
        said = capfd.readouterr()
        return code, said.out.splitlines(), said.err

    return call


def kept(folder: Path, name: str) -> Path:
    """The one folder that a check made, with everything that it keeps."""
    (made,) = folder.glob(f"everylink-{name}-*")
    assert sorted(path.name for path in made.iterdir()) == ["log.txt", "report.html", "results.h5", "verdict.json"]
    return made


@pytest.mark.long("a check")
def test_a_healthy_cluster_is_called_healthy_and_everything_is_kept(check: Check, ssh_folder: Path) -> None:
    code, lines, err = check("n[1-8]", "--mode", SIM)
    assert code == 0, err
    assert lines[-1] == "healthy: latency and bandwidth of 56 links"
    assert len(lines) <= 20
    folder = kept(ssh_folder, "n1")
    verdict = json.loads((folder / "verdict.json").read_text())
    assert (verdict["exit_code"], verdict["links_measured"], verdict["verdicts"]) == (0, 56, [])
    assert [size["bytes"] for size in verdict["sizes"]] == [8, 65536, 1048576]
    assert "everylink run --hosts 'n[1-8]' --launcher ssh" in (folder / "log.txt").read_text()


def test_a_slow_host_is_named_last(check: Check, ssh_folder: Path) -> None:
    code, lines, err = check("--hosts", "n[1-8]", "--mode", f"{SIM},slow-host=4*0.5")
    assert code == 3, err
    assert lines[-1] == "FAULTS: 1 fault"
    assert any(line.startswith("host n4: slow, 1.99x the time") for line in lines), lines
    assert "fine: 42 of 56 links; nothing points at n[0-3,5-7]" in lines
    kept(ssh_folder, "n1")


@pytest.mark.long
def test_an_unreachable_host_is_a_verdict_and_the_others_are_measured(check: Check, ssh_folder: Path) -> None:
    code, lines, err = check("n[1-7],gone1", "--mode", "sim")
    assert code == 3, err
    assert lines[-1] == "FAULTS: 1 host unreachable"
    assert "fine: 42 of 42 links; nothing points at n[0-6]" in lines  # as sim names its hosts
    assert any(line.startswith("host gone1: unreachable (ssh: Could not resolve hostname") for line in lines)
    verdict = json.loads((kept(ssh_folder, "gone1") / "verdict.json").read_text())
    assert verdict["links_measured"] == 42


@pytest.mark.parametrize(
    ("hosts", "why"),
    [("a[1-6],vanishes1", "its rank did not join"), ("vanishes1,z[1-6]", "no rank joined it as the first host")],
)
@pytest.mark.one_in(2)
def test_a_host_whose_rank_does_not_join_is_a_verdict_even_if_it_is_the_first(
    check: Check, hosts: str, why: str
) -> None:
    code, lines, err = check(hosts, "--mode", "sim")
    assert code == 3, err
    assert lines[-1] == "FAULTS: 1 host unreachable"
    assert any(line.startswith(f"host vanishes1: unreachable ({why}") for line in lines)
    assert "  30 links (every pair) at 8 B, 64 KiB, 1 MiB" in lines


def test_with_one_host_left_there_is_nothing_to_measure(check: Check) -> None:
    code, lines, err = check("n1,gone1", "--mode", "sim")
    assert (code, lines[1:]) == (1, [])
    assert "1 host left; gone1: ssh: Could not resolve hostname" in err


def test_json_is_one_object_and_quiet_is_the_verdict_alone(check: Check) -> None:
    code, lines, _ = check("n[1-4]", "--mode", "sim:hosts=4", "--format", "json")
    assert code == 0
    assert json.loads("\n".join(lines))["schema"] == "everylink-check/1"
    assert check("n[1-4]", "--mode", "sim:hosts=4", "--quiet")[1] == ["healthy: latency and bandwidth of 12 links"]


def test_without_a_cluster_this_machine_is_checked_and_the_verdict_says_so(check: Check) -> None:
    _, lines, _ = check("--mode", "sim:hosts=4")
    assert lines[-1] == "this machine alone is healthy: latency and bandwidth of 12 links"


@pytest.mark.long("a check")
@pytest.mark.parametrize("hosts", [[], ["n[1-2]"]])
def test_what_refused_modes_print_is_in_the_log_and_their_reason_in_the_answer(
    check: Check, ssh_folder: Path, monkeypatch: pytest.MonkeyPatch, hosts: list[str]
) -> None:
    monkeypatch.setenv("UCX_TLS", "nonsense")
    _, lines, err = check(*hosts, "--within", "20s")
    assert "everylink-measure" not in err
    assert "nonsense" not in err
    (chosen,) = [line for line in lines if line.startswith("  mode ")]
    assert "because ucp does not start (" in chosen
    assert "exit code" not in chosen
    (log,) = ssh_folder.glob("everylink-*/log.txt")
    assert "everylink-measure: --mode ucp: " in log.read_text()


def test_a_mode_that_was_asked_for_and_does_not_start_is_one_line_with_the_reason(
    check: Check, ssh_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UCX_TLS", "nonsense")
    code, _, err = check("--mode", "ucp")
    assert (code, err.count("\n")) == (1, 1)
    assert "ucp does not start (UCX: transport 'nonsense' is not available" in err
    (log,) = ssh_folder.glob("everylink-*/log.txt")
    assert "everylink-measure: --mode ucp: " in log.read_text()


@pytest.mark.long("three checks")
def test_a_store_keeps_each_check_and_says_what_is_new(check: Check, ssh_folder: Path) -> None:
    store = ssh_folder / "store"
    words = ("n[1-4]", "--within", "10s", "--store", str(store), "--mode")
    code, lines, err = check(*words, "sim:hosts=4")
    assert (code, "store: the first run" in lines) == (0, True), err
    code, lines, err = check(*words, "sim:hosts=4,slow-host=2*0.5")
    assert code == 3, err
    assert any(
        line.startswith("store: run 2; since 20") and line.endswith(": 1 new, 0 known, 0 cured") for line in lines
    )
    (second,) = (line.split()[1].rstrip("/") for line in lines if line.startswith("files: "))
    assert {
        "log.txt",
        "report.html",
        "results.h5",
        "verdict.json",
        "run.json",
        "hosts.npz",
        "links.h5",
    } == {path.name for path in Path(second).iterdir()}
    assert json.loads((Path(second) / "verdict.json").read_text())["folder"] == second
    assert main(["store", "--store", str(store), "--verify"]) == 0
    assert list((store / "incoming").iterdir()) == []


@pytest.mark.long("a check")
def test_a_store_on_a_full_disk_does_not_hide_the_verdict(
    check: Check, ssh_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("everylink.store.folder.np.savez_compressed", full)
    store = ssh_folder / "store"
    words = ("--within", "10s", "--store", str(store), "--mode", "sim:hosts=4,slow-host=2*0.5")
    code, lines, err = check("n[1-4]", *words)
    assert (code, lines[-1]) == (1, "FAULTS: 1 fault")
    assert "No space left on device; what was measured is kept there" in err
    (left,) = (store / "incoming").iterdir()
    assert (left / "results.h5").is_file()
