"""What the core writes in LinkTest's format is what `everylink convert` makes of the results file of the same run."""

from pathlib import Path

import numpy as np
import pytest

from conftest import Run
from everylink.cli import main
from everylink.formats.linktest_payload import Payload, read_payload
from everylink.formats.sion import read_container

COMPUTED = "summary"  # a mean of all times, added up in another order


def payload_in(path: Path) -> Payload:
    with path.open("rb") as file:
        return read_payload(file, read_container(file, path.stat().st_size))


@pytest.mark.parametrize("options", [["--np", 6, "--num-slowest", 4], ["--np", 5, "--serial-tests"]], ids=["6", "5"])
def test_the_core_and_convert_write_the_same_of_one_run(run: Run, tmp_path: Path, options: list[object]) -> None:
    # the network is made up, so two runs measure the same
    common = [*options, "--mode", "sim:hosts=3,slow-host=1*0.5,dead=0>3", "-n", 20]
    for name in ("x.sion", "x.h5"):
        done = run(*common, "-o", tmp_path / name)
        assert done.returncode == 3, done.stderr
    assert main(["convert", str(tmp_path / "x.h5"), str(tmp_path / "y.sion")]) == 0
    ours, theirs = (vars(payload_in(tmp_path / name)) for name in ("x.sion", "y.sion"))
    np.testing.assert_allclose(ours.pop(COMPUTED), theirs.pop(COMPUTED), rtol=1e-12)
    for name, values in ours.items():
        np.testing.assert_array_equal(values, theirs[name], name)
