"""Measures how far the two directions of a pair differ where nothing differs: a bias of the method, and its spread.

Each run of each program gives, for every pair and size, ln(time from the lower to the higher rank / time back), by
medians. Printed are the share of pairs in which the lower rank's direction is slower and the median of the logarithms,
both with 95 % intervals (whole runs resampled), their spread (1.4826 times the median deviation from the median), and
the seconds per run. Several programs take turns.
"""

import argparse
import os
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import everylink
from everylink.robust import spread

Values = NDArray[np.float64]
RESAMPLED = 2000
BED = Path(__file__).resolve().parents[1] / "testbed/netns/bed"


def one_run(command: Sequence[str], output: Path) -> tuple[Values, float]:
    """The logarithms of all pairs and sizes, and the seconds of the run."""
    began = time.monotonic()
    subprocess.run([*command, "--force", "-o", str(output)], check=True, stdout=subprocess.DEVNULL, timeout=600)
    took = time.monotonic() - began
    results = everylink.read(output)
    lower, higher = np.triu_indices(len(results.ranks), 1)
    times = [size.links.matrix("median", len(results.ranks)).astype(float) for size in results.sizes]
    found = [np.log(table[lower, higher] / table[higher, lower]) for table in times]
    ratios = np.concatenate(found)
    return ratios[np.isfinite(ratios)], took


def interval(runs: Sequence[Values], value: object, random: np.random.Generator) -> tuple[float, float]:
    assert callable(value)
    drawn = [
        value(np.concatenate([runs[i] for i in random.integers(len(runs), size=len(runs))])) for _ in range(RESAMPLED)
    ]
    low, high = np.percentile(drawn, [2.5, 97.5])
    return float(low), float(high)


def share(ratios: Values) -> float:
    return float(np.mean(ratios > 0) + np.mean(ratios == 0) / 2)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--measure", type=Path, action="append", help="everylink-measure; several take turns")
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--mode", default="tcp")
    parser.add_argument("--np", type=int, default=8)
    parser.add_argument("--bed", help="starts the ranks on the hosts of this bed (testbed/netns) in place of --np")
    parser.add_argument("--prefix", default="", help="what starts the ranks in place of --np: 'mpirun -n 8'")
    parser.add_argument("options", nargs="*", help="further options of everylink-measure, after --")
    given = parser.parse_args()
    programs = given.measure or [Path("build/release/core/everylink-measure")]
    starts = ["--num-slowest", "0", "--progress", "none", "--mode", given.mode, *given.options]
    random = np.random.default_rng(1)
    found: dict[Path, list[tuple[Values, float]]] = {program: [] for program in programs}
    with tempfile.TemporaryDirectory() as folder:
        for _ in range(given.runs):
            for program in programs:
                start = [*given.prefix.split(), str(program)] if given.prefix else [str(program), "--np", str(given.np)]
                if given.bed:
                    os.environ["EVERYLINK_MEASURE"] = str(program)
                    start = [str(BED), "--name", given.bed, "measure"]
                found[program].append(one_run([*start, *starts], Path(folder) / "x.h5"))
    for program, runs in found.items():
        ratios = [ratio for ratio, _ in runs]
        everything = np.concatenate(ratios)
        shares, medians = (interval(ratios, value, random) for value in (share, np.median))
        print(
            f"{program}: share {share(everything):.3f} [{shares[0]:.3f}, {shares[1]:.3f}], "
            f"median ln {np.median(everything):+.4f} [{medians[0]:+.4f}, {medians[1]:+.4f}], "
            f"spread {spread(everything):.3f}, {np.median([took for _, took in runs]):.2f} s",
            flush=True,
        )


if __name__ == "__main__":
    main()
