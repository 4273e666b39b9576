"""Every number about a run that the core prints agrees with `everylink show` and its JSON.

Each line of results must be one that this file knows: a new one fails until it is held against something, too.
"""

import json
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from conftest import Run
from everylink.cli import main
from everylink.io.read import read
from everylink.load.service import LEAST_FOR_P99, Party, service_sums
from everylink.load.sums import round_sums, scene_sums
from everylink.model.results import Results, Size

UNITS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0} | {
    f"{prefix}B{per}": 1024.0**power for power, prefix in enumerate(("", "Ki", "Mi", "Gi", "Ti")) for per in ("", "/s")
}
NUMBER = r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?"
QUANTITY = rf"{NUMBER} (?:{'|'.join(sorted(UNITS, key=len, reverse=True))})(?![\w/])"
TIME, RATE, SIZE = r"(-|[\d.]+ [nmu]?s)", r"(-|[\d.]+ [KMGT]?i?B/s)", r"([\d.]+ [KMGT]?i?B)"
NAME = r"(\S+:\d+)"
NOISY = "sim:noise=0.2"
SIGNIFICANT = 4  # digits of a number with a unit

Show = Callable[..., str]


@dataclass(frozen=True)
class Printed:
    """A printed number; `half`: half a unit of its last digit. Both are NaN for an unknown number."""

    value: float
    half: float

    def is_same_as(self, other: "Printed") -> bool:
        if math.isnan(self.value) or math.isnan(other.value):
            return math.isnan(self.value) and math.isnan(other.value)
        return abs(self.value - other.value) <= self.half + other.half + 1e-9 * abs(self.value)


def printed(text: str, unit: float | None = None) -> Printed:
    """Parse `11.64 GiB/s`, with the digits that numbers with a unit have; or `11.64`, given the unit of its column."""
    if text in ("-", "not known"):
        return Printed(math.nan, math.nan)
    number, _, name = text.partition(" ")
    if unit is None and name:
        shown = float(number)
        half = 0.5 * 10.0 ** (math.floor(math.log10(shown)) - SIGNIFICANT + 1) if shown else 0.0
        return Printed(shown * UNITS[name], half * UNITS[name])
    decimals = len(number.partition(".")[2])
    scale = unit or 1.0
    return Printed(float(number) * scale, 0.5 * 10.0**-decimals * scale)


def exact(value: float) -> Printed:
    return Printed(float(value), 0.0)


def hold(core: Printed, others: Printed, what: str) -> None:
    assert core.is_same_as(others), f"{what}: the core says {core.value!r}, everylink {others.value!r}"


def hold_sentence(core: str, shown: Sequence[str]) -> None:
    """One of the sentences has the same words, and the same numbers to the digits printed."""
    words, numbers = taken_apart(core)
    for one in shown:
        other_words, other_numbers = taken_apart(one)
        if words == other_words:
            for a, b in zip(numbers, other_numbers, strict=True):
                hold(a, b, core)
            return
    raise AssertionError(f"`everylink show` does not say: {core}")


def taken_apart(sentence: str) -> tuple[str, list[Printed]]:
    numbers: list[Printed] = []

    def taken(match: re.Match[str]) -> str:
        numbers.append(printed(match[0]))
        return "#"

    return re.sub(rf"{QUANTITY}|(?<![\w:.]){NUMBER}(?![\w:])", taken, sentence), numbers


@dataclass(frozen=True)
class Table:
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]

    def find(self, **cells: object) -> dict[str, str]:
        """The only row with these cells."""
        wanted = {name.replace("_", " "): str(value) for name, value in cells.items()}
        rows = [dict(zip(self.headings, row, strict=True)) for row in self.rows]
        (found,) = [row for row in rows if all(row.get(name, row.get("")) == value for name, value in wanted.items())]
        return found


def tables(shown: str) -> Iterator[Table]:
    """The tables printed by `show`, with two spaces between columns; a column of words has no heading."""
    lines = [re.split(r"\s{2,}", line.strip()) if line.strip() else [] for line in shown.splitlines()]
    begins = [i for i, cells in enumerate(lines) if len(cells) > 2 and not any(map(numeric, cells))]
    for begin in begins:
        rows = []
        for cells in lines[begin + 1 :]:
            if not any(map(numeric, cells)) or len(cells) not in (len(lines[begin]), len(lines[begin]) + 1):
                break
            rows.append(tuple(cells))
        if not rows:
            continue
        headings = list(lines[begin])
        if len(rows[0]) > len(headings):
            headings.insert(next(i for i, cell in enumerate(rows[0]) if not numeric(cell)), "")
        yield Table(tuple(headings), tuple(rows))


def numeric(cell: str) -> bool:
    return re.fullmatch(rf"-|{NUMBER}|{QUANTITY}", cell) is not None


def table_with(shown: str, heading: str) -> Table:
    return next(table for table in tables(shown) if heading in table.headings)


@pytest.fixture
def show(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Show:
    monkeypatch.setenv("COLUMNS", "250")

    def call(*words: object) -> str:
        capfd.readouterr()
        main([str(word) for word in words])
        return capfd.readouterr().out

    return call


def results_of(out: str) -> list[str]:
    """What the core printed after its plan."""
    lines = out.splitlines()
    begin = next(i for i, line in enumerate(lines) if line.startswith(("Results file", "No results file")))
    return [line for line in lines[begin + 1 :] if line and not line.startswith("Progress:")]


SCENE = re.compile(
    rf"(?:{SIZE}, )?[a-z]+ (?P<point>\d+)(?:, (?P<variant>\w+))?:"
    rf"(?: (?P<mean>{RATE}) per flow \((?P<slowest>{RATE}) to (?P<fastest>{RATE})\), (?P<total>{RATE}) in all)?"
    rf"(?:,? latency (?P<latency>{TIME}) \(median (?P<median>{TIME}), p99 (?P<p99>{TIME}|not known)\))?"
    r"(?:,? (?P<failed>\d+) of (?P<flows>\d+) flows FAILED)?"
)
COLUMNS = {"mean": "mean", "slowest": "slowest", "fastest": "fastest", "total": "in all"} | {
    name: name for name in ("latency", "median", "p99")
}

PATTERNS = {
    "incast": ["--np", 6],
    "outcast": ["--np", 6],
    "shift": ["--np", 5],
    "ring": ["--np", 5, "--draws", 3],
    "random-bisection": ["--np", 6, "--draws", 5],
    "victim": ["--np", 6, "--repeats", 2],
}


@pytest.mark.parametrize("faults", ["", ",dead=1>2"])
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.one_in(6)
def test_core_and_show_agree_on_a_pattern(run: Run, show: Show, tmp_path: Path, pattern: str, faults: str) -> None:
    path, seed = tmp_path / "x.h5", ["--seed", 7] if pattern in ("ring", "random-bisection", "victim") else []
    limit = ["--duration", "2ms", "--time-limit", "0.3"]
    done = run(pattern, *PATTERNS[pattern], "--mode", f"{NOISY},slow-host=3*0.5{faults}", *limit, *seed, "-o", path)
    assert done.returncode == (3 if faults and "FAILED" in done.stdout else 0), done.stdout + done.stderr
    shown, result = show("show", path), read(path)
    headings = table_with(shown, "flows")
    scenes = 0
    for line in hold_failed(results_of(done.stdout), shown, "flows"):
        if match := SCENE.fullmatch(line):
            scenes += 1
            variant = {"": match["variant"]} if match["variant"] else {}
            row = headings.find(**{result.loads[0].point.replace(" ", "_"): match["point"]}, **variant)
            for name, column in COLUMNS.items():
                if match[name] is not None:
                    hold(printed(match[name]), printed(row[column]), f"{line}: {name}")
            assert int(match["failed"] or 0) == int(row["failed"])
            assert match["flows"] is None or match["flows"] == row["flows"]
        else:
            assert line.startswith(f"{pattern}: "), f"not held against anything: {line}"
            hold_sentence(line, shown.splitlines())
    assert scenes == len(result.loads[0].scenes.point)


def test_core_and_show_agree_that_few_messages_have_no_p99(run: Run, show: Show, tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    done = run("victim", "--np", 4, "--mode", "sim", "--seed", 7, "--duration", "100us", "-o", path)
    shown = show("show", path)
    lines = [line for line in results_of(done.stdout) if SCENE.fullmatch(line)]
    assert lines
    assert all(", p99 not known)" in line for line in lines)
    assert {row[-1] for row in table_with(shown, "p99").rows} == {"-"}
    hold_sentence(results_of(done.stdout)[-1], shown.splitlines())


def test_core_and_show_agree_on_an_all_to_all(run: Run, show: Show, tmp_path: Path) -> None:
    path = tmp_path / "x.h5"
    arguments = ["--np", 5, "--mode", f"{NOISY},slow-host=2*0.5", "-s", "4KiB,1MiB", "--duration", "2ms"]
    done = run("all-to-all", *arguments, "-o", path)
    assert done.returncode == 0
    shown, (load,) = show("show", path), read(path).loads
    table, sums = table_with(shown, "each to each (ms)"), scene_sums(load)
    header, *rows, worst = results_of(done.stdout)
    assert header.split() == ["size(B)", "time(s)", "bw(MiB/s)", "lat(us)", "messages/s", "slowest(MiB/s)"]
    assert len(rows) == len(round_sums(sums)) == 2
    for line in rows:
        size, time, rate, message, messages, slowest, _, frm, _, to = line.split()
        row = table.find(**{"size_(B)": size})
        hold(printed(time, 1.0), printed(row["each to each (ms)"], 1e-3), line)
        hold(printed(rate), printed(row["bandwidth in all (MiB/s)"]), line)
        hold(printed(message), printed(row["a message (us)"]), line)
        hold(printed(messages), printed(row["messages (1/s)"]), line)
        hold(printed(slowest, 2.0**20), exact(min(s.rate.min for s in sums if s.bytes == int(size))), line)
        flows = load.flows
        mine = (flows.frm == int(frm)) & (flows.to == int(to)) & (load.scenes.bytes[flows.scene] == int(size))
        hold(printed(slowest, 2.0**20), exact(load.rate[mine].item()), line)
    slowest_shown = table_with(shown, "bandwidth (MiB/s)").rows[0]
    assert (slowest_shown[0].split(" -> ")[0].endswith(f":{frm}"), printed(slowest_shown[1]).value) == (
        True,
        pytest.approx(float(slowest), rel=1e-3),
    )
    match = re.fullmatch(
        rf"all-to-all: furthest below its round: {RATE} from {NAME} to {NAME} in round (\d+) of {SIZE}, "
        rf"where the mean is {RATE}",
        worst,
    )
    assert match, worst
    found = min(sums, key=lambda scene: scene.rate.min / scene.rate.mean)
    assert (int(match[4]), printed(match[5]).value) == (found.point, found.bytes)
    hold(printed(match[1]), exact(found.rate.min), worst)
    hold(printed(match[6]), exact(found.rate.mean), worst)


@pytest.mark.parametrize(("requests", "tail"), [(5, False), (60, True)])
@pytest.mark.one_in(2)
def test_core_and_show_agree_on_client_server(run: Run, show: Show, tmp_path: Path, requests: int, tail: bool) -> None:
    """A p99 needs 100 readings; 2 servers, 3 clients and 5 requests give 30."""
    path = tmp_path / "x.h5"
    arguments = ["--np", 5, "--servers", 2, "--niters", requests, "--nflight", "1,4", "-s", "1KiB,64KiB"]
    done = run("client-server", *arguments, "--mode", f"{NOISY},slow-host=3*0.5", "-v", "-o", path)
    assert done.returncode == 0, done.stderr
    shown, (load,) = show("show", path, "--hosts"), read(path).loads
    table, every = table_with(shown, "Jain"), service_sums(load)
    header, *lines = results_of(done.stdout)
    assert header.split()[:2] == ["Dir", "size(B)"]
    of_scenes = [lines[i * 6 : (i + 1) * 6] for i in range(8)]  # 3 clients, 2 servers, and the row of the table
    for (*parties, row), sums in zip(of_scenes, every, strict=True):
        for line, party in zip(parties, (*sums.clients, *sums.servers), strict=True):
            hold_party(line, party, sums.bytes)
        hold_service(row, table)
        assert (row.split()[7] == "-") != tail
    assert len(lines) == 6 * 8 + 2
    for line in lines[-2:]:
        hold_least_fair(line, table)


PARTY = re.compile(
    rf"  (?P<size>{SIZE}), \d+, (?P<asks>client|server) (?P<rank>\d+): (?P<requests>\d+) requests in (?P<time>{TIME}), "
    rf"(?P<rate>{RATE}), (?:latency|service) (?P<mean>{TIME}) \(p99 (?P<p99>{TIME})\)"
)


def hold_party(line: str, party: Party, size: int) -> None:
    match = PARTY.fullmatch(line)
    assert match, line
    found = (match["size"], match["rank"], match["requests"])
    assert (printed(found[0]).value, *map(int, found[1:])) == (size, party.rank, party.requests)
    hold(printed(match["time"]), exact(party.seconds), line)
    hold(printed(match["rate"]), exact(party.rate), line)
    if match["asks"] == "server":
        hold(printed(match["mean"]), exact(party.service), line)
        assert (match["p99"] == "-") == (party.requests < LEAST_FOR_P99)
        return
    hold(printed(match["mean"]), exact(party.waiting.mean), line)
    hold(printed(match["p99"]), exact(party.waiting.p99), line)


def hold_service(line: str, table: Table) -> None:
    way, size, point, *numbers = line.split()
    row = table.find(**{"": way.lower(), "size_(B)": size, "in_flight": point})
    names = (
        "time (ms)", "bandwidth (MiB/s)", "latency: mean (us)", "median (us)", "p99 (us)", "service (us)",
        "requests (1/s)", "Jain",
    )  # fmt: skip
    for core, name in zip(numbers, names, strict=True):
        hold(printed(core, 1.0), printed(row[name], 1e-3 if name == "time (ms)" else 1.0), f"{line}: {name}")


def hold_least_fair(line: str, table: Table) -> None:
    match = re.fullmatch(
        rf"client-server: (Put|Get) least fair at {SIZE}: of (\d+) clients the first ends after {TIME}, the last "
        rf"after {TIME} \(last: (.*)\); Jain's index of their rates ([\d.]+)",
        line,
    )
    assert match, line
    size, jain, first, last = int(printed(match[2]).value), printed(match[7]), printed(match[4]), printed(match[5])
    rows = [dict(zip(table.headings, row, strict=True)) for row in table.rows]
    mine = [row for row in rows if row[""] == match[1].lower()]
    least = min(mine, key=lambda row: float(row["Jain"]))
    hold(jain, printed(least["Jain"]), line)
    assert any(
        row["size (B)"] == str(size)
        and last.is_same_as(printed(row["time (ms)"], 1e-3))
        and last.value / first.value == pytest.approx(float(row["last/first"]), rel=6e-3)
        for row in mine
    ), line


KERNELS = ["--semidirectional", "--bidirectional", "--unidirectional", "--put", "--get"]
PASSES = ["--num-randomize-tasks", 2]
LINKTEST = r"(?:Parallel|Serial) Results|Aggregated Results|Timing Summary"


@pytest.mark.parametrize(
    ("kernel", "more"),
    [
        *((kernel, []) for kernel in KERNELS if kernel != "--semidirectional"),
        ("--semidirectional", []),
        ("--semidirectional", PASSES),
        ("--unidirectional", [*PASSES, "--serial-tests"]),
    ],
)
@pytest.mark.one_in(5)
def test_core_and_show_agree_on_a_kernel(run: Run, show: Show, tmp_path: Path, kernel: str, more: list[object]) -> None:
    """LinkTest's lines and the core's summary use the mean of each turn, as they state; the file has these means."""
    path = tmp_path / "x.h5"
    mode = f"{NOISY},slow-host=1*0.5,dead=2>3"
    quick = ["-n", 4, "-w", 1, "-s", "1KiB,64KiB", "--time-limit", "0.3", "--seed", 7, "--num-slowest", 3]
    done = run("--np", 5, "--mode", mode, kernel, *quick, *more, "-o", path)
    assert done.returncode == 3, done.stdout + done.stderr
    shown, results = show("show", path), read(path)
    lines = [line for line in results_of(done.stdout) if not re.match(LINKTEST, line)]
    told = hold_failed(lines, shown, "links", json.loads(show("diagnose", path, "--format", "json")))
    assert len(told) == 3 + 2 + 1 + 3, told
    for line in told[:3]:
        match = re.fullmatch(r"RESULT: (Min|Avg|Max) Time: +([\d.]+) (\w+) \( +([\d.]+) ([\w/]+)\)", line)
        assert match, line
        time = means(results, results.sizes[-1])[match[1]]
        hold(printed(match[2], UNITS[match[3]]), exact(time), line)
        hold(printed(match[4], UNITS[match[5]]), exact(results.directions * results.sizes[-1].bytes / time), line)
    for line, size in zip(told[3:5], results.sizes, strict=True):
        match = re.fullmatch(
            rf" +{SIZE}: mean one-way time {TIME} / {TIME} / {TIME} \(min / avg / max of the turns\), "
            rf"bandwidth {RATE} / {RATE} / {RATE}(?: \(both directions\))?",
            line,
        )
        assert match, line
        assert printed(match[1]).value == size.bytes
        for i, time in enumerate(means(results, size).values()):
            hold(printed(match[2 + i]), exact(time), line)
            hold(printed(match[5 + i]), exact(results.directions * size.bytes / time), line)
    assert told[5] == "Slowest links at 64 KiB, mean time first, then measured again alone:"
    for line in told[6:]:
        hold_slowest(line, results.sizes[-1])


def means(results: Results, size: Size) -> dict[str, float]:
    rows = size.rows
    mean = np.asarray(rows.mean, np.float64)[(rows.attempt == 0) & (rows.outcome == 0)]
    return {"Min": float(mean.min()), "Avg": float(mean.mean()), "Max": float(mean.max())}


def hold_slowest(line: str, size: Size) -> None:
    match = re.fullmatch(rf"  {NAME} -> {NAME}: {TIME}, (?:{TIME}|(.+))", line)
    assert match, line
    frm, to = (int(name.rpartition(":")[2]) for name in match.group(1, 2))
    rows = size.rows
    link = (rows.frm == frm) & (rows.to == to)
    hold(printed(match[3]), exact(rows.mean[link & (rows.attempt == 0)].max()), line)
    again = rows.mean[link & (rows.attempt == 1)]
    assert len(again) == (match[4] is not None)
    if match[4]:
        hold(printed(match[4]), exact(again.item()), line)


def hold_failed(lines: Sequence[str], shown: str, what: str, verdicts: dict[str, object] | None = None) -> list[str]:
    """Compare the lines on failures with those of `show`; return the other lines."""
    at = next((i for i, line in enumerate(lines) if re.fullmatch(rf"\d+ of \d+ {what} FAILED:", line)), None)
    if at is None:
        assert "FAILED" not in shown
        return list(lines)
    failed, links = map(int, re.findall(r"\d+", lines[at]))
    said = shown.splitlines()
    heading = re.compile(rf"FAILED(?: at [^:]+)?: {failed} of {links} {what}(?:; .*)?")
    begin = next((i for i, line in enumerate(said) if heading.fullmatch(line)), None)
    assert begin is not None, f"`everylink show` does not say {lines[at]}"
    end = at + 1
    while end < len(lines) and lines[end].startswith("  ") and not lines[end].startswith("   "):
        end += 1
    groups = [line for line in lines[at + 1 : end] if not re.match(r"  \d+ (failed|not tried)", line)]
    for i, line in enumerate(groups):
        other = said[begin + 1 + i]
        again = r"(?: under load)?(?:, (?:\d+ )?(?:failed again alone|ok alone|not tried again))*"
        assert other.startswith(line)
        assert re.fullmatch(again, other.removeprefix(line)), (line, other)
    counts = [
        re.fullmatch(r"  (\d+) (failed again alone|not tried again|.*ok alone).*", line) for line in lines[at:end]
    ]
    for match in filter(None, counts):
        word = match[2].replace("failed under load, ", "")
        assert re.search(rf"; (?:.*\b{match[1]} )?{word}", said[begin]), (match[0], said[begin])
    if verdicts is not None:
        assert verdicts["links_failed"] == failed
    return [*lines[:at], *lines[end:]]


@pytest.mark.parametrize(
    ("faults", "count"),
    [
        ("hosts=4,dead-host=1", 8),
        ("hosts=4,dead=0>4,dead=1>5", 8),
        ("dead=1>2,dead=1>3,dead=1>4,dead=1>5", 6),
        ("dead=2>1,dead=3>1,dead=4>1,corrupt=5>1", 6),
        ("hosts=3,dead=0>3,dead=0>4,dead=0>5,dead=1>3,dead=1>4,dead=1>5,dead=2>3,dead=2>4,dead=2>5", 9),
        (",".join(f"corrupt={i}>{(3 * i + 1) % 12}" for i in range(12) if (2 * i + 1) % 12), 12),
    ],
)
@pytest.mark.one_in(3)
def test_core_and_show_fold_failed_links_alike(run: Run, show: Show, tmp_path: Path, faults: str, count: int) -> None:
    path = tmp_path / "x.h5"
    quick = ["-n", 3, "-w", 0, "--num-slowest", 0, "--time-limit", "0.5", "--unidirectional", "--check"]
    done = run("--np", count, "--mode", f"sim:{faults}", *quick, "-o", path)
    assert done.returncode == 3, done.stdout + done.stderr
    found = json.loads(show("diagnose", path, "--format", "json"))
    hold_failed(results_of(done.stdout), show("show", path), "links", found)
