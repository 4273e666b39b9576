"""Links that a host could not measure: no fault of the network, and no link that anything vouches for."""

import json
from pathlib import Path

import h5py
import numpy as np
import pytest

from conftest import Command
from everylink.cli.kinds import judged
from everylink.io.read import read
from everylink.io.results_file import write_results
from everylink.links.merging import merged
from everylink.links.unmeasured import unmeasured
from everylink.model.results import Results
from everylink.model.rows import FAILED_AGAIN, Outcome
from everylink.text.verdicts import verdict_text
from make_results import Link, all_links, failed_row, make_results, row

LOCAL, OK, TIMEOUT = Outcome.LOCAL, Outcome.OK, Outcome.TIMEOUT
HOSTS = [f"n{host}" for host in range(8)]
SIZES = (8, 1 << 20)


def made(path: Path, outcomes: dict[Link, int], *causes: tuple[int, str]) -> Results:
    return read(make_results(path, hosts=HOSTS, sizes=SIZES, outcomes=outcomes, local_faults=causes))


def of(rank: int) -> dict[Link, int]:
    return {link: LOCAL for link in all_links(8) if rank in link}


def test_they_are_no_failed_links_and_no_measured_ones(tmp_path: Path) -> None:
    results = made(tmp_path / "x.h5", of(6), (6, "not enough memory"))
    for size in results.sizes:
        assert len(size.links) == size.outcomes.links == 42
        assert not size.links.failed.any()
        assert size.outcomes.failed == 0
        assert size.outcomes.unmeasured == 14
        assert (size.links.outcome_matrix(8)[6] == -1).all()
    judgement = judged(results).judgement
    assert (judgement.verdicts, judgement.links_failed, judgement.links_measured) == ((), 0, 42)


def test_the_hosts_and_what_they_lack_are_named(tmp_path: Path) -> None:
    files, memory = "too many open files", "not enough memory"
    results = made(tmp_path / "x.h5", of(6) | of(2), (6, files), (2, files), (2, memory))
    assert str(unmeasured(results)) == (
        f"26 of 56 links could not be measured: {memory} on host n2 (rank 2); {files} on hosts n2, n6 (ranks 2, 6)"
    )
    assert unmeasured(made(tmp_path / "y.h5", {})) is None


def test_a_fault_of_the_network_beside_them_is_still_a_fault_and_they_come_first(tmp_path: Path) -> None:
    outcomes = of(6) | {link: TIMEOUT for link in all_links(8) if 1 in link and 6 not in link}
    judgement = judged(made(tmp_path / "x.h5", outcomes, (6, "too many open files"))).judgement
    lines = verdict_text(judgement).plain.splitlines()
    assert lines[0] == "FAULTS: 1 host"
    assert lines[1] == "14 of 56 links could not be measured: too many open files on host n6 (rank 6)"
    assert lines[2].startswith("  host n1: timeout")
    assert [verdict.subject for verdict in judgement.verdicts] == [("n1",)]


@pytest.mark.parametrize("order", [(LOCAL, OK), (OK, LOCAL)])
def test_a_link_that_another_pass_measured_counts_as_measured(order: tuple[int, int], tmp_path: Path) -> None:
    def again(size: int) -> list[dict[str, object]]:
        return [row((0, 1), 1e-5, step=1) if order[1] == OK else failed_row((0, 1), LOCAL, step=1)]

    first = {(0, 1): LOCAL} if order[0] == LOCAL else {}
    files = [(1, "too many open files")]
    path = make_results(tmp_path / "x.h5", hosts=HOSTS, outcomes=first, extra=again, local_faults=files)
    results = read(path)
    (size,) = results.sizes
    said = "Some measurements could not be made: too many open files on host n1 (rank 1)."
    assert said in judged(results).judgement.remarks
    assert (size.outcomes.unmeasured, size.outcomes.links, size.outcomes.failed) == (0, 56, 0)
    assert np.isfinite(size.links.median).all()


def test_a_failed_link_that_could_not_be_tried_again_was_not_tried_again(tmp_path: Path) -> None:
    path = make_results(
        tmp_path / "x.h5", hosts=HOSTS, outcomes={(0, 1): TIMEOUT},
        extra=lambda size: [failed_row((0, 1), LOCAL, attempt=FAILED_AGAIN)],
    )  # fmt: skip
    (verdict,) = judged(read(path)).judgement.verdicts
    assert verdict.confidence == 0.9, "not certain before it failed again alone"


def test_json_has_the_count_and_the_causes(tmp_path: Path, everylink: Command) -> None:
    made(tmp_path / "x.h5", of(6), (6, "too many open files"))
    code, out, _ = everylink("diagnose", tmp_path / "x.h5", "--format", "json")
    said = json.loads(out)
    assert code == 4
    assert (said["conclusion"], said["healthy"], said["links_failed"], said["links_unmeasured"]) == (
        "undecided", False, 0, 14,
    )  # fmt: skip
    assert said["local_faults"] == [{"cause": "too many open files", "hosts": ["n6"], "ranks": [6]}]


def test_a_file_with_them_has_format_version_2_and_any_other_1(tmp_path: Path) -> None:
    """An older reader would call them broken; it refuses version 2 by name, and still reads all other files."""
    for outcomes, version in (({}, 1), (of(6), 2)):
        results = made(tmp_path / f"{version}.h5", outcomes)
        write_results(Results(**vars(results) | {"path": tmp_path / f"again-{version}.h5"}))
        with h5py.File(tmp_path / f"again-{version}.h5") as file:
            assert file.attrs["format_version"] == version


@pytest.mark.parametrize("by", ["median", "min"])
def test_merging_keeps_them(by: str, tmp_path: Path) -> None:
    first = made(tmp_path / "a.h5", of(6), (6, "too many open files"))
    second = made(tmp_path / "b.h5", of(6) | of(2), (2, "not enough memory"))
    both = merged([first, second], by)
    assert str(unmeasured(both)) == (
        "14 of 56 links could not be measured: not enough memory on host n2 (rank 2); "
        "too many open files on host n6 (rank 6)"
    )


@pytest.mark.long
def test_converting_keeps_them(tmp_path: Path, everylink: Command) -> None:
    made(tmp_path / "x.h5", of(6), (6, "too many open files"))
    for given, wanted in (("x.h5", "y.npz"), ("y.npz", "z.h5")):
        assert everylink("convert", tmp_path / given, tmp_path / wanted)[0] == 0
        assert str(unmeasured(read(tmp_path / wanted))).endswith("too many open files on host n6 (rank 6)")


def test_compare_names_them_and_does_not_call_them_failed(tmp_path: Path, everylink: Command) -> None:
    made(tmp_path / "a.h5", {})
    made(tmp_path / "b.h5", of(6), (6, "too many open files"))
    code, out, _ = everylink("compare", tmp_path / "a.h5", tmp_path / "b.h5")
    assert code == 0
    assert "FAILED" not in out
    assert "The new run: 14 of 56 links could not be measured: too many open files on host n6 (rank 6)" in out


def test_compare_names_the_host_where_ranks_have_other_numbers(tmp_path: Path, everylink: Command) -> None:
    """n1 is missing from the new run, so there n6 has rank 5."""
    made(tmp_path / "a.h5", of(6), (6, "too many open files"), (1, "not enough memory"))
    make_results(tmp_path / "b.h5", hosts=[host for host in HOSTS if host != "n1"], sizes=SIZES)
    _, out, _ = everylink("compare", tmp_path / "a.h5", tmp_path / "b.h5")
    assert "The base: 12 of 42 links could not be measured: too many open files on host n6 (rank 5)" in out
