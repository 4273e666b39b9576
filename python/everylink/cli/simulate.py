"""`everylink simulate`: a results file of a made-up cluster with planted faults, and the truth beside it."""

import json
import shlex
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path

from everylink.cli.options import Parser
from everylink.errors import UserMistake
from everylink.files import refuse_existing
from everylink.io.results_file import write_results
from everylink.simulate.fabric import FORMS, Fabric, all_links, parse_fault, sampled_links
from everylink.simulate.results import confirmed, is_large, measured, topology, write_large

TRUTH_SCHEMA = "everylink-truth/1"
MOST, MOST_SHARE, LARGEST = 2**20, 0.5, 2**40


def main(arguments: Sequence[str]) -> int:
    """Make up a cluster, measure it, write the file."""
    options = _parse(arguments)
    for path in filter(None, (options.output, options.truth, options.topology)):
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
        options.truth.write_text(json.dumps({"schema": TRUTH_SCHEMA, "faults": faults}, indent=2) + "\n")
    if options.topology is not None:
        options.topology.write_text(topology(fabric))
    print(options.output)
    return 0


def _write(fabric: Fabric, options: Namespace, command: str) -> None:
    ranks, sample = fabric.ranks, options.sample
    links = all_links(ranks) if sample is None else sampled_links(ranks, sample, options.seed)
    schedule = "all" if sample is None else f"sample:{sample}"
    results = measured(fabric, links, options.sizes, options.output, command, schedule)
    write_results(confirmed(fabric, results) if options.confirm else results, options.force)


def _parse(arguments: Sequence[str]) -> Namespace:
    parser = Parser(
        prog="everylink simulate",
        description="Write the results file of a made-up cluster: hosts n0, n1, ... in groups g0, g1, ...",
        epilog="Faults: " + "; ".join(f"{kind}:{form[0]} {form[1]}" for kind, form in FORMS.items()),
    )
    parser.add_argument("--hosts", type=_count, required=True, metavar="N")
    parser.add_argument("--ranks-per-host", type=_count, default=1, metavar="N")
    parser.add_argument("--group-size", type=_count, metavar="N", help="hosts below one switch (all)")
    parser.add_argument("--noise", type=_share, default=0.02, metavar="X", help="spread of a link's time (0.02)")
    parser.add_argument("--transient", type=_share, default=0.005, metavar="X", help="part of disturbed links (0.005)")
    parser.add_argument("--fault", action="append", default=[], metavar="FAULT", help="may be given several times")
    parser.add_argument("--sizes", type=_sizes, default=[1 << 20], metavar="BYTES", help="8,1048576 (1048576)")
    parser.add_argument("--messages", type=_count, default=100, metavar="N", help="readings of a link (100)")
    parser.add_argument("--sample", type=_count, metavar="K", help="K random partners a rank, not all")
    parser.add_argument("--unidirectional", action="store_true", help="one direction a reading, not a round trip")
    parser.add_argument(
        "--confirm", action="store_true", help="measure suspects again, as everylink run --confirm does"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="FILE")
    parser.add_argument("--truth", type=Path, metavar="FILE", help="also write what was planted, as JSON")
    parser.add_argument("--topology", type=Path, metavar="FILE", help="also write the groups, as Slurm's topology.conf")
    parser.add_argument("--force", action="store_true", help="overwrite files")
    options = parser.parse_args(arguments)
    if options.seed < 0:
        raise UserMistake(f"--seed {options.seed}: 0 or more")
    return options


def _count(text: str) -> int:
    if not text.isascii() or not text.isdigit() or not 0 < int(text) <= MOST:
        raise ArgumentTypeError(f"'{text}' is no number from 1 to {MOST}")
    return int(text)


def _share(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = float("nan")
    if not 0 <= value <= MOST_SHARE:
        raise ArgumentTypeError(f"'{text}' is no number from 0 to {MOST_SHARE}; 0.02 is 2 %")
    return value


def _sizes(text: str) -> list[int]:
    sizes = [int(word) if word.isascii() and word.isdigit() else 0 for word in text.split(",")]
    if not all(0 < size <= LARGEST for size in sizes) or len(set(sizes)) < len(sizes):
        raise ArgumentTypeError(f"'{text}': wanted are different numbers of bytes, such as 8,1048576")
    return sizes
