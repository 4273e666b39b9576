"""The core under sanitizers: the contract over every transport that can run here, and runs under random faults.

Builds the presets dev (address and undefined behaviour) and tsan (data races). Transports of libraries that cannot run
here say why. A finding is what a sanitizer reported; a test that failed without one is told, too.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
BUILDS = {"dev": "ASan, UBSan", "tsan": "TSan"}
SANITIZERS = {"dev": "address,undefined", "tsan": "thread"}  # dev by itself leaves out two that take long to compile
TARGETS = ("core/all", "transport_contract_test")
# Leaks cannot be told here: ranks end by _exit, as libraries may still hold their buffers.
SETTINGS = {"ASAN_OPTIONS": "detect_leaks=0"}
RAN = re.compile(r"(\d+) tests of the contract run, (\d+) passed; (\d+) cannot run")
NOT_HERE = "the contract cannot run over it"
REPORT = re.compile(r"(?:ERROR|WARNING|SUMMARY): \w+Sanitizer[^\n]*|runtime error:[^\n]*")


@dataclass
class Row:
    build: str
    what: str
    runs: int = 0
    failed: int = 0
    findings: int = 0
    remark: str = ""

    def __str__(self) -> str:
        cells = (BUILDS[self.build], self.what, self.runs, self.failed, self.findings, self.remark)
        return f"| {' | '.join(map(str, cells))} |"


def build(preset: str) -> None:
    subprocess.run(
        ["cmake", "--preset", preset, "--log-level=WARNING", f"-DEVERYLINK_SANITIZE={SANITIZERS[preset]}"],
        cwd=ROOT,
        check=True,
    )
    subprocess.run(["cmake", "--build", "--preset", preset, "--target", *TARGETS], cwd=ROOT, check=True)


def cases_of(command: list[str], report: Path, settings: dict[str, str]) -> Iterator[ET.Element]:
    """The test cases of a command that writes such a report."""
    subprocess.run(command, cwd=ROOT, env=os.environ | SETTINGS | settings, check=False)
    yield from ET.parse(report).iter("testcase")


def text_in(case: ET.Element) -> str:
    return "\n".join(f"{part.get('message') or ''}\n{part.text or ''}" for part in case.iter())


def contract(preset: str, chosen: str, patience: str, folder: Path) -> Iterator[Row]:
    """A row for each transport."""
    report = folder / "contract.xml"
    command = ["ctest", "--test-dir", f"build/{preset}", "-R", f"^contract[.]({chosen})$"]
    command += ["--test-output-size-passed", "1000000", "--test-output-size-failed", "1000000"]
    settings = {"EVERYLINK_TEST_PATIENCE": patience}
    for case in cases_of([*command, "--output-junit", str(report)], report, settings):
        said = text_in(case)
        row = Row(preset, f"contract over {(case.get('name') or '').removeprefix('contract.')}")
        if ran := RAN.search(said):
            row.runs = int(ran[1])
            row.failed = row.runs - int(ran[2])
        elif NOT_HERE in said:
            row.remark = said[said.index(NOT_HERE) + len(NOT_HERE) + 2 :].split("\n")[0]
        else:
            row.failed = 1
            row.remark = "ended early"
        row.findings = len(REPORT.findall(said))
        if row.failed or row.findings:
            print(said, file=sys.stderr)
        yield row


def chaos(preset: str, runs: int, patience: str, folder: Path) -> Row:
    """Random faults of ranks: seeds 0 to `runs` - 1 of tests/whole/test_chaos.py."""
    report = folder / "chaos.xml"
    settings = {
        "EVERYLINK_CHAOS_SEED": f"0-{runs - 1}",
        "EVERYLINK_TEST_PATIENCE": patience,
        "EVERYLINK_MEASURE": str(ROOT / f"build/{preset}/core/everylink-measure"),
        "PYTHONPATH": str(ROOT / "python"),
    }
    words = ["tests/whole/test_chaos.py", "-k", "of_its_ranks", "-q", "--junitxml", str(report)]
    row = Row(preset, "chaos")
    for case in cases_of([sys.executable, "-m", "pytest", *words], report, settings):
        row.runs += 1
        if case.find("failure") is not None or case.find("error") is not None:
            row.failed += 1
            row.findings += bool(REPORT.search(text_in(case)))
    return row


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make proof PART=sanitizers", description=__doc__)
    parser.add_argument("--build", choices=BUILDS, action="append", help="only this preset (both)")
    parser.add_argument("--contract", default=".*", help="regular expression: the transports of the contract (all)")
    parser.add_argument("--chaos", type=int, default=100, help="runs under random faults (100)")
    parser.add_argument("--patience", default="4", help="multiplies every limit in seconds (4)")
    asked = parser.parse_args(words)
    rows: list[Row] = []
    for preset in asked.build or BUILDS:
        build(preset)
        with tempfile.TemporaryDirectory() as folder:
            if asked.contract:
                rows += contract(preset, asked.contract, asked.patience, Path(folder))
            if asked.chaos:
                rows.append(chaos(preset, asked.chaos, asked.patience, Path(folder)))
    print("| build | what | runs | failed | findings | remark |\n|---|---|---|---|---|---|")
    print(*rows, sep="\n")
    return int(any(row.failed or row.findings for row in rows))
