"""The judgement of a large run is stored beside its results, and used only for exactly these."""

import os
from collections.abc import Callable
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import Command
from everylink.io import results_file
from everylink.io.read import read
from everylink.io.stored import StoredRows
from everylink.judge import stored
from everylink.judge.judge import judge
from everylink.judge.stored import FORMAT, _Place, judged_once
from everylink.judge.verdict import Judgement
from everylink.model.groups import Grouping
from everylink.model.results import Results
from everylink.model.rows import STATISTICS
from everylink.simulate.fabric import Fabric, all_links
from fabric_runs import SIZE, fabric_run, renumbered

FAULTS = ("slow-host:n3*0.7", "slow-link:n9>n12*0.6", "dark:n5>n6", "dark-host:n20")


@pytest.fixture
def times_judged(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    """Runs of 16 hosts count as large; one entry for each time that one is judged."""
    judged = []

    def counted(results: Results, grouping: Grouping | None) -> Judgement:
        judged.append(results.path)
        return judge(results, grouping)

    monkeypatch.setattr(stored, "COSTLY_HOSTS", 16)
    monkeypatch.setattr(stored, "judge", counted)
    return judged


@pytest.fixture
def run(tmp_path: Path, everylink: Command) -> Path:
    path = tmp_path / "run.h5"
    planted = [word for fault in FAULTS for word in ("--fault", fault)]
    code, *_ = everylink("simulate", "--hosts", 24, "--ranks-per-host", 2, "--group-size", 8, *planted, "-o", path)
    assert code == 0
    with h5py.File(path, "r+") as file:
        del file["checksums"]  # tests change times
    return path


def _beside(path: Path) -> Path:
    return path.with_name(f"{path.name}.judgement")


@pytest.mark.long
def test_every_command_that_judges_uses_what_the_first_one_stored(
    run: Path, everylink: Command, times_judged: list[Path], tmp_path: Path
) -> None:
    fresh = [everylink(*words, run) for words in (("diagnose", "--format", "json"), ("show",))]
    assert len(times_judged) == 1
    page = tmp_path / "page.html"
    assert everylink("report", run, "-o", page)[0] == 0
    assert [everylink(*words, run) for words in (("diagnose", "--format", "json"), ("show",))] == fresh
    assert len(times_judged) == 1
    assert "n3" in page.read_text()
    _beside(run).unlink()
    assert [everylink(*words, run) for words in (("show",), ("diagnose", "--format", "json"))] == fresh[::-1]
    assert len(times_judged) == 2


def test_what_was_stored_is_the_whole_judgement(everylink: Command, tmp_path: Path, times_judged: list[Path]) -> None:
    run = tmp_path / "run.h5"
    planted = [word for fault in FAULTS for word in ("--fault", fault)]
    everylink("simulate", "--hosts", 48, "--group-size", 16, *planted, "-o", run)
    judgement = judged_once(read(run), None)
    again = judged_once(read(run), None)
    assert len(times_judged) == 1
    assert again == judgement
    assert all((judgement.verdicts, judgement.suspects, judgement.structure))
    ranks = np.arange(48)[:, None], np.arange(48)[None, :]
    (first,), (second,) = judgement.expected, again.expected
    np.testing.assert_array_equal(first.seconds(*ranks), second.seconds(*ranks))


def test_the_judgement_of_a_small_run_is_not_stored(run: Path, everylink: Command) -> None:
    assert everylink("diagnose", run)[0] == 3
    assert not _beside(run).exists()


@pytest.mark.long
def test_other_groups_and_references_are_judged_anew(
    run: Path, everylink: Command, times_judged: list[Path], tmp_path: Path
) -> None:
    everylink("diagnose", run)
    topology = tmp_path / "topology.conf"
    topology.write_text("SwitchName=a Nodes=n[0-11]\nSwitchName=b Nodes=n[12-23]\nSwitchName=top Switches=a,b\n")
    code, out, _ = everylink("diagnose", run, "--topology", topology)
    assert code == 3
    assert len(times_judged) == 2
    before = _beside(run).read_bytes()
    everylink("diagnose", run, "--topology", topology, "--expect", "1GB/s")
    assert _beside(run).read_bytes() == before
    assert everylink("diagnose", run, "--topology", topology) == (3, out, "")
    assert len(times_judged) == 2


def test_another_version_of_the_program_judges_anew(
    run: Path, times_judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    judged_once(read(run), None)
    monkeypatch.setattr(stored, "_program", lambda: b"another")
    judged_once(read(run), None)
    assert len(times_judged) == 2


def _change_one_time(path: Path) -> None:
    """Change one row within the file, and set its time back to what it was."""
    before = path.stat()
    with h5py.File(path, "r+") as file:
        for name in STATISTICS:
            file[f"sizes/{SIZE}/{name}"][7] *= np.float32(1.5)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert path.stat().st_size == before.st_size


def test_results_that_changed_are_judged_anew(run: Path, times_judged: list[Path]) -> None:
    judged_once(read(run), None)
    _change_one_time(run)
    judged_once(read(run), None)
    assert len(times_judged) == 2
    copy = run.with_name("copy.h5")
    copy.write_bytes(run.read_bytes())
    _beside(copy).write_bytes(_beside(run).read_bytes())
    judged_once(read(copy), None)
    assert len(times_judged) == 2  # the same results in another file


@pytest.mark.long
def test_a_file_whose_rows_are_read_on_demand_is_judged_anew_after_every_change(
    run: Path, times_judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_file, "IN_MEMORY", 100)
    assert isinstance(read(run).sizes[0].rows, StoredRows)
    judged_once(read(run), None)
    assert not _beside(run).exists()  # it was written less than two seconds ago: a change might not show
    monkeypatch.setattr(stored, "SETTLED_SECONDS", 0)
    judged_once(read(run), None)
    judged_once(read(run), None)
    assert len(times_judged) == 2
    _change_one_time(run)
    judged_once(read(run), None)
    assert len(times_judged) == 3


def test_a_file_that_changes_while_it_is_judged_is_not_stored(
    run: Path, times_judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(results_file, "IN_MEMORY", 100)
    monkeypatch.setattr(stored, "SETTLED_SECONDS", 0)

    def judged_while_it_changes(results: Results, grouping: Grouping | None) -> Judgement:
        judgement = judge(results, grouping)
        _change_one_time(run)
        return judgement

    monkeypatch.setattr(stored, "judge", judged_while_it_changes)
    judged_once(read(run), None)
    assert not _beside(run).exists()


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda data: b"",
    "truncated": lambda data: data[:-20],
    "one bit": lambda data: data[:-300] + bytes([data[-300] ^ 1]) + data[-299:],
    "one digit": lambda data: data.replace(b"127", b"128").replace(b"0.", b"1."),
    "no line": lambda data: data.replace(b"\n", b""),
    "longer": lambda data: data + b" ",
}


@pytest.mark.parametrize("damage", DAMAGE)
@pytest.mark.one_in(3)
def test_a_damaged_judgement_is_ignored_and_made_anew(
    damage: str, run: Path, everylink: Command, times_judged: list[Path]
) -> None:
    sound = everylink("diagnose", run)
    whole = _beside(run).read_bytes()
    _beside(run).write_bytes(FORMAT if damage == "empty" else DAMAGE[damage](whole))
    assert everylink("diagnose", run) == sound
    assert len(times_judged) == 2
    assert _beside(run).read_bytes() == whole


@pytest.mark.parametrize("text", [b"", b"{}", b"[]", b"null", b'{"verdicts":7}', b"[" * 100_000, b"\xff", b"1e999"])
@pytest.mark.one_in(5)
def test_a_judgement_with_the_right_checksum_and_other_contents_is_ignored(
    text: bytes, run: Path, everylink: Command, times_judged: list[Path]
) -> None:
    sound = everylink("diagnose", run)
    place = _Place.of(read(run), None)
    assert place is not None
    _beside(run).write_bytes(place._head(text) + b"\n" + text)
    assert everylink("diagnose", run) == sound
    assert len(times_judged) == 2


def test_a_file_of_somebody_else_is_neither_used_nor_replaced(
    run: Path, everylink: Command, times_judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    _beside(run).write_bytes(b"my notes on this run")
    sound = everylink("diagnose", run)
    assert _beside(run).read_bytes() == b"my notes on this run"
    _beside(run).unlink()
    _beside(run).mkdir()
    assert everylink("diagnose", run) == sound
    _beside(run).rmdir()
    os.mkfifo(_beside(run))
    assert everylink("diagnose", run) == sound
    _beside(run).unlink()
    with monkeypatch.context() as patch:
        patch.setattr(os, "geteuid", lambda: run.stat().st_uid + 1)
        assert everylink("diagnose", run) == sound  # the results are not this user's own
        assert not _beside(run).exists()
    assert everylink("diagnose", run) == sound
    if os.geteuid() == 0:
        os.chown(_beside(run), 1, 1)
        assert everylink("diagnose", run) == sound
        assert len(times_judged) == 6


@pytest.mark.parametrize("error", [28, 30, 13])  # no space, a read-only file system, no permission
@pytest.mark.one_in(2)
def test_where_nothing_can_be_stored_the_command_works_as_ever(
    error: int, run: Path, everylink: Command, times_judged: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, data: bytes) -> int:
        raise OSError(error, os.strerror(error))

    sound = everylink("diagnose", run)
    _beside(run).unlink()
    monkeypatch.setattr(Path, "write_bytes", fail)
    assert everylink("diagnose", run) == sound
    assert sorted(path.name for path in run.parent.iterdir()) == ["run.h5"]


def test_results_of_no_file_are_judged_as_ever(times_judged: list[Path]) -> None:
    results = fabric_run("slow-host:n3*0.7")
    assert judged_once(results, None) == judge(results)
    assert not _beside(results.path).exists()


@pytest.mark.parametrize("both", [True, False])
def test_the_expected_time_of_a_link_is_that_of_healthy_links_of_its_class(both: bool) -> None:
    options = {"hosts": 24, "ranks_per_host": 2, "group_size": 8, "both_directions": both}
    results = fabric_run("slow-host:n3*0.7", "slow-link:n9>n12*0.6", **options)  # type: ignore[arg-type]
    (expected,) = judge(results).expected
    frm, to = all_links(48)
    truth = Fabric(**options).true_times(frm, to, SIZE)  # type: ignore[arg-type]
    beyond = expected.seconds(frm, to) / truth - 1
    assert expected.bytes == SIZE
    np.testing.assert_array_equal(np.isnan(beyond), frm // 2 == to // 2)
    assert np.nanmax(np.abs(beyond)) < 0.01


def test_the_expected_time_of_a_link_knows_kinds_of_hosts_and_places_of_ranks() -> None:
    """Ranks 1 of all hosts are slow by design, as on the far socket."""
    results = fabric_run(*(f"slow-rank:n{host}:1*0.8" for host in range(16)), hosts=16, ranks_per_host=2, group_size=16)
    (expected,) = judge(renumbered(results, 5)).expected
    (plain,) = judge(results).expected
    place = np.arange(32) % 2
    times = plain.seconds(np.arange(32)[:, None], np.arange(32)[None, :])
    near = float(np.nanmean(times[np.ix_(place == 0, place == 0)]))
    far = float(np.nanmean(times[np.ix_(place == 0, place == 1)]))
    assert far / near == pytest.approx(1 / 0.8, rel=0.02)
    assert (
        sorted(np.unique(expected.seconds(np.arange(32)[:, None], np.arange(32)[None, :]).round(9)))[:2]
        == sorted(np.unique(times.round(9)))[:2]
    )
