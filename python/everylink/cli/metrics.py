"""`everylink metrics`: writes a judged run as metrics for Prometheus."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

from everylink.cli.answers import files_answer, give
from everylink.cli.kinds import LINKS, judged
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import METRICS
from everylink.errors import UserMistake
from everylink.files import atomic_write, refuse_existing, text_of
from everylink.io.topology import given_topology
from everylink.text.metrics import prometheus_text

RESULTS, VERDICT = "results.h5", "verdict.json"  # in the folder of a check
LARGEST_VERDICT = 1 << 28  # bytes


def main(arguments: Sequence[str]) -> int:
    """Judge one run and write its metrics. Exit code 0 whatever the run comes to: the metrics say it."""
    options = parsed(METRICS, arguments)
    if options.output is not None:
        if options.output.suffix != ".prom":
            raise UserMistake(f"-o {options.output}: the name must end in .prom")
        refuse_existing(options.output, force=True)
    elif options.format == "json":
        raise UserMistake("--format json: names the file that -o writes; give -o FILE.prom")
    is_folder = options.file.is_dir()
    unreachable = unusable_of(options.file) if is_folder else {}
    results = LINKS.read(options.file / RESULTS if is_folder else options.file)
    text = prometheus_text(judged(results, given_topology(options.topology)), unreachable)
    if options.output is None:
        print(text, end="")
        return 0
    with atomic_write(options.output, force=True) as new:
        new.write_text(text, encoding="utf-8")
    count = sum(not line.startswith("#") for line in text.splitlines())
    said = f"{options.output}: {count} series of {results.facts.hosts} hosts"
    give(files_answer([options.output], [said], f"{count} series"), options)
    return 0


def unusable_of(folder: Path) -> Mapping[str, str]:
    """The reasons by host why a check could not use it, from its folder. Raises UserMistake."""
    path = folder / VERDICT
    advice = "a check writes it; give the results file itself"
    try:
        unusable = json.loads(text_of(path, LARGEST_VERDICT, advice)).get("unusable")
    except (ValueError, AttributeError, RecursionError):
        unusable = None
    if not isinstance(unusable, dict) or not all(isinstance(reason, str) for reason in unusable.values()):
        raise UserMistake(f"{path}: is not the verdict of a check; {advice}")
    return unusable
