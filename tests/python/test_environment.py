"""Wrong inputs and environments: one line, the right exit code, nothing half-written left, no waiting for ever."""

import os
import re
import shlex
import shutil
import signal
import stat
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import h5py
import pytest

from conftest import Command
from everylink import cli
from make_results import make_results

pytestmark = pytest.mark.thorough  # not in make quick

ROOT = Path(__file__).parents[2]
LIMIT = int(60 * float(os.environ.get("EVERYLINK_TEST_PATIENCE", "1")))  # seconds of a command
SETLOCALE = r"bash: warning: setlocale: .*\n"  # of a locale that is not installed; bash says it, not we
SIMULATE = "simulate --hosts 64 -o x.h5"


def long(command: object) -> Any:
    """A parameter for make test-long alone: each takes a process of a second."""
    return pytest.param(command, marks=pytest.mark.long)


def in_shell(folder: Path, command: str, **variables: str | None) -> subprocess.CompletedProcess[str]:
    """Runs `everylink COMMAND`, where COMMAND may redirect files, in an environment that differs by `variables`."""
    usual = {"PYTHONPATH": os.pathsep.join([str(ROOT / "python"), *sys.path]), "OPENBLAS_NUM_THREADS": "1"}
    changed = os.environ | usual | variables
    environment = {name: value for name, value in changed.items() if value is not None}
    script = command.replace("everylink ", f"'{sys.executable}' -P -m everylink ")
    return subprocess.run(
        ["bash", "-c", script],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        errors="surrogateescape",
        check=False,
        timeout=LIMIT,
    )


def names(folder: Path) -> list[str]:
    return sorted(entry.name for entry in folder.iterdir())


@pytest.mark.parametrize("command", ["show", long("diagnose --format json"), long("export --what slowest"), "--help"])
@pytest.mark.one_in(2)
def test_a_full_standard_output_is_one_line(command: str, file: Path) -> None:
    said = in_shell(file.parent, f"everylink {command} {'' if command == '--help' else file.name} > /dev/full")
    assert (said.returncode, said.stderr) == (1, "everylink: output: No space left on device\n")


def test_a_closed_standard_output_is_one_line(file: Path) -> None:
    said = in_shell(file.parent, f"everylink show {file.name} >&-")
    assert (said.returncode, said.stderr) == (1, "everylink: standard output is closed\n")


def test_a_reader_that_leaves_gets_no_traceback(file: Path) -> None:
    said = in_shell(file.parent, f"everylink show {file.name} | true; exit ${{PIPESTATUS[0]}}")
    assert (said.returncode, said.stderr) == (1, "")


@pytest.mark.long
def test_closed_input_and_errors_change_nothing(file: Path, everylink: Command) -> None:
    said = in_shell(file.parent, f"everylink show '{file}' <&- 2>&-")
    assert (said.returncode, said.stdout) == (0, everylink("show", file)[1])
    for lost in ("2>&-", "2>/dev/full"):
        assert in_shell(file.parent, f"everylink shwo {file.name} {lost}").returncode == 2


@pytest.mark.parametrize(
    "command",
    [
        SIMULATE,
        "convert a.h5 x.npz",
        long("convert a.h5 x.sion"),
        long("merge a.h5 b.h5 --by min -o x.h5"),
        "report a.h5 -o x.html",
        long("report a.h5 -o x.pdf"),
        long("report a.h5 -o x.png"),
    ],
)
@pytest.mark.one_in(3)
def test_a_full_disk_is_one_line_and_leaves_nothing(command: str, tmp_path: Path) -> None:
    for name in ("a.h5", "b.h5"):
        make_results(tmp_path / name)
    before = names(tmp_path)
    said = in_shell(tmp_path, f"ulimit -f 1; everylink {command}", PYTHONDONTWRITEBYTECODE="1")
    assert said.returncode == 1, said.stderr
    assert said.stderr.startswith("everylink: x.")
    assert said.stderr.endswith(": cannot be written: File too large\n")
    assert said.stderr.count("\n") == 1
    assert names(tmp_path) == before


@pytest.mark.parametrize("limit", [2, long(40), long(290)])
def test_simulate_notices_a_full_disk_at_any_byte(limit: int, tmp_path: Path) -> None:
    said = in_shell(tmp_path, f"ulimit -f {limit}; everylink {SIMULATE}", PYTHONDONTWRITEBYTECODE="1")
    assert (said.returncode, said.stderr) == (1, "everylink: x.h5: cannot be written: File too large\n")
    assert names(tmp_path) == []


@pytest.mark.parametrize(
    "variables",
    [{"MPLBACKEND": "no-such-backend", "HOME": None, "TERM": None}, {"HOME": "/dev/null", "MPLCONFIGDIR": "/dev/null"}],
)
@pytest.mark.long
def test_a_report_is_drawn_whatever_the_variables(variables: dict[str, str | None], file: Path) -> None:
    said = in_shell(file.parent, f"everylink report {file.name} -o x.pdf", **variables)
    assert (said.returncode, said.stdout, said.stderr) == (0, "x.pdf\n", "")


def test_an_exception_of_a_library_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(arguments: object) -> int:
        raise ValueError("two\nlines")

    monkeypatch.delenv(cli.TRACEBACK, raising=False)
    assert cli.guarded("everylink", broken, []) == 1
    assert capsys.readouterr().err == "everylink: ValueError: two lines (EVERYLINK_TRACEBACK=1 shows where)\n"
    monkeypatch.setenv(cli.TRACEBACK, "1")
    with pytest.raises(ValueError, match="two"):
        cli.guarded("everylink", broken, [])


# --- wrong inputs: one line, exit code 2, and the folder as it was ----------------------------------------------------
INPUTS = {
    "pipe": "is a pipe or a device, not a results file",
    "folder": "is a folder, not a results file",
    "empty": "is empty",
    "none": "there is no such file",
    "loop": "cannot be read: Too many levels of symbolic links",
    "foreign": "is not a results file: neither HDF5, nor SION, nor .npz",
    "short": "is truncated or damaged",
    "other": "is HDF5, but not a results file of Everylink",
}
READERS = (
    "show X",
    "diagnose X",
    "diagnose a.h5 --baseline X",
    "compare a.h5 X",
    "merge a.h5 X --by min -o x.h5",
    "report a.h5 X -o x.html",
    "export X --what slowest",
    "predict X --pattern ring",
)
OTHER_INPUTS = {
    "a topology that is a pipe": ("diagnose a.h5 --topology pipe", "pipe: is a folder, a pipe or a device"),
    "a topology that is a device": ("diagnose a.h5 --topology zero", "zero: is a folder, a pipe or a device"),
    "a topology of 1e9 hosts": ("diagnose a.h5 --topology huge.conf", "huge.conf, line 1: "),
    "a pattern that is a pipe": ("predict a.h5 --pattern pipe.csv", "pipe.csv: is a folder, a pipe or a device"),
    "a pattern of NaN bytes": ("predict a.h5 --pattern nan.csv", "nan.csv, line 2: "),
    "hosts from a pipe": ("run --hosts @pipe", "pipe: is a folder, a pipe or a device"),
    "hosts from a missing file": ("run --hosts @./none", "--hosts @./none: there is no such file"),
    "a list that is a device": ("check @/dev/zero", "/dev/zero: is a folder, a pipe or a device"),
}
HOSTS = {
    "no hosts": ("''", "names no host"),
    "a blank": ("' '", "names no host"),
    "hosts that exclude themselves": ("'n1!n1'", "names no host"),
    "1e9 hosts": ("'n[1-1000000000]'", "has more than 1000000 hosts"),
    "hosts beyond any number": (f"'n[1-{'9' * 30}]'", "has more than 1000000 hosts"),
    "a range from high to low": ("'n[5-1]'", "is not a node set such as n[8-11]"),
    "a bracket that stays open": ("'n['", "unbalanced brackets"),
    "a line end in a name": ("'n\n1'", "'n 1' is not a host name"),
    "a colour in a name": ("'n\x1b[31m]'", "\N{REPLACEMENT CHARACTER}"),
    "a name that is a path": ("../n1", "'../n1' is not a host name"),
    "a name that is not UTF-8": ("n\udcff", "is not a host name"),
    "an unknown group": ("@no-such-group", "no-such-group is neither a file nor a group"),
}
NUMBERS = {
    "show a.h5 --slowest": ("''", "-1", "0", "nan", "1e400", "2.5", "9" * 30),
    "show a.h5 --below": ("''", "-1", "0", "nan", "inf", "1e400", "fast"),
    "compare a.h5 b.h5 --at-least": ("''", "-5%", "0%", "nan", "1e400%", "5"),
    "predict a.h5 --pattern ring --bytes": ("''", "-1", "nan", "1e400", "9" * 30),
    "export a.h5 --what hosts --size": ("''", "-1", "nan", "1e400", "7"),
    "simulate -o x.h5 --hosts": ("''", "-1", "0", "nan", "1e9", "9" * 30),
    "simulate -o x.h5 --hosts 4 --sizes": ("''", "-1", "0", "8,8", "8,", "100TiB"),
    "simulate -o x.h5 --hosts 4 --noise": ("''", "-1", "nan", "inf", "1e400"),
    "simulate -o x.h5 --hosts 4 --fault": ("''", "slow-host:n1*nan", "slow-host:n1*1e400", "slow-host:n99*0.5"),
    "check --within": ("''", "-5", "nan", "inf", "1e400", "9s", "1h1m", "soon"),
    "run --np": ("''", "-1", "0", "1", "nan", "1e400", "0x10", "9" * 30),
    "run --hosts a,b --nranks": ("''", "0", "nan", "9" * 30),
}
OUTPUTS = (
    "convert a.h5 X.npz",
    "convert a.h5 X.csv",
    "report a.h5 -o X.html",
    "report a.h5 -o X.pdf",
    "merge a.h5 b.h5 --by min -o X.h5",
    "export a.h5 --what hosts -o X.dat",
    "simulate --hosts 4 -o X.h5",
)
WORDS = {
    "show a.h5 --slwest 3": "--slwest: unknown option (did you mean --slowest?)",
    "diagnose a.h5 --fromat json": "--fromat: unknown option (did you mean --format?)",
    "repotr a.h5 -o x.html": "repotr: unknown command (did you mean report?)",
    "run --qiet": "--qiet: unknown option (did you mean --quiet?)",
    "run --hostss a": "--hostss: unknown option (did you mean --hosts?)",
    "run --launcer ssh": "--launcer: unknown option (did you mean --launcher?)",
    "run --num-mesages 5": "--num-mesages: unknown option (did you mean --num-messages?)",
    "diagnose a.h5 --format ''": "--format '': unknown; use text, json, junit, nagios or scontrol",
    "show ''": "names no file",
    "report a.h5 -o ''": "--output '': names no file",
    "predict a.h5 --pattern ring --place ''": "--place '': names no file",
    "predict a.h5 --pattern ''": "--pattern",
    "merge a.h5 b.h5 --by min -o a.h5": "a.h5: exists; --force overwrites it",
    "merge a.h5 a.h5 --by min -o x.h5 --force": "a.h5 and a.h5 are the same file",
    "convert a.h5 a.h5": "a.h5: is already .h5; there is nothing to convert",
    "check n1 --hosts n2": "HOSTS and --hosts exclude each other",
    "check ''": "HOSTS '': names no host",
    "check --hosts ''": "--hosts '': names no host",
}
JOBS = {
    "Slurm's list stays open": ({"SLURM_JOB_NODELIST": "n[1-"}, "SLURM_JOB_NODELIST=n[1-: is not a list of names"),
    "Slurm's list has 1e9 hosts": ({"SLURM_JOB_NODELIST": "n[1-1000000000]"}, "has more than 1000000 names"),
    "PBS names no file": ({"PBS_NODEFILE": "/none"}, "PBS_NODEFILE=/none: cannot be read: No such file"),
    "PBS names a device": ({"PBS_NODEFILE": "/dev/zero"}, "PBS_NODEFILE=/dev/zero: is a folder, a pipe or a device"),
    "LSF has no hosts": ({"LSB_HOSTS": " "}, "LSF job has no hosts"),
    "Grid Engine names a folder": ({"PE_HOSTFILE": "/"}, "PE_HOSTFILE=/: is a folder"),
    "EVERYLINK_MEASURE is none": ({"EVERYLINK_MEASURE": "/none"}, "EVERYLINK_MEASURE=/none: is not an executable file"),
    "EVERYLINK_MEASURE is a folder": ({"EVERYLINK_MEASURE": "/"}, "EVERYLINK_MEASURE=/: is not an executable file"),
    "a date that is no number": ({"SOURCE_DATE_EPOCH": "noon"}, "SOURCE_DATE_EPOCH=noon: must be a number of seconds"),
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with two results files, and things that are none."""
    folder = tmp_path_factory.mktemp("hostile")
    for name in ("a.h5", "b.h5"):
        make_results(folder / name)
    for name in ("pipe", "pipe.csv"):
        os.mkfifo(folder / name)
    for ending in (".npz", ".csv", ".html", ".pdf", ".h5", ".dat"):
        os.mkfifo(folder / f"out{ending}")
        (folder / f"folder{ending}").mkdir()
    (folder / "folder").mkdir()
    (folder / "loop").symlink_to("loop")
    (folder / "zero").symlink_to("/dev/zero")
    (folder / "empty").touch()
    (folder / "foreign").write_bytes(b"\x7fELF" + bytes(range(256)) * 40)
    (folder / "short").write_bytes((folder / "a.h5").read_bytes()[:900])
    (folder / "huge.conf").write_text("SwitchName=s1 Nodes=n[1-1000000000]\n")
    (folder / "nan.csv").write_text("from,to,bytes\n0,1,nan\n")
    with h5py.File(folder / "other", "w") as file:
        file["x"] = 1
    return folder


Refused = Callable[..., str]


@pytest.fixture
def refused(hostile: Path, everylink: Command, fake_core: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[Refused]:
    """Runs a command that must fail with exit code 2, one line and an unchanged folder. Returns the line."""
    monkeypatch.chdir(hostile)
    for name in ("SLURM_JOB_NODELIST", "SLURM_NODELIST", "PBS_NODEFILE"):
        monkeypatch.delenv(name, raising=False)

    def call(command: str) -> str:
        before = sizes(hostile)
        code, out, err = everylink(*shlex.split(command))
        assert (code, out, err.count("\n")) == (2, "", 1), err
        assert err.startswith("everylink: ")
        assert err[:-1].isprintable()
        assert sizes(hostile) == before
        return err

    signal.alarm(LIMIT)  # ends a command that waits for a pipe
    yield call
    signal.alarm(0)


def sizes(folder: Path) -> dict[str, tuple[int, int]]:
    """Kind and size of all files in a folder."""
    found = {entry.name: entry.lstat() for entry in folder.iterdir()}
    return {name: (stat.S_IFMT(about.st_mode), about.st_size) for name, about in found.items()}


@pytest.mark.parametrize("command", READERS)
@pytest.mark.parametrize("name", INPUTS)
@pytest.mark.one_in(3)
def test_what_is_no_results_file_is_named(name: str, command: str, refused: Refused) -> None:
    assert f"everylink: {name}: {INPUTS[name]}" in refused(command.replace("X", name))


@pytest.mark.parametrize(("command", "said"), OTHER_INPUTS.values(), ids=OTHER_INPUTS.keys())
def test_other_input_that_cannot_be_used_is_named(command: str, said: str, refused: Refused) -> None:
    assert said in refused(command)


@pytest.mark.parametrize("command", ["run -m sim --hosts", "check --mode sim"])
@pytest.mark.parametrize(("hosts", "said"), HOSTS.values(), ids=HOSTS.keys())
@pytest.mark.one_in(4)
def test_hosts_that_cannot_be_used_are_named(command: str, hosts: str, said: str, refused: Refused) -> None:
    assert said in refused(f"{command} {hosts}")


@pytest.mark.parametrize(("command", "text"), [(command, text) for command, texts in NUMBERS.items() for text in texts])
def test_a_number_that_makes_no_sense_is_refused_by_the_name_of_its_option(
    command: str, text: str, refused: Refused
) -> None:
    assert command.split()[-1] in refused(f"{command} {text}")


@pytest.mark.parametrize("command", OUTPUTS)
@pytest.mark.parametrize(
    ("output", "said"),
    [("no/x", "folder no does not exist"), ("folder", "is a folder"), ("out", "is a folder, a pipe or a device")],
)
@pytest.mark.one_in(2)
def test_output_that_cannot_be_written_is_refused_even_with_force(
    command: str, output: str, said: str, refused: Refused
) -> None:
    assert said in refused(f"{command.replace('X', output)} --force")


@pytest.mark.parametrize(("command", "said"), WORDS.items())
@pytest.mark.one_in(2)
def test_mistyped_and_contradictory_words_are_named(command: str, said: str, refused: Refused) -> None:
    assert said in refused(command)


@pytest.mark.parametrize(("variables", "said"), JOBS.values(), ids=JOBS.keys())
def test_variables_that_make_no_sense_are_named(
    variables: dict[str, str], said: str, refused: Refused, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert said in refused("check")


# --- wrong environments -----------------------------------------------------------------------------------------------
UNSET = ("HOME", "TMPDIR", "PATH", "TERM", "COLUMNS", "LANG", "LC_ALL", "TZ")
NO_FOLDERS = ("HOME", "TMPDIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "MATPLOTLIBRC", "HDF5_PLUGIN_PATH")
RUBBISH = {"TERM": "dumb", "COLUMNS": "wide", "LINES": "-1", "LC_ALL": "xx_YY", "LANGUAGE": "zz", "TZ": "rubbish/../.."}
HARMLESS: dict[str, dict[str, Any]] = {
    "nothing is set": dict.fromkeys(UNSET),
    "all is rubbish": dict.fromkeys(NO_FOLDERS, "/dev/null") | RUBBISH | {"HDF5_USE_FILE_LOCKING": "x"},
    "a decimal comma": {"LC_ALL": "de_DE.UTF-8", "COLUMNS": "0"},
}


@pytest.mark.parametrize("variables", HARMLESS.values(), ids=HARMLESS.keys())
@pytest.mark.one_in(3)
def test_show_is_the_same_in_any_environment(variables: dict[str, str | None], file: Path, everylink: Command) -> None:
    usual = everylink("show", file)
    said = in_shell(file.parent, f"everylink show '{file}'", **variables)
    assert (said.returncode, re.sub(SETLOCALE, "", said.stderr)) == (0, "")
    assert said.stdout == usual[1]


@pytest.mark.long
def test_ascii_output_and_names_that_are_not_utf_8_are_shown(file: Path) -> None:
    odd = file.rename(os.fsdecode(os.fsencode(file.parent) + b"/\xff.h5"))
    ascii_only: dict[str, str | None] = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    said = in_shell(odd.parent, "everylink show $'\\xff.h5'", **ascii_only)
    assert (said.returncode, said.stderr) == (0, "")
    wrong = in_shell(odd.parent, "everylink $'\\xfe.h5'", **ascii_only)
    assert (wrong.returncode, wrong.stderr.count("\n")) == (2, 1)
    assert ".h5: unknown command" in wrong.stderr


@pytest.mark.long
def test_few_open_files_suffice_to_show(file: Path) -> None:
    said = in_shell(file.parent, f"ulimit -n 10; everylink show {file.name}")
    assert (said.returncode, said.stderr) == (0, "")


@pytest.mark.long
def test_few_processes_suffice_to_show(file: Path) -> None:
    drop = "setpriv --reuid 65534 --clear-groups" if os.geteuid() == 0 else "env"  # the limit does not apply to root
    if subprocess.run([*drop.split(), sys.executable, "-c", ""], capture_output=True, check=False).returncode != 0:
        pytest.skip("no setpriv here, or another user cannot run this Python")
    with TemporaryDirectory() as folder:
        shutil.copy(file, folder)
        Path(folder).chmod(0o755)
        said = in_shell(Path(folder), f"ulimit -u 2; exec {drop} everylink show {file.name}", OPENBLAS_NUM_THREADS=None)
    assert (said.returncode, said.stderr) == (0, "")


def test_a_foreign_numpy_on_pythonpath_is_one_line(file: Path) -> None:
    (file.parent / "numpy.py").write_text("import warnings; warnings.warn('another version', RuntimeWarning)")
    path = os.pathsep.join([str(file.parent), str(ROOT / "python"), *sys.path])
    said = in_shell(file.parent, f"everylink show {file.name}", PYTHONPATH=path)
    assert said.returncode == 1
    assert said.stderr.startswith("everylink: ")
    assert said.stderr.endswith(" (EVERYLINK_TRACEBACK=1 shows where)\n")
    assert said.stderr.count("\n") == 1


@pytest.mark.parametrize("command", ["simulate --hosts 4 -o x.h5", long("report {} -o x.html")])
@pytest.mark.parametrize("enter", ["cd /sys", "mkdir gone; cd gone; rmdir ../gone"])
@pytest.mark.one_in(2)
def test_a_folder_that_takes_no_files_is_one_line(enter: str, command: str, file: Path) -> None:
    said = in_shell(file.parent, f"{enter}; everylink {command.format(file)}")
    assert (said.returncode, said.stdout) == (2, "")
    assert "cannot be written" in said.stderr
    assert said.stderr.count("\n") == 1
    assert names(file.parent) in ([file.name], [])


def test_too_little_memory_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    def hungry(arguments: object) -> int:
        raise MemoryError

    assert cli.guarded("everylink", hungry, []) == 1
    assert capsys.readouterr().err == "everylink: not enough memory (ulimit -v limits it)\n"
