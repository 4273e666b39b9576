"""Network Sanitizer's command under its old name, `run_netsan.sh`: its options, its defaults and its lines."""

import io
import re
import shlex
import sys
from argparse import Namespace
from collections.abc import Iterator, Sequence

from rich.console import Console

from everylink.cli import guarded
from everylink.cli.measuring import measure
from everylink.cli.options.parser import parsed_in_part
from everylink.cli.options.table import NETWORK_SANITIZER, RUN
from everylink.cli.run import checked, say_other_name
from everylink.errors import UserMistake
from everylink.exit_codes import Exit
from everylink.host_lists import folded
from everylink.io.read import read
from everylink.launch.core import check_version, find_core
from everylink.launch.core_line import CoreTable, table_of
from everylink.launch.job import hosts_in_file, hosts_of
from everylink.launch.launchers import starter
from everylink.links.unmeasured import local_causes
from everylink.load import netsan
from everylink.model.results import Results
from everylink.nearest import matches

PROGRAM = "run_netsan.sh"
SIDES = ("servers", "clients")
OURS = ("--bsize", "--nflight")  # words that the core also knows by other names
USUAL_SIZES = (1, 1 << 22)  # the least and the greatest
NAMES = tuple(name for option in NETWORK_SANITIZER.options for name in option.names if name.startswith("--"))


def run_netsan(arguments: Sequence[str] | None = None) -> int:
    """Measure as Network Sanitizer does, and print its lines."""
    return guarded(PROGRAM, _run_netsan, sys.argv[1:] if arguments is None else arguments)


def _run_netsan(arguments: Sequence[str]) -> int:
    asked, more = parsed_in_part(NETWORK_SANITIZER, list(_in_full(arguments)))
    hosts = _hosts(asked)
    words = _words_of_run(asked, more, hosts)
    core = find_core()
    check_version(core)
    table = table_of(core)
    options, given = _as_run(words, table)
    core_options = checked(options, given, table)
    start = starter(core, options, core_options)
    say_other_name(given, core_options, table)
    _print_head(asked, hosts, words)
    ran = measure(start, core_options, Console(stderr=True), log=io.StringIO())
    if ran.output is None or ran.code == Exit.MISTAKE:
        return ran.code or Exit.UNDECIDED
    results = read(ran.output)
    _print_results(results, asked)
    print(f"# everylink diagnose {ran.output} names what is faulty", flush=True)
    return ran.code


def _in_full(arguments: Sequence[str]) -> Iterator[str]:
    """Network Sanitizer's options may be abbreviated; all others are those of everylink run."""
    for word in arguments:
        name, equals, value = word.partition("=")
        found = [name] if name in NAMES else matches(name, NAMES) if name.startswith("--") and len(name) > 2 else []
        if len(found) > 1:
            raise UserMistake(f"{name}: ambiguous; it may be {' or '.join(found)}")
        yield f"{found[0]}{equals}{value}" if found else word


def _hosts(asked: Namespace) -> dict[str, list[str]]:
    """The hosts of each side. Raises UserMistake."""
    hosts: dict[str, list[str]] = {}
    for side in SIDES:
        text, file = getattr(asked, side), getattr(asked, f"{side}_file")
        if text is not None and file is not None:
            raise UserMistake(f"--{side} and --{side}-file exclude each other: both name the {side}")
        if text is not None:
            hosts[side] = hosts_of(_node_set(text), f"--{side}")
        elif file is not None:
            hosts[side] = hosts_in_file(file, f"--{side}-file")
    if "clients" not in hosts:
        raise UserMistake(
            "--clients is missing; --clients 'client[1-4]' measures all-to-all among them, and with --servers "
            "'server[2-3]' what the clients get from the servers"
        )
    if asked.sequential and "servers" in hosts:
        raise UserMistake("--sequential applies only to all-to-all; leave it out, or leave out --servers")
    return hosts


def _node_set(text: str) -> str:
    """Network Sanitizer also accepts braces, and blanks between names."""
    return ",".join(re.sub(r",\s+", ",", text.translate(str.maketrans("{}", "[]"))).split())


def _words_of_run(asked: Namespace, more: Sequence[str], hosts: dict[str, list[str]]) -> list[str]:
    """The same measurement as words of everylink run. Unless the user chooses, mpiexec and MPI measure, as there."""
    words = ["client-server" if "servers" in hosts else "all-to-all"]
    given = {word.partition("=")[0] for word in more}
    if "--launcher" not in given:
        words += ["--launcher", "mpiexec"]
        if not given & {"--mode", "-m"}:
            words += ["--mode", "mpi"]
    for side in hosts:
        words += [f"--{side}", folded(hosts[side])]
        for name in ("nranks", "args"):
            if (value := getattr(asked, f"{side}_{name}")) is not None:
                words.append(f"--{side}-{name}={value}")
    words += ["--niters", str(asked.niters), "--nflight", str(asked.nflight)]
    if asked.bsize is not None:
        words += ["--bsize", str(asked.bsize)]
    return [*words, *(["--sequential"] if asked.sequential else []), *more]


def _as_run(words: Sequence[str], table: CoreTable) -> tuple[Namespace, list[str]]:
    options, core_options = parsed_in_part(RUN, words)
    given = table.line([word for word in core_options if word.partition("=")[0] not in OURS]).values
    for name, ours in (("--size-messages", "--bsize"), ("--window", "--nflight")):
        if name in given:
            raise UserMistake(f"{name}: use {ours}, as with Network Sanitizer")
    for name in ("--no-output", "--progress"):
        if name in given:
            raise UserMistake(f"{name}: the lines are made from the results file; leave it out")
    for name in ("report", "confirm", "quiet", "linktest_lines"):
        if getattr(options, name):
            option = f"--{name.replace('_', '-')}"
            raise UserMistake(f"{option} is an option of everylink run alone; leave it out, or use everylink run")
    return options, core_options


def _print_head(asked: Namespace, hosts: dict[str, list[str]], words: Sequence[str]) -> None:
    counts = {side: len(hosts.get(side, ())) * _nranks(asked, side) for side in SIDES}
    for side in SIDES:
        named = ",".join(f"{host}:{_nranks(asked, side)}" for host in hosts.get(side, ()))
        print(f"{side.title()}({counts[side]}): {named}")
    print(f"Command line: everylink run {shlex.join(words)}\n")
    least, most = (asked.bsize,) * 2 if asked.bsize is not None else USUAL_SIZES
    print(
        f"#nservers={counts['servers']} nclients={counts['clients']} niters={asked.niters} nflight={asked.nflight} "
        f"sequential={int(asked.sequential)} ssize={least}, esize={most}",
        flush=True,
    )


def _nranks(asked: Namespace, side: str) -> int:
    return getattr(asked, f"{side}_nranks") or 1


def _print_results(results: Results, asked: Namespace) -> None:
    (load,) = results.loads

    def name(rank: int) -> str:
        number = rank - load.servers if rank >= load.servers else rank
        return f"{results.ranks.host[rank]}-{number}" if asked.hostnames else str(number)

    for line in netsan.connections(load, name) if asked.verbose else netsan.lines(load):
        print(line)
    if failed := netsan.failed(load):
        print(f"# {failed} of {len(load.flows)} connections FAILED and are left out")
    if unmeasured := netsan.unmeasured(load):
        why = "; ".join(map(str, local_causes(results)))
        print(f"# {unmeasured} of {len(load.flows)} connections could not be measured and are left out: {why}")


if __name__ == "__main__":  # from a source tree that is not installed
    sys.exit(run_netsan())
