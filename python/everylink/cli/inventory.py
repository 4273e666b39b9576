"""`everylink inventory`: what a cluster consists of, what deviates, and what changed between two runs."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console
from rich.text import Text

from everylink.cli.answers import Answer, give
from everylink.cli.measuring import measure
from everylink.cli.options.parser import parsed, parsed_in_part
from everylink.cli.options.table import INVENTORY, RUN
from everylink.errors import CoreError, FileDamaged, UserMistake
from everylink.exit_codes import MEASURED, Exit
from everylink.files import refuse_existing
from everylink.host_lists import folded, folded_by_reason
from everylink.inventory.cluster import cluster_of
from everylink.inventory.drift import drift_of
from everylink.inventory.versus import versus
from everylink.io.formats import FORMATS
from everylink.io.read import read
from everylink.launch.core import check_version, find_core
from everylink.launch.job import UnusableHosts, hosts_of
from everylink.launch.launchers import starter, take_hosts_of_job
from everylink.model.results import Results
from everylink.text.inventory import (
    inventory_headline,
    inventory_json,
    inventory_text,
    nothing_read,
    versus_headline,
    versus_json,
    versus_text,
)

# As little as a run can measure.
SHORTEST = ("-m", "tcp", "-s", "1", "-n", "1", "-w", "0", "--schedule", "sample:1", "--num-slowest", "0",
            "--retest-budget", "0")  # fmt: skip
MOST_FILES = 2


def main(arguments: Sequence[str]) -> int:
    """Show an inventory. Returns Exit.FAULTS if a host deviates critically from its equals."""
    options = parsed(INVENTORY, arguments)
    options.what = list(map(str, options.what))
    files = [Path(word) for word in options.what if _is_file(word)]
    _check(options, files)
    if len(files) == MOST_FILES:
        return _changes(files, options)
    if files:
        return _shown(_read(files[0]), options)
    if options.output is not None:
        return _shown(_read_hosts(options, options.output), options)
    with TemporaryDirectory(prefix="everylink-") as folder:
        return _shown(_read_hosts(options, Path(folder) / "inventory.h5"), options)


def _is_file(word: str) -> bool:
    """Whether a word names a file; all others are hosts."""
    return "/" in word or Path(word).suffix in FORMATS or Path(word).is_file()


def _check(options: Namespace, files: Sequence[Path]) -> None:
    if files and len(files) < len(options.what):
        raise UserMistake(f"inventory: give files or hosts, not both ({' '.join(options.what)})")
    if len(files) > MOST_FILES:
        raise UserMistake(f"inventory: {len(files)} files; give one, or two to compare")
    for option in ("--launcher", "--output", "--force"):
        if files and getattr(options, option.strip("-")):
            raise UserMistake(f"{option} applies only to hosts; {files[0]} was read already")
    if options.force and options.output is None:
        raise UserMistake("--force applies only to -o")
    if options.output is not None:
        refuse_existing(options.output, options.force)


def _read(path: Path) -> Results:
    """A results file with an inventory. Raises UserMistake for one without, and FileDamaged."""
    results = read(path)
    if damage := results.inventory.left_out:
        raise FileDamaged(path, damage)
    if not len(results.inventory):
        raise UserMistake(nothing_read(path))
    return results


def _shown(results: Results, options: Namespace) -> Exit:
    found = drift_of(results)
    text = inventory_text(results, found, options.all)
    give(_answer(text, inventory_headline(found), inventory_json(results, found)), options)
    return Exit.FAULTS if found.is_critical else Exit.FINE


def _changes(files: Sequence[Path], options: Namespace) -> Exit:
    base, new = map(_read, files)
    found = versus(cluster_of(base), cluster_of(new))
    give(_answer(versus_text(found, options.all), versus_headline(found), versus_json(base, new, found)), options)
    return Exit.FINE


def _answer(text: Text, brief: Text, json: str) -> Answer:
    def show(console: Console) -> None:
        console.print(text, soft_wrap=True)

    return Answer(show, brief, partial(str, json))


def _read_hosts(options: Namespace, output: Path) -> Results:
    """Read hosts by the shortest run over them; without hosts those of the batch job, else this machine.

    Hosts on which no rank can start are left out, and named on standard error.
    """
    core = find_core()
    check_version(core)
    hosts = hosts_of(",".join(options.what), "HOSTS") if options.what else []
    core_options = [*SHORTEST, "-o", str(output), *(["--force"] if options.force else [])]
    while True:
        try:
            code = measure(starter(core, _run_options(options, hosts), core_options), core_options, None).code
            break
        except UnusableHosts as error:
            for names, reason in folded_by_reason(error.reasons):
                print(f"everylink: {names}: left out: {reason}", file=sys.stderr)
            hosts = [host for host in hosts if host not in error.reasons]
            if not hosts:
                raise
    if code not in MEASURED:
        raise CoreError(f"the hosts could not be read: everylink-measure ended with exit code {code}")
    results = read(output)
    if not len(results.inventory):
        raise CoreError(f"{core} read nothing of its hosts")
    return results


def _run_options(options: Namespace, hosts: Sequence[str]) -> Namespace:
    """The options of `everylink run` that start the ranks: one per host, two on a single one."""
    words = [] if options.launcher is None else ["--launcher", options.launcher]
    if hosts:
        words += ["--hosts", folded(hosts), *(["--nranks", "2"] if len(hosts) == 1 else [])]
    found = parsed_in_part(RUN, words)[0]
    take_hosts_of_job(found)
    if found.hosts is None:
        found.np = 2
    return found
