"""The numbers of a run are the same in the file, on the terminal, as JSON, in the page and in the PDF."""

import json
import math
import re
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import h5py
import numpy as np
import pytest

import hostile
from conftest import Command
from everylink.io.read import read
from everylink.text.run import rate_text
from everylink.units import time_text
from make_results import Link, make_results, steady
from test_page import page_data

LONG = "n" * 60
HOSTILE = ("<script>alert(1)</script>", "a\"b'c&d;e", "Łódź-計算機-01", LONG + "aaaa", LONG + "bbbb", "-rf")
SIZES = tuple(8 * 4**i for i in range(0, 12, 1 if hostile.LONG else 2))


def _slow(link: Link, size: int) -> float:
    """Host 3 is slow with all others."""
    ripple = 1 + 0.01 * math.sin(17 * link[0] + 5 * link[1])
    return steady(link, size) * (1.4 if 3 in link else 1.0) * ripple


def _some(path: Path, everylink: Command) -> Path:
    arguments = ["--hosts", "12", "--ranks-per-host", "2", "--group-size", "4", "--fault", "slow-host:n5*0.7"]
    assert everylink("simulate", *arguments, "--fault", "dark:n1>n2", "-o", path)[0] == 0
    return path


FILES: dict[str, Callable[[Path, Command], Path]] = {
    "2 ranks": lambda path, _: make_results(path, hosts=("a", "b")),
    "1 host": lambda path, _: make_results(path, hosts=("a",) * 5),
    "odd": lambda path, _: make_results(path, hosts=tuple("abcdefg"), time=_slow),
    "in turns": lambda path, _: make_results(path, hosts=tuple("abcdabcd"), time=_slow),
    "all failed": lambda path, _: make_results(
        path, hosts=tuple("abcd"), outcomes={(i, j): 1 for i in range(4) for j in range(4) if i != j}
    ),
    "some failed": lambda path, _: make_results(path, hosts=tuple("abcdef"), outcomes={(0, 3): 3, (3, 0): 2}),
    "many sizes": lambda path, _: make_results(path, hosts=tuple("abcdef"), sizes=SIZES, time=_slow),
    "hostile names": lambda path, _: make_results(path, hosts=HOSTILE, time=_slow),
    "one way": lambda path, _: make_results(path, hosts=tuple("abcdef"), attributes={"kernel": "unidirectional"}),
    "both ways": lambda path, _: make_results(path, hosts=tuple("abcdef"), attributes={"kernel": "bidirectional"}),
    "groups and faults": _some,
    "many ranks": lambda path, everylink: (
        path if everylink("simulate", "--hosts", "150", "--ranks-per-host", "4", "-o", path)[0] == 0 else Path()
    ),
}


def _in_file(path: Path) -> list[dict[str, Any]]:
    """Of each size and class of links, the smallest size and links between hosts first, what h5py and NumPy tell."""
    found = []
    with h5py.File(path) as file:
        host = file["ranks/host_index"][:]
        for size in sorted(file["sizes"].values(), key=lambda group: int(group.attrs["bytes"])):
            rows = int(file.attrs["rows"])
            frm, to, attempt, outcome = (size[name][:rows] for name in ("from", "to", "attempt", "outcome"))
            for same in (False, True):
                of_class = (attempt == 0) & ((host[frm] == host[to]) == same)
                medians = size["median"][:rows][of_class & (outcome == 0)].astype(float)
                if of_class.any():
                    found.append(
                        {
                            "bytes": int(size.attrs["bytes"]),
                            "links": int(of_class.sum()),
                            "failed": int((of_class & (outcome != 0)).sum()),
                            "times": [medians.min(), np.median(medians), medians.max()] if len(medians) else None,
                        }
                    )
    return found


@pytest.mark.parametrize("make", FILES.values(), ids=FILES)
@pytest.mark.one_in(12)
def test_every_form_of_a_report_says_what_the_file_has(
    make: Callable[[Path, Command], Path], tmp_path: Path, everylink: Command
) -> None:
    path = make(tmp_path / "x.h5", everylink)
    told = _in_file(path)
    said = json.loads(everylink("show", path, "--format", "json")[1])
    terminal = " ".join(everylink("show", path, "--all")[1].split())
    for ending in ("html", "pdf"):
        assert everylink("report", path, "-o", tmp_path / f"x.{ending}")[0] == 0
    (page,) = page_data(tmp_path / "x.html")["runs"]
    printed = subprocess.run(
        ["pdftotext", "-layout", str(tmp_path / "x.pdf"), "-"], capture_output=True, text=True, check=True
    ).stdout
    results = read(path)

    classes = [(size["bytes"], one) for size in said["sizes"] for one in size["classes"]]
    assert len(told) == len(classes) == len(page["times"])
    for known, (size, one), row in zip(told, classes, page["times"], strict=True):
        assert (size, one["links"], one["failed"]) == (known["bytes"], known["links"], known["failed"])
        assert row[2:4] == [str(known["links"]), str(known["failed"])]
        if known["times"] is None:
            assert set(one["seconds"].values()) == {None}
            continue
        seconds = [one["seconds"][name] for name in ("min", "median", "max")]
        assert seconds == pytest.approx(known["times"], rel=1e-6)
        measured = next(size for size in results.sizes if size.bytes == known["bytes"])
        for cell, exact in zip((row[4], row[5], row[7]), seconds, strict=True):
            texts = [time_text(exact), rate_text(results, measured, exact)]
            assert cell.split("\n") == texts
            assert all(text in terminal for text in texts)
            assert all(text in printed for text in texts), texts

    assert page["headline"] == everylink("diagnose", path, "--quiet")[1].strip()
    assert page["headline"] in terminal
    slowest = page["sizes"][-1]["slowest"]
    for link, (_, _, time, factor, *_) in zip(said["slowest"], slowest, strict=False):
        assert link["seconds"] == pytest.approx(time, rel=1e-6)
        assert link["x_expected"] == (None if factor is None else pytest.approx(factor, rel=1e-6))
        assert link["seconds"] is None or time_text(link["seconds"]) in terminal
    words = re.sub(r"\s+", "", printed)
    for finding in page["findings"]:
        assert re.sub(r"\s+", "", finding["title"]) in words
        assert finding["title"] in terminal
