"""The hosts of a batch job, from its environment."""

from pathlib import Path

import pytest

from everylink.errors import EverylinkError
from everylink.launch.cluster import Cluster, cluster_of_job


@pytest.fixture(autouse=True)
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No program of a batch system is on PATH."""
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    (tmp_path / "bin").mkdir()


def program(tmp_path: Path, name: str, script: str) -> None:
    file = tmp_path / "bin" / name
    file.write_text(f"#!/bin/sh\n{script}\n")
    file.chmod(0o755)


def test_outside_a_job_there_is_no_cluster() -> None:
    assert cluster_of_job({"HOSTNAME": "login1", "JOB_ID": "3", "SLURM_CONF": "/etc/slurm.conf"}) is None


def test_a_slurm_job_has_all_its_nodes_and_srun_starts_ranks_on_them(tmp_path: Path) -> None:
    job = {"SLURM_JOB_ID": "17", "SLURM_JOB_NODELIST": "n[08-10],gpu2"}
    assert cluster_of_job(job) == Cluster(("n08", "n09", "n10", "gpu2"), "Slurm job 17", "ssh")
    program(tmp_path, "srun", "exit 1")
    found = cluster_of_job(job)
    assert found
    assert found.launcher == "srun"
    assert found.text == "Slurm job 17: 4 hosts"


def test_a_pbs_job_has_each_host_of_its_node_file_once(tmp_path: Path) -> None:
    (tmp_path / "nodes").write_text("n2\nn2\nn1\n\nn1\n")
    found = cluster_of_job({"PBS_JOBID": "5.server", "PBS_NODEFILE": str(tmp_path / "nodes")})
    assert found == Cluster(("n2", "n1"), "PBS job 5.server", "ssh")


@pytest.mark.parametrize(
    "variables",
    [{"LSB_MCPU_HOSTS": "n1 4 n2 8"}, {"LSB_HOSTS": "n1 n1 n2"}, {"LSB_HOSTS": "x", "LSB_DJOB_HOSTFILE": "file"}],
)
def test_an_lsf_job_has_the_hosts_of_any_of_its_variables(
    variables: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "file").write_text("n1\nn1\nn2\n")
    assert cluster_of_job({"LSB_JOBID": "9", **variables}) == Cluster(("n1", "n2"), "LSF job 9", "ssh")


def test_a_grid_engine_job_has_the_hosts_of_its_parallel_environment(tmp_path: Path) -> None:
    (tmp_path / "pe").write_text("n1.site 4 all.q@n1.site UNDEFINED\nn2.site 4 all.q@n2.site UNDEFINED\n")
    found = cluster_of_job({"JOB_ID": "8", "PE_HOSTFILE": str(tmp_path / "pe")})
    assert found == Cluster(("n1.site", "n2.site"), "Grid Engine job 8", "ssh")


def test_a_flux_job_comes_before_the_job_that_flux_runs_in(tmp_path: Path) -> None:
    program(tmp_path, "flux", '[ "$*" = "hostlist --expand local" ] && echo n1 n2')
    job = {"FLUX_URI": "local:///run/flux", "SLURM_JOB_NODELIST": "n[1-9]"}
    assert cluster_of_job(job) == Cluster(("n1", "n2"), "Flux instance", "ssh")
    assert cluster_of_job(job | {"FLUX_JOB_ID": "f3Et"}) == Cluster(("n1", "n2"), "Flux job f3Et", "ssh")


@pytest.mark.parametrize(
    ("variables", "said"),
    [
        (
            {"SLURM_JOB_NODELIST": "n[1-"},
            r"SLURM_JOB_NODELIST=n\[1-: is not a list of names .*; name the hosts with --hosts",
        ),
        (
            {"PBS_NODEFILE": "missing"},
            "PBS_NODEFILE=missing: cannot be read: No such file or directory; name the hosts",
        ),
        (
            {"PE_HOSTFILE": "empty"},
            "PE_HOSTFILE=empty: is empty; it has one host per line; name the hosts with --hosts",
        ),
        ({"LSB_DJOB_HOSTFILE": "."}, "LSB_DJOB_HOSTFILE=.: is a folder"),
        ({"FLUX_URI": "x"}, "flux cannot be started: No such file or directory; name the hosts with --hosts"),
    ],
)
def test_a_job_that_hides_its_hosts_is_an_error_that_says_what_to_do(
    variables: dict[str, str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "empty").write_text("\n")
    with pytest.raises(EverylinkError, match=said):
        cluster_of_job(variables)


def test_a_flux_that_fails_is_quoted(tmp_path: Path) -> None:
    program(tmp_path, "flux", "echo 'flux-hostlist: no such job' >&2; exit 1")
    with pytest.raises(EverylinkError, match="flux hostlist failed: flux-hostlist: no such job; name the hosts"):
        cluster_of_job({"FLUX_JOB_ID": "f3"})
