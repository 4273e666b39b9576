"""`everylink metrics`, and the answers for monitoring and Slurm: --format nagios and scontrol."""

import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from conftest import Command
from everylink.errors import UserMistake
from everylink.exit_codes import Exit
from everylink.judge.verdict import NOT_JUDGED, Conclusion
from everylink.text.nagios import State, as_plugin, nagios_line
from make_loads import make_all_to_all
from make_results import Link, make_results, steady

HOSTS = [f"n{i}" for i in range(8)]
SERIES_OF_A_HOST = 10
LINE = re.compile(r'(everylink_[a-z_]+)(?:\{([a-z]+="(?:[^"\\]|\\.)*"(?:,[a-z]+="(?:[^"\\]|\\.)*")*)\})? (\S+)')


def slow_5(link: Link, size: int) -> float:
    return steady(link, size) * (3 if 5 in link else 1)


def series_of(text: str) -> dict[tuple[str, str], float]:
    """Values by name and labels; asserts the text format: HELP, TYPE, then all samples of the metric."""
    found: dict[tuple[str, str], float] = {}
    current, seen = "", set[str]()
    for line in text.splitlines():
        if line.startswith("# HELP "):
            current = line.split()[2]
            assert current not in seen
            seen.add(current)
        elif line.startswith("# TYPE "):
            assert line == f"# TYPE {current} gauge"
        else:
            match = LINE.fullmatch(line)
            assert match is not None, line
            assert match[1] == current
            assert (match[1], match[2] or "") not in found
            found[match[1], match[2] or ""] = float(match[3])
    return found


def of(host: str, **more: str) -> str:
    return ",".join(f'{name}="{value}"' for name, value in ({"host": host} | more).items())


@pytest.fixture
def slow(tmp_path: Path) -> Path:
    return make_results(
        tmp_path / "x.h5",
        hosts=HOSTS,
        sizes=(8, 65536, 1048576),
        time=slow_5,
        attributes={"ended": "2026-11-21T21:43:00Z"},
    )


def test_hosts_have_their_links_times_and_verdicts(slow: Path, everylink: Command) -> None:
    code, text, _ = everylink("metrics", slow)
    series = series_of(text)
    assert code == 0
    assert series["everylink_conclusion", 'conclusion="faults"'] == 1
    assert series["everylink_conclusion", 'conclusion="healthy"'] == 0
    assert series["everylink_links_measured", ""] == 56
    assert series["everylink_verdicts", 'kind="host"'] == 1
    assert series["everylink_verdicts", 'kind="trunk"'] == 0
    assert series["everylink_run_start_time_seconds", ""] == 1795297320  # 2026-11-21T21:42:00Z
    assert series["everylink_run_end_time_seconds", ""] == 1795297380
    for host in HOSTS:
        assert series["everylink_host_links", of(host)] == 14
        assert series["everylink_host_drain", of(host)] == series["everylink_host_verdicts", of(host)] == (host == "n5")
        names = [name for name, labels in series if f'host="{host}"' in labels]
        assert len(names) <= SERIES_OF_A_HOST
    for direction in ("send", "receive"):
        rate = [series["everylink_host_bandwidth_bytes_per_second", of(h, direction=direction)] for h in ("n4", "n5")]
        mean = [sum(slow_5((i, j), 1048576) for j in range(8) if j != i) / 7 for i in (4, 5)]
        assert rate == pytest.approx([1048576 / seconds for seconds in mean], rel=0.02)
    assert series["everylink_host_latency_seconds", of("n5")] == pytest.approx(3 * 2e-6, rel=0.02)


def test_links_within_a_host_count_only_where_there_is_no_other(tmp_path: Path, everylink: Command) -> None:
    several = make_results(tmp_path / "x.h5", hosts=("a", "a", "b", "b"), sizes=(8,))
    one = make_results(tmp_path / "y.h5", hosts=("a", "a"), sizes=(8,))
    assert series_of(everylink("metrics", several)[1])["everylink_host_links", of("a")] == 8
    assert series_of(everylink("metrics", one)[1])["everylink_host_links", of("a")] == 4


def test_failed_links_and_hosts_without_a_time(tmp_path: Path, everylink: Command) -> None:
    dark = {(i, j): 1 for i in range(8) for j in range(8) if 3 in (i, j) and i != j}
    file = make_results(tmp_path / "x.h5", hosts=HOSTS, sizes=(8,), outcomes=dark)
    series = series_of(everylink("metrics", file)[1])
    assert series["everylink_host_links_failed", of("n3")] == 14
    assert ("everylink_host_latency_seconds", of("n3")) not in series  # rather than a number that it has not
    assert series["everylink_host_latency_seconds", of("n2")] > 0


def test_names_are_escaped(tmp_path: Path, everylink: Command) -> None:
    file = make_results(tmp_path / "x.h5", hosts=('a"b', "c\\d", "e"), sizes=(8,))
    series = series_of(everylink("metrics", file)[1])
    assert (
        series["everylink_host_reachable", 'host="a\\"b"'] == series["everylink_host_reachable", 'host="c\\\\d"'] == 1
    )


def test_the_folder_of_a_check_tells_unreachable_hosts(slow: Path, tmp_path: Path, everylink: Command) -> None:
    folder = tmp_path / "check"
    folder.mkdir()
    shutil.copy(slow, folder / "results.h5")
    (folder / "verdict.json").write_text(json.dumps({"unusable": {"n9": "ssh: timed out"}}))
    series = series_of(everylink("metrics", folder)[1])
    assert series["everylink_host_reachable", of("n9")] == 0
    assert series["everylink_host_reachable", of("n0")] == 1
    assert (series["everylink_hosts", ""], series["everylink_hosts_unreachable", ""]) == (9, 1)
    for text in ("[]", "{", '{"unusable": [1]}', '{"unusable": {"n9": 1}}', "[" * 100000):
        (folder / "verdict.json").write_text(text)
        code, said, error = everylink("metrics", folder)
        assert (code, said) == (2, "")
        assert "is not the verdict of a check; a check writes it; give the results file itself" in error


def test_the_file_is_replaced_in_one_piece(slow: Path, tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.prom"
    for _ in range(2):
        code, said, _ = everylink("metrics", slow, "-o", path)
        assert (code, said) == (0, f"{path}: {len(series_of(path.read_text()))} series of 8 hosts\n")
    assert path.read_text() == everylink("metrics", slow)[1]
    assert sorted(tmp_path.iterdir()) == [slow, path]
    answer = json.loads(everylink("metrics", slow, "-o", path, "--format", "json")[1])
    assert answer["files"] == [str(path)]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-o", "x.txt"], "-o x.txt: the name must end in .prom"),
        (["-o", "none/x.prom"], "none/x.prom: folder none does not exist"),
        (["--format", "json"], "--format json: names the file that -o writes; give -o FILE.prom"),
    ],
)
def test_wrong_options_are_one_line(words: list[str], said: str, slow: Path, everylink: Command) -> None:
    assert everylink("metrics", slow, *words) == (2, "", f"everylink: {said}\n")


def test_a_load_pattern_has_no_metrics(tmp_path: Path, everylink: Command) -> None:
    code, _, said = everylink("metrics", make_all_to_all(tmp_path / "x.h5", lambda i, j: 1e9))
    assert code == 2
    assert "not links" in said


@pytest.mark.skipif(shutil.which("promtool") is None, reason="promtool of Debian's package prometheus is not here")
def test_promtool_finds_nothing_to_say(slow: Path, everylink: Command) -> None:
    text = everylink("metrics", slow)[1]
    done = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout + done.stderr) == (0, "")


def test_the_dashboard_asks_for_metrics_that_there_are(slow: Path, everylink: Command) -> None:
    path = Path(__file__).parents[2] / "integrations/grafana/everylink.json"
    asked = [target["expr"] for panel in json.loads(path.read_text())["panels"] for target in panel["targets"]]
    names = {name for name, _ in series_of(everylink("metrics", slow)[1])}
    assert {name for expression in asked for name in re.findall(r"everylink_\w+", expression)} <= names


def test_nagios_gets_one_line_and_its_own_exit_codes(slow: Path, tmp_path: Path, everylink: Command) -> None:
    healthy = make_results(tmp_path / "y.h5", hosts=HOSTS, sizes=(8, 65536))
    data = "| links=56;;;0 failed=0;;;0 faults={};;;0 suspects=0;;;0\n"
    code, said, _ = everylink("diagnose", slow, "--format", "nagios")
    assert code == 2
    assert said.startswith("EVERYLINK CRITICAL - FAULTS: 1 host; host n5: slow, ")
    assert said.endswith(data.format(1))
    assert everylink("diagnose", healthy, "--format=nagios")[:2] == (
        0, "EVERYLINK OK - healthy: latency and bandwidth of 56 links " + data.format(0)
    )  # fmt: skip
    missing = tmp_path / "none.h5"
    assert everylink("diagnose", missing, "--format", "nagios") == (
        3, f"EVERYLINK UNKNOWN - {missing}: there is no such file\n", ""
    )  # fmt: skip
    assert as_plugin(lambda _: Exit.UNDECIDED)(["--format", "nagios"]) == State.WARNING
    line = nagios_line("undecided | so far", NOT_JUDGED, Conclusion.UNDECIDED)
    assert line.startswith("EVERYLINK WARNING - undecided / so far | links=0")


@pytest.mark.parametrize("words", [[], ["--format"], ["nagios"], ["nagios", "--format"], ["--format", "json"]])
def test_without_format_nagios_a_mistake_is_no_answer_of_a_plugin(words: list[str]) -> None:
    def mistake(arguments: Sequence[str]) -> int:
        raise UserMistake("a mistake")

    with pytest.raises(UserMistake):
        as_plugin(mistake)(words)


def test_scontrol_gets_a_command_for_each_host_to_drain(slow: Path, tmp_path: Path, everylink: Command) -> None:
    code, said, _ = everylink("diagnose", slow, "--format", "scontrol")
    assert code == 3
    command, update, node, state, reason = shlex.split(said)
    assert (command, update, node, state) == ("scontrol", "update", "NodeName=n5", "State=DRAIN")
    assert re.match(r"Reason=everylink: slow, (2\.9|3\.0)\dx the time, at ", reason)
    assert reason.endswith("(run 2026-11-21T21:42:00Z)")
    healthy = make_results(tmp_path / "y.h5", hosts=HOSTS, sizes=(8, 65536))
    assert everylink("diagnose", healthy, "--format", "scontrol")[:2] == (0, "")
