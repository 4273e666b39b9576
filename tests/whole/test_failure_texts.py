"""The core, at the end of a run, and `everylink show` describe failed links in the same words."""

from pathlib import Path

import pytest

from conftest import Measure
from everylink.io.read import read
from everylink.links.failed import fold_failures


@pytest.mark.parametrize(
    ("faults", "groups"),
    [
        ("dead-host=3", ["host n3: 14 of 14 links timed out"]),
        ("dead=1>2", ["pair n1:1 <-> n2:2: both links timed out"]),
        ("corrupt=1>2", ["link n1:1 -> n2:2: delivered wrong bytes"]),
        ("hosts=4,dead-host=1", ["host n1: 24 of 26 links timed out"]),
        (
            "dead=1>2,dead=4>5,dead-host=7",
            [
                "host n7: 14 of 14 links timed out",
                "pair n1:1 <-> n2:2: both links timed out",
                "pair n4:4 <-> n5:5: both links timed out",
            ],
        ),
    ],
)
@pytest.mark.one_in(2)
def test_core_and_show_describe_failed_links_alike(
    measure: Measure, tmp_path: Path, faults: str, groups: list[str]
) -> None:
    quick = ["-n", 3, "-w", 0, "--num-slowest", 0, "--time-limit", 1, "--unidirectional", "--check"]
    done = measure("--np", 8, "--mode", f"sim:{faults}", *quick, expect=3)
    results = read(tmp_path / "x.h5")
    failures = fold_failures(results, results.sizes[0])
    assert f"{failures.failed} of {failures.links} links FAILED:\n" in done.out
    for said, line in zip(groups, failures.lines(), strict=True):
        assert f"\n  {said}\n" in done.out
        assert line.startswith(f"{said}, ")
    assert failures.again is not None
    if failures.again.untried:
        assert f"\n  {failures.again.untried} not tried again\n" in done.out
    assert f"\n  {failures.again.failed} failed again alone: " in done.out
