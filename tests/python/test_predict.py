"""The cost of a communication pattern: computed by formula on links with known times."""

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Command
from everylink.errors import UserMistake
from everylink.model.results import Results
from everylink.predict.patterns import NAMES, Messages, made_pattern
from everylink.predict.placement import place, placed
from everylink.predict.prediction import exchange, predict, shared
from everylink.predict.times import FAILED, NOT_MEASURED, link_times
from fabric_runs import fabric_run
from inventories import cluster, make_inventory
from make_results import Link, columns_of, make_results, row

Make = Callable[..., Results]
LATENCY, RATE = 1e-6, 1e9
SIZES = (8, 1024, 1 << 20)

pytestmark = pytest.mark.thorough  # not in make quick


def line(link: Link, size: int) -> float:
    """1 us + 1 ns per byte, on every link."""
    return LATENCY + size / RATE


def eight(made: Make, **options: object) -> Results:
    return made(**{"hosts": [f"n{i}" for i in range(8)], "sizes": SIZES, "time": line} | options)


def one(values: int | list[int]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    return np.atleast_1d(np.array(values, np.int64))


def test_a_size_that_was_measured_has_its_own_time_link_by_link(made: Make) -> None:
    times = link_times(eight(made, time=lambda link, size: line(link, size) * (1 + link[0])))
    for size in SIZES:
        found = times.of(one([0, 3]), one([1, 2]), one([size, size]))
        np.testing.assert_allclose(found.seconds, [line((0, 1), size), 4 * line((3, 2), size)], rtol=1e-6)
        assert not found.state.any()


def test_between_two_sizes_times_lie_on_a_straight_line_of_logarithms(made: Make) -> None:
    times = link_times(made(sizes=(100, 10000), time=lambda link, size: 1e-9 * size**0.5))
    found = times.of(one([0, 0, 0]), one([1, 1, 1]), one([100, 1000, 9999]))
    np.testing.assert_allclose(found.seconds, 1e-9 * np.sqrt([100, 1000, 9999]), rtol=1e-6)


def test_below_the_smallest_size_a_message_takes_its_time_above_the_largest_it_has_its_bandwidth(made: Make) -> None:
    times = link_times(eight(made))
    found = times.of(one([0, 0, 0]), one([1, 1, 1]), one([0, 1, 4 << 20]))
    np.testing.assert_allclose(found.seconds, [line((0, 1), 8)] * 2 + [4 * line((0, 1), 1 << 20)], rtol=1e-6)


def test_sizes_of_0_bytes_and_1_byte_do_not_conflict(made: Make) -> None:
    times = link_times(made(sizes=(0, 1, 1024), time=line))
    np.testing.assert_allclose(times.of(one(0), one(1), one(0)).seconds, line((0, 1), 1), rtol=1e-6)


def test_a_link_without_a_time_equals_healthy_links_of_its_kind_and_is_counted(tmp_path: Path) -> None:
    slow = {(a, b) for a in range(8) for b in range(8) if 5 in (a, b)}
    rows = [
        row((a, b), line((a, b), 8) * (3 if (a, b) in slow else 1))
        if (a, b) != (2, 3)
        else row((a, b), float("nan"), outcome=1)
        for a in range(8)
        for b in range(8)
        if a != b and (a, b) != (0, 1)
    ]
    path = make_results(tmp_path / "x.h5", hosts=[f"n{i}" for i in range(8)], columns={8: columns_of(rows)}, sizes=[8])
    from everylink.io.read import read

    found = link_times(read(path)).of(one([0, 2, 5, 1]), one([1, 3, 1, 2]), one([8] * 4))
    assert found.state.tolist() == [NOT_MEASURED, FAILED, 0, 0]
    usual = line((0, 1), 8)
    np.testing.assert_allclose(found.seconds, [usual, usual, 3 * usual, usual], rtol=1e-6)


@pytest.mark.parametrize("pattern", ["ring", "shift:3", "shift"])
def test_a_ring_and_a_shift_take_as_long_as_their_slowest_link(made: Make, pattern: str) -> None:
    run = eight(made, time=lambda link, size: line(link, size) * (1.5 if link[0] == 4 else 1))
    found = predict(made_pattern(pattern, 8, 1 << 20), link_times(run))
    assert found.seconds == pytest.approx(1.5 * line((0, 1), 1 << 20))
    assert found.costly[0].frm == 4
    goes_to = {"ring": 5, "shift:3": 7, "shift": 0}[pattern]
    slow = {4, goes_to}
    assert {rank for rank, t in enumerate(found.rank_seconds) if t > 1.2 * line((0, 1), 1 << 20)} == slow


def test_an_all_to_all_runs_round_after_round(made: Make) -> None:
    found = predict(made_pattern("all-to-all", 8, 1024), link_times(eight(made)))
    np.testing.assert_allclose(found.rank_seconds, 7 * line((0, 1), 1024), rtol=1e-6)
    assert (found.messages, found.bytes) == (56, 56 * 1024)


def test_a_tree_reaches_all_ranks_in_log2_n_phases(made: Make) -> None:
    found = predict(made_pattern("tree", 8, 1024), link_times(eight(made)))
    np.testing.assert_allclose(found.rank_seconds, 3 * line((0, 1), 1024), rtol=1e-6)
    assert found.messages == 7
    unequal = predict(made_pattern("tree", 6, 1024), link_times(made(hosts="abcdef", sizes=SIZES, time=line)))
    assert unequal.messages == 5


def test_messages_of_one_rank_share_its_bandwidth_but_not_their_latency(made: Make) -> None:
    found = predict(made_pattern("stencil3d", 8, 1 << 20), link_times(eight(made)))
    latency = line((0, 1), SIZES[0])
    np.testing.assert_allclose(found.rank_seconds, latency + 3 * (line((0, 1), 1 << 20) - latency), rtol=1e-6)
    assert found.messages == 24


def test_a_short_message_beside_a_long_one_ends_first() -> None:
    np.testing.assert_allclose(shared(one([0, 0, 1]), np.array([1.0, 3.0, 3.0])), [2.0, 4.0, 3.0])


@given(st.lists(st.tuples(st.integers(0, 3), st.floats(0, 10)), min_size=1, max_size=20))
def test_the_longest_message_of_an_end_takes_as_long_as_all_of_them(messages: list[tuple[int, float]]) -> None:
    end, busy = np.array([m[0] for m in messages]), np.array([m[1] for m in messages])
    together = shared(end, busy)
    for which in set(end.tolist()):
        assert together[end == which].max() == pytest.approx(busy[end == which].sum(), abs=1e-9)
    assert (together >= busy - 1e-9).all()


def test_a_rank_begins_a_phase_when_it_has_finished_the_previous_one() -> None:
    tree = made_pattern("tree", 4, 1)

    def times(messages: Messages) -> tuple[np.ndarray, np.ndarray]:
        return np.where(messages.to == 1, 5.0, 1.0), np.zeros(len(messages))

    np.testing.assert_allclose(exchange(tree, times), [6.0, 6.0, 6.0, 6.0])


@pytest.mark.parametrize("ranks", [4, 6, 8, 9, 12, 16, 30, 64])
@pytest.mark.parametrize("name", NAMES)
def test_no_pattern_sends_to_itself_or_beyond_the_ranks(name: str, ranks: int) -> None:
    try:
        pattern = made_pattern(name, ranks, 1)
    except UserMistake:
        assert name == "stencil3d"
        assert ranks in (4, 6, 9)
        return
    for messages in map(pattern.phase, range(pattern.phases)):
        assert ((messages.frm >= 0) & (messages.frm < ranks) & (messages.to >= 0) & (messages.to < ranks)).all()
        assert (messages.frm != messages.to).all()
        assert len(messages)


def test_grids_are_as_square_as_possible_and_count_their_last_side_first() -> None:
    pattern = made_pattern("stencil2d", 12, 1)
    assert pattern.name == "stencil2d:4x3"
    messages = pattern.phase(0)
    neighbours = set(messages.to[messages.frm == 4].tolist())
    assert neighbours == {1, 3, 5, 7}
    assert made_pattern("stencil3d", 64, 1).name == "stencil3d:4x4x4"
    assert made_pattern("stencil2d:2x6", 12, 1).name == "stencil2d:2x6"
    with pytest.raises(UserMistake, match=r"^--pattern stencil2d:2x3: 7 ranks do not form a grid of 2 dimensions"):
        made_pattern("stencil2d:2x3", 7, 1)


def test_faults_are_measured_against_the_fabric_without_them() -> None:
    run = fabric_run("slow-host:n5*0.5", hosts=16, noise=0.005, transient=0.0)
    found = predict(made_pattern("ring", 16, 1 << 20), link_times(run))
    assert 1.9 < found.seconds / found.healthy < 2.1
    assert {5} <= {found.costly[0].frm, found.costly[0].to}
    healthy = fabric_run(hosts=16, noise=0.005, transient=0.0)
    assert predict(made_pattern("ring", 16, 1 << 20), link_times(healthy)).healthy == pytest.approx(
        found.healthy, rel=0.02
    )


@pytest.mark.long
def test_placement_gives_a_slow_host_the_least_traffic() -> None:
    run = fabric_run("slow-host:n5*0.5", hosts=16, sizes=(8, 1 << 20), noise=0.001, transient=0.0)
    pattern, times = made_pattern("stencil2d", 16, 1 << 20), link_times(run)
    found = place(pattern, times)
    assert sorted(found.place.tolist()) == list(range(16))
    corner = int(np.flatnonzero(found.place == 5)[0])
    assert corner in (0, 3, 12, 15)
    assert found.after.seconds < 0.55 * found.before.seconds
    assert predict(placed(pattern, found.place), times).seconds == pytest.approx(found.after.seconds)


@pytest.mark.long
def test_placement_moves_ranks_that_communicate_into_one_group() -> None:
    """A ring whose ranks alternate between groups: nearly every message leaves its group."""
    order = np.arange(16).reshape(4, 4).T.ravel()
    frm, to = order, np.roll(order, -1)
    run = fabric_run(hosts=16, group_size=4, noise=0.001, transient=0.0)
    from everylink.predict.patterns import listed_pattern

    pattern = listed_pattern("ring", 16, frm, to, np.full(16, 1 << 20))
    found = place(pattern, link_times(run))
    kinds = link_times(run).kinds

    def leaving(places: np.ndarray) -> int:
        return int((kinds.group[places[frm]] != kinds.group[places[to]]).sum())

    assert leaving(np.arange(16)) == 16
    assert leaving(found.place) == 4
    assert found.better


@pytest.mark.long
def test_placement_avoids_a_failed_link() -> None:
    run = fabric_run("dark:n1>n2", hosts=16, noise=0.001, transient=0.0)
    found = place(made_pattern("ring", 16, 1 << 20), link_times(run))
    assert (found.before.failed, found.after.failed) == (1, 0)
    assert found.better


def test_placement_does_not_matter_in_an_all_to_all() -> None:
    run = fabric_run("slow-host:n5*0.5", hosts=16)
    found = place(made_pattern("all-to-all", 16, 1 << 20), link_times(run))
    assert not found.better
    assert found.place.tolist() == list(range(16))


def test_the_files_of_a_placement_hold_every_rank_once(tmp_path: Path, everylink: Command) -> None:
    hosts = ["a", "b", "a", "b"]
    run = make_results(tmp_path / "x.h5", hosts=hosts, sizes=SIZES)
    code, out, err = everylink("predict", run, "--pattern", "tree", "--place", tmp_path / "p")
    assert (code, err) == (0, "")
    assert out.splitlines()[-2:] == [str(tmp_path / "p.rankfile"), str(tmp_path / "p.hostfile")]
    lines = (tmp_path / "p.rankfile").read_text().splitlines()
    assert [text.split("=")[0] for text in lines] == ["rank 0", "rank 1", "rank 2", "rank 3"]
    assert sorted(text.split("=", 1)[1] for text in lines) == ["a slot=0", "a slot=1", "b slot=0", "b slot=1"]
    assert (tmp_path / "p.hostfile").read_text().split() == [text.split("=")[1].split()[0] for text in lines]
    assert everylink("predict", run, "--pattern", "tree", "--place", tmp_path / "p")[0] == 2
    assert everylink("predict", run, "--pattern", "tree", "--place", tmp_path / "p", "--force")[0] == 0


def test_hosts_with_equal_names_are_refused_by_place(tmp_path: Path, everylink: Command) -> None:
    run = make_results(tmp_path / "x.h5", hosts=("a", "a"), host_index=(0, 1))
    code, _, err = everylink("predict", run, "--pattern", "ring", "--place", tmp_path / "p")
    assert code == 2
    assert "two hosts are named a" in err


def test_the_output_states_the_assumptions_of_a_prediction(tmp_path: Path, everylink: Command) -> None:
    run = make_results(tmp_path / "x.h5", hosts=("a", "b", "c"), outcomes={(0, 1): 1}, sizes=(1 << 20,), time=line)
    code, out, _ = everylink("predict", run, "--pattern", "ring")
    assert code == 0
    assert "1 message of 3 over links that failed" in out
    assert "Only 1 MiB was measured" in out
    assert "--bidirectional measures that" in out
    assert "link failed" in out
    told = json.loads(everylink("predict", run, "--pattern", "ring", "--format", "json")[1])
    assert told["schema"] == "everylink-prediction/1"
    assert told["seconds"] == pytest.approx(line((0, 1), 1 << 20))
    assert len(told["rank_seconds"]) == 3


def test_a_prediction_is_set_against_what_the_adapters_carry(tmp_path: Path, everylink: Command) -> None:
    """400 Gbit/s are 50 GB/s; the links have 1 GB/s. In a stencil of 2x2, each rank sends to two others."""
    run = make_inventory(tmp_path / "x.h5", cluster(4, rails=1), sizes=SIZES, time=line)
    _, out, _ = everylink("predict", run, "--pattern", "stencil2d")
    assert "adapters need    41.94 us  n00 carries 2.00 MiB one way, 2 % of what 400 Gbit/s carries" in out
    assert "would carry more" not in out
    told = json.loads(everylink("predict", run, "--pattern", "stencil2d", "--format", "json")[1])
    assert told["adapters"] == {"host": "n00", "bytes": 2 << 20, "limit": "400 Gbit/s", "seconds": (2 << 20) / 50e9}


def test_a_prediction_that_needs_more_than_the_adapters_carry_says_so(tmp_path: Path, everylink: Command) -> None:
    run = make_inventory(tmp_path / "x.h5", cluster(4, rails=1), sizes=SIZES, time=lambda link, size: size / 100e9)
    _, out, _ = everylink("predict", run, "--pattern", "ring")
    assert "! n00 would carry more than its adapters can (400 Gbit/s): the exchange takes at least 20.97 us" in out


def test_messages_inside_a_host_need_no_adapter(tmp_path: Path, everylink: Command) -> None:
    run = make_inventory(tmp_path / "x.h5", cluster(1, rails=1), sizes=SIZES, time=line)
    assert "adapters need" not in everylink("predict", run, "--pattern", "ring")[1]


def test_without_an_inventory_nothing_is_said_of_adapters(tmp_path: Path, everylink: Command) -> None:
    run = make_results(tmp_path / "x.h5", hosts=("a", "b", "c"), sizes=SIZES, time=line)
    assert "adapters need" not in everylink("predict", run, "--pattern", "ring")[1]
    assert json.loads(everylink("predict", run, "--pattern", "ring", "--format", "json")[1])["adapters"] is None


def test_a_pattern_is_read_from_a_file(tmp_path: Path, everylink: Command) -> None:
    run = make_results(tmp_path / "x.h5", hosts=("a", "b", "c"), sizes=SIZES, time=line)
    (tmp_path / "p.csv").write_text("from,to,bytes\n0,1,1024\n\n1,2,1048576\n")
    told = json.loads(everylink("predict", run, "--pattern", tmp_path / "p.csv", "--format", "json")[1])
    expected = [line((0, 1), 1024), line((1, 2), 1 << 20), line((1, 2), 1 << 20)]
    np.testing.assert_allclose(told["rank_seconds"], expected, rtol=1e-6)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "line 1: is ''; expected from,to,bytes"),
        ("from,to,bytes\n", "has no message"),
        ("from,to,bytes\n0,3,1\n", "line 2: there is no rank 3: the run has ranks 0 to 2"),
        ("from,to,bytes\n0,1,1\n1,1,1\n", "line 3: rank 1 sends to itself"),
        ("from,to,bytes\n0,1,1e3\n", "line 2: bytes is '1e3'"),
        ("from,to,bytes\n0,1\n", "line 2: has 2 values"),
        ("from,to,bytes\n-1,1,1\n", "line 2: from is '-1'"),
        ('from,to,bytes\n"0,1,1\n', "is damaged"),
        ("from,to,bytes\n0,1," + "9" * 400 + "\n", "line 2: bytes is"),
        ("from,to,bytes\n0,1,\xff\n", "is not UTF-8 text"),
    ],
)
def test_an_invalid_pattern_file_is_refused_with_the_line(
    text: str, said: str, tmp_path: Path, everylink: Command
) -> None:
    run = make_results(tmp_path / "x.h5", hosts=("a", "b", "c"))
    (tmp_path / "p.csv").write_bytes(text.encode("latin-1"))
    code, _, err = everylink("predict", run, "--pattern", tmp_path / "p.csv")
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["--pattern", "butterfly"],
            "use ring, stencil2d, stencil3d, all-to-all, tree, shift or FILE.csv",
        ),
        (["--pattern", "ring:2"], "ring takes no value after a colon"),
        (["--pattern", "shift:4"], "with 4 ranks, the distance of a shift is 1 to 3"),
        (["--pattern", "stencil3d"], "4 ranks do not form a grid of 3 dimensions, only 2 x 2 x 1"),
        (
            ["--pattern", "stencil2d:3x2"],
            "2 sides of at least 2 whose product is the number of ranks, 4, such as stencil2d:2x2",
        ),
        (["--pattern", "stencil2d:4x1"], "such as stencil2d:2x2"),
        (["--pattern", "stencil3d:2x3x4"], "4 ranks do not form a grid of 3 dimensions, only 2 x 2 x 1; ring, shift"),
        (["--pattern", "ring", "--bytes", "1QiB"], "--bytes: invalid size '1QiB'"),
        (["--pattern", "p.csv", "--bytes", "1"], "leave --bytes out"),
        (["--pattern", "none.csv"], "none.csv: cannot be read"),
        (["--pattern", "ring", "--force"], "--force applies only to --place"),
        (["--pattern", "ring", "--place", "/none/x"], "folder /none does not exist"),
    ],
)
def test_invalid_arguments_are_refused_with_valid_ones(
    words: list[str], said: str, file: Path, everylink: Command
) -> None:
    code, _, err = everylink("predict", file, *words)
    assert code == 2
    assert said in err
    assert err.count("\n") == 1


def test_groups_come_from_a_topology_file(tmp_path: Path, everylink: Command) -> None:
    """The failed link leaves its switch, so it equals the slower links."""

    def time(link: Link, size: int) -> float:
        return line(link, size) * (1 if link[0] // 2 == link[1] // 2 else 2)

    run = make_results(tmp_path / "x.h5", hosts="abcd", sizes=SIZES, time=time, outcomes={(1, 2): 1})
    (tmp_path / "t.conf").write_text("SwitchName=s1 Nodes=a,b\nSwitchName=s2 Nodes=c,d\n")
    (tmp_path / "p.csv").write_text("from,to,bytes\n1,2,1024\n")
    words = ["predict", run, "--pattern", tmp_path / "p.csv", "--format", "json", "--topology", tmp_path / "t.conf"]
    assert json.loads(everylink(*words)[1])["seconds"] == pytest.approx(2 * line((1, 2), 1024))


def test_a_run_without_times_and_one_without_the_kind_of_links_are_refused(tmp_path: Path, everylink: Command) -> None:
    dead = make_results(tmp_path / "x.h5", outcomes={(a, b): 1 for a in range(4) for b in range(4) if a != b})
    assert "no link has a time" in everylink("predict", dead, "--pattern", "ring")[2]
    rows = [row((a, b), 1e-6) for a in range(4) for b in range(4) if a // 2 != b // 2]
    between = make_results(tmp_path / "y.h5", columns={65536: columns_of(rows)})
    code, _, err = everylink("predict", between, "--pattern", "ring")
    assert code == 2
    assert "the pattern uses n0:0 -> n0:1, but no link of its kind (same host) has a time" in err
