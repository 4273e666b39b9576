"""Runs with random faults over each transport and network, and what went wrong in them."""

import argparse
import shutil
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from functools import partial
from pathlib import Path

import chaos
import netns
import test_chaos
from chaos import Seen

from conftest import measure_program, mpi_launcher
from everylink.io.read import read

FAULTS = {  # the column that a failed check counts in, by its words
    "had not ended": "hangs",
    "left over": "orphans",
    "no row for links": "lost rows",
    "ended well": "lost rows",
    "there is no file": "lost rows",
    "said to have failed": "wrong verdicts",
    "contradict": "wrong verdicts",
    "there was none": "wrong verdicts",
    "was left beside": "stray files",
}
COLUMNS = ("hangs", "lost rows", "orphans", "stray files", "wrong verdicts", "other")
KEPT = {"x.h5", "x.h5.parts", "out", "err"}


def check_folder(folder: Path) -> None:
    strays = sorted({file.name for file in folder.iterdir()} - KEPT)
    assert not strays, f"{strays} was left beside the results"


def under_mpirun(seed: int, folder: Path) -> Seen:
    scenario = chaos.scenario_here(seed)
    options = tuple("mpi" if word == "tcp" else word for word in scenario.options[2:])
    command = [*mpi_launcher(scenario.ranks), measure_program(), *options, "-o", str(folder / "x.h5")]
    return chaos.run(replace(scenario, options=options), command, folder, None)


SETTINGS: dict[str, Callable[[int, Path], Seen]] = {
    "tcp": partial(chaos.in_processes, mode="tcp"),
    "ucp": partial(chaos.in_processes, mode="ucp"),
    "ofi": partial(chaos.in_processes, mode="ofi"),
    "mpi": under_mpirun,
    "bed, IPv4": partial(chaos.in_bed, family="4"),
    "bed, IPv6": partial(chaos.in_bed, family="6"),
}


def check(seen: Seen, folder: Path, setting: str) -> None:
    if setting == "mpi" and seen.code not in (0, 3):
        # mpirun sends all ranks a signal when one ends early, and has a code of its own.
        assert seen.code is not None, "the run had not ended"
        assert not seen.left_over, "processes were left over"
        assert seen.planted, "the run ended in error, and nothing happened"
        for size in read(folder / "x.h5").sizes if (folder / "x.h5").exists() else ():
            test_chaos.check_rows(seen, size)
    else:
        test_chaos.judge(seen, folder / "x.h5", [])
    check_folder(folder)


def one(setting: str, seed: int, keep: Path) -> tuple[str, int, str, float]:
    """What went wrong; the files of such a run are kept."""
    chaos.adopt_orphans(True)
    folder = Path(tempfile.mkdtemp(prefix="chaos-"))
    began, wrong, faults = time.monotonic(), "", 0
    try:
        seen = SETTINGS[setting](seed, folder)
        faults = len(seen.planted)
        check(seen, folder, setting)
    except BaseException as error:  # also what only a defect of this program raises
        text = "\n".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", [])])
        wrong = next((name for words, name in FAULTS.items() if words in str(error)), "other")
        kept = keep / f"{setting.replace(', ', '-')}-{seed}"
        shutil.copytree(folder, kept, dirs_exist_ok=True)
        (kept / "why").write_text(text)
    shutil.rmtree(folder, ignore_errors=True)
    return wrong, faults, setting, time.monotonic() - began


def runs_here(setting: str) -> bool:
    if setting.startswith("bed"):
        return netns.call("check").returncode == 0
    listed = subprocess.run([measure_program(), "--list"], capture_output=True, text=True, check=True).stdout
    return any(line.split()[:1] == [setting] and line.endswith("can run here") for line in listed.splitlines())


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="make proof PART=chaos_board WORDS=")
    parser.add_argument("--runs", type=int, default=1000, help="in all (default 1,000)")
    parser.add_argument("--seed", type=int, default=1000, help="of the first run of each setting (default 1000)")
    parser.add_argument("--only", choices=SETTINGS, help="this setting alone")
    parser.add_argument("--workers", type=int, default=3, help="runs at a time (default 3)")
    parser.add_argument("--keep", type=Path, default=Path("build/chaos"), help="folder for the files of bad runs")
    chosen = parser.parse_args(words)
    chosen.keep.mkdir(parents=True, exist_ok=True)
    settings = [name for name in SETTINGS if chosen.only in (None, name)]
    missing = [name for name in settings if not runs_here(name)]
    settings = [name for name in settings if name not in missing]
    jobs = [(settings[i % len(settings)], chosen.seed + i // len(settings)) for i in range(chosen.runs)]
    wrong: dict[str, Counter[str]] = {name: Counter() for name in settings}
    runs, faults, longest = Counter[str](), Counter[str](), Counter[str]()
    with ProcessPoolExecutor(chosen.workers, max_tasks_per_child=1) as pool:
        for what, planted, setting, took in pool.map(
            one, *zip(*jobs, strict=True), [chosen.keep.resolve()] * len(jobs)
        ):
            runs[setting] += 1
            faults[setting] += planted
            longest[setting] = max(longest[setting], round(took))
            wrong[setting][what] += 1
    print(f"| | runs | faults | {' | '.join(COLUMNS)} | longest run |\n|{'---|' * (len(COLUMNS) + 4)}")
    for name in settings:
        counts = " | ".join(str(wrong[name][column]) for column in COLUMNS)
        print(f"| {name} | {runs[name]} | {faults[name]} | {counts} | {longest[name]} s |")
    for name in missing:
        print(f"\n{name} cannot run here.")
    bad = sum(counts.total() - counts[""] for counts in wrong.values())
    if bad:
        print(f"\nThe files of {bad} bad runs are in {chosen.keep}.")
    return 1 if bad else 0
