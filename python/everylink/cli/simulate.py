"""`everylink simulate`: writes the results file of a simulated cluster with planted faults, and a list of them."""

import json
import shlex
from argparse import Namespace
from collections.abc import Sequence

from everylink.cli.answers import files_answer, give
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import SIMULATE
from everylink.files import atomic_write, refuse_existing, refuse_other_format
from everylink.io.results_file import write_results
from everylink.simulate.fabric import Fabric, all_links, sampled_links
from everylink.simulate.faults import parse_fault
from everylink.simulate.results import confirmed, is_large, measured, topology, write_large

TRUTH_SCHEMA = "everylink-truth/1"


def main(arguments: Sequence[str]) -> int:
    """Measure a simulated cluster and write the results file."""
    options = parsed(SIMULATE, arguments)
    refuse_other_format(options.output)
    files = [path for path in (options.output, options.truth, options.topology) if path is not None]
    for path in files:
        refuse_existing(path, options.force)
    fabric = Fabric(
        hosts=options.hosts,
        ranks_per_host=options.ranks_per_host,
        group_size=options.group_size or options.hosts,
        noise=options.noise,
        transient=options.transient,
        faults=tuple(map(parse_fault, options.fault)),
        seed=options.seed,
        messages=options.messages,
        both_directions=not options.unidirectional,
    )
    command = shlex.join(["everylink", "simulate", *arguments])
    if options.sample is None and is_large(fabric):
        write_large(fabric, options.sizes, options.output, command, options.confirm, options.force)
    else:
        _write(fabric, options, command)
    if options.truth is not None:
        faults = [
            {"fault": str(f), "kind": f.kind, "subject": list(f.subject), "factor": f.factor} for f in fabric.faults
        ]
        with atomic_write(options.truth, options.force) as new:
            new.write_text(json.dumps({"schema": TRUTH_SCHEMA, "faults": faults}, indent=2) + "\n")
    if options.topology is not None:
        with atomic_write(options.topology, options.force) as new:
            new.write_text(topology(fabric))
    give(files_answer(files, [str(options.output)]), options)
    return 0


def _write(fabric: Fabric, options: Namespace, command: str) -> None:
    ranks, sample = fabric.ranks, options.sample
    links = all_links(ranks) if sample is None else sampled_links(ranks, sample, options.seed)
    schedule = "all" if sample is None else f"sample:{sample}"
    results = measured(fabric, links, options.sizes, options.output, command, schedule)
    write_results(confirmed(fabric, results) if options.confirm else results, options.force)
