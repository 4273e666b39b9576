"""JUBE: our own file fills its tables, here and in Slurm; our replacement for LinkTest compiles and installs."""

import os
import re
import shutil
import subprocess
import sys
import time
import xml.etree.ElementTree as ET
import zipfile
from collections.abc import Iterable
from pathlib import Path

import pytest

from conftest import PATIENCE, Run, measure_program

FOLDER = Path(__file__).parents[2] / "integrations" / "jube"
SUITE = os.environ.get("EVERYLINK_JUBENCH_LINKTEST", "")  # a clone of FZJ-JSC/jubench-linktest
PLATFORM = Path("/usr/share/doc/jube/platform/slurm")
NUMBER = r"\d+\.\d+"
MEANS = r"(min|avg|max) \S+ \S+ \((\S+) (\S+) both directions\)"  # of the turns, in `show` and the report
PROGRAMS = {"everylink": "everylink", "linktest-report": "everylink.cli.linktest_names linktest-report"}

needs_jube = pytest.mark.skipif(not shutil.which("jube"), reason="no jube here (Debian's package jube)")
needs_suite = pytest.mark.skipif(
    not SUITE or not PLATFORM.is_dir(),
    reason="EVERYLINK_JUBENCH_LINKTEST names no clone of FZJ-JSC/jubench-linktest, or no platform files of JUBE",
)
needs_mpi = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")
needs_long = pytest.mark.long("Slurm")


@pytest.fixture
def path(tmp_path: Path) -> str:
    """PATH, with the programs of this tree first."""
    folder = tmp_path / "programs"
    folder.mkdir()
    for name in ("everylink-measure", "linktest"):
        (folder / name).symlink_to(measure_program())
    for name, module in PROGRAMS.items():
        (folder / name).write_text(
            f'#!/bin/sh\nexport PYTHONPATH={":".join(sys.path)}\nexec {sys.executable} -P -m {module} "$@"\n'
        )
        (folder / name).chmod(0o755)
    return f"{folder}:{os.environ['PATH']}"


def table(text: str, title: str) -> list[dict[str, str]]:
    """The rows of one of JUBE's tables, by column name."""
    lines = text.split(f"{title}:\n", 1)[1].split("\n\n", 1)[0].strip().splitlines()
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return [dict(zip(rows[0], row, strict=True)) for row in rows[2:]]


def said_by(done: subprocess.CompletedProcess[str]) -> str:
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def jube(*words: object, path: str, **variables: str) -> str:
    command, environment = ["jube", *map(str, words)], os.environ | {"PATH": path} | variables
    return said_by(
        subprocess.run(command, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False)
    )


def with_values(source: Path, target: Path, values: dict[str, str]) -> Path:
    """A copy of a JUBE file with these parameters set to literal values."""
    tree = ET.parse(source)
    for parameter in tree.iter("parameter"):
        if (value := values.get(parameter.attrib["name"])) is not None:
            parameter.text = value
            parameter.attrib.pop("mode", None)
    tree.write(target)
    return target


def wait_for(folders: Iterable[Path], done: str, failed: str) -> None:
    """Wait for the marker file of each Slurm job in its folder."""
    end = time.monotonic() + PATIENCE
    for folder in folders:
        while not (folder / done).exists() and not (folder / failed).exists():
            assert time.monotonic() < end, f"{folder}: the job has not ended"
            time.sleep(0.2)
        assert (folder / done).exists(), [file.read_text() for file in folder.glob("job.*")]


def assert_is_in_order(row: dict[str, str]) -> None:
    values = [row[name] for name in ("min", "avg", "max")]
    assert 0 < float(values[0]) <= float(values[1]) <= float(values[2]), row


@needs_jube
def test_our_file_measures_here_and_fills_its_tables(path: str, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    jube("run", FOLDER / "everylink.xml", "-o", runs, "--tag", "test", path=path)
    said = jube("result", runs, path=path)
    links, bisection = table(said, "links"), table(said, "bisection bandwidth")
    for row in links:
        assert (row["mode"], row["kernel"], row["tasks"], row["failed links"]) == ("tcp", "bidirectional", "4", "0")
        assert all(re.fullmatch(rf"{NUMBER} [um]?s", row[f"{of} time"]) for of in ("min", "avg", "max")), row
        assert all(re.fullmatch(rf"{NUMBER} [KMG]?i?B/s", row[f"{of} bandwidth"]) for of in ("min", "avg", "max")), row
    for row in bisection:
        assert re.fullmatch("[KMG]?i?B/s", row["unit"])
        assert_is_in_order(row)
    assert [row["size"] for row in links] == [row["size"] for row in bisection] == ["1", "64KiB"]


@needs_jube
@pytest.mark.long
def test_failed_links_are_reported_and_a_failing_run_fails_the_jube_step(path: str, tmp_path: Path) -> None:
    shutil.copy(FOLDER / "job.sh.in", tmp_path)
    sim = with_values(FOLDER / "everylink.xml", tmp_path / "sim.xml", {"mode": "sim:dead=0>2", "size": "1"})
    jube("run", sim, "-o", tmp_path / "runs", "--tag", "test", "pdf", path=path)
    (row,) = table(jube("result", tmp_path / "runs", path=path), "links")
    assert row["failed links"] == "2"
    (report,) = (tmp_path / "runs").glob("*/*/work/report.pdf")
    assert report.read_bytes()[:4] == b"%PDF"
    wrong = with_values(FOLDER / "everylink.xml", tmp_path / "wrong.xml", {"mode": "nothing", "size": "1"})
    jube("run", wrong, "-o", tmp_path / "none", "--tag", "test", path=path)
    (work,) = (tmp_path / "none").glob("*/*/work")
    assert (work / "failed").exists()
    assert "nothing" in (work / "stderr").read_text()
    (row,) = table(jube("result", tmp_path / "none", path=path), "links")
    assert (row["failed links"], row["min time"]) == ("", "")


@needs_jube
@needs_mpi
@pytest.mark.long("20 s")
def test_the_jupiter_tag_runs_with_more_ranks_than_cores(path: str, tmp_path: Path) -> None:
    runs, as_root = tmp_path / "runs", {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
    jube("run", FOLDER / "everylink.xml", "-o", runs, "--tag", "jupiter", path=path, **as_root)
    said = jube("result", runs, path=path)
    (links,), (bisection,) = table(said, "links"), table(said, "bisection bandwidth")
    assert (links["mode"], links["tasks"], links["failed links"]) == ("mpi", "4", "0")
    assert_is_in_order(bisection)


@pytest.fixture
def shim(tmp_path: Path) -> Path:
    return Path(shutil.copytree(FOLDER / "linktest" / "benchmark", tmp_path / "benchmark"))


def make(folder: Path, path: str, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")} | {"PATH": path}
    return subprocess.run(
        ["make", "-j", "12", "HAVE_MPI=1", *words],
        cwd=folder, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False,
    )  # fmt: skip


@pytest.mark.parametrize("cuda", ["HAVE_CUDA=0", "HAVE_CUDA=1"])
def test_make_in_linktests_folder_installs_the_linktest_on_path(path: str, shim: Path, cuda: str) -> None:
    said_by(make(shim, path, cuda, "CUARCH=sm_80"))
    version = subprocess.run([shim / "linktest", "--version"], capture_output=True, text=True, check=True).stdout
    assert version.startswith("everylink-measure ")


def test_make_in_linktests_folder_reports_what_is_missing(shim: Path, tmp_path: Path) -> None:
    other = tmp_path / "others"
    other.mkdir()
    (other / "linktest").write_text("#!/bin/sh\necho 2.1.17\n")  # not ours
    (other / "linktest").chmod(0o755)
    for path in ("/usr/bin:/bin", f"{other}:/usr/bin:/bin"):
        done = make(shim, path, "HAVE_CUDA=0")
        assert done.returncode == 2
        assert "Set EVERYLINK_SOURCE to a source tree of Everylink" in done.stderr
        assert not (shim / "linktest").exists()


def build_wheel(folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Install the folder as pip does, without network access."""
    calls_it = "import in_place; print(in_place.build_wheel('.'))"
    without = {key: value for key, value in os.environ.items() if key != "EVERYLINK_SOURCE"}
    where = {"PYTHONPATH": str(FOLDER / "linktest" / "python"), "PYTHONDONTWRITEBYTECODE": "1"}
    command = [sys.executable, "-c", calls_it]
    return subprocess.run(
        command, env=without | where | environment, cwd=folder, capture_output=True, text=True, check=False
    )


def test_pip_in_linktests_folder_installs_the_commands_of_a_source_tree(tmp_path: Path) -> None:
    wheel = tmp_path / said_by(build_wheel(tmp_path, EVERYLINK_SOURCE=str(FOLDER.parents[1]))).strip()
    with zipfile.ZipFile(wheel) as archive:
        assert archive.testzip() is None
        about = wheel.name.removesuffix("-py3-none-any.whl") + ".dist-info"
        points = archive.read(f"{about}/entry_points.txt").decode()
        assert "linktest-report = everylink.cli.linktest_names:linktest_report\n" in points
        assert "Requires-Dist: numpy>=" in archive.read(f"{about}/METADATA").decode()
        recorded = {line.split(",")[0] for line in archive.read(f"{about}/RECORD").decode().splitlines()}
        assert recorded == set(archive.namelist()) > {"everylink/page/assets/page.html"}
    environment = os.environ | {"PYTHONPATH": str(wheel)}
    said_by(
        subprocess.run(
            [sys.executable, "-P", "-m", "everylink", "--version"],
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
    )


def test_pip_in_linktests_folder_keeps_the_commands_on_path(path: str, tmp_path: Path) -> None:
    wheel = tmp_path / said_by(build_wheel(tmp_path, PATH=path)).strip()
    with zipfile.ZipFile(wheel) as archive:
        assert all(".dist-info/" in name for name in archive.namelist())
    missing = build_wheel(tmp_path, PATH="/usr/bin:/bin")
    assert missing.returncode == 1
    assert missing.stderr == "Set EVERYLINK_SOURCE to a source tree of Everylink, or put its linktest-report on PATH\n"


@needs_long
@needs_jube
def test_our_file_measures_the_halves_of_a_heterogeneous_job(slurm: Run, path: str, tmp_path: Path) -> None:
    shutil.copy(FOLDER / "job.sh.in", tmp_path)
    halves = {"lower": "--constraint=lower", "upper": "--constraint=upper", "taskspernode": "2"}
    file = with_values(FOLDER / "everylink.xml", tmp_path / "halves.xml", halves)
    runs = tmp_path / "runs"
    said_by(slurm("jube", "run", file, "-o", runs, "--tag", "slurm", "test", PATH=path))
    folders = sorted(runs.glob("*/*/work"))
    wait_for(folders, "ready", "failed")
    said = jube("continue", runs, path=path) + jube("result", runs, path=path)
    assert [row["size"] for row in table(said, "links")] == ["1", "64KiB"]
    for row in table(said, "bisection bandwidth"):
        assert (row["mode"], row["nodes"], row["tasks"], row["failed links"]) == ("mpi", "2", "4", "0")
        assert_is_in_order(row)
    assert all("4 ranks on 2 hosts" in (folder / "measure.out").read_text() for folder in folders)


# What the JSC systems have, for which the suite's file is written: a name, modules, Slurm.
JSC = {
    "cat": 'if [ "$1" = /etc/FZJ/systemname ]; then echo jurecadc; else exec /bin/cat "$@"; fi',
    "module": ":",
    "sbatch": 'bash "$1" >job.out 2>job.err',
    "srun": 'while [ "${1#-}" != "$1" ]; do shift; done; exec mpirun --allow-run-as-root --oversubscribe -n 4 "$@"',
}


@pytest.fixture
def suite(path: str, tmp_path: Path) -> Path:
    """A clone of the suite, with our replacement in the submodule's folder as documented."""
    for name, script in JSC.items():
        (tmp_path / "programs" / name).write_text(f"#!/bin/sh\n{script}\n")
        (tmp_path / "programs" / name).chmod(0o755)
    subprocess.run(["git", "clone", "-q", SUITE, tmp_path / "suite"], check=True, capture_output=True)
    (tmp_path / "suite" / "src" / "linktest").mkdir(parents=True, exist_ok=True)
    for part in ("benchmark", "python"):
        (tmp_path / "suite" / "src" / "linktest" / part).symlink_to(FOLDER / "linktest" / part)
    return tmp_path / "suite"


def run_suite(suite: Path, path: str, file: str = "LinktestMain.xml") -> tuple[Path, str]:
    """The folder of the suite's run step, and what JUBE's tables say."""
    folder = suite / "benchmark" / "jube"
    where = {"JUBE_INCLUDE_PATH": str(PLATFORM), "JUBE_EXEC_SHELL": "/bin/bash"}
    jube("run", folder / file, "--tag", "test", "pdf", path=path, **where)
    jube("continue", folder / "runs", path=path, **where)
    (work,) = (folder / "runs").glob("*/*_BisectionTest/work")
    return work, jube("result", folder / "runs", path=path, **where)


@pytest.mark.long("FZJ-JSC/jubench-linktest")
@needs_suite
@needs_jube
@needs_mpi
def test_the_unedited_jupiter_file_compiles_and_its_run_step_says_that_there_is_no_gpu(suite: Path, path: str) -> None:
    work, said = run_suite(suite, path)
    assert (work / "Compile" / "benchmark" / "linktest").exists()
    assert (work / "error").exists()
    missing = "--memory cuda: no NVIDIA driver here (libcuda.so.1 was not found)\n"
    assert (work / "job.err").read_text().count(missing) == 1
    assert table(said, "Point-to-point Bandwidth Results") == []
    status = subprocess.run(["git", "status", "--porcelain"], cwd=suite, check=True, capture_output=True, text=True)
    assert status.stdout == ""


def bytes_a_second(number: str, unit: str) -> float:
    return float(number) * 1024.0 ** ["B/s", "KiB/s", "MiB/s", "GiB/s", "TiB/s"].index(unit)


@pytest.mark.long("FZJ-JSC/jubench-linktest")
@needs_suite
@needs_jube
@needs_mpi
def test_log_table_and_report_of_the_jupiter_file_have_the_same_numbers(suite: Path, path: str) -> None:
    main = suite / "benchmark" / "jube" / "LinktestMain.xml"
    (main.parent / "Host.xml").write_text(
        main.read_text().replace('"Use_GPU_Partition">True', '"Use_GPU_Partition">False')
    )
    work, said = run_suite(suite, path, "Host.xml")
    log = dict(re.findall(r"RESULT: (\w+) Time: .*\( *([\d.]+ \w+/s)\)", (work / "job.out").read_text()))
    (links,) = table(said, "Point-to-point Bandwidth Results")
    assert links == {"Min": log["Max"], "Avg": log["Avg"], "Max": log["Min"]}
    printed = {name: bytes_a_second(*rate.split()) for name, rate in log.items()}
    show = [sys.executable, "-P", "-m", "everylink", "show", "pingpong_results_bin.sion"]
    report = "linktest-bisection-jurecadc.pdf"
    told = [(show, "Mean of each turn at 16 MiB: (.*)")]
    if shutil.which("pdftotext"):
        told.append((["pdftotext", "-layout", report, "-"], "mean of each turn (.*)"))
    for command, pattern in told:
        text = subprocess.run(command, cwd=work, check=True, capture_output=True, text=True).stdout
        (line,) = re.findall(pattern, text)
        rates = {name.capitalize(): bytes_a_second(*rate) for name, *rate in re.findall(MEANS, line)}
        assert rates == pytest.approx(printed, rel=5e-4)
    assert (work / report).read_bytes()[:4] == b"%PDF"


@needs_long
@needs_jube
@needs_suite
def test_the_jupiter_suites_file_runs_with_our_replacement(slurm: Run, path: str, tmp_path: Path) -> None:
    folder = tmp_path / "suite" / "benchmark" / "jube"
    shutil.copytree(Path(SUITE) / "benchmark" / "jube", folder)
    (tmp_path / "suite" / "src").mkdir()
    (tmp_path / "suite" / "src" / "linktest").symlink_to(FOLDER / "linktest")
    source = folder / "LinktestMain.xml"
    (config,) = (p for p in ET.parse(source).iter("parameter") if p.attrib["name"] == "additional_job_config")
    cells = iter(["lower", "upper"])
    values = {
        "System_Name": "testbed", "Use_GPU_Partition": "False", "Partition": "all", "HCAs_per_Node": "2",
        "CuArch": "none", "Load_Modules": "true", "gres": "NONE", "account": "",
        "args_starter": "--het-group=0,1 --mpi=pmix --cpu-bind=v,rank_ldom --distribution=block",
        "additional_job_config": re.sub('(?<=--constraint=)".*"', lambda _: next(cells), config.text or ""),
    }  # fmt: skip
    runs = tmp_path / "runs"
    words = ["jube", "run", with_values(source, source, values), "-o", runs, "--tag", "test", "pdf"]
    said_by(slurm(*words, PATH=path, JUBE_INCLUDE_PATH=str(PLATFORM), JUBE_EXEC_SHELL="/bin/bash"))
    folders = list(runs.glob("*/*_BisectionTest/work"))
    wait_for(folders, "ready", "error")
    said = jube("continue", runs, path=path) + jube("result", runs, path=path)
    (configuration,) = table(said, "Configuration")
    assert (configuration["Messages"], configuration["Size"], configuration["Nodes"]) == ("3", "16777216", "2")
    (links,) = table(said, "Point-to-point Bandwidth Results")
    assert all(re.fullmatch(rf"{NUMBER} [MG]iB/s", links[name]) for name in ("Min", "Avg", "Max")), links
    (bisection,) = table(said, "Bisection Bandwidth Results")
    assert re.fullmatch("[MG]iB/s", bisection["Unit"])
    assert_is_in_order({name.lower(): value for name, value in bisection.items()})
    assert (folders[0] / "linktest-bisection-testbed.pdf").read_bytes()[:4] == b"%PDF"
