"""`everylink run --servers --clients`: the command lines of Network Sanitizer's guide, with every launcher."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import h5py
import pytest
from hosts_runs import MEASURED, host_names
from netns import FOLDER, Bed, a_bed, call

from conftest import PATIENCE, Everylink, Run, measure_program, read_plainly

QUICK = ["--niters", 2, "--bsize", 1]
SIMULATED = [*QUICK, "--mode", "sim"]
ROLES = ["h2", "h2", "h3", "h3", "h0", "h1"]
TWO_SIDES = ["--servers", "h[2-3]", "--clients", "h[0-1]", "--servers-nranks", 2]
# A variable that the results store for each rank.
OWN = ["--servers-env", "SLURM_TOPOLOGY_ADDR=it's $x", "--clients-args", "-env SLURM_TOPOLOGY_ADDR c"]


@pytest.fixture(scope="module")
def patterns() -> None:
    done = subprocess.run([measure_program(), "--help"], capture_output=True, text=True, timeout=PATIENCE, check=True)
    if not all(f"\n  {name} " in done.stdout for name in ("client-server", "all-to-all")):
        pytest.skip("the core has no such patterns")


@pytest.fixture(scope="module")
def hosts(possible: None) -> Iterator[Bed]:
    yield from a_bed(4, rails=2)


def links_of(path: Path, pattern: str) -> set[tuple[int, int]]:
    """The (from, to) pairs of all flows."""
    with h5py.File(path) as file:
        group = file[f"patterns/{pattern}"]
        rows = int(group.attrs["rows"])
        columns = (group[f"flows/{name}"][:rows].tolist() for name in ("from", "to"))
        return set(zip(*columns, strict=True))


def between(servers: range, clients: range) -> set[tuple[int, int]]:
    return {(s, c) for s in servers for c in clients} | {(c, s) for s in servers for c in clients}


def told(path: Path, column: str = "topology_address") -> list[str]:
    return [text.decode() for text in read_plainly(path).ranks[column]]


# --- on this machine, and with ssh -----------------------------------------------------------------------------
def test_servers_ranks_come_first_and_clients_send_requests(
    patterns: None, everylink: Everylink, tmp_path: Path
) -> None:
    words = ["--servers", "server[2-3]", "--clients", "client[1-4]", "--servers-nranks", 2, "--launcher", "local"]
    code, _, err = everylink(*words, *SIMULATED)
    assert code == 0, err
    assert links_of(tmp_path / "everylink.h5", "client-server") == between(range(4), range(4, 8))


def test_clients_alone_are_all_to_all(patterns: None, everylink: Everylink, tmp_path: Path) -> None:
    words = ["--clients", "client[1-4]", "--clients-nranks", 1, "--hostname", "--verbose", "--launcher", "local"]
    code, _, err = everylink(*words, *SIMULATED)
    assert code == 0, err
    every = {(a, b) for a in range(4) for b in range(4) if a != b}
    assert links_of(tmp_path / "everylink.h5", "all-to-all") == every


def test_by_ssh_each_side_has_hosts_and_variables_of_its_own(
    patterns: None, everylink: Everylink, tmp_path: Path
) -> None:
    words = ["--servers", "n3", "--clients", "n[1-2]", "--servers-args", "--rails lo"]
    code, _, err = everylink(*words, *OWN, *QUICK)
    assert code in MEASURED, err
    assert host_names(read_plainly(tmp_path / "everylink.h5")) == ["n3", "n1", "n2"]
    assert told(tmp_path / "everylink.h5") == ["it's $x", "c", "c"]


def test_an_unusable_client_is_named_and_nothing_is_started(everylink: Everylink, tmp_path: Path) -> None:
    code, out, err = everylink("--servers", "n[1-2]", "--clients", "n3,gone[1-2]", *QUICK)
    assert (code, out) == (2, "")
    assert err.count("\n") == 1
    assert "everylink: --servers, --clients: nothing was started; gone[1-2]: ssh: " in err
    assert not (tmp_path / "everylink.h5").exists()


# --- with mpiexec and srun -------------------------------------------------------------------------------------
@pytest.mark.skipif(not shutil.which("mpiexec"), reason="no mpiexec here")
def test_mpiexec_starts_servers_and_clients(patterns: None, everylink: Everylink, tmp_path: Path) -> None:
    options = ["--launcher", "mpiexec", "--launcher-args=--allow-run-as-root --oversubscribe --bind-to none"]
    words = ["--servers", "localhost", "--clients", "127.0.0.1", "--clients-nranks", 2]
    code, _, err = everylink(*words, *OWN, *options, *QUICK)
    assert code in MEASURED, err
    assert links_of(tmp_path / "everylink.h5", "client-server") == between(range(1), range(1, 3))
    assert told(tmp_path / "everylink.h5") == ["it's $x", "c", "c"]


@pytest.mark.long("Slurm")
@pytest.mark.parametrize("mpi", ["--mpi=pmi2", "--mpi=none"])
def test_srun_places_servers_first_whatever_the_order_of_nodes(
    patterns: None, slurm: Run, tmp_path: Path, mpi: str
) -> None:
    ours = ["env", f"EVERYLINK_MEASURE={measure_program()}", sys.executable, "-P", "-m", "everylink", "run"]
    words = ["--launcher", "srun", "--launcher-args", mpi, *TWO_SIDES, *OWN, *QUICK, "-o", tmp_path / "x.h5"]
    done = slurm(*ours, *words)
    assert done.returncode in MEASURED, done.stderr
    assert host_names(read_plainly(tmp_path / "x.h5")) == ROLES
    assert told(tmp_path / "x.h5") == ["it's $x"] * 4 + ["c"] * 2
    done = slurm("salloc", "-N4", "--ntasks-per-node=2", *ours, *words, "--force")
    assert done.returncode in MEASURED, done.stderr
    assert host_names(read_plainly(tmp_path / "x.h5")) == ROLES


@pytest.mark.long
@pytest.mark.parametrize(
    ("program", "options"),
    [
        ("mpirun", f"--allow-run-as-root --mca oob_tcp_if_include eth0 --mca plm_rsh_agent {FOLDER}/rsh"),
        ("mpiexec.hydra", f"-launcher-exec {FOLDER}/rsh"),
    ],
)
def test_mpiexec_gives_servers_variables_and_a_rail_of_their_own(
    patterns: None, hosts: Bed, ssh_folder: Path, program: str, options: str
) -> None:
    if not (path := shutil.which(program)):
        pytest.skip(f"no {program} here")
    (ssh_folder / "bin/mpiexec").write_text(f'#!/bin/sh\nexec {path} "$@"\n')
    (ssh_folder / "bin/mpiexec").chmod(0o755)
    ours = [sys.executable, "-P", "-m", "everylink", "run", "--launcher", "mpiexec", "--launcher-args", options]
    words = [*ours, *TWO_SIDES, *OWN, "--servers-args", "--rails eth1", *QUICK]
    done = call("exec", "h1", *words, name=hosts.name)
    assert done.returncode in MEASURED, done.stderr
    assert host_names(read_plainly(ssh_folder / "everylink.h5")) == ROLES
    assert told(ssh_folder / "everylink.h5", "device") == ["eth1"] * 4 + ["eth0"] * 2
    assert told(ssh_folder / "everylink.h5") == ["it's $x"] * 4 + ["c"] * 2
