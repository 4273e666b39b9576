"""Files of load patterns, and the quantities derived from them."""

from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import Command
from everylink.errors import FileDamaged
from everylink.io.read import read
from everylink.load.sums import effective_bisection, impact, knee, rate_matrix, scene_sums
from make_loads import SIZE, flow, make_load, ping

GB = 1e9
SEVERAL_FILES = {"merge": 2}


def incast(path: Path, rates: dict[int, float]) -> Path:
    """One scene per entry of `rates`: number of senders to rank 0 -> bytes/s of each."""
    flows = [flow(i, k, 0, rate) for i, (count, rate) in enumerate(rates.items()) for k in range(1, count + 1)]
    return make_load(path, "incast", flows, list(rates))


def test_the_knee_is_where_each_flow_gets_less_than_a_quarter(tmp_path: Path, everylink: Command) -> None:
    path = incast(tmp_path / "x.h5", {1: 8 * GB, 2: 4 * GB, 4: 2 * GB, 7: 1 * GB})
    (load,) = read(path).loads
    sums = scene_sums(load)
    assert [scene.point for scene in sums] == [1, 2, 4, 7]
    assert [scene.rate.total for scene in sums] == pytest.approx([8 * GB, 8 * GB, 8 * GB, 7 * GB])
    assert knee(sums) == 7
    assert knee(sums[:3]) is None  # four flows that share evenly have exactly a quarter
    code, out, err = everylink("show", path)
    assert (code, err) == (0, "")
    assert "pattern incast, root=0: 4 scenes of 1.000 s" in out
    assert "falls below a quarter of that of one alone at 7 senders" in out
    assert "No link has been measured" not in out


def test_a_failed_flow_is_named_and_excluded_from_all_sums(tmp_path: Path, everylink: Command) -> None:
    flows = [flow(0, 1, 0, 8 * GB), flow(1, 1, 0, 4 * GB), flow(1, 2, 0, 1 * GB, outcome=1)]
    path = make_load(tmp_path / "x.h5", "incast", flows, [1, 2])
    (load,) = read(path).loads
    assert scene_sums(load)[1].rate.mean == pytest.approx(4 * GB)
    assert scene_sums(load)[1].failed == 1
    _, out, _ = everylink("show", path)
    assert "FAILED: 1 of 3 flows" in out
    assert "n2:2 -> n0:0: timed out" in out


def test_the_interval_of_the_effective_bisection_bandwidth_is_students(tmp_path: Path) -> None:
    flows = [flow(i, 0, 1, rate) for i, rate in enumerate((4 * GB, 5 * GB, 6 * GB, 5 * GB, 5 * GB))]
    (load,) = read(make_load(tmp_path / "x.h5", "random-bisection", flows, range(5), point="draw")).loads
    mean, low, high = effective_bisection(scene_sums(load))
    assert mean == pytest.approx(5 * GB)
    half = 2.776445 * np.sqrt(0.5) / np.sqrt(5) * GB  # t for 4 degrees of freedom; standard deviation of the five draws
    assert (low, high) == pytest.approx((5 * GB - half, 5 * GB + half))
    few = effective_bisection(scene_sums(load)[:4])
    assert np.isnan(few[1:]).all()


def test_the_impact_is_loaded_over_alone(tmp_path: Path, everylink: Command) -> None:
    flows = [ping(0, 2, 3, 2e-6, 4e-6), ping(1, 2, 3, 5e-6, 40e-6), flow(1, 1, 0, GB)]
    path = tmp_path / "x.h5"
    make_load(path, "victim", flows, [0, 0], variant=[0, 1], variants="alone,loaded", point="repeat")
    (load,) = read(path).loads
    found = impact(scene_sums(load))
    assert (found.mean, found.median, found.p99) == pytest.approx((2.5, 2.5, 10))
    _, out, _ = everylink("show", path)
    assert "mean x 2.50, median x 2.50, p99 x 10.00" in out


def test_a_shift_fills_a_matrix(tmp_path: Path, everylink: Command) -> None:
    flows = [flow(d - 1, i, (i + d) % 4, (1 + i) * GB) for d in (1, 2, 3) for i in range(4)]
    path = make_load(tmp_path / "x.h5", "shift", flows, [1, 2, 3], ranks=4, point="distance")
    matrix = rate_matrix(read(path).loads[0], SIZE, 4)
    expected = np.where(np.eye(4, dtype=bool), np.nan, (1 + np.arange(4))[:, None] * GB)
    np.testing.assert_allclose(matrix, expected)
    assert "shift: 2.328 GiB/s per flow" in everylink("show", path)[1]


def test_uncommitted_flows_are_not_read(tmp_path: Path) -> None:
    flows = [flow(0, 1, 0, 8 * GB), flow(1, 1, 0, 4 * GB), flow(1, 2, 0, 4 * GB)]
    (load,) = read(make_load(tmp_path / "x.h5", "incast", flows, [1, 2], uncommitted=2)).loads
    assert len(load.flows) == 1


@pytest.mark.parametrize(
    ("column", "value", "why"),
    [
        ("from", 99, "a rank that there is not"),
        ("scene", 7, "a scene that there is not"),
        ("kind", 4, "an unknown kind"),
        ("outcome", 99, "an unknown outcome"),
        ("seconds", -1.0, "an impossible time"),
        ("seconds", np.nan, "an impossible time"),
        ("sent_seconds", np.inf, "an impossible time"),
        ("max", 1e7, "an impossible time"),
    ],
)
@pytest.mark.one_in(2)
def test_a_flow_that_no_run_measures_is_named_and_its_scene_left_out(
    tmp_path: Path, everylink: Command, column: str, value: float, why: str
) -> None:
    flows = [flow(0, 1, 0, 8 * GB), flow(1, 1, 0, 4 * GB), flow(1, 2, 0, 4 * GB), flow(2, 3, 0, 4 * GB)]
    path = make_load(tmp_path / "x.h5", "incast", flows, [1, 2, 1])
    with h5py.File(path, "r+") as file:
        file[f"patterns/incast/flows/{column}"][3] = value
    results = read(path)
    assert results.parts_left_out == (f"row 3 of {path}, the flows of incast, has {why}: left out",)
    (load,) = results.loads
    assert load.flows.scene.tolist() in ([0, 1, 1], [0])
    assert len(load.scenes.point) == load.flows.scene.max() + 1
    code, out, _ = everylink("show", path)
    assert code == 0
    assert "left out" in out.replace("\n", " ")


@pytest.mark.parametrize(
    "spoil",
    [
        lambda group: group.attrs.modify("rows", np.uint64(2)),
        lambda group: group.attrs.modify("scenes", np.uint64(1 << 60)),
        lambda group: group["flows"].pop("messages"),
    ],
)
def test_a_damaged_pattern_is_refused_in_one_line(tmp_path: Path, spoil: object) -> None:
    path = make_load(tmp_path / "x.h5", "incast", [flow(0, 1, 0, GB)], [1])
    with h5py.File(path, "r+") as file:
        spoil(file["patterns/incast"])  # type: ignore[operator]
    with pytest.raises(FileDamaged) as error:
        read(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("command", ["merge", "convert", "export", "predict"])
def test_commands_for_links_say_that_there_are_none(command: str, tmp_path: Path, everylink: Command) -> None:
    path = incast(tmp_path / "x.h5", {1: GB})
    more: dict[str, list[object]] = {
        "merge": ["--by", "min", "-o", tmp_path / "m.h5"],
        "convert": [tmp_path / "x.npz"],
        "export": ["--what", "slowest"],
        "predict": ["--pattern", "ring"],
    }
    code, _, err = everylink(command, *[path] * SEVERAL_FILES.get(command, 1), *more.get(command, []))
    assert code == 2
    assert "holds the load pattern incast" in err
    assert err.count("\n") == 1


def test_of_very_many_scenes_fifteen_are_shown_with_the_first_and_the_last(tmp_path: Path, everylink: Command) -> None:
    points = list(range(1, 51))
    path = make_load(tmp_path / "x.h5", "shift", [flow(d - 1, 0, 1, GB) for d in points], points, point="distance")
    _, out, _ = everylink("show", path)
    table = out.partition("distance ")[2].partition("more, between these; --all lists them")[0].splitlines()
    shown = [int(line.split()[0]) for line in table[1:]]
    assert (len(shown[:-1]), shown[0], shown[-2], shown[-1]) == (15, 1, 50, 35)
    assert "lists them" not in everylink("show", path, "--all")[1]


def test_run_refuses_options_for_links_with_a_pattern(everylink: Command) -> None:
    code, _, err = everylink("run", "--confirm", "incast", "--np", "4")
    assert code == 2
    assert "incast" in err
