"""`everylink run` with a fake core."""

import os
import signal
import subprocess
import sys
import time
from io import StringIO
from pathlib import Path

import pytest
from rich.console import Console

from conftest import Command
from everylink.launch import core
from everylink.launch.local import Local
from everylink.launch.mpiexec import Mpiexec
from everylink.terminal.progress import PlainDisplay, done_part, parse_event, progress_text
from everylink.version import VERSION
from make_results import make_results, steady
from terminals import run_on_terminal

pytestmark = [pytest.mark.usefixtures("fake_core"), pytest.mark.thorough]  # not in make quick


def test_it_prints_the_lines_of_the_core_and_then_the_summary(everylink: Command) -> None:
    code, out, err = everylink("run", "--np", "4")
    assert code == 0
    assert out.index("arguments: ") < out.index("4 ranks on 2 hosts") < out.index("Results file everylink.h5")
    assert "event" not in out
    assert err == "a message of the core\n"


LINKTEST = "Parallel Results for step 3: min: 1 us\nRESULT: Min Time: 1 us\n"


@pytest.mark.parametrize(
    ("options", "there"),
    [
        ((), False),
        (("--linktest-lines",), True),
        (("--preset", "jupiter"), True),
        (("--step-lines",), True),
        (("--linktest-lines", "--confirm"), True),
        (("--confirm",), False),
    ],
)
@pytest.mark.one_in(6)
def test_linktests_lines_are_printed_only_if_asked_for(
    options: tuple[str, ...], there: bool, everylink: Command
) -> None:
    code, out, _ = everylink("run", *options)
    assert (code, LINKTEST in out, "Parallel" in out) == (0, there, there)
    assert "4 ranks on 2 hosts" in out


def test_linktests_lines_are_printed_where_there_is_no_other_answer(
    everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", "no-output")
    assert LINKTEST in everylink("run", "--no-output")[1]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--quiet",), "leave out --quiet and --format json"),
        (("--format", "json"), "leave out --quiet and --format json"),
        (("incast",), "--linktest-lines applies only to links; the pattern incast measures none"),
    ],
)
def test_linktests_lines_are_refused_where_there_are_none(
    options: tuple[str, ...], said: str, everylink: Command
) -> None:
    code, out, err = everylink("run", "--linktest-lines", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


def test_options_of_the_core_are_passed_on_unchanged(everylink: Command) -> None:
    options = ("-s", "1,64KiB", "--num-m=7", "-m", "sim:hosts=2,dead=1>4", "-w0", "--bidirection")
    _, out, _ = everylink("run", "-n", "5", "--np", "4", *options)
    assert (
        "arguments: --np 4 --progress json -n 5 -s 1,64KiB --num-m=7 -m sim:hosts=2,dead=1>4 -w0 --bidirection" in out
    )


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ((), "-s 8,64KiB,1MiB"),
        (("-m", "sim", "-o", "s.h5"), "-s 8,64KiB,1MiB -m sim -o s.h5"),
        (("-s", "1"), "-s 1"),
        (("--size-messages=4",), "--size-messages=4"),
        (("-s2",), "-s2"),
        (("--preset", "jupiter"), "--preset jupiter"),
        (("incast",), "incast"),
        (("-o", "x.sion"), "-o x.sion"),  # holds a single size
    ],
)
@pytest.mark.one_in(5)
def test_links_are_measured_at_three_sizes_unless_the_options_tell_others(
    options: tuple[str, ...], told: str, everylink: Command
) -> None:
    _, out, _ = everylink("run", "--np", "4", *options)
    assert f"arguments: --np 4 --progress json {told}\n" in out


def test_without_np_there_is_one_rank_per_processor_but_at_least_two(monkeypatch: pytest.MonkeyPatch) -> None:
    for processors, ranks in ((1, "2"), (2, "2"), (16, "16")):
        monkeypatch.setattr(os, "sched_getaffinity", lambda pid, n=processors: set(range(n)))
        assert Local(Path("/m")).command(None, ["-n", "1"]) == ["/m", "--np", ranks, "-n", "1"]


@pytest.mark.parametrize("code", [0, 1, 2, 3])
@pytest.mark.one_in(3)
def test_the_exit_code_is_that_of_the_core(code: int, everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE", f"exit={code}")
    found, out, _ = everylink("run")
    assert found == code
    assert ("4 ranks on 2 hosts" in out) == (code != 2)


def results_with(folder: Path, monkeypatch: pytest.MonkeyPatch, **given: object) -> None:
    """Make the fake core write these results."""
    made = make_results(folder / "made.h5", **given)  # type: ignore[arg-type]
    monkeypatch.setenv("FAKE", f"results={made}")


HOSTS = [f"n{host}" for host in range(16)]


def test_faults_give_exit_code_3_also_without_confirm(
    everylink: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {"hosts": HOSTS, "time": lambda link, size: steady(link, size) * (2 if 5 in link else 1)}
    results_with(tmp_path, monkeypatch, **slow)
    code, out, _ = everylink("run")
    assert "FAULTS: 1 host\n  host n5: slow, 2.00x the time" in out
    assert code == 3
    assert everylink("show", "everylink.h5")[0] == 0, "show does not judge"


def test_a_strong_suspect_gives_exit_code_4_and_is_not_called_healthy(
    everylink: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow = {"hosts": HOSTS, "time": lambda link, size: steady(link, size) * (604 if set(link) == {3, 9} else 1)}
    results_with(tmp_path, monkeypatch, **slow)
    code, out, _ = everylink("run")
    assert code == 4
    assert "UNDECIDED: 240 links measured; no fault is proven, but there are strong suspects: 1 pair\n" in out
    assert "healthy" not in out
    assert everylink("diagnose", "everylink.h5")[0] == 4
    for command in (("show", "everylink.h5"), ("convert", "everylink.h5", "x.csv")):
        assert everylink(*command)[0] == 0, command


@pytest.mark.long
def test_a_weak_suspect_keeps_exit_code_0(everylink: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = {"hosts": HOSTS, "time": lambda link, size: steady(link, size) * (1.4 if set(link) == {3, 9} else 1)}
    results_with(tmp_path, monkeypatch, **slow)
    code, out, _ = everylink("run")
    assert code == 0
    assert "suspected: 1 pair" in out


@pytest.mark.parametrize("more", [(), ("--confirm",), ("--no-output",), ("--progress", "json"), ("-o", "x.h5")])
def test_nothing_measured_is_never_exit_code_0(more: tuple[str, ...], everylink: Command) -> None:
    code, _, err = everylink("run", "--launcher", "command", "--launcher-args", "true", *more)
    assert (code, err) == (4, "everylink: nothing was measured: no rank reported a result\n")


@pytest.mark.parametrize("option", ["--list", "--version"])
def test_what_measures_nothing_by_intent_succeeds(
    option: str, everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", "prints")
    assert everylink("run", option)[::2] == (0, "")


@pytest.mark.long
def test_a_report_is_written_beside_the_summary(everylink: Command, tmp_path: Path) -> None:
    code, out, _ = everylink("run", "--report", "x.html")
    assert code == 0
    assert "Report x.html" in out
    assert (tmp_path / "x.html").stat().st_size > 1000


@pytest.mark.long
def test_other_lines_are_printed_and_unknown_events_ignored(
    everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", "noise unknown")
    code, out, _ = everylink("run")
    assert code == 0
    assert "[n0] a library says [bold]hello[/]" in out
    assert '"event"' in out
    assert "weather" not in out


@pytest.mark.long
def test_with_progress_the_output_of_the_core_is_unchanged(everylink: Command) -> None:
    code, out, _ = everylink("run", "--progress", "json")
    assert code == 0
    assert out.splitlines()[0].startswith('{"event": "plan"')
    assert "4 ranks on 2 hosts" not in out


@pytest.mark.long
def test_without_a_results_file_there_is_no_summary(everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE", "no-output")
    code, out, _ = everylink("run", "--no-output")
    assert code == 0
    assert "Results file" not in out


def test_a_core_of_another_version_is_refused(everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE", "version=0.0.9")
    code, out, err = everylink("run")
    assert (code, out) == (1, "")
    assert f"says 'everylink-measure 0.0.9', but this everylink is {VERSION}" in err
    assert err.count("\n") == 1


def test_a_missing_core_is_named(everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("EVERYLINK_MEASURE", "/nowhere/measure")
    assert everylink("run")[::2] == (2, "everylink: EVERYLINK_MEASURE=/nowhere/measure: is not an executable file\n")


def test_the_core_is_sought_beside_the_command_and_then_on_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EVERYLINK_MEASURE")
    monkeypatch.setattr("sysconfig.get_path", lambda name: str(tmp_path / "scripts"))
    monkeypatch.setenv("PATH", str(tmp_path))
    assert core.find_core() == tmp_path / "everylink-measure"
    (tmp_path / "scripts").mkdir()
    beside = tmp_path / "scripts" / "everylink-measure"
    beside.write_text("#!/bin/sh\n")
    beside.chmod(0o755)
    assert core.find_core() == beside


def test_a_killed_core_is_reported_in_one_line_with_exit_code_1(
    everylink: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", "kill")
    code, _, err = everylink("run")
    assert code == 1
    assert "was killed by SIGKILL" in err
    assert err.count("\n") == 1


@pytest.mark.long
def test_a_stray_process_behind_the_core_is_not_waited_for(everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE", "stray")
    began = time.monotonic()
    assert everylink("run")[0] == 0
    assert time.monotonic() - began < 15


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.one_in(2)
def test_a_signal_reaches_the_core_once_and_we_wait_for_its_end(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", "sleep")
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "everylink", "run"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert running.stdout
    lines = iter(running.stdout.readline, "")
    assert any(line == "sleeping\n" for line in lines)
    running.send_signal(number)
    out, _ = running.communicate(timeout=30)
    assert out.startswith(f"ended by {number.name}\n")
    assert running.returncode == 3


@pytest.mark.long
def test_a_terminal_gets_the_same_lines_and_summary() -> None:
    code, text = run_on_terminal([sys.executable, "-P", "-m", "everylink", "run"])
    assert code == 0
    assert "arguments: --np" in text
    assert "measuring the slowest links again, 1 of 10" in text
    assert "4 ranks on 2 hosts" in text


def fake_mpiexec(folder: Path, says: str) -> None:
    script = folder / "mpiexec"
    script.write_text(f"#!/bin/sh\necho '{says}'\n")
    script.chmod(0o755)


@pytest.mark.parametrize(("says", "crowded"), [("mpiexec (OpenRTE) 4.1.4", ["--oversubscribe"]), ("HYDRA 4.0.2", [])])
def test_mpiexec_gets_the_count_and_the_absolute_path_of_the_core(
    says: str, crowded: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_mpiexec(tmp_path, says)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    command = Mpiexec(Path("/opt/m"), ["--bind-to", "core"]).command(4, ["-m", "mpi"])
    assert command == [str(tmp_path / "mpiexec"), "-n", "4", *crowded, "--bind-to", "core", "/opt/m", "-m", "mpi"]
    few = Mpiexec(Path("/opt/m")).command(None, [])
    assert few == [str(tmp_path / "mpiexec"), "/opt/m"]


def test_launcher_arguments_may_begin_with_dashes_and_need_a_launcher(everylink: Command) -> None:
    code, _, err = everylink("run", "--launcher-args", "--bind-to core")
    assert code == 2
    assert "add --launcher mpiexec" in err


def test_a_missing_mpiexec_is_a_usage_error(
    everylink: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    code, _, err = everylink("run", "--launcher", "mpiexec")
    assert code == 2
    assert "mpiexec is not on PATH" in err


def test_progress_is_described_in_words() -> None:
    step = {
        "event": "step",
        "step": 3,
        "steps": 7,
        "links_done": 24,
        "links_failed": 2,
        "seconds": 1,
        "seconds_left": 3,
    }
    assert progress_text(step) == "step 3 of 7, 24 links, 2 FAILED, about 3.0 s left"
    assert done_part(step) == 0.25
    assert progress_text({"event": "retest", "done": 1, "of": 10}) == "measuring the slowest links again, 1 of 10"
    assert progress_text({"event": "step", "step": "odd"}) == ""
    assert parse_event("[1, 2]") == {"event": "text", "text": "[1, 2]"}


def test_without_a_terminal_progress_is_at_most_one_line_per_tenth_of_a_run(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(time, "monotonic", lambda: clock[0])
    for seconds, most in ((1, 3), (60, 10)):  # of a step: 30 s of a run, then half an hour
        written = StringIO()
        shown = PlainDisplay(Console(file=written))
        for step in range(1, 31):
            clock[0] += seconds
            shown.show({"event": "step", "step": step, "steps": 30, "links_done": step})
        lines = written.getvalue().splitlines()
        assert 2 <= len(lines) <= most, lines
        assert lines[0].startswith("step ")


@pytest.mark.thorough
def test_a_closed_output_ends_the_core_and_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE", "sleep")
    running = subprocess.Popen(
        [sys.executable, "-P", "-m", "everylink", "run"], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    assert running.stdout
    assert running.stderr
    while running.stdout.readline() != b"sleeping\n":
        pass
    running.stdout.close()
    running.send_signal(signal.SIGINT)  # its last output meets the closed pipe
    assert running.wait(timeout=30) == 1
    assert b"Traceback" not in running.stderr.read()
    running.stderr.close()


def children_of(process: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{process}/task/{process}/children").read_text().split()]


def is_running(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.mark.parametrize("command", ["run", "check"])
@pytest.mark.one_in(2)
def test_the_core_ends_if_its_command_is_killed(command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FAKE", "sleep")
    killed = subprocess.Popen([sys.executable, "-P", "-m", "everylink", command], stdout=subprocess.DEVNULL)
    while len(started := children_of(killed.pid)) < 2:  # the core, and what notices the end of the command
        assert killed.poll() is None
        time.sleep(0.02)
    killed.kill()
    killed.wait()
    until = time.monotonic() + 60
    while any(is_running(process) for process in started):
        assert time.monotonic() < until, "the fake core would run for ever"
        time.sleep(0.02)


@pytest.mark.long
def test_any_command_can_start_the_core(everylink: Command) -> None:
    code, out, _ = everylink("run", "--launcher", "command", "--launcher-args", "env -u NOTHING", "-n", "5")
    assert code == 0
    assert "arguments: --progress json -s 8,64KiB,1MiB -n 5" in out
    for options, said in (
        ((), "--launcher command requires --launcher-args"),
        (("--launcher-args", "no-such-program -n 2"), "program no-such-program was not found"),
        (("--launcher-args", "env", "--np", "4"), "the command itself sets the number of ranks"),
    ):
        code, _, err = everylink("run", "--force", "--launcher", "command", *options)
        assert code == 2
        assert said in err


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("-o", "everylink.h5"), "everylink.h5: exists; --force overwrites it, and -o FILE names another results file"),
        (("-o", "mine.h5"), "mine.h5: exists; --force overwrites it"),
        (("--launcher", "mpiexec", "-o", "mine.h5"), "mine.h5: exists"),
        (("--report", "mine.html", "-o", "x.h5"), "--report mine.html: exists; --force overwrites it"),
        (("-o", "x.txt"), "x.txt: a results file ends in .h5 or .sion; everylink convert writes other formats"),
        (("--confirm", "-o", "x.sion"), "-o x.sion: a .sion file takes no further measurements, so --confirm requires"),
    ],
)
def test_what_could_not_be_written_is_refused_before_ranks_start(
    options: tuple[str, ...], said: str, everylink: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FAKE", "kill")
    for name in ("everylink.h5", "mine.h5", "mine.html"):
        (tmp_path / name).write_text("mine")
    code, out, err = everylink("run", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err


@pytest.mark.parametrize("options", [(), ("--confirm",), ("--quiet",), ("--format", "json"), ("--progress", "json")])
@pytest.mark.one_in(5)
def test_a_second_run_in_a_folder_takes_a_new_name_and_says_so(
    options: tuple[str, ...], everylink: Command, tmp_path: Path
) -> None:
    for name in ("everylink.h5", "everylink-2.h5"):
        (tmp_path / name).write_text("mine")
    code, _, err = everylink("run", *options)
    assert code == 0
    assert err.startswith("everylink: everylink.h5 exists; the results go to everylink-3.h5\n")
    assert "4 ranks on 2 hosts" in everylink("show", "everylink-3.h5")[1]
    for name in ("everylink.h5", "everylink-2.h5"):
        assert (tmp_path / name).read_text() == "mine"


def test_a_run_that_is_refused_names_no_results_file(everylink: Command, tmp_path: Path) -> None:
    (tmp_path / "everylink.h5").write_text("mine")
    code, _, err = everylink("run", "--hosts", "n1", "--np", "2")
    assert (code, err.count("\n")) == (2, 1)
    assert "--np and --hosts exclude each other" in err


def test_force_overwrites_the_results_and_the_report(everylink: Command, tmp_path: Path) -> None:
    for name in ("everylink.h5", "x.html"):
        (tmp_path / name).write_text("mine")
    assert everylink("run", "--force", "--report", "x.html")[0] == 0
    assert "4 ranks on 2 hosts" in everylink("show", "everylink.h5")[1]
    assert "<html" in (tmp_path / "x.html").read_text()


@pytest.mark.long
def test_an_existing_file_is_kept_if_nothing_is_written(everylink: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    Path("everylink.h5").write_text("mine")
    monkeypatch.setenv("FAKE", "no-output")
    assert everylink("run", "--no-output")[0] == 0
    assert Path("everylink.h5").read_text() == "mine"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ((), "no fault found in bandwidth; latency was not tested (12 links)\n"),
        (("--report", "x.html"), "no fault found "),
    ],
)
@pytest.mark.one_in(2)
def test_quiet_prints_only_the_verdict(words: tuple[str, ...], said: str, everylink: Command) -> None:
    code, out, _ = everylink("run", "--quiet", *words)
    assert (code, out.startswith(said), out.count("\n")) == (0, True, 1)


def test_with_format_json_the_output_is_the_verdicts_object(everylink: Command) -> None:
    code, out, _ = everylink("run", "--format", "json")
    assert code == 0
    assert out == everylink("diagnose", "everylink.h5", "--format", "json")[1]
    code, _, err = everylink("run", "--force", "--format", "json", "--no-output")
    assert (code, err.count("\n"), "leave out --no-output" in err) == (2, 1, True)


def test_confirm_requires_a_results_file(everylink: Command) -> None:
    code, _, err = everylink("run", "--confirm", "--no-output")
    assert code == 2
    assert "--confirm and --no-output exclude each other" in err
