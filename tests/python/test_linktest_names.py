"""LinkTest's commands under their old names write the same files, without LinkTest's errors."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from everylink.cli.linktest_names import linktest_report, pingponganalysis
from everylink.cli.options.table import NOT_SUPPORTED
from make_results import make_results

DATA = Path(__file__).parents[1] / "data" / "linktest"
SAMPLES = sorted(DATA.glob("*.sion"))
ALWAYS = {"distribution.dat", "distribution_bw.dat", "mapping.dat"}
Analyse = Callable[..., tuple[int, str, str]]


@pytest.fixture
def analyse(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Analyse:
    """Runs pingponganalysis in an empty folder."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments: object) -> tuple[int, str, str]:
        capfd.readouterr()
        code = pingponganalysis([str(a) for a in arguments])
        said = capfd.readouterr()
        return code, said.out, said.err

    return run


def rows_of(path: Path) -> list[list[str]]:
    return [line.split() for line in path.read_text().splitlines() if line and not line.startswith("#")]


def test_published_line_bad_links_and_a_report_that_ps2pdf_converts(analyse: Analyse, tmp_path: Path) -> None:
    code, out, err = analyse("-B", "-p", DATA / "n4-par.sion")
    assert (code, err) == (0, "")
    assert {p.name for p in tmp_path.iterdir()} == ALWAYS | {"bad_links.dat", "report_fzjlinktest.ps"}
    assert out.splitlines()[-1] == " wrote report_fzjlinktest.ps"
    if shutil.which("ps2pdf") is None:
        pytest.skip("needs ps2pdf (ghostscript)")
    subprocess.run(["ps2pdf", "report_fzjlinktest.ps"], check=True, timeout=60, cwd=tmp_path)
    assert (tmp_path / "report_fzjlinktest.pdf").read_bytes().startswith(b"%PDF")
    if shutil.which("pdftotext"):
        text = subprocess.run(["pdftotext", "report_fzjlinktest.pdf", "-"], capture_output=True, check=True).stdout
        assert b"n4-par.sion" in text
        assert b"421.6 us" in text
    if shutil.which("pdfinfo"):
        info = subprocess.run(["pdfinfo", "report_fzjlinktest.pdf"], capture_output=True, check=True).stdout
        assert re.search(rb"Pages: +2\n", info)
        assert b"A4" in info


def test_published_line_least_bandwidth_and_report(analyse: Analyse, tmp_path: Path) -> None:
    code, out, err = analyse("-l", "0.7", "-p", DATA / "n8-ser.sion")
    assert (code, err) == (0, "")
    assert "link #" not in out  # nothing is below 0.7 MiB/s, and no other limit was asked for
    assert (tmp_path / "report_fzjlinktest.ps").is_file()


# output of LinkTest 1.2p1's own analyser for n4-par.sion: from, to, first and second time
BAD_LINKS = ((0, 3, 4.21609671e-04, 1.26372339e-04), (0, 2, 3.70850001e-04, 1.24187005e-04),
             (0, 1, 3.61693179e-04, 1.25962673e-04), (2, 0, 2.61059322e-04, 1.30794997e-05))  # fmt: skip


def test_the_slowest_links_are_those_of_the_original(analyse: Analyse, tmp_path: Path) -> None:
    analyse("-B", DATA / "n4-par.sion")
    found = rows_of(tmp_path / "bad_links.dat")
    np.testing.assert_allclose([[float(r[i]) for i in (1, 2, 3, 5)] for r in found], BAD_LINKS, rtol=1e-7)
    np.testing.assert_allclose([float(r[4]) for r in found], [0.125 / link[2] for link in BAD_LINKS], rtol=1e-6)
    assert [r[7:] for r in found] == [["vm", "->", "vm"]] * 4


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda p: p.stem)
def test_every_requested_file_is_written_and_overwritten(sample: Path, analyse: Analyse, tmp_path: Path) -> None:
    asked = {"accesspattern.ppm", "accesspattern.dat", "bwpattern.ppm", "bad_links.dat", "nodelist.dat"}
    for _ in range(2):
        code, out, err = analyse("-a", "-A", "-b", "-B", "-D", "-g", sample)
        assert (code, err) == (0, "")
    assert {p.name for p in tmp_path.iterdir()} == ALWAYS | asked | {"gnuplotinput.dat"}
    assert out.count(" wrote ") == 9


def test_slow_links_are_called_slow_and_fast_ones_fast(analyse: Analyse) -> None:
    _, out, _ = analyse("-l", "120", "-L", "1800", DATA / "n8-a2a.sion")
    named = re.findall(r"(SLOW|FAST).* link #\d+: +(\d+) -> +(\d+):", out)
    assert named == [("SLOW", "0", "7"), ("SLOW", "0", "3"), ("FAST", "4", "6"), ("FAST", "7", "1")]
    assert "SLOW suspected link #00000:      0 ->      7: 1.152358e-03 s   108.4732003237 MiB/s (vm -> vm)" in out


def test_the_extremes_are_those_of_the_original(analyse: Analyse) -> None:
    lines = analyse(DATA / "n8-a2a.sion")[1].splitlines()
    assert lines[:2] == [
        "pingponganalysis: timings_min:          5.698167e-05 s 2193.688066 MiB/s",
        "pingponganalysis: timings_max:          1.152358e-03 s 108.473200 MiB/s",
    ]


def test_a_truncated_file_is_an_error(analyse: Analyse, tmp_path: Path) -> None:
    (tmp_path / "cut.sion").write_bytes((DATA / "n8-a2a.sion").read_bytes()[:5000])
    code, out, err = analyse("-p", "cut.sion")
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert err.startswith("pingponganalysis: cut.sion: ")
    assert [p.name for p in tmp_path.iterdir()] == ["cut.sion"]


def test_each_limit_works_alone(analyse: Analyse) -> None:
    assert "FAST" not in analyse("-l", "120", DATA / "n8-a2a.sion")[1]
    assert "SLOW" not in analyse("-L", "1800", DATA / "n8-a2a.sion")[1]


def test_failed_links_are_counted_and_not_called_fast(analyse: Analyse, tmp_path: Path) -> None:
    path = make_results(tmp_path / "x.h5", outcomes={(0, 1): 1})
    out = analyse("-L", "1000000", path)[1]
    assert "FAST" not in out
    assert "1 link without a time, because they failed" in out


def test_verbose_prints_what_show_prints(analyse: Analyse) -> None:
    assert "Slowest links at 128 KiB" in analyse("-v", DATA / "n4-par.sion")[1]


def test_the_version_names_everylink(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as ended:
        pingponganalysis(["-V"])
    assert ended.value.code == 0
    assert capsys.readouterr().out.startswith("Everylink ")


@pytest.mark.parametrize(("letter", "reason"), NOT_SUPPORTED)
def test_an_unsupported_option_says_what_to_do(letter: str, reason: str, analyse: Analyse, tmp_path: Path) -> None:
    for value in ([], ["5"]):
        code, out, err = analyse(f"-{letter}", *value, DATA / "n4-par.sion")
        assert (code, out, err) == (2, "", f"pingponganalysis: -{letter}: {reason}\n")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "pingponganalysis: the following arguments are required: FILE"),
        (("no.sion",), "no.sion: there is no such file"),
        (("-l", "fast", "x.sion"), "-l fast: not a number"),
        (("-l", "-3", DATA / "n4-par.sion"), "-l -3: must be at least 0"),
        (("-L", "nan", DATA / "n4-par.sion"), "-L nan: must be at least 0"),
    ],
)
def test_a_mistake_is_one_line(arguments: tuple[str, ...], said: str, analyse: Analyse, tmp_path: Path) -> None:
    code, out, err = analyse(*arguments)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert said in err
    assert not list(tmp_path.iterdir())


def test_messages_of_zero_bytes_leave_out_bandwidths(analyse: Analyse, tmp_path: Path) -> None:
    path = make_results(tmp_path / "x.h5", sizes=(0,))
    code, out, _ = analyse("-b", "-B", path)
    assert code == 0
    assert "skipped distribution_bw.dat: messages of 0 bytes have no bandwidth" in out
    assert (tmp_path / "bad_links.dat").is_file()


@pytest.mark.long
def test_the_report_of_linktest_2_is_written_from_a_file_to_a_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "x.pdf"
    assert linktest_report(["-i", str(DATA / "n4-par.sion"), "-o", str(out)]) == 0
    assert out.read_bytes().startswith(b"%PDF")
    assert linktest_report(["-i", str(DATA / "n4-par.sion"), "-o", str(tmp_path / "x.doc")]) == 2
    assert "the name must end in .html, .pdf, .ps, .png" in capsys.readouterr().err


@pytest.mark.thorough
def test_the_commands_are_installed_and_work_from_the_source_tree(tmp_path: Path) -> None:
    root = Path(__file__).parents[2]
    project = (root / "pyproject.toml").read_text()
    for name in ("pingponganalysis", "linktest-report"):
        assert f'{name} = "everylink.cli.linktest_names:{name.replace("-", "_")}"' in project
        assert (root / "scripts" / name).readlink() == Path("everylink")
    python = tmp_path / ".venv" / "bin" / "python"  # a link to this one would not find its packages
    python.parent.mkdir(parents=True)
    python.write_text(f'#!/bin/sh\nexec "{sys.executable}" "$@"\n')
    python.chmod(0o755)
    script = tmp_path / "scripts" / "pingponganalysis"
    script.parent.mkdir()
    script.symlink_to(root / "scripts" / "everylink")
    environment = os.environ | {"PYTHONPATH": str(root / "python")}
    ran = subprocess.run([script, "--help"], capture_output=True, text=True, env=environment)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "Usage: pingponganalysis" in ran.stdout
