"""The core's files of client-server and all-to-all: drawn, judged, compared; numbers agree with the core's."""

from pathlib import Path

import pytest

from conftest import Run
from everylink.cli import main
from everylink.exit_codes import Exit
from everylink.io.read import read
from everylink.load.sums import round_sums, scene_sums

SHORT = ["--duration", "5ms"]


@pytest.mark.long
def test_clients_and_servers_are_drawn_judged_and_compared(
    run: Run, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    faulty = "sim:noise=0.1,slow-host=1*0.4"
    arguments = ["client-server", "--np", 8, "--servers", 2, "--niters", 50, "--nflight", "1,4", "-s", "1KiB,1MiB"]
    for name, mode, code in (("well", "sim:noise=0.1", 0), ("slow", faulty, Exit.FAULTS)):
        path = tmp_path / f"{name}.h5"
        assert run(*arguments, "--mode", mode, "-o", path).returncode == 0
        assert main(["diagnose", str(path)]) == code
    assert "host n1: slow, 2.5" in capfd.readouterr().out
    assert main(["report", str(tmp_path / "slow.h5"), "-o", str(tmp_path / "x.html")]) == 0
    assert "host n1: slow, 2.5" in (tmp_path / "x.html").read_text()
    assert main(["compare", str(tmp_path / "well.h5"), str(tmp_path / "slow.h5")]) == Exit.FAULTS


def test_show_and_the_core_agree_on_an_all_to_all(run: Run, tmp_path: Path) -> None:
    """Seconds, bandwidth, time per message and messages per second, for each size."""
    path, mode = tmp_path / "x.h5", "sim:noise=0.3,slow-host=2*0.5"
    done = run("all-to-all", "--np", 5, "--mode", mode, "-s", "64KiB,1MiB", *SHORT, "-o", path)
    rows = [line.split() for line in done.stdout.splitlines() if line.split()[:1] in (["65536"], ["1048576"])]
    assert len(rows) == 2
    for row, found in zip(rows, round_sums(scene_sums(read(path).loads[0])), strict=True):
        seconds, rate, message, messages = map(float, row[1:5])
        assert found.seconds == pytest.approx(seconds, abs=1e-6)
        assert found.rate / 2**20 == pytest.approx(rate, rel=1e-4)
        assert found.message * 1e6 == pytest.approx(message, abs=0.01)
        assert found.messages_a_second == pytest.approx(messages, rel=1e-3)
