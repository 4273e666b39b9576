"""`everylink run --hosts` with a real ssh, mpiexec and srun, and on hosts with several rails."""

import os
import shutil
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hosts_runs import ENDLESS, MEASURED, QUICK, host_names, measured, ranks_of, wait_until
from netns import FOLDER, Bed, a_bed, reach_by_ssh

from conftest import PATIENCE, Everylink, Run, StartEverylink, measure_program


# --- real ssh --------------------------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A configuration for ssh: n1, n2, ... are this machine, and nothing listens at the port of `dead`."""
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
        Path("/run/sshd").mkdir(mode=0o755, exist_ok=True)  # sshd's privilege separation directory
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
def real(sshd: Path, ssh_folder: Path) -> list[object]:
    (ssh_folder / "bin/ssh").unlink()
    return ["--launcher-args", f"-F {sshd}"]


def test_ssh_starts_ranks_and_names_hosts_that_do_not_answer(
    real: list[object], everylink: Everylink, tmp_path: Path
) -> None:
    code, _, err = everylink("--hosts", "n[1-2]", "--nranks", 2, *real, *QUICK)
    assert code in MEASURED, err
    measured(tmp_path, 4)
    code, out, err = everylink("--hosts", "n[1-2],dead[1-2]", *real, *QUICK)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "dead[1-2]: " in err
    assert "Connection refused" in err


@pytest.mark.long("ranks have 10 s to end by themselves")
def test_a_lost_connection_ends_that_hosts_ranks_and_the_others_continue(
    real: list[object], start_everylink: StartEverylink, tmp_path: Path
) -> None:
    process = start_everylink("--hosts", "n[1-3]", *real, *ENDLESS)
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
    assert "everylink: n3: connection lost; its ranks are lost, too" in err
    assert process.returncode == 1
    assert ranks_of(tmp_path) == []


# --- mpiexec and srun ------------------------------------------------------------------------------------------
@pytest.mark.skipif(not shutil.which("mpiexec"), reason="no mpiexec here")
def test_mpiexec_starts_ranks_on_hosts_that_have_an_address(everylink: Everylink, tmp_path: Path) -> None:
    options = ["--launcher", "mpiexec", "--launcher-args=--allow-run-as-root --bind-to none"]
    code, _, err = everylink("--hosts", "localhost", "--nranks", 3, *options, "--env", "MINE=1", *QUICK)
    assert code in MEASURED, err
    measured(tmp_path, 3)
    code, out, err = everylink("--hosts", "localhost,no-such.invalid", *options, *QUICK, "--force")
    assert (code, out) == (2, "")
    assert "nothing was started; no-such.invalid: " in err


@pytest.mark.long("Slurm")
@pytest.mark.parametrize("mpi", ["--mpi=pmi2", "--mpi=none"])
def test_srun_starts_ranks_on_chosen_nodes(slurm: Run, tmp_path: Path, mpi: str) -> None:
    ours = [
        "env",
        f"EVERYLINK_MEASURE={measure_program()}",
        sys.executable,
        "-P",
        "-m",
        "everylink",
        "run",
        "--launcher",
        "srun",
    ]
    options = ["--nranks", 2, "--launcher-args", mpi, *QUICK]
    done = slurm(*ours, "--hosts", "h[1-2]", *options, "-o", tmp_path / "everylink.h5")
    assert done.returncode in MEASURED, done.stderr
    assert host_names(measured(tmp_path, 4)) == ["h1", "h1", "h2", "h2"]
    options += ["-o", tmp_path / "other.h5"]
    done = slurm(*ours, "--hosts", "h[2-5]", *options)
    assert done.returncode == 2
    assert "nothing was started; h[4-5]: unknown to Slurm" in done.stderr
    done = slurm("salloc", "-N2", "-w", "h[0-1]", *ours, "--hosts", "h[1-2]", *options)
    assert done.returncode == 2
    assert "h2: not in this allocation (h[0-1])" in done.stderr


# --- several hosts, several rails ------------------------------------------------------------------------------
@pytest.fixture(scope="module")
def hosts(possible: None) -> Iterator[Bed]:
    yield from a_bed(6, rails=2)


@pytest.mark.alone  # compares times
@pytest.mark.long
def test_a_rail_at_half_speed_on_many_hosts_is_named(
    hosts: Bed, everylink: Everylink, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reach_by_ssh(hosts, tmp_path, monkeypatch)
    hosts.fault("shape 200mbit")
    hosts.fault("slow-rail h3 1 100mbit")
    options = ["-s", "256KiB", "-n", 4, "-w", 1, "--num-slowest", 0]
    code, out, err = everylink("--hosts", "h[0-5]", "--nranks", 2, "--rails", "auto", *options)
    assert code == 3, err
    result = measured(tmp_path, 12)
    assert host_names(result) == [f"h{rank // 2}" for rank in range(12)]
    assert [device.decode() for device in result.ranks["device"]] == ["eth0", "eth1"] * 6
    assert result.ranks["address"][7] == b"10.78.0.4"
    assert "FAULTS: 1 rank\n  rank h3:7: slow, " in out
    assert "of its host just what is on eth1 is slow, and nothing on eth0" in " ".join(out.split())


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "options"),
    [
        ("mpirun", f"--allow-run-as-root --mca oob_tcp_if_include eth0 --mca plm_rsh_agent {FOLDER}/rsh"),
        ("mpiexec.hydra", f"-launcher-exec {FOLDER}/rsh"),
    ],
)
def test_mpiexec_numbers_ranks_host_by_host_wherever_it_runs(
    hosts: Bed, ssh_folder: Path, program: str, options: str
) -> None:
    if not (path := shutil.which(program)):
        pytest.skip(f"no {program} here")
    (ssh_folder / "bin/mpiexec").write_text(f'#!/bin/sh\nexec {path} "$@"\n')
    (ssh_folder / "bin/mpiexec").chmod(0o755)
    ours = [sys.executable, "-P", "-m", "everylink", "run", "--hosts", "h[0-2]", "--nranks", 2, "--launcher", "mpiexec"]
    hosts.do("exec", "h1", *ours, "--launcher-args", options, *QUICK)
    assert host_names(measured(ssh_folder, 6)) == ["h0", "h0", "h1", "h1", "h2", "h2"]
