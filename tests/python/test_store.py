"""A store keeps every run that it was given, whatever happens to those who write it (docs/history.md)."""

import errno
import json
import os
import shutil
import sqlite3
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from conftest import Command
from everylink.cli import main
from everylink.cli.kinds import judged
from everylink.deviation.scale import FAILED, factors
from everylink.errors import EverylinkError
from everylink.store.folder import HOSTS, LINKS, read_links
from everylink.store.index import index_of
from everylink.store.keep import Kept, thin_out
from everylink.store.layout import MARKER, Store, opened_or_new
from everylink.store.since import since_last
from everylink.store.summary import Summary
from inventories import cluster, make_inventory
from make_results import make_results
from stores import kept, night, nights, run_kept, time_of

SLOW = "slow-host:n3*0.7"


def names(store: Store) -> list[str]:
    return [one.name for one in index_of(store).nights()]


def last(store: Store) -> Summary:
    return index_of(store).nights()[-1].summary


# --- what is kept ----------------------------------------------------------------------------------------------
def test_a_run_comes_back_as_it_was_measured(tmp_path: Path) -> None:
    _, index = nights(tmp_path / "s", [[SLOW, "dark:n1>n2"]])
    (one,) = index.nights()
    results = night(1, [SLOW, "dark:n1>n2"])
    links = results.sizes[0].links
    there = read_links(one.folder, 1, 12)
    assert there is not None
    frm, to = (end[~links.failed] for end in (links.frm, links.to))
    seconds = np.exp(there.reference(0).log_seconds(frm, to)) * factors(there.codes(0, slice(None))[frm, to])
    assert np.abs(seconds / links.median[~links.failed] - 1).max() < 0.0063, "half a step of 1.26 %"
    assert there.codes(0, slice(1, 2))[0, 2] == FAILED
    assert one.numbers.failed[0].tolist() == [0, 2, 2, *[0] * 9]
    assert one.numbers.send[0, 3] > 0.3
    assert abs(one.numbers.send[0, 5]) < 0.02
    assert {seen.key for seen in index.findings([one])[0]} == {"host n3", "pair n1 n2"}


def test_a_folder_is_as_it_was_or_not_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = nights(tmp_path / "s", [[]])

    def full(self: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "rename", full)
    with pytest.raises(EverylinkError, match=r"No space left on device; the run is kept in .*incoming/new"):
        kept(store, night(2))
    monkeypatch.undo()
    assert len(names(store)) == 1
    assert len(store.unfinished()) == 1


def test_a_full_disk_leaves_what_was_measured_and_says_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = nights(tmp_path / "s", [[]])

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(np, "savez_compressed", full)
    with pytest.raises(EverylinkError, match=r"incoming/new: cannot be written: No space left .* is kept there"):
        kept(store, night(2))
    assert len(names(store)) == 1


def test_two_writers_at_once_lose_nothing(tmp_path: Path) -> None:
    store = opened_or_new(tmp_path / "s")
    runs = [judged(night(day)) for day in range(1, 7)]  # here: warnings are caught for all threads together
    threads = [threading.Thread(target=run_kept, args=(store, run)) for run in runs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(store)) == 6
    assert not store.unfinished()


def test_an_index_of_another_writer_is_completed(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [[], []])
    theirs = store.index.read_bytes()
    kept(store, night(3))
    assert len(names(store)) == 3
    store.index.write_bytes(theirs)  # renamed last, by who had not seen the third
    assert len(names(store)) == 3


@pytest.mark.parametrize("damage", [b"", b"no database", None])
def test_an_index_that_is_damaged_or_missing_is_made_again(tmp_path: Path, damage: bytes | None) -> None:
    store, index = nights(tmp_path / "s", [[], [SLOW]])
    if damage is None:
        store.index.unlink()
    else:
        store.index.write_bytes(damage or store.index.read_bytes()[:5000])
    again = index_of(store)
    assert [one.summary for one in again.nights()] == [one.summary for one in index.nights()]
    assert sqlite3.connect(store.index).execute("SELECT count(*) FROM findings").fetchone() == (1,)


def test_a_store_that_may_only_be_read_answers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    store, _ = nights(tmp_path / "s", [[], []])
    store.index.unlink()

    def refused(*_: object) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("everylink.store.index.os.fsync", refused)
    index = index_of(store)
    assert len(index) == 2
    assert index.notes == [
        f"{store.index}: the index cannot be written (Permission denied), so it is made for each question"
    ]
    assert list(store.path.glob("index*")) == []


# --- bad input -------------------------------------------------------------------------------------------------
@pytest.mark.parametrize("file", ["run.json", HOSTS])
def test_a_damaged_folder_is_named_and_the_rest_is_used(tmp_path: Path, file: str) -> None:
    store, index = nights(tmp_path / "s", [[], [], []])
    damaged = index.nights()[1].folder
    data = bytearray((damaged / file).read_bytes())
    data[len(data) // 2] ^= 1
    (damaged / file).write_bytes(data)
    index = index_of(store, anew=True)
    assert len(index) == 2
    assert [note.partition(": left out, ")[0] for note in index.notes] == [str(damaged)]


def test_a_run_that_is_there_twice_counts_once(tmp_path: Path) -> None:
    store, index = nights(tmp_path / "s", [[], []])
    first = index.nights()[0].folder
    shutil.copytree(first, first.with_name("2026-12-01-copy"))
    index = index_of(store)
    assert len(index) == 2
    assert index.notes == [f"{first.with_name('2026-12-01-copy')}: left out, the same run as {first}"]


def test_a_check_whose_clock_went_back_is_the_newest_nevertheless(tmp_path: Path) -> None:
    store, _ = nights(tmp_path / "s", [[], [], []])
    kept(store, night(2, hosts=11), is_check=True)
    assert (last(store).time, last(store).clock_went_back) == (time_of(2), True)
    kept(store, night(9), is_check=True)
    assert (last(store).time, last(store).clock_went_back) == (time_of(9), False)
    kept(store, night(8))
    assert last(store).time == time_of(9), "what is added later is ordered by its time"


def test_thinning_counts_days_with_runs_and_keeps_every_run(tmp_path: Path) -> None:
    store, index = nights(tmp_path / "s", [[], [], [], []])
    for one in index.nights():
        (one.folder / "results.h5").write_bytes(b"x" * 10)
    assert thin_out(store, index, Kept(links=2, results=1))[0] == 5
    assert [(one.folder / LINKS).exists() for one in index.nights()] == [False, False, True, True]
    assert [(one.folder / "results.h5").exists() for one in index.nights()] == [False, False, False, True]
    assert len(index_of(store, anew=True)) == 4
    assert index_of(store).notes == []


def test_what_a_killed_writer_left_of_an_index_goes_after_a_day(tmp_path: Path) -> None:
    store, index = nights(tmp_path / "s", [[]])
    for name, age in (("1", 2 * 86400), ("2", 60)):
        left = store.index.with_name(f"index.sqlite.{name}.new")
        left.touch()
        os.utime(left, (left.stat().st_mtime - age,) * 2)
    thin_out(store, index, Kept())
    assert [path.name for path in store.path.glob("*.new")] == ["index.sqlite.2.new"]


# --- the command -----------------------------------------------------------------------------------------------
def test_the_command_lists_adds_and_verifies(tmp_path: Path, everylink: Command, file: Path) -> None:
    there = tmp_path / "s"
    code, out, err = everylink("store", "--store", there, "--add", file)
    assert (code, err) == (0, "")
    assert out.splitlines()[0].startswith(f"{there}: 1 run, 2026-11-21 to 2026-11-21, ")
    assert everylink("store", "--store", there, "--add", file)[2].startswith(f"everylink: {file}: is already in the")
    said = json.loads(everylink("store", "--store", there, "--format", "json", "--verify")[1])
    assert [run["time"] for run in said["runs"]] == ["2026-11-21T21:42:00Z"]
    folder = Path(said["runs"][0]["folder"])
    (folder / LINKS).write_bytes(b"?")
    code, out, _ = everylink("store", "--store", there, "--verify")
    assert code == 3
    assert f"{folder}: {LINKS} does not fit its checksum" in out


def test_what_is_no_store_is_refused_in_a_sentence(tmp_path: Path, everylink: Command) -> None:
    store, _ = nights(tmp_path / "s", [[]])
    (tmp_path / "other").mkdir()
    (tmp_path / "other/file").touch()
    for path, said in (
        (tmp_path / "none", "there is no such store"),
        (tmp_path / "other", f"is not a store: it has no {MARKER}"),
        (tmp_path / "other/file", "is not a folder"),
    ):
        code, _, err = everylink("store", "--store", path)
        assert code == 2
        assert err.startswith(f"everylink: {path}: {said}; everylink check --store")
    (store.path / MARKER).write_text('{"schema": "everylink-store/2"}')
    assert "is a store of version 2, this Everylink reads version 1" in everylink("store", "--store", store.path)[2]
    (store.path / MARKER).write_text("{")
    assert (
        'is damaged; if runs/ beside it has runs, write {"schema": "everylink-store/1"} into it'
        in (everylink("store", "--store", store.path)[2])
    )
    assert everylink("store", "--store", tmp_path / "other", "--add", "x.h5")[0] == 2


# --- what is new -----------------------------------------------------------------------------------------------
def test_new_known_and_cured_are_told_apart(tmp_path: Path) -> None:
    store, index = nights(tmp_path / "s", [["slow-host:n1*0.7", SLOW]])
    kept(store, night(2, [SLOW, "slow-host:n5*0.7"]))
    since = since_last(index, _with_findings(store))
    assert [[one.key for one in part] for part in (since.new, since.known, since.cured)] == [
        ["host n5"], ["host n3"], ["host n1"],
    ]  # fmt: skip
    assert str(since) == "store: run 2; since 2026-11-01: 1 new, 1 known, 1 cured (host n1)"


def test_a_host_that_was_not_measured_is_not_cured_and_still_known_afterwards(tmp_path: Path) -> None:
    store, index = nights(tmp_path / "s", [["slow-host:n11*0.7"]])
    kept(store, night(2, hosts=11))
    assert not since_last(index, _with_findings(store)).cured
    index = index_of(store)
    kept(store, night(3, ["slow-host:n11*0.7"]))
    since = since_last(index, _with_findings(store))
    assert [one.key for one in since.known] == ["host n11"]


def _with_findings(store: Store) -> Summary:
    from everylink.store.folder import read_summary

    return read_summary(index_of(store).nights()[-1].folder)[0]


# --- what hosts are --------------------------------------------------------------------------------------------
@pytest.mark.long
def test_what_changed_on_hosts_is_known_also_of_one_that_was_away(tmp_path: Path, everylink: Command) -> None:
    for day, firmware, count in ((1, "1.0", 4), (2, "1.0", 3), (3, "2.0", 4)):
        machines = cluster(count)
        for machine in machines:
            machine.facts["host", "kernel"] = firmware
        made = make_inventory(tmp_path / f"{day}.h5", machines, attributes={"created": time_of(day)})
        everylink("store", "--store", tmp_path / "s", "--add", made)
    index = index_of(opened_or_new(tmp_path / "s"))
    changes = [[(one.hosts, one.before, one.after) for one in index.changes(night)] for night in index.nights()]
    assert changes[:2] == [[], []]
    assert sorted(changes[2]) == [(("n00", "n01", "n02"), "1.0", "2.0"), (("n03",), "1.0", "2.0")]


# --- real processes --------------------------------------------------------------------------------------------
@pytest.mark.long("half a minute")
def test_writers_that_are_killed_at_any_time_lose_nothing_and_leave_nothing_locked(tmp_path: Path) -> None:
    store = tmp_path / "s"
    runs = [make_results(tmp_path / f"{day}.h5", attributes={"created": time_of(day)}) for day in range(1, 13)]
    adding = [sys.executable, "-m", "everylink", "store", "--store", str(store), "--quiet", "--add"]
    for number, run in enumerate(runs):
        writer = subprocess.Popen([*adding, str(run)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            writer.wait(0.4 + 0.15 * number)
        except subprocess.TimeoutExpired:
            writer.kill()
            writer.wait()
    survived = len(index_of(opened_or_new(store)))
    for run in runs:  # those that are there already are refused
        subprocess.run([*adding, str(run)], check=False, capture_output=True)
    index = index_of(opened_or_new(store))
    assert survived <= len(index) == 12
    assert index.notes == []
    assert main(["store", "--store", str(store), "--verify"]) == 0


@pytest.mark.long("root, and a file system in memory")
def test_a_disk_that_is_really_full_leaves_the_store_as_it_was(tmp_path: Path, everylink: Command) -> None:
    mount = ["mount", "-t", "tmpfs", "-o", "size=512k", "none", str(tmp_path)]
    if os.geteuid() != 0 or subprocess.run(mount, check=False, capture_output=True).returncode:
        pytest.skip("needs root and tmpfs")
    try:
        store, _ = nights(tmp_path / "s", [[], []])
        with suppress(OSError):
            (tmp_path / "fills").write_bytes(bytes(2**20))
        with pytest.raises(EverylinkError, match="No space left on device"):
            kept(store, night(3, hosts=40))
        assert len(names(store)) == 2
        assert everylink("history", "--store", store.path, "--quiet")[0] == 0
        (tmp_path / "fills").unlink()
        kept(store, night(3))
        assert len(names(store)) == 3
    finally:
        subprocess.run(["umount", str(tmp_path)], check=True)
