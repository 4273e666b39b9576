"""Client-server and all-to-all: their files, and the quantities derived from them."""

import csv
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import Command
from everylink.errors import FileDamaged
from everylink.io.read import read
from everylink.load.service import ServiceSums, jain_index, pooled_mean, pooled_quantile, service_sums
from everylink.load.sums import round_sums, scene_sums
from everylink.model.loads import GET, PUT
from make_loads import SIZE, flow, make_all_to_all, make_load, make_service, served

GB = 1e9


def sums_of(path: Path) -> tuple[ServiceSums, ...]:
    return service_sums(read(path).loads[0])


def test_totals_count_each_transfer_once_and_end_with_the_last_client(tmp_path: Path) -> None:
    path = make_service(tmp_path / "x.h5", lambda kind, client, server: 2e-4 if client == 4 else 1e-4)
    put, get = sums_of(path)
    assert (put.variant, get.variant, put.flows, put.failed) == ("put", "get", 12, 0)
    assert put.requests == 12 * 1000
    assert put.seconds == pytest.approx(0.2)
    assert put.rate == pytest.approx(12 * 1000 * SIZE / 0.2)
    assert put.requests_a_second == pytest.approx(12 * 1000 / 0.2)
    assert [client.rank for client in put.clients] == [2, 3, 4, 5, 6, 7]
    assert [server.rank for server in get.servers] == [0, 1]
    assert put.finishers[0].rank == 4
    assert put.spread == pytest.approx(2)
    assert put.jain == pytest.approx((5 + 0.5) ** 2 / (6 * (5 + 0.25)))
    assert put.service == pytest.approx(put.waiting.mean / 2)


def test_put_and_get_record_client_and_server_in_opposite_order(tmp_path: Path) -> None:
    flows = [served(0, PUT, 1, 0, 1e-4), served(1, GET, 1, 0, 1e-4)]
    assert [(one["from"], one["to"]) for one in flows] == [(0, 1), (1, 0)]
    path = make_load(tmp_path / "x.h5", "client-server", flows, [1, 1], variant=[0, 1], variants="put,get", ranks=2)
    for scene in sums_of(path):
        assert ([one.rank for one in scene.clients], [one.rank for one in scene.servers]) == ([1], [0])


def test_jains_index_is_1_for_equal_rates_and_falls_to_1_over_n() -> None:
    assert jain_index([3.0, 3.0, 3.0]) == pytest.approx(1)
    assert jain_index([5.0, 0.0, 0.0, 0.0]) == pytest.approx(0.25)
    assert np.isnan(jain_index([]))
    assert np.isnan(jain_index([float("nan")]))


def test_pooled_quantiles_are_those_of_all_readings_together(tmp_path: Path) -> None:
    """A thousand readings spread evenly from 0 to 1 s in one flow, and from 1 to 2 s in the other."""
    flows = [
        served(0, PUT, client, 0, 1.0, min=at, median=at + 0.5, mean=at + 0.5, p99=at + 0.99, max=at + 1)
        for client, at in ((1, 0.0), (2, 1.0))
    ]
    path = make_load(tmp_path / "x.h5", "client-server", flows, [1], variants="put,get", ranks=3)
    (load,) = read(path).loads
    rows = np.arange(2)
    assert pooled_mean(load.flows, rows) == pytest.approx(1)
    assert pooled_quantile(load.flows, rows, 0.5) == pytest.approx(1, abs=1e-6)
    assert pooled_quantile(load.flows, rows, 0.99) == pytest.approx(1.98)
    assert pooled_quantile(load.flows, rows[:1], 0.25) == pytest.approx(0.25)


def test_few_readings_have_no_p99(tmp_path: Path) -> None:
    few = served(0, PUT, 1, 0, 1.0, n=60, p99=np.nan)
    path = make_load(tmp_path / "x.h5", "client-server", [few, few], [1], variants="put,get", ranks=2)
    (load,) = read(path).loads
    assert np.isnan(pooled_quantile(load.flows, np.arange(1), 0.99))
    assert pooled_quantile(load.flows, np.arange(2), 0.99) == pytest.approx(3 - 0.02 * 2, rel=1e-3)
    assert np.isnan(pooled_quantile(load.flows, np.arange(0), 0.5))


def test_a_failed_client_counts_in_no_total(tmp_path: Path, everylink: Command) -> None:
    path = make_service(tmp_path / "x.h5", lambda *_: 1e-4, failed=lambda client, server: client == 3)
    put = sums_of(path)[0]
    assert (put.failed, put.requests, len(put.finishers)) == (2, 10_000, 5)
    assert put.jain == pytest.approx(1)
    code, out, _ = everylink("show", path)
    assert code == 0
    assert "FAILED: 4 of 24 flows" in out


def test_show_has_one_row_per_size_with_units_and_names_the_last_client(tmp_path: Path, everylink: Command) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda kind, client, server: 2e-4 if client == 4 else 1e-4, sizes=(SIZE // 2, SIZE)
    )
    _, out, err = everylink("show", path)
    assert err == ""
    assert "client-server: 2 servers, 6 clients" in out
    heading = next(line for line in out.splitlines() if "latency" in line)
    for unit in ("(B)", "(ms)", "(MiB/s)", "(1/s)", "mean (us)", "p99 (us)", "service (us)"):
        assert unit in heading
    assert sum(line.lstrip().startswith(("put ", "get ")) for line in out.splitlines()) == 4
    assert "at 1 MiB: put with 1 in flight: Jain's index 0.960 over 6 clients; last n4:4 after 200.0 ms" in out
    assert "Servers" not in out
    _, out, _ = everylink("show", "--hosts", path)
    assert "Servers, put of 1 MiB, 1 in flight" in out
    assert "Clients, get of 1 MiB, 1 in flight" in out


def test_a_file_without_times_at_the_server_is_read(tmp_path: Path, everylink: Command) -> None:
    path = make_service(tmp_path / "x.h5", lambda *_: 1e-4)
    with h5py.File(path, "r+") as file:
        group = file["patterns/client-server"]
        for name in ("service_mean", "service_median", "service_p99"):
            del group[f"flows/{name}"]
        del group.attrs["servers"]
    (load,) = read(path).loads
    assert load.servers == 0
    assert np.isnan(load.flows.service_mean).all()
    assert np.isnan(service_sums(load)[0].service)
    assert everylink("show", path)[0] == 0


def test_more_servers_than_ranks_are_refused(tmp_path: Path) -> None:
    path = make_service(tmp_path / "x.h5", lambda *_: 1e-4)
    with h5py.File(path, "r+") as file:
        file["patterns/client-server"].attrs["servers"] = np.int32(99)
    with pytest.raises(FileDamaged, match="servers"):
        read(path)


def test_a_round_takes_as_long_as_its_slowest_flow(tmp_path: Path, everylink: Command) -> None:
    path = make_all_to_all(tmp_path / "x.h5", lambda i, j: 0.5 * GB if (i, j) == (0, 1) else GB, ranks=4)
    (found,) = round_sums(scene_sums(read(path).loads[0]))
    assert (found.rounds, found.flows, found.failed, found.without) == (3, 12, 0, 0)
    assert found.seconds == pytest.approx(4 * SIZE / GB)  # 2 + 1 + 1
    assert found.rate == pytest.approx((3.5 + 4 + 4) / 3 * GB)
    assert found.message == pytest.approx((4 / 3.5 + 1 + 1) / 3 * SIZE / GB)
    assert found.messages_a_second == pytest.approx(found.rate / SIZE)
    _, out, _ = everylink("show", path)
    assert "each to each (ms)" in out
    assert "a message from each to each takes 4.194 ms in 3 rounds" in out
    slowest = out.splitlines().index("Slowest connections at 1 MiB")
    assert out.splitlines()[slowest + 2].split()[:3] == ["n0:0", "->", "n1:1"]


def test_a_round_in_which_all_flows_failed_is_left_out_and_counted(tmp_path: Path, everylink: Command) -> None:
    flows = [flow(0, 0, 1, GB), flow(1, 1, 0, GB, outcome=1)]
    path = make_load(tmp_path / "x.h5", "all-to-all", flows, [1, 2], point="round", ranks=2)
    (found,) = round_sums(scene_sums(read(path).loads[0]))
    assert (found.without, found.failed) == (1, 1)
    assert "1 of the 2 rounds left out" in everylink("show", path)[1]


@pytest.mark.parametrize("option", ["--fit", "--below=1GiB/s", "--above=1GiB/s"])
def test_show_refuses_options_for_links_with_a_pattern(option: str, tmp_path: Path, everylink: Command) -> None:
    path = make_service(tmp_path / "x.h5", lambda *_: 1e-4)
    code, _, err = everylink("show", path, option)
    assert (code, err.count("\n")) == (2, 1)
    assert option.partition("=")[0] in err


def test_flows_are_converted_to_csv_with_units_in_the_header(tmp_path: Path, everylink: Command) -> None:
    path = make_service(
        tmp_path / "x.h5", lambda *_: 1e-4, sizes=(SIZE // 2, SIZE), failed=lambda c, s: (c, s) == (3, 1)
    )
    code, out, err = everylink("convert", path, tmp_path / "x.csv")
    assert (code, err) == (0, "")
    assert "48 flows of client-server" in out
    with (tmp_path / "x.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 48
    last = rows[-1]
    assert (last["size (B)"], last["variant"], last["kind"], last["outcome"]) == (str(SIZE), "get", "get", "ok")
    assert (last["from"], last["host to"], last["messages"]) == ("7", "n1", "1000")
    assert float(last["time (s)"]) == pytest.approx(0.1)
    assert float(last["rate (B/s)"]) == pytest.approx(1000 * SIZE / 0.1)
    assert float(last["service_mean (s)"]) == pytest.approx(5e-5)
    lost = [row for row in rows if row["outcome"] == "broken"]
    assert len(lost) == 4
    assert {row["rate (B/s)"] for row in lost} == {""}
    assert everylink("convert", path, tmp_path / "x.csv", "--force", "--size", "1MiB")[1].startswith(
        f"{tmp_path / 'x.csv'}: 24 flows"
    )


def test_convert_refuses_a_matrix_of_a_pattern_and_a_missing_size(tmp_path: Path, everylink: Command) -> None:
    path = make_service(tmp_path / "x.h5", lambda *_: 1e-4)
    for arguments in (["y.npz"], ["y.sion"], ["y.csv", "--size", "3"], ["y.csv", "--size", "much"]):
        code, _, err = everylink("convert", path, tmp_path / arguments[0], *arguments[1:])
        assert (code, err.count("\n")) == (2, 1)
        assert not (tmp_path / arguments[0]).exists()
