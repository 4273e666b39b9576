"""`everylink bundle`: everything on one host, and nothing of the others."""

import csv
import io
import json
import re
import tarfile
from pathlib import Path

import pytest

from conftest import Command
from everylink.io.read import read
from everylink.text.bundle import Subject, subject_of
from inventories import Machine, cluster, machine, make_inventory
from make_loads import make_all_to_all
from make_results import Link, all_links, make_results, steady

SECRET = "everylink-measure --np 8 --key s3cr3t"


def slow_host_3(link: Link, size: int) -> float:
    return steady(link, size) * (3 if 3 in link else 1)


def opened(path: Path) -> dict[str, bytes]:
    """The files of an archive, all of which are below one folder."""
    with tarfile.open(path) as archive:
        assert {member.uname for member in archive} == {""}
        return {
            member.name: archive.extractfile(member).read()  # type: ignore[union-attr]
            for member in archive.getmembers()
        }


@pytest.fixture
def machines() -> list[Machine]:
    made = cluster(8, fabric="roce")
    for one in (3, 5):
        made[one].facts["ib/mlx5_0/1", "rate"] = "200 Gb/sec (4X HDR)"
    made[3].grow("ib/mlx5_1/1", "counters/symbol_error", 12)
    made[3].facts["net/eth1", "ip"] = made[6].facts["net/eth1", "ip"]
    return made


@pytest.fixture
def bundle(machines: list[Machine], tmp_path: Path, everylink: Command) -> dict[str, bytes]:
    file = make_inventory(
        tmp_path / "x.h5", machines, sizes=(8, 65536), time=slow_host_3, attributes={"command": SECRET},
        remarks=["hosts n01 and n02 are close"],
    )  # fmt: skip
    code, said, _ = everylink("bundle", "n03", file, "-o", tmp_path / "n03.tar.gz")
    assert (code, said) == (0, f"{tmp_path / 'n03.tar.gz'}: 7 files on n03\n")
    return opened(tmp_path / "n03.tar.gz")


@pytest.mark.long
def test_it_has_verdicts_rows_inventory_counters_and_plots(bundle: dict[str, bytes]) -> None:
    files = {name.removeprefix("n03/"): content for name, content in bundle.items()}
    assert sorted(files) == [
        "README.txt", "bundle.json", "counters.csv", "inventory.txt", "links.csv", "links.png", "verdicts.txt"
    ]  # fmt: skip
    assert b"host n03: slow, 2.98x the time" in files["verdicts.txt"]
    assert b"critical: n03, host-5: rate 200 Gb/sec (4X HDR) of ib/mlx5_0/1" in files["inventory.txt"]
    assert b"ib/mlx5_0/1\n  gid: " in files["inventory.txt"]
    assert b"ib/mlx5_1/1,counters/symbol_error," in files["counters.csv"]
    assert b',12,"a bad cable' in files["counters.csv"]
    assert files["links.png"].startswith(b"\x89PNG")
    rows = list(csv.DictReader(io.StringIO(files["links.csv"].decode())))
    assert len(rows) == 2 * sum(3 in link for link in all_links(8))
    assert {row["host_from"] for row in rows} == {"n03", *(f"host-{number}" for number in range(1, 8))}
    assert float(rows[0]["median"]) == pytest.approx(slow_host_3((int(rows[0]["from"]), int(rows[0]["to"])), 8))
    found = json.loads(files["bundle.json"])
    assert (found["schema"], found["host"]) == ("everylink-bundle/1", "n03")
    assert found["verdicts"][0]["subject"] == ["n03"]
    assert {one["name"] for one in found["deviations"]} == {"rate", "counters/symbol_error", "ip"}


def foreign(machines: list[Machine], own: Machine) -> set[str]:
    """Every name and address of the other hosts."""
    kinds = ("address", "ip", "node_guid", "sys_image_guid", "gid", "boot_id", "name")
    words = {
        word.strip().partition("/")[0]
        for one in machines
        if one is not own
        for (_, name), value in one.facts.items()
        if name in kinds
        for word in value.split(",")
    }
    mine = {word.strip().partition("/")[0] for value in own.facts.values() for word in value.split(",")}
    return words | {one.name for one in machines if one is not own} - mine


def test_no_other_host_no_address_of_one_and_no_command_is_in_it(
    bundle: dict[str, bytes], machines: list[Machine]
) -> None:
    words = foreign(machines, machines[3]) - {"10.1.0.6", "172.17.0.1", "02:42:00:00:00:01"}  # those it has, too
    assert len(words) > 40
    for name, content in bundle.items():
        text = content.decode("latin-1")
        for word in words:
            assert not re.search(rf"(?<![\w.:]){re.escape(word)}(?![\w.:])", text), (name, word)
        assert "s3cr3t" not in text
        assert "np 8" not in text


@pytest.mark.parametrize(
    ("text", "hidden"),
    [
        ("n3 is slow to n1:4 and n1.site", "n3 is slow to host-2:4 and host-2"),
        ("links of n[0-3]", "links of host-1, host-2, host-3, n3"),
        ("ib/mlx5_[0-1]", "ib/mlx5_[0-1]"),
        ("n1, n2.", "host-2, host-3."),
        ("n10 of n1n", "n10 of n1n"),
    ],
)
def test_names_are_hidden_in_sentences_and_lists(text: str, hidden: str, tmp_path: Path) -> None:
    file = make_results(tmp_path / "x.h5", hosts=["n0.site", "n1.site", "n2.site", "n3.site"])
    assert Subject(read(file), 3).hide(text) == hidden


def test_hosts_that_are_called_as_hidden_ones_keep_apart(tmp_path: Path) -> None:
    file = make_results(tmp_path / "x.h5", hosts=["host-1", "host-2", "host-3"])
    assert Subject(read(file), 0).names == ["host-1", "other-host-1", "other-host-2"]
    assert Subject(read(file), 0).hide("host-2 and host-[2-3]") == "other-host-1 and other-host-1, other-host-2"


def test_a_file_without_inventory_gives_the_rest_and_says_so(file: Path, everylink: Command, tmp_path: Path) -> None:
    code, said, _ = everylink("bundle", "n1", file, "-o", tmp_path / "x.tgz")
    assert code == 0
    assert "has no inventory of its hosts" in said
    assert sorted(opened(tmp_path / "x.tgz")) == [
        "n1/README.txt", "n1/bundle.json", "n1/links.csv", "n1/links.png", "n1/verdicts.txt"
    ]  # fmt: skip


def test_of_a_load_pattern_it_has_the_verdicts_and_flows_of_the_host(tmp_path: Path, everylink: Command) -> None:
    file = make_all_to_all(tmp_path / "x.h5", lambda a, b: 1e8 / (4 if 3 in (a, b) else 1))
    code, said, _ = everylink("bundle", "n3", file, "-o", tmp_path / "x.tgz")
    assert code == 0
    assert f"no plot: {file} has no times of links" in said
    files = opened(tmp_path / "x.tgz")
    assert sorted(files) == ["n3/README.txt", "n3/bundle.json", "n3/flows.csv", "n3/verdicts.txt"]
    assert b"host n3: slow" in files["n3/verdicts.txt"]
    assert b"flows.csv" in files["n3/README.txt"]
    assert b"links.png" not in files["n3/README.txt"]
    rows = list(csv.DictReader(io.StringIO(files["n3/flows.csv"].decode())))
    assert len(rows) == 2 * 7
    assert {row["host from"] for row in rows} == {"n3", *(f"host-{number}" for number in range(1, 8))}
    assert {row["pattern"] for row in rows} == {"all-to-all"}
    assert [float(row["rate (B/s)"]) for row in rows] == pytest.approx([1e8 / 4] * len(rows))


def test_without_output_the_archive_has_the_name_of_the_host(
    file: Path, everylink: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert everylink("bundle", "n1", file)[0] == 0
    assert opened(tmp_path / "n1.tar.gz")
    assert "exists; --force overwrites it" in everylink("bundle", "n1", file)[2]
    assert everylink("bundle", "n1", file, "--force")[0] == 0


def test_mistakes_are_one_line(file: Path, everylink: Command, tmp_path: Path) -> None:
    code, _, said = everylink("bundle", "n7", file)
    assert (code, said.count("\n")) == (2, 1)
    assert "n7" in said
    assert "has no such host" in said
    code, _, said = everylink("bundle", "n1", file, "-o", tmp_path / "x.zip")
    assert (code, "must end in .tar.gz or .tgz" in said) == (2, True)


def test_a_host_is_found_by_its_short_name_unless_two_have_it(tmp_path: Path) -> None:
    results = read(make_results(tmp_path / "x.h5", hosts=["n1.site", "n2.site"]))
    assert subject_of(results, "n2").index == 1


def test_links_that_failed_are_drawn(tmp_path: Path, everylink: Command) -> None:
    machines = [machine(number) for number in range(3)]
    file = make_inventory(tmp_path / "x.h5", machines, outcomes={(0, 1): 1, (1, 0): 2, (1, 2): 1, (2, 1): 1})
    assert everylink("bundle", "n01", file, "-o", tmp_path / "x.tgz")[0] == 0
    rows = opened(tmp_path / "x.tgz")["n01/links.csv"].decode()
    assert "timeout" in rows
    assert "broken" in rows
