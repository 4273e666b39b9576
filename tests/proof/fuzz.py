"""Feeds hostile bytes to every parser of both halves (scripts/fuzz), and tells how much each one was given.

An input that crashes a target, takes too long or too much memory is a finding; build/fuzz/found/TARGET has it.
"""

import argparse
import re
import subprocess
from pathlib import Path

ROOT = Path(__file__).parents[2]
EXECUTED = re.compile(r"number_of_executed_units: +(\d+)\nstat::average_exec_per_sec: +(\d+)")
FOUND, CORPUS, KEPT = ROOT / "build/fuzz/found", ROOT / "build/fuzz/corpus", ROOT / "tests/data/fuzz"


def files_in(folder: Path) -> int:
    return sum(path.is_file() for path in folder.iterdir()) if folder.is_dir() else 0


def row_of(target: str, seconds: int) -> tuple[str, int]:
    """The row of a target, and how many findings it has."""
    before = files_in(FOUND / target)
    done = subprocess.run(
        ["scripts/fuzz", "run", str(seconds), target], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        text=True, errors="replace", check=False,
    )  # fmt: skip
    findings = files_in(FOUND / target) - before
    executed, a_second = (int(number) for number in (EXECUTED.findall(done.stdout) or [(0, 0)])[-1])
    if done.returncode and not findings:
        print(done.stdout)
        findings = 1
    took = f"{executed / a_second:.0f} s" if a_second else f"at most {seconds} s"
    cells = (target, took, executed, files_in(CORPUS / target), files_in(KEPT / target), findings)
    return f"| {' | '.join(map(str, cells))} |", findings


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make proof PART=fuzz", description=__doc__)
    parser.add_argument("--seconds", type=int, default=600, help="for each target (600)")
    parser.add_argument("targets", nargs="*", help="only these (all; scripts/fuzz list)")
    asked = parser.parse_args(words)
    listed = subprocess.run(["scripts/fuzz", "list"], cwd=ROOT, capture_output=True, text=True, check=True)
    subprocess.run(["scripts/fuzz", "build", *asked.targets], cwd=ROOT, check=True)
    print("| target | time | inputs run | corpus | of it kept | findings |\n|---|---|---|---|---|---|", flush=True)
    total = 0
    for target in asked.targets or listed.stdout.split():
        row, findings = row_of(target, asked.seconds)
        print(row, flush=True)
        total += findings
    return int(total > 0)
