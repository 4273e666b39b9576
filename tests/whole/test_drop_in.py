"""LinkTest's programs under their names: published command lines run as they are, and print what the file holds."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from test_sion import Sion, read

from conftest import PATIENCE, Run, measure_program, mpi_launcher, read_plainly

needs_mpi = pytest.mark.skipif(not shutil.which("mpirun"), reason="no mpirun here")
FILE = "pingpong_results_bin.sion"
SIM = ["--mode", "sim:slow-host=1*0.5", "--np"]

Call = Callable[..., str]


@pytest.fixture
def call(tmp_path: Path) -> Call:
    """Runs a LinkTest program; returns its standard output."""

    def run(line: str, launcher: list[str] | None = None, expect: int = 0, said: str = "", **environment: str) -> str:
        name, *arguments = line.split()
        program = Path(measure_program()).parent / name
        done = subprocess.run(
            [*(launcher or []), str(program), *arguments],
            cwd=tmp_path,
            env=os.environ | {"OMPI_MCA_rmaps_base_oversubscribe": "1"} | environment,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        assert done.returncode == expect, done.stdout + done.stderr
        assert said in done.stderr
        return done.stdout

    return run


def bandwidth(size: int, seconds: float) -> str:
    return f"({size / 2**20 / seconds:7.2f} MB/s)"


def step_lines(file: Sion, all_to_all: bool = False) -> list[str]:
    """What mpilinktest prints for each step, reconstructed from the file."""
    size, serial = file.settings[1], file.settings[4]
    lines = []
    for step in range(1, file.steps.max() + 1):
        links = [tuple(link) for link in np.argwhere(file.steps == step).tolist()]
        times = [float(file.times[link]) for link in links]
        head = f" {'Serial' if serial else 'Parallel':8} PingPong for step {step:5d}: "
        if serial:
            lines.append(head)
            head = ""
            for (frm, to), time in zip(links, times, strict=True):
                lines.append(f" {frm:6d}->{to:6d}:{time * 1e6:12.5f}us {bandwidth(size, time)} (l={frm})")
        summary = " ".join(
            f"{name}={time * 1e6:10.3f}us {bandwidth(size, time)}"
            for name, time in [("avg", np.mean(times)), ("min", min(times)), ("max", max(times))]
        )
        if all_to_all:
            took = file.all_to_all[:, step]
            summary += f" [ alltoall min={took.min() * 1e6:10.3f}us max={took.max() * 1e6:10.3f}us ]"
        lines.append(f"{head}  {summary}")
    return lines


def result_lines(file: Sion) -> list[str]:
    size = file.settings[1]

    def result(name: str, time: float) -> str:
        return f"{f'RESULT: {name}:':29}{time * 1e6:20.8f}us {bandwidth(size, time)} [iter  1 ]"

    least, most, mean = file.totals[:3]
    lines = [result("Min Time", least), result("Max Time", most), result("Avg Time", mean)]
    known = file.retests.again > 0
    retests = zip(*(column[known] for column in vars(file.retests).values()), strict=True)
    for i, (again, before, frm, to) in enumerate(retests):
        lines.append(
            f" {i:6d}: PINGPONG {frm:6d}  <->  {to:6d}:  1st: {before * 1e6:10.4f}us {bandwidth(size, before)}    "
            f"2nd: {again * 1e6:10.4f}us {bandwidth(size, again)}"
        )
    again = file.retests.again[known]
    if len(again):
        lines.append(result("Min Time Stest", again.min()))
        lines.append(result("Max Time Stest", again.max()))
        lines.append(result("Avg Time Stest", again.mean()))
    return lines


def assert_agrees_with_file(out: str, file: Sion, all_to_all: bool = False) -> None:
    lines = out.splitlines()
    begin = next(i for i, line in enumerate(lines) if "PingPong for step" in line)
    end = next(i for i, line in enumerate(lines) if line.startswith("RESULT"))
    assert [line for line in lines[begin:end] if line] == step_lines(file, all_to_all)
    assert lines[end:] == result_lines(file)


@pytest.mark.parametrize("options", ["", "-S 1", "-M 1 -Z 2", "-k 64 -i 5 -I 2 -Z 0", "-S 1 -s 1 -Z 100"])
@pytest.mark.parametrize("ranks", [2, 5, 6])
@pytest.mark.one_in(2)
def test_the_output_of_mpilinktest_agrees_with_its_file(call: Call, tmp_path: Path, ranks: int, options: str) -> None:
    out = call(f"mpilinktest {' '.join(SIM)} {ranks} {options}")
    file = read(tmp_path / FILE)
    assert (file.times > 0).sum() == ranks * (ranks - 1)
    assert_agrees_with_file(out, file)
    wanted = {"-M 1 -Z 2": 2, "-k 64 -i 5 -I 2 -Z 0": 0}.get(options, ranks)
    assert out.count("PINGPONG") == min(wanted, ranks * (ranks - 1) // 2)
    assert f"linktest: Number of MPI-Task:{ranks:18d}\n" in out


def test_the_defaults_are_those_of_linktest_1(call: Call, tmp_path: Path) -> None:
    out = call(f"mpilinktest {' '.join(SIM)} 4")
    assert read(tmp_path / FILE).settings == (3, 131072, 0, 1, 0, 0, 0, 0, 0, 1)
    assert "linktest: Number of Iteration:                3\n" in out
    assert "linktest: Number of Iter. (Warmup):           0\n" in out


@needs_mpi
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ("-s 1 -i 10 -I 10 -S 0 -Z 2", (10, 1, 0, 1, 0, 0)),
        ("-s 1 -i 10 -I 10 -S 1 -Z 2", (10, 1, 0, 1, 1, 0)),
        ("-k 1024 -S 1 -i 10", (10, 1 << 20, 0, 1, 1, 0)),
        ("-a 1 -M 1 -Y 0", (3, 131072, 1, 1, 0, 1)),
    ],
)
@pytest.mark.one_in(3)
def test_published_lines_of_mpilinktest_run_under_mpi(
    call: Call, tmp_path: Path, options: str, expected: tuple[int, ...]
) -> None:
    out = call(f"mpilinktest {options}", launcher=mpi_launcher(4))
    file = read(tmp_path / FILE)
    assert file.settings[:6] == expected
    assert_agrees_with_file(out, file, all_to_all=expected[2] == 1)
    assert out.count("PINGPONG") == (2 if "-Z" in options else 4)


@needs_mpi
@pytest.mark.parametrize("both", ["--bidirectional", "--bidirection"])
@pytest.mark.one_in(2)
def test_published_lines_of_linktest_run_under_mpi(call: Call, tmp_path: Path, both: str) -> None:
    out = call(  # as published, with fewer messages
        f"linktest --mode mpi --num-warmup-messages 1 --num-messages 2 --size-messages 16777216 {both} --bisection",
        launcher=mpi_launcher(4),
    )
    file = read(tmp_path / FILE)
    assert file.settings[:2] == (2, 16777216)
    halves = np.array([[0, 0, 1, 1], [0, 0, 1, 1], [1, 1, 0, 0], [1, 1, 0, 0]], dtype=bool)
    assert ((file.times > 0) == halves).all()
    assert re.findall(r"^Parallel Results for step (\d+):", out, re.MULTILINE) == ["1", "2"]
    for name, value in zip(["Min", "Max", "Avg"], file.totals, strict=False):
        time, unit, rate, rate_unit = re.search(rf"RESULT: {name} Time:\s+(\S+) (\S+) \(\s+(\S+) (\S+)\)", out).groups()
        assert float(time) == pytest.approx(value / {"us": 1e-6, "ms": 1e-3}[unit], abs=1e-5)
        factor = {"MiB/s": 2**20, "GiB/s": 2**30}[rate_unit]
        assert float(rate) == pytest.approx(2 * 16777216 / value / factor, abs=1e-4)


def test_linktest_overwrites_the_results_of_the_previous_run(call: Call, tmp_path: Path) -> None:
    call("linktest --mode sim --np 2 -n 3")
    call("linktest --mode sim --np 4 -n 3")
    assert len(read(tmp_path / FILE).hosts) == 4


def test_linktest_writes_under_any_name(call: Call, tmp_path: Path) -> None:
    call("linktest --mode sim --np 2 -n 3 -o any.txt")
    assert read_plainly(tmp_path / "any.txt").attributes["complete"] == 1


def test_linktest_sends_all_messages_before_the_acknowledgement(call: Call, tmp_path: Path) -> None:
    call("linktest --mode sim --np 2 -n 300 --unidirectional -o x.h5")
    assert read_plainly(tmp_path / "x.h5").attributes["window"] == 300


def test_the_mode_comes_from_the_program_name_or_the_variable(call: Call) -> None:
    assert ", mode tcp, " in call("linktest.tcp --np 2 -n 3 --no-output", LINKTEST_VCLUSTER_IMPL="nonsense")
    assert ", mode sim, " in call("linktest --np 2 -n 3 --no-output", LINKTEST_VCLUSTER_IMPL="sim")
    assert ", mode sim, " in call("linktest.ucp --mode sim --np 2 -n 3 --no-output")


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("linktest -n 3", "-m/--mode is required"),
        (
            "linktest --mode sim --np 2 --use-gpu-memory",
            "--memory cuda: no NVIDIA driver here",
        ),
        (
            "linktest --mode sim --np 2 --randomize-steps",
            "--num-randomize-tasks 1 measures the ranks in a random order",
        ),
        ("mpilinktest -D 3", "-D: nothing sleeps between steps; leave it out"),
        ("mpilinktest -i 0", "-i: 0 is too small; use 1 or more"),
    ],
)
def test_unsupported_options_are_refused_in_one_line(call: Call, line: str, said: str) -> None:
    assert call(line, expect=2, said=said) == ""


def test_failed_links_are_named_between_the_steps_and_the_results(call: Call) -> None:
    out = call("mpilinktest --mode sim:dead=0>1 --np 4 --retest-budget 0 -Z 0", expect=3)
    steps, failed, results = (
        out.index("PingPong for step     3"),
        out.index("of 12 links FAILED"),
        out.index("RESULT: Min Time"),
    )
    assert steps < failed < results


def everylink(folder: Path, *words: str, expect: int = 0) -> str:
    command = [sys.executable, "-P", "-m", "everylink", *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == expect, done.stdout + done.stderr
    return done.stdout


@pytest.mark.long
@pytest.mark.parametrize("kernel", ["", "--bidirectional", "--unidirectional"])
def test_show_and_the_report_have_the_numbers_of_the_log(call: Call, tmp_path: Path, kernel: str) -> None:
    faults = "sim:hosts=4,slow-host=1*0.5,jitter-host=0*3"
    out = call(f"linktest --mode {faults} --np 8 -n 20 -w 3 -s 1048576 {kernel} --num-slowest 4")
    printed = re.findall(r"RESULT: (Min|Avg|Max) Time: +([\d.]+) (\w+) \( +([\d.]+) (\w+/s)\)", out)
    assert [name for name, *_ in printed] == ["Min", "Avg", "Max"]
    both = " both directions" if kernel == "--bidirectional" else ""
    (line,) = re.findall("Mean of each turn at 1 MiB: (.*)", everylink(tmp_path, "show", FILE))
    shown = re.findall(rf"(min|avg|max) ([\d.]+) (\w+) \(([\d.]+) (\w+/s){both}\)", line)
    for (name, time, time_unit, rate, unit), (other_name, *others) in zip(printed, shown, strict=True):
        other_time, other_time_unit, other_rate, other_unit = others
        assert (name.lower(), time_unit, unit) == (other_name, other_time_unit, other_unit)
        assert (float(other_time), float(other_rate)) == pytest.approx((float(time), float(rate)), rel=5e-4)
    everylink(tmp_path, "report", FILE, "-o", "x.html")
    assert line in (tmp_path / "x.html").read_text()


def test_the_slow_link_of_a_unidirectional_run_is_named(call: Call, tmp_path: Path) -> None:
    call("linktest --mode sim:hosts=8,slow-link=2>5*0.3,jitter-host=0*1.2 --np 8 --unidirectional -n 50 -s 65536")
    said = everylink(tmp_path, "diagnose", FILE, expect=4)
    assert "link n2:2 -> n5:5: slow, 3.3" in said
    assert "n5:5 -> n2:2" not in said


def test_the_file_has_kernel_mode_warm_ups_and_the_hosts_facts(call: Call, tmp_path: Path) -> None:
    call("linktest --mode tcp --np 2 --bidirectional -n 4 -w 2 -s 1024")
    out = everylink(tmp_path, "show", FILE)
    assert "mode tcp, memory host, bidirectional, schedule all" in out
    assert "4 messages and 2 warm-ups per turn" in out
    assert "carried by lo" in out


# --- what is printed once, and what a user hides ---------------------------------------------------------------
ONCE = "everylink-measure [0-9.]+\n"


@needs_mpi
@pytest.mark.parametrize("line", ["linktest -v", "linktest.tcp --version", "mpilinktest -V", "everylink-measure -V"])
def test_every_name_prints_its_version_once_under_mpirun(call: Call, line: str) -> None:
    assert re.fullmatch(ONCE, call(line, launcher=mpi_launcher(4)))


@pytest.mark.parametrize(
    ("rank", "size"),
    [
        ("EVERYLINK_RANK", "EVERYLINK_SIZE"),
        ("PMI_RANK", "PMI_SIZE"),
        ("SLURM_PROCID", "SLURM_STEP_NUM_TASKS"),
        ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"),
    ],
)
def test_only_rank_0_of_any_launcher_prints_version_help_and_list(call: Call, rank: str, size: str) -> None:
    for option in ("-V", "--help", "--list"):
        said = [call(f"everylink-measure {option}", **{rank: str(number), size: "3"}) for number in range(3)]
        assert said[0]
        assert said[1:] == ["", ""]


def test_np_prints_the_version_once(call: Call) -> None:
    assert re.fullmatch(ONCE, call("linktest --np 4 -V"))


def test_linktests_hide_progress_leaves_out_the_lines_of_steps_and_keeps_the_results(call: Call) -> None:
    line = "linktest --mode sim --np 4 --no-sion-file"
    assert "Results for step" in call(line)
    hidden = call(f"{line} --hide-progress")
    assert "for step" not in hidden
    assert "Timing Summary" not in hidden
    assert [word for word in ("Min", "Avg", "Max") if f"RESULT: {word} Time:" in hidden] == ["Min", "Avg", "Max"]


# --- errors, as the user of each name reads them ---------------------------------------------------------------
@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("linktest", "linktest: -m/--mode is required"),
        ("linktest.tcp --np 2 -n", "linktest.tcp: -n requires a value"),
        ("linktest.tcp --np 2 stray", "linktest.tcp: 'stray' is neither an option nor the value of one; --help lists"),
        ("linktest --mode mpi --np 2", "start them with mpirun -n N linktest --mode mpi\n"),
        ("mpilinktest --np 2", "start them with mpirun -n N mpilinktest --mode mpi\n"),
        ("mpilinktest -s", "mpilinktest: -s requires a value: BYTES"),
        ("mpilinktest 3", "mpilinktest: '3' is neither an option nor the value of one; --help lists"),
        ("mpilinktest -S 2", "mpilinktest: -S: invalid value '2'; use 0 or 1"),
        ("everylink-measure --np 2 stray", "everylink-measure: 'stray' is neither an option nor a load pattern"),
    ],
)
def test_an_error_begins_with_the_name_that_was_typed_and_names_no_other_program(
    call: Call, line: str, said: str
) -> None:
    assert call(line, expect=2, said=said) == ""


@needs_mpi
def test_mpilinktest_without_a_launcher_says_how_to_start_it(call: Call) -> None:
    call("mpilinktest", expect=2, said="start at least 2, for example with mpirun -n 2 mpilinktest\n")


def test_help_says_what_linktests_options_do_here(call: Call) -> None:
    said = " ".join(call("linktest --help").split())
    assert "--multi-buffer Use several buffers: requires --num-multi-buffer, which implies it." in said
    assert "--parallel-sion-file Each rank writes its own part of the file, as it always does here." in said


@pytest.mark.long("Slurm")
@pytest.mark.parametrize("mpi", ["--mpi=none", "--mpi=pmi2"])
def test_every_name_prints_its_version_once_under_srun(slurm: Run, mpi: str) -> None:
    for name, option in (("linktest", "-v"), ("mpilinktest", "-V"), ("everylink-measure", "--version")):
        done = slurm("srun", "-N2", "-n4", mpi, Path(measure_program()).parent / name, option)
        assert re.fullmatch(ONCE, done.stdout), done.stdout + done.stderr
