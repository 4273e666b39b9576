"""The group /inventory: read on first use, checked as every other column, kept by merging and converting."""

import shutil
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import Command
from damage import Recipe, attribute, column, cut_to, first_value, flip, inside, instead, without
from everylink.errors import FileDamaged
from everylink.io.read import read
from everylink.io.results_file import write_results
from everylink.model.inventory import Moment, group
from hostile import EXAMPLES, MEMORY, damaged_by, shown, spoiled
from inventories import Machine, cluster, make_inventory
from make_results import make_results

REFUSED: dict[str, Recipe] = {
    "no texts": without("inventory/texts"),
    "no column of texts": without("inventory/texts/text"),
    "texts that are numbers": instead("inventory/texts/text", np.zeros(500, "u4")),
    "texts of variable length": column("inventory/texts/text", data=["n"] * 500, dtype=h5py.string_dtype()),
    "texts that begin with a word": first_value("inventory/texts/text", b"word"),
    "no facts": without("inventory/facts"),
    "no column of facts": without("inventory/facts/value"),
    "no counters": without("inventory/counters"),
    "no readings": without("inventory/readings"),
    "no carried": without("inventory/carried"),
    "no retransmits": without("inventory/retransmits"),
    "facts that are a column": instead("inventory/facts", np.zeros(9, "u4")),
    "a column is a group": inside(lambda file: (file.__delitem__("inventory/facts/part"),
                                                file.create_group("inventory/facts/part"))[0]),
    "a column is a table": instead("inventory/counters/value", np.zeros((12, 2), "u8")),
    "a column is one number": instead("inventory/counters/value", np.uint64(1)),
    "a column is too short": instead("inventory/facts/name", np.zeros(3, "u4")),
    "a column of text": instead("inventory/facts/host", [b"1"] * 12),
    "a column of fractions": instead("inventory/counters/host", np.full(12, 0.5)),
    "a column of signed numbers": instead("inventory/readings/rank", np.full(24, -1, "i8")),
    "a host that does not exist": first_value("inventory/facts/host", 8),
    "a host of a counter that does not exist": first_value("inventory/counters/host", 2**32 - 1),
    "a reading of no host": first_value("inventory/readings/host", 8),
    "a text that does not exist": first_value("inventory/facts/value", 2**31),
    "a part that does not exist": first_value("inventory/counters/part", 2**32 - 1),
    "a name that does not exist": first_value("inventory/facts/name", 2**32 - 1),
    "a rank that does not exist": first_value("inventory/readings/rank", 8),
    "bytes of a rank that does not exist": first_value("inventory/carried/rank", 8),
    "retransmits of a rank that does not exist": first_value("inventory/retransmits/rank", 8),
    "retransmits to a rank that does not exist": first_value("inventory/retransmits/to", 8),
    "a link to elsewhere": instead("inventory/facts/part", h5py.ExternalLink("/dev/zero", "/")),
    "a link to nowhere": instead("inventory/counters", h5py.SoftLink("/nowhere")),
    "a group in itself": inside(lambda file: file.__setitem__("inventory/facts/part2", file["inventory"])),
}  # fmt: skip
READ: dict[str, Recipe] = {
    "a reading beyond all": first_value("inventory/facts/reading", 2**32 - 1),
    "a moment that does not exist": first_value("inventory/readings/moment", 255),
    "a time that is none": first_value("inventory/readings/began", np.nan),
    "the largest counter": first_value("inventory/counters/value", 2**64 - 1),
    "the most bytes": first_value("inventory/carried/sent", 2**64 - 1),
    "an attribute of another": attribute("colour", 7, "inventory"),
    "names that no terminal should obey": inside(
        lambda file: file["inventory/texts/text"].__setitem__(1, b"\x1b]0;owned\x07")
    ),
    "names in no encoding": inside(lambda file: file["inventory/texts/text"].__setitem__(2, b"\xff\xfe\xed")),
}
del REFUSED["a group in itself"]  # a group that nobody asks for is no damage
READ["a group in itself"] = inside(lambda file: file.__setitem__("inventory/facts/part2", file["inventory"]))


@pytest.fixture
def good(tmp_path: Path) -> Path:
    machines = cluster(8)
    machines[2].resent = {5: 40}
    return make_inventory(tmp_path / "x.h5", machines)


@pytest.mark.parametrize("recipe", damaged_by(REFUSED))
@pytest.mark.one_in(4)
def test_a_damaged_inventory_is_refused_in_one_line(recipe: Recipe, good: Path) -> None:
    recipe(good)
    code, said, memory = shown("inventory", good)
    assert code == 2, said
    assert said.startswith(f"everylink: {good}: ")
    assert said.count("\n") == 1, said
    assert memory < MEMORY


@pytest.mark.parametrize("recipe", damaged_by(READ))
def test_an_unusual_inventory_is_shown(recipe: Recipe, good: Path) -> None:
    recipe(good)
    code, said, _ = shown("inventory", good)
    assert code in (0, 3), said
    assert said == ""


@pytest.mark.long
@pytest.mark.parametrize("where", ["facts/value", "counters/value", "texts/text", "readings/host", "carried/sent"])
def test_an_inventory_that_does_not_fit_its_checksums_is_named_and_not_used(
    where: str, good: Path, tmp_path: Path, everylink: Command
) -> None:
    path = tmp_path / "checked.h5"
    write_results(replace(read(good), path=path))
    assert read(path).left_out == ()
    flip(path, f"inventory/{where}", 3)
    damage = f"what was read of the hosts is damaged ({where.split('/')[0]}), and not used"
    assert read(path).left_out == (damage,)
    assert len(read(path).inventory) == 0
    assert damage in everylink("diagnose", path)[1]
    assert everylink("inventory", path)[::2] == (2, f"everylink: {path}: {damage}\n")


def test_what_does_not_need_the_inventory_does_not_read_it(good: Path) -> None:
    without("inventory/facts/value")(good)
    assert shown("export", good, "--what", "slowest")[:2] == (0, "")
    with pytest.raises(FileDamaged, match="inventory/facts/value is missing"):
        read(good).inventory  # noqa: B018


def test_a_truncated_file_is_refused(good: Path) -> None:
    cut_to(0.9)(good)
    assert shown("inventory", good)[0] == 2


@settings(max_examples=EXAMPLES)
@given(seed=st.integers(0, 2**32), changes=st.sampled_from([1, 1, 1, 2, 4, 16]))
def test_a_randomly_damaged_inventory_is_read_or_refused_in_one_line(
    tmp_path_factory: pytest.TempPathFactory, seed: int, changes: int
) -> None:
    folder = tmp_path_factory.getbasetemp()
    whole = folder / "whole-inventory.h5"
    if not whole.exists():
        make_inventory(whole, cluster(3, rails=1))
    path = folder / "spoiled-inventory.h5"
    path.write_bytes(spoiled(whole.read_bytes(), seed, changes))
    code, said, memory = shown("inventory", path)
    assert memory < MEMORY
    assert (code in (0, 3) and said == "") or (code == 2 and said.count("\n") == 1), said


def test_while_a_run_goes_on_columns_of_different_length_are_read_as_far_as_all_go(good: Path) -> None:
    attribute("complete", 0)(good)
    known = len(read(good).inventory.facts.host)
    inside(lambda file: file["inventory/facts/value"].resize((known - 5,)))(good)
    assert len(read(good).inventory.facts.host) == known - 5


def test_after_a_kill_rows_that_name_texts_which_are_not_there_are_left_out(good: Path) -> None:
    attribute("complete", 0)(good)
    inventory = read(good).inventory
    last = len(inventory.texts) - 1
    inside(lambda file: file.__setitem__("inventory/texts/text2", file["inventory/texts/text"][:last]))(good)
    inside(
        lambda file: (
            file.__delitem__("inventory/texts/text"),
            file.move("inventory/texts/text2", "inventory/texts/text"),
        )[0]
    )(good)
    without_last = sum(int((getattr(inventory.facts, name) == last).sum()) for name in ("part", "name", "value"))
    without_last += sum(int((getattr(inventory.counters, name) == last).sum()) for name in ("part", "name"))
    assert without_last > 0
    assert len(read(good).inventory) == len(inventory) - without_last


def test_an_older_file_has_no_inventory_and_says_so(file: Path, everylink: Command) -> None:
    assert len(read(file).inventory) == 0
    code, _, said = everylink("inventory", file)
    assert (code, said.count("\n")) == (2, 1)
    assert "has no inventory" in said


def test_values_are_those_that_were_read_last(tmp_path: Path) -> None:
    machines = cluster(3)
    function, speed = "pci/0000:10:00.0", "current_link_speed"
    machines[1].loaded[function, speed] = "8.0 GT/s PCIe"
    inventory = read(make_inventory(tmp_path / "x.h5", machines)).inventory
    assert inventory.value_of(1, function, speed) == "2.5 GT/s PCIe"
    assert inventory.value_of(1, "host", "nothing") == inventory.value_of(1, "nothing", speed) == ""
    hosts, values = inventory.over_hosts("host", "kernel")
    assert hosts.tolist() == [0, 1, 2]
    assert values == ("5.14.0-503.el9.x86_64",) * 3
    row = inventory.row
    assert inventory.texts[inventory.loaded.at(row(function), row(speed), hosts)[1]] == "8.0 GT/s PCIe"


def test_a_fact_that_is_no_longer_known_is_not_shown(tmp_path: Path) -> None:
    machines = cluster(2)
    machines[0].loaded["host", "extra"] = "there"
    inventory = read(make_inventory(tmp_path / "x.h5", machines)).inventory
    assert inventory.value_of(0, "host", "extra") == ""


def same(a: Any, b: Any) -> bool:
    """Whether two inventories have the same facts and counters, whatever the rows of their texts."""

    def entries(inventory: Any) -> list[tuple[Any, ...]]:
        texts = inventory.texts
        facts = [
            (h, r, texts[p], texts[n], texts[v])
            for h, r, p, n, v in zip(*(c.tolist() for c in vars(inventory.facts).values()), strict=True)
        ]
        counters = [
            (h, r, texts[p], texts[n], v)
            for h, r, p, n, v in zip(*(c.tolist() for c in vars(inventory.counters).values()), strict=True)
        ]
        others = (inventory.carried, inventory.retransmits)
        return [*facts, *counters, *(column.tolist() for one in others for column in vars(one).values())]

    return entries(a) == entries(b)


@pytest.mark.parametrize("way", ["npz", "sion", "h5"])
def test_converting_and_writing_keep_the_inventory(way: str, good: Path, tmp_path: Path, everylink: Command) -> None:
    new = tmp_path / f"new.{way}"
    if way == "h5":
        from dataclasses import replace

        write_results(replace(read(good), path=new))
    else:
        code, said, _ = everylink("convert", good, new)
        assert code == 0
        assert "inventory" not in said
    assert same(read(good).inventory, read(new).inventory)


def test_a_matrix_says_that_it_leaves_the_inventory_out(good: Path, tmp_path: Path, everylink: Command) -> None:
    code, said, _ = everylink("convert", good, tmp_path / "x.csv")
    assert code == 0
    assert ".csv does not hold the inventory of the hosts" in said


def run(path: Path, change: Callable[[list[Machine]], None]) -> Path:
    machines = cluster(3)
    change(machines)
    return make_inventory(path, machines)


@pytest.mark.long
@pytest.mark.parametrize("by", ["median", "min"])
def test_merging_keeps_the_readings_of_each_run(by: str, tmp_path: Path, everylink: Command) -> None:
    one = run(tmp_path / "one.h5", lambda machines: machines[0].grow("ib/mlx5_0/1", "counters/symbol_error", 5))
    two = run(tmp_path / "two.h5", lambda machines: machines[1].facts.update({("host", "governor"): "powersave"}))
    assert everylink("merge", one, two, "--by", by, "-o", tmp_path / "both.h5")[0] == 0
    both = read(tmp_path / "both.h5").inventory
    assert both.readings.reading.max() == 5
    assert np.count_nonzero(both.readings.moment == Moment.BEFORE) == 6
    assert both.value_of(1, "host", "governor") == "powersave"
    assert len(both) == len(read(one).inventory) + len(read(two).inventory)
    code, said, _ = everylink("inventory", tmp_path / "both.h5")
    assert code == 0
    assert "symbol_error of ib/mlx5_0/1 grew by 5" in said
    assert "governor powersave; the other 2 have performance" in said


def test_merging_files_without_inventory_makes_one_without(tmp_path: Path, everylink: Command) -> None:
    make_results(tmp_path / "a.h5")
    shutil.copy(tmp_path / "a.h5", tmp_path / "b.h5")
    everylink("merge", tmp_path / "a.h5", tmp_path / "b.h5", "--by", "min", "-o", tmp_path / "c.h5")
    with h5py.File(tmp_path / "c.h5") as file:
        assert "inventory" not in file


@pytest.mark.parametrize("most", [3, 2**16, 2**17, 2**32])
def test_entries_are_grouped_by_part_name_and_host_in_the_order_of_readings(most: int) -> None:
    draw = np.random.default_rng(1)
    part, name, host, reading = (draw.integers(0, n, 5000).astype(np.uint32) for n in (3, most, 3, most))
    grouped = group(part, name, host, reading)
    rows = sorted(zip(part.tolist(), name.tolist(), host.tolist(), reading.tolist(), range(5000), strict=True))
    assert grouped.order.tolist() == [row[4] for row in rows]
    starts = [i for i, row in enumerate(rows) if i == 0 or row[:3] != rows[i - 1][:3]]
    assert grouped.begins.tolist() == starts
    assert grouped.ends.tolist() == [*starts[1:], 5000]
    assert list(zip(grouped.part.tolist(), grouped.name.tolist(), grouped.host.tolist(), strict=True)) == [
        rows[i][:3] for i in starts
    ]


@pytest.mark.parametrize("command", ["show", "diagnose", "inventory"])
@pytest.mark.one_in(2)
def test_a_run_that_was_killed_before_a_host_was_read_has_an_empty_inventory(
    command: str, good: Path, everylink: Command
) -> None:
    instead("inventory/texts/text", np.array([], "S256"))(good)
    assert everylink("inventory", good)[0] == 2  # of a run that ended, it is damaged
    attribute("complete", 0)(good)
    code, said, error = everylink(command, good)
    assert "damaged" not in error, said
    assert code != 2 or "has no inventory" in error
