"""User errors: one line that names the option and a valid value, and exit code 2, before anything is measured."""

import shutil
import time
from pathlib import Path

import pytest

from conftest import PATIENCE, Run, mpi_launcher

pytestmark = pytest.mark.quick

WRONG = {
    "an unknown option": (["--np", 2, "--no-such"], ["--no-such", "--help"]),
    "an option that is nearly one": (["--np", 2, "--num-mesages", 3], ["did you mean --num-messages?"]),
    "a mode that is nearly one": (["--np", 2, "--mode", "tpc"], ["unknown mode 'tpc' (did you mean tcp?)"]),
    "a pattern that is nearly one": (["--np", 2, "ringg"], ["did you mean ring?"]),
    "a size without a value": (["--np", 2, "-s"], ["-s", "requires a value"]),
    "a size that is an option": (["--np", 2, "-s", "--check"], ["-s", "requires a value"]),
    "a size that is no number": (["--np", 2, "-s", "abc"], ["-s", "abc", "64KiB"]),
    "no messages": (["--np", 2, "-n", "0"], ["-n", "0", "1 to"]),
    "messages that are no number": (["--np", 2, "-n", "1e3"], ["-n", "1e3"]),
    "a negative size": (["--np", 2, "-s", "-5"], ["-s", "-5", "negative"]),
    "a size beyond any memory": (["--np", 2, "-s", "100TiB"], ["-s", "memory"]),
    "an unknown mode": (["--np", 2, "--mode", "carrier-pigeon"], ["carrier-pigeon", "tcp", "sim", "mpi"]),
    "an unknown option of a mode": (["--np", 2, "--mode", "tcp:colour=red"], ["colour", "interface", "sockets"]),
    "a mode's option without a value": (["--np", 2, "--mode", "tcp:sockets"], ["sockets", "key=value"]),
    "an interface for nothing": (["--np", 2, "--mode", "sim", "--interface", "lo"], ["--interface lo", "--mode tcp"]),
    "an unknown interface": (["--np", 2, "--mode", "tcp:interface=nope0"], ["nope0", "lo"]),
    "mpi without mpirun": (["--np", 2, "--mode", "mpi"], ["mpirun"]),
    "one rank": (["--np", 1], ["--np", "2"]),
    "no ranks at all": ([], ["--np N", "mpirun", "EVERYLINK_RANK"]),
    "two kernels": (["--np", 2, "--bidirectional", "--unidirectional"], ["exclude"]),
    "put and get": (["--np", 2, "--put", "--get"], ["--put", "--get", "exclude"]),
    "a window for a kernel without one": (["--np", 2, "--window", 4], ["--window", "--unidirectional"]),
    "bisection and another schedule": (
        ["--np", 2, "--bisection", "--schedule", "all"],
        ["--bisection", "--schedule all"],
    ),
    "an unknown schedule": (["--np", 2, "--schedule", "zigzag"], ["zigzag", "sample:K"]),
    "a sample of too many": (["--np", 4, "--mode", "sim", "--schedule", "sample:4"], ["sample:4", "1 to 3"]),
    "no other host": (["--np", 4, "--schedule", "inter-host"], ["inter-host", "1 host"]),
    "a missing file of pairs": (["--np", 2, "--schedule", "file:/nowhere"], ["/nowhere"]),
    "an all-to-all without mpi": (["--np", 2, "--all-to-all"], ["--all-to-all", "--mode mpi"]),
    "an unknown memory": (["--np", 2, "--memory", "paper"], ["paper", "host"]),
    "an unknown bootstrap": (["--np", 2, "--bootstrap", "smoke"], ["smoke", "auto"]),
    "an unknown progress": (["--np", 2, "--progress", "dance"], ["dance", "json"]),
    "no time": (["--np", 2, "--time-limit", "0"], ["--time-limit"]),
    "no time to join": (["--np", 2, "--join-limit", "0"], ["--join-limit", "600 s"]),
    "too long a time to join": (["--np", 2, "--join-limit", "601"], ["--join-limit", "600 s"]),
    "an ambiguous abbreviation": (["--np", 2, "--num", "3"], ["--num-messages", "--num-slowest"]),
    "an output without a folder": (["--np", 2, "-o", "/no/such/folder/x.h5"], ["/no/such/folder"]),
    "an output that is a folder": (["--np", 2, "-o", "/tmp"], ["/tmp", "folder"]),
    "an output of another format": (
        ["--np", 2, "-o", "x.txt"],
        ["--output x.txt", ".h5 or .sion", "everylink convert"],
    ),
    "no results file to confirm": (
        ["--np", 2, "--mode", "sim", "--confirm", "nofile", "-o", "none.h5"],
        ["--confirm: --output none.h5: No such file"],
    ),
    "an output and none": (["--np", 2, "-o", "x.h5", "--no-output"], ["--no-output", "--output"]),
    "a host outside the simulated network": (["--np", 4, "--mode", "sim:slow-host=9*0.5"], ["slow-host", "0 to 3"]),
    "a simulated fault without its factor": (["--np", 4, "--mode", "sim:slow-link=1>2"], ["slow-link", "*FACTOR"]),
    "a stray word": (["--np", 2, "surplus"], ["surplus"]),
}


@pytest.mark.parametrize(("arguments", "said"), WRONG.values(), ids=WRONG.keys())
def test_invalid_options_are_refused_by_name(run: Run, arguments: list[object], said: list[str]) -> None:
    done = run(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    lines = done.stderr.strip().splitlines()
    assert len(lines) == 1, done.stderr
    for word in said:
        assert word in lines[0]
    assert "Results for step" not in done.stdout


@pytest.mark.parametrize("name", ["x.h5", "x.hdf5", "run.4711", "run.2026-11-23", "x"])
def test_a_results_file_may_have_any_name_that_promises_no_other_format(run: Run, tmp_path: Path, name: str) -> None:
    assert run("--np", 2, "--mode", "sim", "-n", 1, "-o", name).returncode == 0
    assert (tmp_path / name).read_bytes().startswith(b"\x89HDF")


def test_an_option_that_only_the_ranks_find_wrong_is_reported_at_once(run: Run) -> None:
    began = time.monotonic()
    done = run("--np", 4, "--mode", "sim:slow-host=9*0.5")
    assert time.monotonic() - began < PATIENCE / 60, "not the 3 s for which ranks wait under MPI"
    assert done.returncode == 2


def test_a_loopback_interface_that_is_down_is_reported_at_once(run: Run, possible: None) -> None:
    done = run("--np", 2, "--no-output", launcher=["unshare", "--net"])
    assert done.returncode == 1
    assert done.stderr.startswith("everylink-measure: the loopback interface does not work: Network is unreachable")
    assert done.stderr.count("\n") == 1


def test_an_existing_output_requires_force(run: Run, tmp_path: Path) -> None:
    (tmp_path / "old.h5").write_text("precious")
    refused = run("--np", 2, "-o", "old.h5")
    assert refused.returncode == 2
    assert "--force" in refused.stderr
    assert (tmp_path / "old.h5").read_text() == "precious"
    assert run("--np", 2, "-o", "old.h5", "--force").returncode == 0
    assert (tmp_path / "old.h5").read_bytes().startswith(b"\x89HDF")


def test_messages_that_do_not_fit_into_memory_are_refused(run: Run) -> None:
    done = run("--np", 4, "-s", "2TiB")
    assert done.returncode == 2
    assert "-s/--size-messages" in done.stderr
    assert "free" in done.stderr


def test_results_that_do_not_fit_onto_the_disk_are_refused(run: Run) -> None:
    done = run("--np", 24, "--mode", "sim", "-n", 260000000, "--keep-laps")
    assert done.returncode == 2
    assert "--output" in done.stderr
    assert "free" in done.stderr


@pytest.mark.parametrize("missing", ["EVERYLINK_SIZE", "EVERYLINK_RENDEZVOUS"])
def test_incomplete_variables_are_named(run: Run, missing: str) -> None:
    variables = {"EVERYLINK_RANK": "0", "EVERYLINK_SIZE": "2", "EVERYLINK_RENDEZVOUS": "127.0.0.1:9"}
    done = run(environment=variables | {missing: ""})
    assert done.returncode == 2
    assert missing in done.stderr


@pytest.mark.parametrize(
    ("variable", "value"),
    [("EVERYLINK_RANK", "2"), ("EVERYLINK_RANK", "x"), ("EVERYLINK_RENDEZVOUS", "nowhere"), ("EVERYLINK_SIZE", "-1")],
)
def test_wrong_variables_are_named(run: Run, variable: str, value: str) -> None:
    variables = {"EVERYLINK_RANK": "0", "EVERYLINK_SIZE": "2", "EVERYLINK_RENDEZVOUS": "127.0.0.1:9"}
    done = run(environment=variables | {variable: value})
    assert done.returncode == 2
    assert variable in done.stderr


@pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")
def test_under_mpi_an_error_is_printed_once(run: Run) -> None:
    done = run("--mode", "mpi", "-s", "abc", launcher=mpi_launcher(3))
    assert done.stderr.count("invalid size 'abc'") == 1
    alone = run("--mode", "mpi", launcher=mpi_launcher(1))
    assert "start at least 2" in alone.stderr


def test_help_version_and_list_need_no_ranks(run: Run) -> None:
    assert run("--version").stdout.startswith("everylink-measure ")
    assert "--size-messages" in run("--help").stdout
    listed = run("--list")
    assert listed.returncode == 0
    for word in ("tcp", "sim", "mpi", "host", "semidirectional", "sample:K", "can run here"):
        assert word in listed.stdout


def test_a_transport_that_cannot_be_loaded_is_reported_with_the_reason(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ucp.so").write_text("not a library")
    done = run("--np", 2, "--mode", "ucp", environment={"EVERYLINK_TRANSPORT_PATH": str(tmp_path)})
    assert done.returncode == 2
    assert "ucp.so" in done.stderr
    assert "cannot run here" in run("--list", environment={"EVERYLINK_TRANSPORT_PATH": str(tmp_path)}).stdout
