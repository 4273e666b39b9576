"""`--list` says of every transport that cannot run here what is missing and what to type."""

import re
import shutil
import subprocess
from pathlib import Path

import pytest

from conftest import Run, measure_program

ROOT = Path(__file__).parents[2]
MODULES = Path(measure_program()).parent / "modules"
HIDDEN = {"ucp": "libucx-dev", "ofi": "libfabric-dev", "ibverbs": "libibverbs-dev", "mpi": "libopenmpi-dev"}
WITHOUT_LIBRARIES = '#!/bin/sh\ncase "$*" in *ucx* | *fabric* | *ibv* | *pmix*) exit 1 ;; esac\nexec pkg-config "$@"\n'


def of_mode(listed: str, mode: str) -> str:
    """The line of a transport."""
    return next(line for line in listed.splitlines() if line.split()[:1] == [mode])


def test_a_library_missing_at_build_time_is_named_with_its_package(tmp_path: Path) -> None:
    blind = tmp_path / "pkg-config"
    blind.write_text(WITHOUT_LIBRARIES)
    blind.chmod(0o755)
    options = ["-DEVERYLINK_PSM2=OFF", "-DCMAKE_DISABLE_FIND_PACKAGE_MPI=ON", f"-DPKG_CONFIG_EXECUTABLE={blind}"]
    build = tmp_path / "build"
    done = subprocess.run(["cmake", "-S", ROOT, "-B", build, *options], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    names = (build / "core/folders/transport/generated/transport_names.hpp").read_text()  # the table that --list prints
    for mode, package in HIDDEN.items():
        why = f"was not found; apt install {package}, then build Everylink again"
        assert re.search(rf'\{{"{mode}", ".*", ".* {why}"\}}', names)
        assert re.search(rf"Transport {mode}: not built, .* {why}", done.stdout)
    launchers = (build / "core/folders/bootstrap/generated/launchers_not_built.hpp").read_text()
    assert 'no_pmix = "PMIx was not found; apt install libpmix-dev, then build Everylink again"' in launchers
    assert 'no_mpi = "an MPI library was not found; apt install libopenmpi-dev, then' in launchers
    assert '"turned off; build Everylink again without -DEVERYLINK_PSM2=OFF"' in names


def test_why_a_transport_was_not_built_is_listed_and_said_where_it_is_used(run: Run) -> None:
    if (MODULES / "portals.so").exists():
        pytest.skip("Portals 4 is installed here")
    why = "not built: Portals 4 was not found, and Debian has no package of it; build Everylink again with -DCMAKE"
    assert f"cannot run here: {why}" in of_mode(run("--list").stdout, "portals")
    refused = run("--np", 2, "--mode", "portals")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(f"everylink-measure: --mode portals: {why}")


@pytest.mark.parametrize(
    ("mode", "library", "advice"),
    [
        ("ucp", b"libucp.so.0", "apt install libucx0"),
        ("ofi", b"libfabric.so.1", "apt install libfabric1"),
        ("ibverbs", b"libibverbs.so.1", "apt install libibverbs1 ibverbs-providers"),
        ("ucp", b"libucs.so.0", "install it, or name its folder in LD_LIBRARY_PATH"),
    ],
)
def test_a_library_missing_at_run_time_is_named_with_its_package(
    mode: str, library: bytes, advice: str, run: Run, tmp_path: Path
) -> None:
    module = MODULES / f"{mode}.so"
    if not module.exists() or library not in module.read_bytes():
        pytest.skip(f"{mode} is not built here, or against another library")
    other = library[:-1] + b"9"  # a version that no machine has
    (tmp_path / f"{mode}.so").write_bytes(module.read_bytes().replace(library + b"\0", other + b"\0"))
    said = f"{other.decode()} is missing; {advice}"
    elsewhere = {"EVERYLINK_TRANSPORT_PATH": str(tmp_path)}
    assert of_mode(run("--list", environment=elsewhere).stdout, mode).endswith(f"; cannot run here: {said}")
    refused = run("--np", 2, "--mode", mode, environment=elsewhere)
    assert (refused.returncode, refused.stderr) == (2, f"everylink-measure: --mode {mode}: {said}\n")


def test_a_lost_module_is_named_with_the_folders_that_were_searched(run: Run, tmp_path: Path) -> None:
    program = tmp_path / "bin/everylink-measure"
    program.parent.mkdir()
    shutil.copy(measure_program(), program)
    done = subprocess.run([program, "--list"], capture_output=True, text=True, check=True)
    line = of_mode(done.stdout, "ucp")
    assert "ucp.so is not in " in line or "not built" in line
    assert "EVERYLINK_TRANSPORT_PATH" in line or "not built" in line


def test_without_the_module_for_hdf5_a_run_is_refused_in_one_line_and_measures_with_no_output(tmp_path: Path) -> None:
    program = tmp_path / "bin/everylink-measure"
    program.parent.mkdir()
    shutil.copy(measure_program(), program)
    words = ["--np", "2", "--mode", "sim", "-s", "1", "-n", "1"]
    refused = subprocess.run([program, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert refused.returncode == 1
    assert refused.stderr.count("\n") == 1
    assert "no results file can be written: its module hdf5.so is not in " in refused.stderr
    assert list(tmp_path.iterdir()) == [program.parent]
    subprocess.run([program, *words, "--no-output"], cwd=tmp_path, stdout=subprocess.DEVNULL, check=True)


@pytest.mark.parametrize("folder", ["site-packages", "dist-packages"])
def test_the_modules_of_an_installation_by_pip_are_found(folder: str, tmp_path: Path) -> None:
    program = tmp_path / "bin/everylink-measure"
    modules = tmp_path / "lib/python3.11" / folder / "everylink/transports"
    for path in (program.parent, modules.parent):
        path.mkdir(parents=True)
    shutil.copy(measure_program(), program)
    shutil.copytree(MODULES, modules)
    here = subprocess.run([measure_program(), "--list"], capture_output=True, text=True, check=True).stdout
    assert subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout == here


def test_what_the_readme_installs_brings_the_transports_of_clusters() -> None:
    setup = (ROOT / "scripts/setup").read_text()
    to_run = re.search(r"^packages=\((.*?)\)", setup, re.DOTALL | re.MULTILINE)
    assert to_run
    assert set(HIDDEN.values()) <= set(to_run[1].split())
