"""Finds the hosts of the job that this process runs in, from what its batch system puts into the environment."""

import shutil
import subprocess
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from everylink.errors import CoreError, UserMistake
from everylink.files import text_of
from everylink.host_lists import expanded
from everylink.units import plural

LARGEST_FILE = 64 * 1024 * 1024
ANSWER_LIMIT = 20.0  # seconds for flux

Environment = Mapping[str, str]
Find = Callable[[Environment], "Cluster | None"]


@dataclass(frozen=True)
class Cluster:
    """The hosts of a job, each once and in the batch system's order.

    `found_by` says where they come from, as in "Slurm job 17"; `launcher` starts ranks on them (`run --launcher`).
    """

    hosts: tuple[str, ...]
    found_by: str
    launcher: str

    @property
    def text(self) -> str:
        return f"{self.found_by}: {plural(len(self.hosts), 'host')}"


FINDERS: list[Find] = []  # in the order in which they are asked


def _finder(find: Find) -> Find:
    FINDERS.append(find)
    return find


def cluster_of_job(environment: Environment) -> Cluster | None:
    """The cluster of the job that these variables belong to; None outside a job. Raises UserMistake and CoreError.

    Flux and Slurm come first, because a Flux instance may run in a job of another batch system.
    """
    return next((cluster for find in FINDERS if (cluster := find(environment))), None)


@_finder
def _flux(environment: Environment) -> Cluster | None:
    """`flux hostlist local` (flux-core 0.60 and later) names the hosts of the job, or of the instance without one."""
    if "FLUX_URI" not in environment and "FLUX_JOB_ID" not in environment:
        return None
    try:
        done = subprocess.run(
            ["flux", "hostlist", "--expand", "local"],
            capture_output=True,
            text=True,
            timeout=ANSWER_LIMIT,
            stdin=subprocess.DEVNULL,
        )
    except subprocess.TimeoutExpired:
        raise CoreError(f"flux hostlist did not answer within {ANSWER_LIMIT:.0f} s") from None
    except OSError as error:
        raise CoreError(f"flux cannot be started: {error.strerror}; name the hosts with --hosts") from None
    if done.returncode != 0:
        reason = (done.stderr.strip() or "no message").splitlines()[-1]
        raise CoreError(f"flux hostlist failed: {reason}; name the hosts with --hosts")
    job = environment.get("FLUX_JOB_ID")
    return _cluster(done.stdout.split(), f"Flux job {job}" if job else "Flux instance")


@_finder
def _slurm(environment: Environment) -> Cluster | None:
    for variable in ("SLURM_JOB_NODELIST", "SLURM_NODELIST"):
        if nodes := environment.get(variable):
            return _cluster(_expanded(nodes, variable), _job("Slurm", environment, "SLURM_JOB_ID"), launcher_in_slurm())
    return None


@_finder
def _pbs(environment: Environment) -> Cluster | None:
    """The node file has one line per slot."""
    if "PBS_NODEFILE" not in environment:
        return None
    return _cluster(_first_words(environment, "PBS_NODEFILE"), _job("PBS", environment, "PBS_JOBID"))


@_finder
def _lsf(environment: Environment) -> Cluster | None:
    """The file or LSB_HOSTS has one word per slot; LSB_MCPU_HOSTS has hosts and numbers of slots in turn."""
    name = _job("LSF", environment, "LSB_JOBID")
    if "LSB_DJOB_HOSTFILE" in environment:
        return _cluster(_first_words(environment, "LSB_DJOB_HOSTFILE"), name)
    if hosts := environment.get("LSB_MCPU_HOSTS"):
        return _cluster(hosts.split()[::2], name)
    if hosts := environment.get("LSB_HOSTS"):
        return _cluster(hosts.split(), name)
    return None


@_finder
def _grid_engine(environment: Environment) -> Cluster | None:
    """The file has a line `host slots queue processors` per host and queue."""
    if "PE_HOSTFILE" not in environment:
        return None
    return _cluster(_first_words(environment, "PE_HOSTFILE"), _job("Grid Engine", environment, "JOB_ID"))


def launcher_in_slurm() -> str:
    """The launcher that starts ranks inside a job of Slurm."""
    return "srun" if shutil.which("srun") else "ssh"


def _job(system: str, environment: Environment, variable: str) -> str:
    return f"{system} job {environment.get(variable, '')}".rstrip()


def _cluster(hosts: Iterable[str], found_by: str, launcher: str = "ssh") -> Cluster:
    found = tuple(dict.fromkeys(hosts))
    if not found:
        raise UserMistake(f"{found_by} has no hosts; name them with --hosts")
    return Cluster(found, found_by, launcher)


def _expanded(nodes: str, variable: str) -> list[str]:
    try:
        return expanded(nodes)
    except ValueError as error:
        raise UserMistake(f"{variable}={nodes[:60]}: {error}; name the hosts with --hosts") from None


def _first_words(environment: Environment, variable: str) -> Iterator[str]:
    """The first word of each line of the file that the variable names, but for empty lines."""
    try:
        text = text_of(Path(environment[variable]), LARGEST_FILE, "it has one host per line")
    except UserMistake as error:
        raise UserMistake(f"{variable}={error}; name the hosts with --hosts") from None
    return (line.split()[0] for line in text.splitlines() if line.strip())
