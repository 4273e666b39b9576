"""`everylink run --hosts`: ranks on many hosts by ssh, mpiexec and srun, and on this machine under names of hosts."""

import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from netns import FOLDER, Bed, a_bed
from test_starts import LONG, slurm  # noqa: F401  a fixture

from conftest import PATIENCE, Outcome, Run, measure_program, read_plainly
from everylink.cli import main
from everylink.launch import reach

HERE = Path(__file__).parent
QUICK = ["-n", 3, "-w", 0, "--num-slowest", 0]
ENDLESS = ["-m", "tcp", "-n", 3, "-w", 0, "--min-runtime", "100h", "--num-slowest", 0, "--progress", "json"]
Everylink = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """We are in an empty one, where ssh is the fake one."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ssh").symlink_to(HERE / "fake_ssh")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("EVERYLINK_MEASURE", measure_program())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # what stands there may be relative
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    return tmp_path


@pytest.fixture
def everylink(folder: Path, capfd: pytest.CaptureFixture[str]) -> "Call":
    """Runs `everylink run`; gives exit code, standard output and standard error."""

    def call(*words: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(["run", *map(str, words)])
        said = capfd.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def start(folder: Path) -> Iterator[Everylink]:
    """Starts it, and gives the process."""
    started = []

    def begin(*words: object) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "everylink", "run", *map(str, words)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()


Call = Callable[..., tuple[int, str, str]]


def measured(folder: Path, ranks: int) -> Outcome:
    result = read_plainly(folder / "everylink.h5")
    assert sorted(result.only.main().links()) == [(a, b) for a in range(ranks) for b in range(ranks) if a != b]
    assert set(result.only["outcome"]) == {0}
    return result


def host_names(result: Outcome) -> list[str]:
    return [name.decode() for name in result.ranks["host"]]


def ranks_of(folder: Path) -> list[int]:
    """The processes of the core that run in this folder, ranks and their supervisors."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if (entry / "comm").read_text() == "everylink-measu\n" and (entry / "cwd").readlink() == folder:
                found.append(int(entry.name))
        except OSError:
            continue
    return found


def wait_until(condition: Callable[[], bool], what: str) -> None:
    until = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < until, what
        time.sleep(0.05)


# --- on this machine -------------------------------------------------------------------------------------------
def test_ranks_carry_the_names_of_hosts_on_this_machine(everylink: Call, tmp_path: Path) -> None:
    code, out, err = everylink("--hosts", "n[8-9]-ib", "--nranks", 2, "--launcher", "local", *QUICK)
    assert code == 0, err
    assert "all 4 ranks run on this machine, under the names of 2 host(s); nothing leaves it" in err
    result = measured(tmp_path, 4)
    assert host_names(result) == ["n8-ib", "n8-ib", "n9-ib", "n9-ib"], "host by host"
    assert result.attributes["bootstrap"] == "stdin"
    assert "4 ranks on 2 hosts" in out


# --- by ssh ----------------------------------------------------------------------------------------------------
def test_ranks_are_started_by_ssh_host_by_host_with_their_variables(
    everylink: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MINE", "x")
    variables = ["--env", 'UCX_TLS=it\'s a "$HOME"', "--env", "MINE"]
    code, out, err = everylink("--hosts", "n3,n[1-2],chatty", "--nranks", 2, *variables, *QUICK)
    assert code == 0, err
    assert host_names(measured(tmp_path, 8)) == ["chatty"] * 2 + ["n1"] * 2 + ["n2"] * 2 + ["n3"] * 2
    assert "welcome" not in out
    assert not list(tmp_path.glob(".everylink-*"))


def test_every_host_that_is_not_well_is_named_and_nothing_is_started(everylink: Call, tmp_path: Path) -> None:
    code, out, err = everylink("--hosts", "n1,gone[1-2],old1,bare1", *QUICK)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "gone[1-2]: ssh: Could not resolve hostname: Name or service not known" in err
    assert "old1: " in err
    assert "'everylink-measure 0.0.9'; it must be the everylink-measure 0.1.0" in err
    assert "bare1: " in err
    assert "says 'not found'" in err
    assert not (tmp_path / "everylink.h5").exists()


def test_a_host_that_says_nothing_does_not_hold_us(everylink: Call, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reach, "ANSWER_LIMIT", 1.0)
    code, _, err = everylink("--hosts", "n1,silent[1-3]", *QUICK)
    assert code == 2
    assert "silent[1-3]: no answer within 1 s" in err


def test_ctrl_c_is_heeded_while_hosts_are_asked(start: Everylink, folder: Path) -> None:
    process = start("--hosts", "n1,silent1", *QUICK)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    wait_until(lambda: len(children.read_text().split()) == 2, "nobody is asked")
    process.send_signal(signal.SIGINT)
    _, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (130, "")


def test_a_first_host_of_other_folders_is_refused_for_the_results_would_be_there(everylink: Call) -> None:
    code, _, err = everylink("--hosts", "elsewhere1,n1", *QUICK)
    assert code == 2
    assert "elsewhere1: " in err
    assert "--no-output" in err


def test_a_mistake_in_the_options_is_said_once_and_exit_2(everylink: Call) -> None:
    code, _, err = everylink("--hosts", "n[1-3]", "--nranks", 2, "-m", "pigeon")
    assert code == 2
    assert [line for line in err.splitlines() if "pigeon" in line] == [err.strip()]
    assert err.startswith("n1: everylink-measure: --mode pigeon")


def test_failed_links_are_exit_3_and_confirm_goes_on(everylink: Call, tmp_path: Path) -> None:
    code, out, err = everylink(
        "--hosts", "n[1-2]", "--nranks", 3, "-m", "sim:dead=1>4", "--confirm", "-s", "1KiB", *QUICK
    )
    assert code == 3, err
    assert "FAULTS" in out
    assert read_plainly(tmp_path / "everylink.h5").attributes["complete"] == 1


@pytest.fixture
def running(start: Everylink, tmp_path: Path) -> subprocess.Popen[str]:
    """A run of 3 hosts with 2 ranks each, which measures and does not end by itself."""
    process = start("--hosts", "n[1-3]", "--nranks", 2, *ENDLESS)
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


def test_ranks_end_with_a_launcher_that_was_killed(running: subprocess.Popen[str], tmp_path: Path) -> None:
    running.kill()
    wait_until(lambda: ranks_of(tmp_path) == [], "ranks are left")
    assert read_plainly(tmp_path / "everylink.h5").attributes["interrupted"] == 1


SAID = ["ranks 0 2 2", "cores 0 2", "key 0123456789abcdef", "meet loopback", "go"]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        ([], "nobody says which ranks to start"),
        (SAID[:-1], "nobody says which ranks to start"),
        ([*SAID[:2], *SAID[3:]], "a key and a place to meet are wanted"),
        ([*SAID[:2], "keys 0123456789abcdef"], "'keys' is nothing that everylink run says"),
        (["ranks 0 3 2", *SAID[1:]], "ranks, a key"),
        (["ranks 0 2", *SAID[1:]], "a number is missing"),
        (["ranks 0 99999999 99999999", *SAID[1:]], "out of range"),
        (["ranks 2 2 4", *SAID[1:3], "meet nowhere", "go"], "nowhere"),
        (["x" * 100_000], "too long"),
    ],
)
def test_what_everylink_run_does_not_say_is_refused_by_the_core(run: Run, lines: list[str], said: str) -> None:
    done = run("--bootstrap", "stdin", "--no-output", *QUICK, input="".join(f"{line}\n" for line in lines))
    assert done.returncode in (1, 2)
    assert done.stderr.count("\n") == 1
    assert said in done.stderr
    assert "0123456789abcdef" not in done.stderr


# --- by a real ssh ---------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A configuration for ssh, by which n1, n2, ... are this machine, and `dead` is a port that nobody listens on."""
    program = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin")
    if not program or not shutil.which("ssh"):
        pytest.skip("no sshd here (Debian's package openssh-server)")
    folder = tmp_path_factory.mktemp("ssh")
    for key in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", folder / key], check=True)
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    (folder / "sshd_config").write_text(
        f"ListenAddress 127.0.0.1:{port}\nHostKey {folder}/host\nAuthorizedKeysFile {folder}/user.pub\n"
        "StrictModes no\nUsePAM no\nPidFile none\nPasswordAuthentication no\nPermitRootLogin yes\n"
    )
    (folder / "config").write_text(
        f"Host n*\n  Port {port}\nHost dead*\n  Port 1\nHost *\n  HostName 127.0.0.1\n  IdentityFile {folder}/user\n"
        f"  IdentitiesOnly yes\n  UserKnownHostsFile {folder}/known\n  StrictHostKeyChecking accept-new\n"
        "  LogLevel ERROR\n"
    )
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # where sshd wants to be locked up
    log = (folder / "log").open("w")
    server = subprocess.Popen([program, "-D", "-e", "-f", folder / "sshd_config"], stdout=log, stderr=log)
    try:
        wait_until(lambda: _listens(port) or server.poll() is not None, "sshd does not listen")
        assert server.poll() is None, (folder / "log").read_text()
        yield folder / "config"
    finally:
        server.terminate()
        server.wait()
        log.close()


def _listens(port: int) -> bool:
    with socket.socket() as one:
        return one.connect_ex(("127.0.0.1", port)) == 0


@pytest.fixture
def real(sshd: Path, folder: Path) -> list[object]:
    (folder / "bin/ssh").unlink()
    return ["--launcher-args", f"-F {sshd}"]


def test_ssh_starts_ranks_and_names_who_does_not_answer(real: list[object], everylink: Call, tmp_path: Path) -> None:
    code, _, err = everylink("--hosts", "n[1-2]", "--nranks", 2, *real, *QUICK)
    assert code == 0, err
    measured(tmp_path, 4)
    code, out, err = everylink("--hosts", "n[1-2],dead[1-2]", *real, *QUICK)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "dead[1-2]: " in err
    assert "Connection refused" in err


@pytest.mark.skipif(not LONG, reason="ranks have 10 s to end by themselves: make test-long")
def test_a_lost_connection_ends_that_hosts_ranks_and_the_others_go_on(
    real: list[object], start: Everylink, tmp_path: Path
) -> None:
    process = start("--hosts", "n[1-3]", *real, *ENDLESS)
    assert process.stdout
    assert any('"step"' in line for line in process.stdout)
    before = ranks_of(tmp_path)
    assert len(before) == 6
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    (last,) = (pid for pid in children if "\0n3\0" in Path(f"/proc/{pid}/cmdline").read_text())
    os.kill(int(last), signal.SIGTERM)
    wait_until(lambda: len(ranks_of(tmp_path)) == 4, "the ranks of n3 are left")
    assert any('"step"' in line for line in process.stdout), "the others go on"
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=PATIENCE)
    assert "everylink: n3: the connection is lost, and its ranks with it" in err
    assert process.returncode == 1
    assert ranks_of(tmp_path) == []


# --- by mpiexec and srun ---------------------------------------------------------------------------------------
@pytest.mark.skipif(not shutil.which("mpiexec"), reason="no mpiexec here")
def test_mpiexec_starts_ranks_on_hosts_that_have_an_address(everylink: Call, tmp_path: Path) -> None:
    options = ["--launcher", "mpiexec", "--launcher-args=--allow-run-as-root --bind-to none"]
    code, _, err = everylink("--hosts", "localhost", "--nranks", 3, *options, "--env", "MINE=1", *QUICK)
    assert code == 0, err
    measured(tmp_path, 3)
    code, out, err = everylink("--hosts", "localhost,no-such.invalid", *options, *QUICK)
    assert (code, out) == (2, "")
    assert "because of no-such.invalid: " in err


@pytest.mark.skipif(not LONG, reason="Slurm runs in make test-long")
@pytest.mark.parametrize("mpi", ["--mpi=pmi2", "--mpi=none"])
def test_srun_starts_ranks_on_chosen_nodes(slurm: Run, tmp_path: Path, mpi: str) -> None:  # noqa: F811
    ours = [
        "env",
        f"EVERYLINK_MEASURE={measure_program()}",
        sys.executable,
        "-m",
        "everylink",
        "run",
        "--launcher",
        "srun",
    ]
    options = ["--nranks", 2, "--launcher-args", mpi, *QUICK, "-o", tmp_path / "everylink.h5"]
    done = slurm(*ours, "--hosts", "h[1-2]", *options)
    assert done.returncode == 0, done.stderr
    assert host_names(measured(tmp_path, 4)) == ["h1", "h1", "h2", "h2"]
    done = slurm(*ours, "--hosts", "h[2-5]", *options)
    assert done.returncode == 2
    assert "because of h[4-5]: Slurm knows no such node" in done.stderr
    done = slurm("salloc", "-N2", "-w", "h[0-1]", *ours, "--hosts", "h[1-2]", *options)
    assert done.returncode == 2
    assert "h2: not in this allocation, which is h[0-1]" in done.stderr


# --- several hosts, several rails ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def hosts(possible: None) -> Iterator[Bed]:
    yield from a_bed(6, rails=2)


def test_on_many_hosts_a_rail_that_runs_at_half_is_named(
    hosts: Bed, everylink: Call, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bin/ssh").unlink()
    (tmp_path / "bin/ssh").symlink_to(FOLDER / "rsh")
    monkeypatch.setenv("EVERYLINK_BED", hosts.name)
    hosts.fault("shape 200mbit")
    hosts.fault("slow-rail h3 1 100mbit")
    options = ["-s", "256KiB", "-n", 4, "-w", 1, "--num-slowest", 0]
    code, out, err = everylink("--hosts", "h[0-5]", "--nranks", 2, "--rails", "auto", *options)
    assert code == 0, err
    result = measured(tmp_path, 12)
    assert host_names(result) == [f"h{rank // 2}" for rank in range(12)]
    assert [device.decode() for device in result.ranks["device"]] == ["eth0", "eth1"] * 6
    assert result.ranks["address"][7] == b"10.78.0.4"
    assert "FAULTS: 1 rank\n  rank h3:7: slow, " in out
    assert "of its host just what is on eth1 is slow, and nothing on eth0" in " ".join(out.split())


@pytest.mark.skipif(not LONG, reason="make test-long runs it")
@pytest.mark.parametrize(
    ("program", "options"),
    [
        ("mpirun", f"--allow-run-as-root --mca oob_tcp_if_include eth0 --mca plm_rsh_agent {FOLDER}/rsh"),
        ("mpiexec.hydra", f"-launcher-exec {FOLDER}/rsh"),
    ],
)
def test_mpiexec_numbers_ranks_host_by_host_wherever_it_runs(
    hosts: Bed, folder: Path, program: str, options: str
) -> None:
    if not (path := shutil.which(program)):
        pytest.skip(f"no {program} here")
    (folder / "bin/mpiexec").write_text(f'#!/bin/sh\nexec {path} "$@"\n')
    (folder / "bin/mpiexec").chmod(0o755)
    ours = [sys.executable, "-m", "everylink", "run", "--hosts", "h[0-2]", "--nranks", 2, "--launcher", "mpiexec"]
    hosts.do("exec", "h1", *ours, "--launcher-args", options, *QUICK)
    assert host_names(measured(folder, 6)) == ["h0", "h0", "h1", "h1", "h2", "h2"]
