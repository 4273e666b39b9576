"""Whole runs: the real executable, and its results read with h5py only, as docs/results-file.md describes."""

import atexit
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import h5py
import netns
import numpy as np
import pytest

LONG = bool(os.environ.get("EVERYLINK_TEST_LONG"))
CLUSTER = Path(__file__).parents[2] / "testbed/slurm/cluster"
# mpirun of Open MPI 4 fails if another one creates or removes the folder of sessions at the same moment.
SESSIONS = tempfile.mkdtemp(prefix="ompi-")
os.environ.update(OMPI_MCA_orte_tmpdir_base=SESSIONS)  # each worker of xdist has its own
atexit.register(shutil.rmtree, SESSIONS, ignore_errors=True)
PATIENCE = 120 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1"))


def measure_program() -> str:
    program = os.environ.get("EVERYLINK_MEASURE") or shutil.which("everylink-measure")
    assert program, "set EVERYLINK_MEASURE to the executable (make test does)"
    return str(Path(program).resolve())


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as probe:
        port: int = probe.getsockname()[1]
        return port


def mpi_launcher(ranks: int) -> list[str]:
    return ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n", str(ranks)]


@dataclass(frozen=True)
class Table:
    """Committed rows of one size, or of the steps."""

    columns: dict[str, np.ndarray]

    def __getitem__(self, name: str) -> np.ndarray:
        return self.columns[name]

    def where(self, chosen: np.ndarray) -> "Table":
        return Table({name: column[chosen] for name, column in self.columns.items()})

    def main(self) -> "Table":
        return self.where(self["attempt"] == 0)

    def row(self, link_from: int, link_to: int) -> dict[str, Any]:
        found = self.main().where((self.main()["from"] == link_from) & (self.main()["to"] == link_to))
        assert len(found["from"]) == 1, f"link {link_from} -> {link_to} has {len(found['from'])} rows"
        return {name: column[0] for name, column in found.columns.items()}

    def links(self) -> list[tuple[int, int]]:
        return list(zip(self["from"].tolist(), self["to"].tolist(), strict=True))


@dataclass(frozen=True)
class Outcome:
    code: int
    out: str
    err: str
    attributes: dict[str, Any]
    ranks: dict[str, np.ndarray]
    steps: Table
    sizes: dict[int, Table]
    tuning: dict[int, dict[str, int]]

    @property
    def only(self) -> Table:
        (table,) = self.sizes.values()
        return table


def read_plainly(path: Path, code: int = 0, out: str = "", err: str = "", swmr: bool = False) -> Outcome:
    with h5py.File(path, "r", swmr=swmr) as file:
        rows, steps = int(file.attrs["rows"]), int(file.attrs["steps"])
        names = {k: (v.decode() if isinstance(v, bytes) else v) for k, v in file.attrs.items()}
        sizes, tuning = {}, {}
        for name, group in file["sizes"].items():
            laps = group["laps"][:] if "laps" in group else None
            columns = {k: v[:rows] for k, v in group.items() if k != "laps"}
            sizes[int(name)] = Table(columns | ({"laps": laps} if laps is not None else {}))
            tuning[int(name)] = {k: int(v) for k, v in group.attrs.items()}
        return Outcome(
            code,
            out,
            err,
            names,
            {k: v[:] for k, v in file["ranks"].items()},
            Table({k: v[:steps] for k, v in file["steps"].items()}),
            sizes,
            tuning,
        )


Run = Callable[..., subprocess.CompletedProcess[str]]
Measure = Callable[..., Outcome]


@pytest.fixture
def run(tmp_path: Path) -> Run:
    """Run the executable in an empty folder; return exit code and output."""

    def call(*arguments: object, launcher: list[str] | None = None, **options: Any) -> subprocess.CompletedProcess[str]:
        command = [*(launcher or []), measure_program(), *(str(a) for a in arguments)]
        environment = os.environ | {"OMPI_MCA_rmaps_base_oversubscribe": "1"} | options.pop("environment", {})
        return subprocess.run(
            command,
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            **options,
        )

    return call


@pytest.fixture
def measure(run: Run, tmp_path: Path) -> Measure:
    """Run it and read the results; `expect` is the exit code."""

    def call(*arguments: object, expect: int = 0, **options: Any) -> Outcome:
        done = run(*arguments, "-o", tmp_path / "x.h5", "--force", **options)
        assert done.returncode == expect, done.stdout + done.stderr
        return read_plainly(tmp_path / "x.h5", done.returncode, done.stdout, done.stderr)

    return call


@pytest.fixture(scope="session")
def possible() -> None:
    """Beds of network namespaces; skips if they cannot be made."""
    netns.skip_unless_possible()


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test that is not kept with its group, before anything is set up for it."""
    grouped = getattr(item.config.option, "loadgroup", False) and item.get_closest_marker("xdist_group")
    if grouped and "@" not in item.nodeid:
        pytest.fail(f"pytest-xdist does not keep the tests of a group together under pytest {pytest.__version__}")


@pytest.hookimpl(tryfirst=True)  # before pytest-xdist reads the groups
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Under pytest-xdist, run all tests of Slurm in one process, which starts the cluster once."""
    for item in items:
        if "slurm" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.xdist_group("slurm"))


@pytest.fixture(scope="session")
def slurm() -> Iterator[Run]:
    """Runs a command on the first of four hosts of a Slurm cluster."""
    cluster = [str(CLUSTER), "--name", f"test-{os.getpid()}"]
    up = subprocess.run([*cluster, "up", "4"], capture_output=True, text=True, timeout=PATIENCE, check=False)
    if up.returncode == 77:
        pytest.skip(up.stderr.strip())
    assert up.returncode == 0, up.stderr

    def call(*command: object, **environment: str) -> subprocess.CompletedProcess[str]:
        words = [*cluster, "exec", *map(str, command)]
        return subprocess.run(
            words, env=os.environ | environment, capture_output=True, text=True, timeout=PATIENCE, check=False
        )

    try:
        yield call
    finally:
        subprocess.run([*cluster, "down"], timeout=PATIENCE, check=True)


Everylink = Callable[..., tuple[int, str, str]]
StartEverylink = Callable[..., subprocess.Popen[str]]


@pytest.fixture
def ssh_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working folder with a fake ssh."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin/ssh").symlink_to(Path(__file__).parent / "fake_ssh")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    monkeypatch.setenv("EVERYLINK_MEASURE", measure_program())
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(sys.path))  # entries may be relative paths
    monkeypatch.delenv("SLURM_JOB_ID", raising=False)
    return tmp_path


@pytest.fixture
def everylink(ssh_folder: Path, capfd: pytest.CaptureFixture[str]) -> Everylink:
    """Runs `everylink run`; returns exit code, standard output and standard error."""

    from everylink.cli import main

    def call(*words: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = main(["run", *map(str, words)])
        said = capfd.readouterr()
        return code, said.out, said.err

    return call


@pytest.fixture
def start_everylink(ssh_folder: Path) -> Iterator[StartEverylink]:
    """Starts `everylink run`; returns the process."""
    started = []

    def begin(*words: object) -> subprocess.Popen[str]:
        default = ["env", "--default-signal=INT"]  # a shell's background processes ignore it
        command = [*default, sys.executable, "-P", "-m", "everylink", "run", *map(str, words)]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        return started[-1]

    yield begin
    for process in started:
        process.kill()
        process.communicate()
