"""`run_netsan.sh`: Network Sanitizer's lines from a results file, and what its user reads when something is wrong."""

from collections.abc import Callable
from pathlib import Path

import pytest

from everylink.cli.network_sanitizer import run_netsan
from everylink.io.read import read
from everylink.load import netsan
from everylink.model.loads import Load
from make_loads import SIZE, make_all_to_all, make_service

MESSAGES = 1000  # of each flow of make_service
Say = Callable[..., tuple[int, str, str]]


@pytest.fixture
def say(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Say:
    """Runs run_netsan.sh in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def call(*words: str) -> tuple[int, str, str]:
        capfd.readouterr()
        code = run_netsan(words)
        said = capfd.readouterr()
        return code, said.out, said.err

    return call


def load_of(path: Path) -> Load:
    return read(path).loads[0]


def numbers(line: str, first: int) -> list[float]:
    return [float(word) for word in line.split()[first:]]


def values(seconds: float, messages: int) -> list[float]:
    """Network Sanitizer's columns, in its digits: seconds, MiB/s, microseconds per message, messages per second."""
    rate = messages / seconds
    return [round(seconds, 1), round(rate * SIZE / 2**20), round(1e6 / rate, 2), round(rate)]


def test_each_size_has_the_sum_least_and_greatest_of_the_clients(tmp_path: Path) -> None:
    # Client 1 takes 2 ms for each of its 2 x 1000 requests, client 2 takes 4 ms; a get takes twice as long.
    load = load_of(
        make_service(
            tmp_path / "x.h5", lambda kind, client, _: 2e-3 * (client - 1) * (kind - 1), servers=2, clients=2
        )
    )  # fmt: skip
    groups, header, put, _, _, get = netsan.lines(load)
    assert groups.split() == ["SUM", "MIN", "MAX"]
    assert header.split() == ["Dir", "size(B)", *["time(s)", "bw(MB/s)", "lat(us)", "iops"] * 3]
    for line, factor, word in ((put, 1, "Put"), (get, 2, "Get")):
        assert line.split()[:2] == [word, str(SIZE)]
        fast, slow = values(2 * factor, 2 * MESSAGES), values(4 * factor, 2 * MESSAGES)
        both = zip(fast, slow, strict=True)
        expected = [sum(pair) for pair in zip(fast, slow, strict=True)]
        low_high = [(min(pair), max(pair)) for pair in both]
        expected += [low for low, _ in low_high] + [high for _, high in low_high]
        assert numbers(line, 2) == pytest.approx(expected, abs=1)


def test_an_all_to_all_counts_each_byte_once_at_its_sender(tmp_path: Path) -> None:
    rate = 100 * SIZE  # of each flow, one second in each round
    load = load_of(make_all_to_all(tmp_path / "x.h5", lambda *_: rate, ranks=4))
    (*_, line) = netsan.lines(load)
    assert line.split()[:2] == ["Und", str(SIZE)]
    one = [3.0, 100, 10000.0, 100]  # three rounds
    assert numbers(line, 2) == pytest.approx([4 * value for value in one] + one + one)


def test_verbose_names_both_ends_of_each_connection_in_network_sanitizers_columns(tmp_path: Path) -> None:
    load = load_of(make_all_to_all(tmp_path / "x.h5", lambda frm, to: (50 if 3 in (frm, to) else 100) * SIZE, ranks=4))
    header, *rows = netsan.connections(load, lambda rank: f"client{rank + 1}-{rank}")
    assert header == "#             src             dest Dir size(B)    time(s)   bw(MB/s) lat(us)       iops"
    assert len(rows) == 12
    assert len({len(row) for row in rows}) == 1
    for row in rows:
        src, dest, direction, size, *rest = row.split()
        speed = 50 if "client4-3" in (src, dest) else 100
        assert (direction, int(size)) == ("Und", SIZE)
        assert [float(word) for word in rest] == pytest.approx([1.0, speed, 1e6 / speed, speed])


def test_a_failed_connection_is_said_to_have_failed_and_counts_in_no_sum(tmp_path: Path) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda *_: 1e-3, servers=1, clients=2, failed=lambda client, _: client == 2
    )  # fmt: skip
    load = load_of(path)
    assert netsan.failed(load) == 2
    lines = [line for line in netsan.connections(load, str) if not line.startswith("#")]
    assert [line.split()[:3] for line in lines if line.endswith(" FAILED")] == [["2", "0", "Put"], ["2", "0", "Get"]]
    put = next(line for line in netsan.lines(load) if line.startswith("Put"))
    assert numbers(put, 2) == pytest.approx(values(1.0, MESSAGES) * 3)


def test_a_connection_that_a_host_could_not_measure_has_not_failed(tmp_path: Path) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda *_: 1e-3, servers=1, clients=2, failed=lambda client, _: client == 2, outcome=6
    )  # fmt: skip
    load = load_of(path)
    assert (netsan.failed(load), netsan.unmeasured(load)) == (0, 2)
    lines = [line for line in netsan.connections(load, str) if not line.startswith("#")]
    unmeasured = [line.split()[:3] for line in lines if line.endswith(" NOT MEASURED")]
    assert unmeasured == [["2", "0", "Put"], ["2", "0", "Get"]]
    assert "FAILED" not in "".join(lines)
    put = next(line for line in netsan.lines(load) if line.startswith("Put"))
    assert numbers(put, 2) == pytest.approx(values(1.0, MESSAGES) * 3)


@pytest.mark.parametrize(("outcome", "said"), [(2, "FAILED"), (6, "NOT MEASURED")])
def test_a_size_without_any_measurement_says_why(tmp_path: Path, outcome: int, said: str) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda *_: 1e-3, servers=1, clients=2, failed=lambda *_: True, outcome=outcome
    )  # fmt: skip
    rows = [line for line in netsan.lines(load_of(path)) if line.startswith(("Put", "Get"))]
    assert [row.split(maxsplit=2)[2] for row in rows] == [said, said]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("", "--clients is missing; --clients 'client[1-4]' measures all-to-all"),
        ("--servers n1", "--clients is missing"),
        ("--clients n[1", "--clients 'n[1': unbalanced brackets"),
        ("--clients n[1-2] --niters", "--niters requires a value; run_netsan.sh --help lists the options"),
        ("--clients n[1-2] --niters 0", "--niters 0: must be at least 1"),
        ("--clients n[1-2] --bsize 0", "--bsize 0: must be at least 1"),
        ("--clients n[1-2] --bsize abc", "--bsize abc: not a whole number"),
        ("--clients n[1-2] --servers n3 --sequential", "--sequential applies only to all-to-all"),
        ("--clients n[1-2] --cl 3", "--cl: ambiguous; it may be --clients or --clients-file"),
        ("--clients-file nowhere", "nowhere: cannot be read"),
        ("--clients n1 --clients-file x", "--clients and --clients-file exclude each other"),
    ],
)
def test_a_wrong_command_line_is_answered_in_one_sentence(say: Say, line: str, said: str) -> None:
    code, out, err = say(*line.split())
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith(f"run_netsan.sh: {said}")


def test_the_version_names_everylink_and_help_names_what_replaces_what(say: Say, capfd: object) -> None:
    for option, text in (("-V", "Everylink "), ("--help", "Usage: run_netsan.sh [OPTIONS] [OPTIONS OF everylink run]")):
        with pytest.raises(SystemExit) as ended:
            run_netsan([option])
        assert ended.value.code == 0
        assert text in capfd.readouterr().out  # type: ignore[attr-defined]
