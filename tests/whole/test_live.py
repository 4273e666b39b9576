"""`everylink run --live`: what a browser is sent while the run goes on."""

import json
import re
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from conftest import PATIENCE


def _events(address: str) -> Iterator[tuple[str, Any]]:
    """Name and value of each event, until the server ends them."""
    with urllib.request.urlopen(address + "events", timeout=PATIENCE) as answer:
        name, lines = "", list[str]()
        for line in answer:
            field, _, value = line.decode().rstrip("\n").partition(": ")
            if field == "event":
                name, lines = value, []
            elif field == "data":
                lines.append(value)
            elif name:
                yield name, json.loads("".join(lines))
                name = ""


def test_a_run_is_seen_from_its_beginning_to_its_conclusion(tmp_path: Path) -> None:
    words = ["run", "--live", "--np", "8", "-m", "sim:hosts=8,slow-host=5*0.5,dead=3>6", "-s", "8,1MiB", "-n", "20"]
    command = [sys.executable, "-P", "-m", "everylink", *words, "--min-iterations", "60", "-o", str(tmp_path / "x.h5")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        assert running.stderr
        found = re.fullmatch(r"Live: (http://127\.0\.0\.1:\d+/\S+/)\n", running.stderr.readline())
        assert found
        with urllib.request.urlopen(found[1], timeout=PATIENCE) as answer:
            assert b"Everylink" in answer.read()
        events = list(_events(found[1]))
        running.communicate(timeout=PATIENCE)
    assert running.returncode == 3
    said = [value for name, value in events if name == "said"]
    assert any(re.match(r"step \d+ of \d+", value["headline"]) for value in said)
    assert said[-1]["slower"][0].startswith("n5 ")
    assert "n3:3 -> n6:6: timed out at 1 MiB" in said[-1]["failures"]
    assert {name for name, _ in events} == {"said", "size-8", "size-1048576", "end"}
    name, end = events[-1]
    assert name == "end"
    assert end["headline"] == "FAULTS: 1 pair, 1 host"
    assert end["lines"][1].startswith("host n5: slow")
