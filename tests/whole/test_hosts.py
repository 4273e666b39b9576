"""`everylink run --hosts`: ranks started by ssh, or here under names of hosts, and the checks before launch."""

import re
import shutil
import signal
import subprocess
import time
from pathlib import Path

import pytest
from hosts_runs import ENDLESS, MEASURED, QUICK, host_names, measured, ranks_of, wait_until

from conftest import PATIENCE, Everylink, Run, StartEverylink, read_plainly
from everylink.launch import remote
from everylink.version import VERSION


# --- on this machine -------------------------------------------------------------------------------------------
def test_local_ranks_have_the_names_of_hosts(everylink: Everylink, tmp_path: Path) -> None:
    code, out, err = everylink("--hosts", "n[8-9]-ib", "--nranks", 2, "--launcher", "local", *QUICK)
    assert code in MEASURED, err
    assert "all 4 ranks run on this machine, under the names of 2 hosts; no message leaves it" in err
    result = measured(tmp_path, 4)
    assert host_names(result) == ["n8-ib", "n8-ib", "n9-ib", "n9-ib"], "host by host"
    assert result.attributes["bootstrap"] == "stdin"
    assert "4 ranks on 2 hosts" in out


# --- by ssh ----------------------------------------------------------------------------------------------------
def test_ranks_are_started_by_ssh_host_by_host_with_their_variables(
    everylink: Everylink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "x")
    variables = ["--env", 'UCX_TLS=it\'s a "$HOME"', "--env", "MINE"]
    code, out, err = everylink("--hosts", "n3,n[1-2],chatty", "--nranks", 2, *variables, *QUICK)
    assert code in MEASURED, err
    assert host_names(measured(tmp_path, 8)) == ["chatty"] * 2 + ["n1"] * 2 + ["n2"] * 2 + ["n3"] * 2
    assert "welcome" not in out
    assert not list(tmp_path.glob(".everylink-*"))


def test_names_of_one_machine_are_warned_of(everylink: Everylink) -> None:
    code, out, err = everylink("--hosts", "here,localhost", "--quiet", *QUICK)
    assert code in MEASURED, err
    assert err.count("everylink: here and localhost are the same machine\n") == 1
    assert "same machine" not in out


def test_every_unusable_host_is_named_and_nothing_is_started(everylink: Everylink, tmp_path: Path) -> None:
    code, out, err = everylink("--hosts", "n1,gone[1-2],old1,bare1", *QUICK)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "gone[1-2]: ssh: Could not resolve hostname: Name or service not known" in err
    assert "old1: " in err
    assert f"says 'everylink-measure 0.0.9', but everylink-measure {VERSION} is required" in err
    assert "bare1: " in err
    assert "says 'not found'" in err
    assert not (tmp_path / "everylink.h5").exists()


def test_a_silent_host_is_named_after_a_time_limit(everylink: Everylink, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "ANSWER_LIMIT", 1.0)
    code, _, err = everylink("--hosts", "n1,silent[1-3]", *QUICK)
    assert code == 2
    assert "silent[1-3]: no answer within 1 s" in err


def test_a_host_that_is_lost_during_the_start_is_absent_and_the_others_are_measured(
    everylink: Everylink, tmp_path: Path
) -> None:
    began = time.monotonic()
    code, _, err = everylink("--hosts", "n[1-2],vanishes1", *QUICK)
    assert time.monotonic() - began < PATIENCE / 4, "not the 60 s of --join-limit"
    assert code == 3, err
    assert "vanishes1: connection lost; its ranks are lost, too" in err
    assert "warning: rank 2 (vanishes1) did not join; its links are recorded as absent" in err
    assert host_names(read_plainly(tmp_path / "everylink.h5")) == ["n1", "n2", "vanishes1"]


def test_ctrl_c_works_during_the_checks_before_launch(start_everylink: StartEverylink, ssh_folder: Path) -> None:
    process = start_everylink("--hosts", "n1,silent1", *QUICK)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_until(lambda: len(children.read_text().split()) == 2, "nobody is asked")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "")


def test_a_first_host_without_the_results_folder_is_refused(everylink: Everylink) -> None:
    code, _, err = everylink("--hosts", "elsewhere1,n1", *QUICK)
    assert code == 2
    assert "elsewhere1: " in err
    assert "--no-output" in err


def test_an_invalid_option_is_reported_once_with_exit_code_2(everylink: Everylink) -> None:
    code, _, err = everylink("--hosts", "n[1-3]", "--nranks", 2, "-m", "pigeon")
    assert code == 2
    lines = [line for line in err.splitlines() if "same machine" not in line]
    assert len(lines) == 1
    assert lines[0].startswith("n1: everylink-measure: --mode: unknown mode 'pigeon'")


def test_failed_links_are_exit_code_3_and_confirm_continues(everylink: Everylink, tmp_path: Path) -> None:
    code, out, err = everylink(
        "--hosts", "n[1-2]", "--nranks", 3, "-m", "sim:dead=1>4", "--confirm", "-s", "1KiB", *QUICK
    )
    assert code == 3, err
    assert "FAULTS" in out
    assert read_plainly(tmp_path / "everylink.h5").attributes["complete"] == 1


@pytest.fixture
def running(start_everylink: StartEverylink, tmp_path: Path) -> subprocess.Popen[str]:
    """A run of 3 hosts with 2 ranks each that does not end by itself."""
    process = start_everylink("--hosts", "n[1-3]", "--nranks", 2, *ENDLESS)
    assert process.stdout
    assert any('"step"' in line for line in process.stdout)
    assert len(ranks_of(tmp_path)) == 9
    return process


def test_no_command_line_shows_the_key_of_the_run(running: subprocess.Popen[str], tmp_path: Path) -> None:
    lines = [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in ranks_of(tmp_path)]
    children = Path(f"/proc/{running.pid}/task/{running.pid}/children").read_text().split()
    lines += [Path(f"/proc/{pid}/cmdline").read_bytes() for pid in children]
    assert len(lines) == 12
    assert not [line for line in lines if re.search(rb"[0-9a-f]{32}", line)]


def test_ctrl_c_ends_all_ranks_and_keeps_what_was_measured(running: subprocess.Popen[str], tmp_path: Path) -> None:
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 1, err
    assert read_plainly(tmp_path / "everylink.h5").attributes["interrupted"] == 1
    assert ranks_of(tmp_path) == []


def test_ranks_end_if_their_launcher_is_killed(running: subprocess.Popen[str], tmp_path: Path) -> None:
    running.kill()
    wait_until(lambda: ranks_of(tmp_path) == [], "ranks are left")
    assert read_plainly(tmp_path / "everylink.h5").attributes["interrupted"] == 1


BY_ONE_COMMAND = {
    "here": [],
    "mpiexec": ["--launcher", "mpiexec", "--launcher-args=--allow-run-as-root --oversubscribe"],
    "a script": ["--launcher", "command", "--launcher-args", "./started_by_me"],
}


@pytest.mark.parametrize("launcher", BY_ONE_COMMAND)
@pytest.mark.one_in(3)
def test_ranks_started_by_one_command_end_if_everylink_run_is_killed(
    launcher: str, start_everylink: StartEverylink, tmp_path: Path
) -> None:
    if launcher == "mpiexec" and not shutil.which("mpiexec"):
        pytest.skip("no mpiexec here")
    script = tmp_path / "started_by_me"
    script.write_text('#!/bin/sh\n"$@" --np 4\n')  # not exec: the core is not a child of everylink run
    script.chmod(0o755)
    count = [] if launcher == "a script" else ["--np", 4]
    process = start_everylink(*count, *BY_ONE_COMMAND[launcher], *ENDLESS)
    assert process.stdout
    assert any('"step"' in line for line in process.stdout)
    assert len(ranks_of(tmp_path)) >= 4
    process.kill()
    wait_until(lambda: ranks_of(tmp_path) == [], "ranks are left")
    left = read_plainly(tmp_path / "everylink.h5")
    assert (left.attributes["complete"], left.attributes["interrupted"]) == (0, 1)
    assert len(left.only["from"]) > 0


SAID = ["ranks 0 2 2", "cores 0 2", "key 0123456789abcdef", "meet loopback", "go"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "no lines on standard input say which ranks to start"),
        (SAID[:-1], "no lines on standard input say which ranks to start"),
        ([*SAID[:2], *SAID[3:]], "a key and a place to meet are required"),
        ([*SAID[:2], "keys 0123456789abcdef"], "everylink run does not send 'keys'"),
        (["ranks 0 3 2", *SAID[1:]], "ranks, a key"),
        (["ranks 0 2", *SAID[1:]], "a number is missing"),
        (["ranks 0 99999999 99999999", *SAID[1:]], "out of range"),
        (["ranks 2 2 4", *SAID[1:3], "meet nowhere", "go"], "nowhere"),
        (["x" * 100_000], "too long"),
    ],
)
def test_the_core_refuses_input_that_everylink_run_never_sends(run: Run, lines: list[str], said: str) -> None:
    done = run("--bootstrap", "stdin", "--no-output", *QUICK, input="".join(f"{line}\n" for line in lines))
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert "0123456789abcdef" not in done.stderr
