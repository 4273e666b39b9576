"""The output of `everylink show`, and its errors."""

import io
import json
import re
from pathlib import Path

import h5py
import numpy as np
import pytest
from rich.console import Console

from conftest import Command
from everylink.io.read import read
from everylink.terminal.comparison import print_changes
from make_results import COLUMNS, all_links, as_left_by_a_kill, make_results, row


def test_it_shows_the_run_and_its_speed(file: Path, everylink: Command) -> None:
    code, out, err = everylink("show", file)
    assert (code, err) == (0, "")
    for expected in ("4 ranks on 2 hosts", "mode tcp", "semidirectional", "64 KiB", "same host", "other host", "GiB/s"):
        assert expected in out
    assert "n1:3 -> n0:0" in out
    assert "FAILED" not in out


def test_failed_links_come_before_all_numbers(tmp_path: Path, everylink: Command) -> None:
    bad = {link: 1 for link in all_links(8) if 3 in link}
    path = make_results(tmp_path / "x.h5", hosts=[f"n{i}" for i in range(8)], outcomes=bad)
    code, out, _ = everylink("show", path)
    assert code == 0
    assert "FAILED at 64 KiB: 14 of 56 links" in out
    assert out.index("host n3: 14 of 14 links timed out") < out.index("One-way time")


def test_the_slowest_links_are_shown_with_their_retest(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", extra=lambda size: [row((0, 1), 4e-6, attempt=1)])
    assert "4.000 us" in everylink("show", path)[1]


def test_a_failed_retest_shows_its_outcome(tmp_path: Path, everylink: Command) -> None:
    extra = [row((0, 1), float("nan"), attempt=1, outcome=1, n=0)]
    path = make_results(tmp_path / "x.h5", extra=lambda size: extra)
    assert "timed out" in everylink("show", path)[1]


def test_both_directions_are_named_for_the_bidirectional_kernel(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", time=lambda k, s: 65536 / 2**30, attributes={"kernel": "bidirectional"})
    _, out, _ = everylink("show", path)
    assert "bandwidth, both directions" in out
    assert "2.000 GiB/s" in out


def test_an_unfinished_run_and_steps_without_overlap_are_reported(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", overlap=0.42)
    _, out, _ = everylink("show", as_left_by_a_kill(path, tmp_path / "killed.h5"))
    assert "still in progress or was killed" in out
    assert "after 42% of the time" in out


def test_a_run_ended_by_a_signal_is_reported(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", uncommitted=3, attributes={"complete": 0, "interrupted": 1})
    _, out, _ = everylink("show", path)
    assert "! A signal ended the run before it finished. Only the links measured so far are shown." in out
    assert "still in progress or was killed" not in out


def test_remarks_of_the_run_are_shown(tmp_path: Path, everylink: Command) -> None:
    remarks = ["hosts 2 and 5 are both named n3", "link h1:1 -> h4:4: answered by h7:7", "höst \x1b[31mred\n"]
    code, out, _ = everylink("show", make_results(tmp_path / "x.h5", remarks=remarks))
    assert code == 0
    for remark in remarks[:2]:
        assert f"\n  {remark}\n" in out
    assert "\n  höst \N{REPLACEMENT CHARACTER}[31mred\N{REPLACEMENT CHARACTER}\n" in out


def test_ranks_far_from_their_device_are_counted_and_the_first_is_named(file: Path, everylink: Command) -> None:
    assert "NUMA" not in everylink("show", file)[1]  # unknown in an older file
    with h5py.File(file, "r+") as changed:
        changed["ranks/numa_distance"] = np.array([10, 21, -1, 32], "i4")
    said = everylink("show", file)[1]
    assert "on another NUMA node than their device: 2 ranks, up to distance 32, first " in said
    assert f"first {read(file).ranks.name(1)}" in said


def test_only_the_first_of_many_remarks_are_shown(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", remarks=[f"remark {i}" for i in range(1000)])
    _, out, _ = everylink("show", path)
    assert "  remark 19\n" in out
    assert "  and 980 more remarks\n" in out
    assert "remark 20\n" not in out


def test_a_serial_run_is_not_blamed_for_its_overlap(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", overlap=0.0, attributes={"serial": 1})
    assert "overlap" not in everylink("show", path)[1]


def test_a_file_without_rows_is_reported(tmp_path: Path, everylink: Command) -> None:
    code, out, _ = everylink("show", make_results(tmp_path / "x.h5", uncommitted=12))
    assert code == 0
    assert "No link has been measured yet" in out


def test_all_links_failed_is_shown(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", outcomes=dict.fromkeys(all_links(4), 2))
    code, out, _ = everylink("show", path)
    assert code == 0
    assert "FAILED at 64 KiB: 12 of 12 links\n  all links: 12 of 12 links broke\n" in out


def test_nan_times_of_ok_links_are_shown_as_unknown(tmp_path: Path, everylink: Command) -> None:
    code, out, _ = everylink("show", make_results(tmp_path / "x.h5", time=lambda link, size: float("nan")))
    assert code == 0
    assert "nan" not in out.split()


def test_two_ranks_are_enough(tmp_path: Path, everylink: Command) -> None:
    code, out, _ = everylink("show", make_results(tmp_path / "x.h5", hosts=("a", "b")))
    assert code == 0
    assert "2 ranks on 2 hosts" in out


def test_names_are_printed_as_they_are(tmp_path: Path, everylink: Command) -> None:
    names = ("[bold]rack1[/]", "$x^2$:smile:")
    code, out, _ = everylink("show", make_results(tmp_path / "x.h5", hosts=names))
    assert code == 0
    assert "[bold]rack1[/]:0 -> $x^2$:smile::1" in out


def test_without_a_terminal_there_are_no_escape_sequences(file: Path, everylink: Command) -> None:
    assert "\x1b" not in everylink("show", file)[1]


@pytest.mark.long
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_any_encoding_of_the_terminal_works(file: Path, encoding: str) -> None:
    import os
    import subprocess
    import sys

    environment = os.environ | {"PYTHONIOENCODING": encoding, "PYTHONPATH": os.pathsep.join(sys.path)}
    said = subprocess.run([sys.executable, "-P", "-m", "everylink", "show", file], env=environment, capture_output=True)
    assert said.returncode == 0, said.stderr
    said.stdout.decode(encoding)


@pytest.mark.long
def test_a_thousand_ranks_fit_into_the_map(tmp_path: Path, everylink: Command) -> None:
    ranks = 1000
    frm, to = np.nonzero(~np.eye(ranks, dtype=bool))
    columns = {name: np.zeros(len(frm), dtype) for name, dtype in COLUMNS.items()}
    columns |= {"from": frm.astype("u4"), "to": to.astype("u4")}
    for name in ("min", "median", "mean", "p99", "max"):
        columns[name] = np.full(len(frm), 1e-6, "f4")
    path = make_results(tmp_path / "x.h5", hosts=[f"n{i}" for i in range(ranks)], columns={65536: columns})
    code, out, _ = everylink("show", path)
    assert code == 0
    assert "each cell has up to 32 ranks: what most of a row, a column or two hosts take" in out
    assert len([line for line in out.splitlines() if line.endswith("·" * 64)]) == 32


@pytest.mark.long
def test_the_map_shows_every_planted_fault_and_marks_what_verdicts_name(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    faults = (
        "slow-host:n77*0.9",
        "slow-trunk:g1>g6*0.6",
        "slow-trunk:g6>g1*0.6",
        "dark-host:n300",
        "slow-host:n500*0.4",
    )
    planted = [word for fault in faults for word in ("--fault", fault)]
    everylink("simulate", "--hosts", 512, "--group-size", 64, *planted, "-o", path)
    out = everylink("show", path)[1]
    lines = out.partition("times the expected time")[2].splitlines()
    assert lines[1:3] == [
        "each cell has up to 16 ranks: what most of a row, a column or two hosts take",
        "· as expected, ░ 1.05, ▒ 1.25, ▓ 1.5, █ 2 or more; X failed",
    ]
    columns = [number for number, mark in enumerate(lines[3][18::2]) if mark == "*"]
    rows = {int(line.split()[0].strip("n*")) // 16: line for line in lines[4:36]}
    trunk = [*range(4, 8), *range(24, 28)]
    assert columns == [number for number, line in rows.items() if line[16] == "*"] == sorted({4, 18, 31, *trunk})
    cells = {number: line[18::2] for number, line in rows.items()}
    assert set(cells[18]) == {"X"}
    assert cells[10] == "····░·············X············█"
    assert cells[5][24:28] == "▓▓▓▓"
    assert (cells[4][10], cells[31][10], cells[31][18]) == ("░", "█", "X")


@pytest.mark.parametrize(
    ("options", "begin"),
    [
        (["--hosts"], "Hosts at 64 KiB"),
        (["--below", "1000GB/s"], "SLOW: below"),
        ([], "One-way time of the links"),
    ],
    ids=["hosts", "links below a limit", "times of many sizes"],
)
@pytest.mark.one_in(3)
def test_no_table_has_more_than_fifteen_rows_without_all(
    options: list[str], begin: str, tmp_path: Path, everylink: Command
) -> None:
    sizes = (65536,) if options else tuple(2**power for power in range(18))
    count = {"--hosts": 20, "--below": 380}.get((options or [""])[0], 18)
    hosts = [f"n{i}" for i in range(20)]
    path = make_results(tmp_path / "x.h5", hosts=hosts, sizes=sizes, time=lambda k, s: 1e-5 * (1 + k[0]))
    lines = 1 if options else 2

    def rows(*more: str) -> tuple[int, str, str]:
        out = everylink("show", path, *options, *more)[1]
        table = re.split(r"\n(?=Mean of each|\n)", out[out.index(begin) :])[0].splitlines()
        left = [line for line in table if line.endswith("more; --all lists them")]
        return (len(table) - 2 - len(left)) // lines, " ".join(left), out

    shown, left, out = rows()
    assert (shown, left) == (15, f"{count - 15} more; --all lists them")
    assert out.rstrip().splitlines()[-2].startswith(("no fault found", "FAULTS", "healthy", "tested"))
    shown, left, _ = rows("--all")
    assert (shown, left) == (count, "")
    if options == ["--hosts"]:
        assert "n19" in out[out.index(begin) :].splitlines()[2]  # the slowest first
    assert len(everylink("show", path, "--hosts", "--format", "json")[1]) > 1000
    fields = json.loads(everylink("show", path, "--hosts", "--format", "json")[1])
    assert len(fields["hosts"]) == 20


def test_verdicts_come_last_behind_the_tables_that_options_ask_for(tmp_path: Path, everylink: Command) -> None:
    path = tmp_path / "x.h5"
    assert everylink("simulate", "--hosts", 16, "--fault", "slow-host:n3*0.5", "-o", path)[0] == 0
    out = everylink("show", path, "--hosts", "--below", "1GB/s")[1]
    assert out.index("Hosts at 1 MiB") < out.index("FAULTS: 1 host")
    assert out.endswith(everylink("diagnose", path)[1])


@pytest.mark.parametrize("everything", [False, True])
def test_of_many_changes_fifteen_are_printed_unless_all_are_wanted(everything: bool) -> None:
    console = Console(file=io.StringIO(), width=160)
    print_changes("SLOWER", "red", [f"host n{i}" for i in range(20)], everything, console)
    said = console.file.getvalue().splitlines()  # type: ignore[attr-defined]
    shown = [f"SLOWER   host n{i}" for i in range(20)]
    assert said == (shown if everything else [*shown[:15], "SLOWER   5 more; --all lists them"])
