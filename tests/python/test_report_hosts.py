"""The section "Hosts, adapters and cables" of reports."""

import json
import re
import shutil
import subprocess
from collections.abc import Callable
from html import escape
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

from browser import shown
from conftest import Command
from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.io.topology import given_topology
from everylink.text.host_tables import HostTable, report_tables
from inventories import Machine, cluster, make_inventory, write_inventory
from make_loads import make_all_to_all
from make_results import Link, make_results, steady

HOSTS, RAILS, BEHIND, SLOW = 8, 2, 2, 5
EVIL = "<img src=x>"
DEVIATIONS, SWITCHES, CABLES, PAIRS = "Deviations", "Switches", "Slowest cables", "Best and worst path"
Change = Callable[[list[Machine]], object]


def half_as_fast(link: Link, size: int) -> float:
    return steady(link, size) * (2 if SLOW * RAILS + 1 in link else 1)


def make(path: Path, change: Change = lambda machines: None, hosts: int = HOSTS, **options: Any) -> Path:
    """A run with a rank on each rail of each host; the second rail of host n05 is slow. LLDP tells the cables."""
    machines = cluster(hosts, fabric="roce", rails=RAILS)
    for number, machine in enumerate(machines):
        for rail in range(RAILS):
            told = f"leaf{number // BEHIND + 1} Ethernet{rail + 1}/{number % BEHIND + 1}"
            machine.facts[f"net/eth{rail}", "neighbour"] = told
    change(machines)
    names = [machine.name for machine in machines for _ in range(RAILS)]
    make_results(path, hosts=names, **{"time": half_as_fast} | options)
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        del file["ranks/device"]
        file["ranks/device"] = np.array([f"mlx5_{rank % RAILS}:1".encode() for rank in range(len(names))], "S64")
        write_inventory(file, machines)
    return path


def older_firmware(machines: list[Machine]) -> None:
    machines[2].facts["ib/mlx5_0", "fw_ver"] = "28.1"


def tables(path: Path, topology: Path | None = None) -> dict[str, HostTable]:
    """The tables of a report, by how their titles begin."""
    found = {}
    for table in report_tables(judged(read(path), given_topology(topology))):
        (begin,) = [begin for begin in (DEVIATIONS, SWITCHES, CABLES, PAIRS) if table.title.startswith(begin)]
        found[begin] = table
    return found


def in_page(path: Path) -> list[list[dict[str, Any]]]:
    """The section of each run in the data of an HTML page."""
    found = re.search(r'id="data">(.*?)</script>', path.read_text(), re.DOTALL)
    assert found
    return [run["tables"] for run in json.loads(found[1])["runs"]]


def test_the_report_says_what_show_says(tmp_path: Path, everylink: Command) -> None:
    path = make(tmp_path / "x.h5", older_firmware, outcomes={(0, 9): 1})
    assert everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    out = everylink("show", path, "--switches", "--host-pairs", "--slowest", 15)[1]
    lines = {" ".join(line.split()) for line in out.splitlines()}
    (section,) = in_page(tmp_path / "x.html")
    assert [table["title"].split(" at ")[0] for table in section] == [
        "Deviations from equals", "Switches", "Slowest cables", "Best and worst path of pairs of hosts",
    ]  # fmt: skip
    for table in section[1:]:
        for row in [table["headings"], *table["rows"]]:
            assert " ".join(" ".join(row).split()) in lines
    (deviation,) = section[0]["rows"]
    assert deviation[:4] == ["warning", "config", "n02", "ib/mlx5_0"]
    assert f"  warning, config: {deviation[4]}\n" in out


def test_the_worst_is_listed_first(tmp_path: Path) -> None:
    found = tables(make(tmp_path / "x.h5", outcomes={(0, 9): 1}))
    assert [row[0] for row in found[SWITCHES].rows][:2] == ["leaf3", "leaf1"]  # a verdict, a failed link
    assert found[CABLES].rows[0][:2] == ("n05 eth1", "leaf3 Ethernet2/2")
    assert {row[-1].rpartition(" ")[0] for row in found[PAIRS].rows[:7]} == {"mlx5_1:1 of n05"}


@pytest.mark.long
def test_what_a_table_leaves_out_is_listed_by_the_command_that_it_names(tmp_path: Path, everylink: Command) -> None:
    path = make(tmp_path / "x.h5", hosts=36)
    found = tables(path)
    for begin, left in ((SWITCHES, 3), (CABLES, 57), (PAIRS, 615)):
        table = found[begin]
        assert len(table.rows) == 15
        said = re.match(rf"{left} more; everylink (.*) lists them", table.note)
        assert said
        words = [path if word == "FILE" else word for word in said[1].split()]
        listed = everylink(*words)[1].partition(begin)[2].partition("\n\n")[0].splitlines()[2:]
        assert sum(line.startswith(("n", "leaf")) for line in listed) == 15 + left


@pytest.mark.long
def test_more_deviations_than_fit_are_counted(tmp_path: Path, everylink: Command) -> None:
    def change(machines: list[Machine]) -> None:
        for number in range(20):
            machines[number].facts["ib/mlx5_0", "fw_ver"] = f"28.{number}"

    table = tables(make(tmp_path / "x.h5", change, hosts=64, time=steady))[DEVIATIONS]
    assert (len(table.rows), table.note) == (15, "5 more; everylink diagnose FILE --all lists them")
    for command in ("inventory", "diagnose"):
        out, every = everylink(command, tmp_path / "x.h5")[1], everylink(command, tmp_path / "x.h5", "--all")[1]
        assert len(every.splitlines()) == len(out.splitlines()) + 5 - 1
        assert ("5 more; " in out, "more; " in every) == (True, False)


def test_where_nothing_deviates_the_report_says_so(tmp_path: Path) -> None:
    table = tables(make(tmp_path / "x.h5", time=steady))[DEVIATIONS]
    assert (table.title, table.rows, table.note) == ("Deviations from equals", [], "none (8 hosts read)")


def test_deviations_that_verdicts_name_are_not_repeated(tmp_path: Path) -> None:
    def change(machines: list[Machine]) -> None:
        machines[SLOW].facts["ib/mlx5_1/1", "rate"] = "200 Gb/sec (2X NDR)"

    run = judged(read(make(tmp_path / "x.h5", change)))
    assert run.judgement.verdicts[0].because.startswith("because: n05: rate 200")
    table = report_tables(run)[0]
    assert (table.title, table.note) == (
        "Other deviations from equals than the causes of verdicts",
        "none (8 hosts read)",
    )


@pytest.mark.long
def test_a_run_without_an_inventory_has_no_section(file: Path, tmp_path: Path, everylink: Command) -> None:
    everylink("report", file, "-o", tmp_path / "x.html")
    assert in_page(tmp_path / "x.html") == [[]]
    assert re.search(r'<section id="hosts"[^>]* hidden', shown(tmp_path / "x.html"))


def test_a_topology_file_tells_the_switches_of_a_run_without_an_inventory(tmp_path: Path, everylink: Command) -> None:
    path = make_results(tmp_path / "x.h5", hosts=[f"n{host}" for host in range(8)])
    (tmp_path / "topology").write_text("SwitchName=a Nodes=n[0-3]\nSwitchName=b Nodes=n[4-7]\n")
    everylink("report", path, "--topology", tmp_path / "topology", "-o", tmp_path / "x.html")
    ((table,),) = in_page(tmp_path / "x.html")
    assert table["title"].startswith("Switches at 64 KiB, told by --topology")
    assert sorted(row[0] for row in table["rows"]) == ["a", "b"]


@pytest.mark.long
def test_names_of_hosts_and_switches_are_only_text_in_the_page(tmp_path: Path, everylink: Command) -> None:
    def change(machines: list[Machine]) -> None:
        machines[SLOW].name = EVIL
        older_firmware(machines)
        machines[2].facts["ib/mlx5_0", "fw_ver"] = EVIL
        machines[0].facts["net/eth0", "neighbour"] = f"{EVIL.replace(' ', '/')} 1"

    page = tmp_path / "x.html"
    assert everylink("report", make(tmp_path / "x.h5", change), "-o", page)[0] == 0
    assert "<img" not in page.read_text()
    section = shown(page).partition('<section id="hosts"')[2].partition("</section>")[0]
    assert 'hidden=""' not in section.partition(">")[0]
    assert "<img" not in section
    for text in (EVIL, EVIL.replace(" ", "/"), f"mlx5_1:1 of {EVIL}"):
        assert escape(text) in section
    assert section.count("<table>") == 4


@pytest.mark.long
def test_the_page_of_a_load_pattern_lists_deviations(tmp_path: Path, everylink: Command) -> None:
    path = make_all_to_all(tmp_path / "x.h5", lambda frm, to: 1e9)
    machines = cluster(8, fabric="roce")
    for machine, host in zip(machines, read(path).ranks.host, strict=True):
        machine.name = host
    machines[2].facts["ib/mlx5_0", "fw_ver"] = EVIL
    without = everylink("report", path, "-o", tmp_path / "old.html")
    with h5py.File(path, "r+", libver=("v110", "v110")) as file:
        write_inventory(file, machines)
    assert without[0] == everylink("report", path, "-o", tmp_path / "x.html")[0] == 0
    text = (tmp_path / "x.html").read_text()
    assert "Hosts, adapters and cables" not in (tmp_path / "old.html").read_text()
    assert "<h2>Hosts, adapters and cables</h2>" in text
    assert '<td class="text">ib/mlx5_0</td>' in text
    assert "<img src=x" not in text


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext (poppler-utils)")
@pytest.mark.long
def test_the_pdf_has_a_page_of_the_same_tables_and_there_is_a_picture_of_it(tmp_path: Path, everylink: Command) -> None:
    path = make(tmp_path / "x.h5", older_firmware)
    assert everylink("report", path, "-o", tmp_path / "x.pdf")[0] == 0
    pages = (
        subprocess.run(["pdftotext", "-layout", tmp_path / "x.pdf", "-"], capture_output=True, text=True, check=True)
        .stdout.rstrip("\f")
        .split("\f")
    )
    assert len(pages) == 3
    verdicts, words = (" ".join(page.split()) for page in pages[1:])
    found = tables(path)
    assert "x.h5: Hosts, adapters and cables" in words
    assert found[DEVIATIONS].rows[0][4] in verdicts
    for begin in (SWITCHES, CABLES, PAIRS):
        for row in found[begin].rows:
            assert " ".join(" ".join(row).split()) in words
    pictures = everylink("report", path, "-o", tmp_path / "x.png")[1].split()
    assert pictures == [str(tmp_path / name) for name in ("x.png", "x-verdicts.png", "x-hosts.png")]


@pytest.mark.long
def test_a_pdf_of_hosts_without_anything_to_list_has_no_page_of_them(tmp_path: Path, everylink: Command) -> None:
    path = make_inventory(tmp_path / "x.h5", cluster(HOSTS, rails=1))
    assert everylink("report", path, "-o", tmp_path / "x.pdf")[0] == 0
    assert (tmp_path / "x.pdf").read_bytes().count(b"/Type /Page ") == 1


def test_curves_take_no_topology_file(file: Path, tmp_path: Path, everylink: Command) -> None:
    code, _, said = everylink("report", file, "--curves", "--topology", "t", "-o", tmp_path / "x.pdf")
    assert (code, said) == (2, "everylink: --topology t: does not apply to --curves\n")


@pytest.mark.skipif(shutil.which("pdftotext") is None, reason="needs pdftotext (poppler-utils)")
@pytest.mark.long
def test_a_pdf_has_a_page_that_says_what_diagnose_says(tmp_path: Path, everylink: Command) -> None:
    path, options = tmp_path / "x.h5", ("--hosts", 16, "--group-size", 4, "--fault", "slow-host:n2*0.5")
    assert everylink("simulate", *options, "-o", path)[0] == 0
    assert everylink("report", path, "-o", tmp_path / "x.pdf")[0] == 0
    text = subprocess.run(["pdftotext", "-layout", tmp_path / "x.pdf", "-"], capture_output=True, text=True, check=True)
    printed = " ".join(text.stdout.partition("x.h5: Verdicts and structure")[2].split())
    said = " ".join(everylink("diagnose", path)[1].split())
    assert "Structure, no fault:" in said
    assert printed.startswith(said)
