"""`everylink run`: measures by starting everylink-measure, shows its progress, then what it found."""

import sys
from argparse import ArgumentTypeError, Namespace
from collections.abc import Sequence
from pathlib import Path

from everylink.cli.diagnose import FAULTS_FOUND
from everylink.cli.kinds import Shown, judged, kind_of
from everylink.cli.options import Parser
from everylink.cli.reports import check_report_path, write_report
from everylink.errors import ResultsError, UserMistake
from everylink.io.read import read
from everylink.launch import sides
from everylink.launch.confirm import MEASURED, confirm
from everylink.launch.core import check_version, find_core
from everylink.launch.launcher import LAUNCHERS, Start
from everylink.launch.launchers import starter
from everylink.model.loads import PATTERNS
from everylink.terminal.console import terminal
from everylink.terminal.progress import Event, display, parse_event

USAGE = (
    "everylink run [--hosts NODES [--nranks R] | [--servers NODES] --clients NODES] [--env KEY=VALUE] "
    "[--launcher NAME] [--launcher-args ARGS] [--np N] [--confirm] [--report FILE] [PATTERN] CORE'S OPTIONS ..."
)
WITH_DASHES = ("--launcher-args", "--servers-args", "--server-args", "--clients-args", "--client-args")
USERS_MISTAKE = 2  # the core's exit code, after which there is nothing to show


def _parser() -> Parser:
    parser = Parser(
        prog="everylink run",
        usage=USAGE,
        description="Measure every link, or play a load pattern, then show what was found.",
        epilog="All other options go to the core unchanged: everylink-measure --help lists them. The options above "
        "are to be written in full, because the core knows others that begin alike.",
        allow_abbrev=False,
    )
    parser.add_argument(
        "--launcher", choices=LAUNCHERS,
        help="what starts the ranks (local; with --hosts srun inside of a job of Slurm, else ssh)",
    )  # fmt: skip
    parser.add_argument(
        "--launcher-args",
        default="",
        metavar="ARGS",
        help="passed on to mpiexec, srun or ssh, or the whole command (srun --mpi=pmix), split like a shell",
    )
    parser.add_argument("--np", type=int, metavar="N", help="ranks (local: as many as cores, at least 2)")
    _add_hosts(parser)
    parser.add_argument(
        "--confirm", action="store_true", help="measure again what looks bad, under load, alone and one way; then judge"
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="also write x.html, x.pdf or x.png")
    return parser


def _add_hosts(parser: Parser) -> None:
    parser.add_argument("--hosts", metavar="NODES", help="where: n[8-11], r[1-2]n[1-2], @group, @FILE, n[1-9]!n3")
    parser.add_argument("--nranks", type=_ranks, metavar="R", help="with --hosts: ranks on each host (1)")
    parser.add_argument(
        "--env", action="append", default=[], metavar="KEY=VALUE",
        help="with --hosts or --clients: a variable of the ranks; KEY alone: as it is here",
    )  # fmt: skip
    for side, means in (
        ("servers", "hosts of the servers; or N, the first N ranks of --np or --hosts"),
        ("clients", "hosts of the clients; alone: the pattern all-to-all among them"),
    ):
        one = side.removesuffix("s")
        parser.add_argument(f"--{side}", metavar="NODES", help=means)
        parser.add_argument(f"--{side}-file", type=Path, metavar="FILE", help="the same from a file")
        parser.add_argument(f"--{side}-nranks", type=_ranks, metavar="R", help=f"ranks on each {one} (1)")
        parser.add_argument(
            f"--{side}-env", action="append", default=[], metavar="KEY=VALUE", help=f"a variable of the {side} alone"
        )
        parser.add_argument(
            f"--{side}-args", f"--{one}-args", default="", metavar="ARGS",
            help=f"for the {side} alone: -env NAME VALUE, --rails, --interface, --mode; arguments of mpiexec",
        )  # fmt: skip


def _ranks(text: str) -> int:
    if not text.isascii() or not text.isdecimal() or int(text[:9]) < 1:
        raise ArgumentTypeError(f"{text}: a host has one rank or more")
    return int(text[:9])  # which is too many already


def parsed(arguments: Sequence[str]) -> tuple[Namespace, list[str]]:
    """Ours, and those of the core with the pattern that ours mean. Raises UserMistake."""
    options, core_options = _parser().parse_known_args(_joined(WITH_DASHES, arguments))
    if options.np is not None and options.np < 2:
        raise UserMistake(f"--np {options.np}: a link needs two ranks; give 2 or more")
    core_options = sides.play_of(options, core_options)
    if options.confirm and (chosen := [word for word in core_options if word in PATTERNS]):
        raise UserMistake(f"--confirm: is about links, and the pattern {chosen[0]} measures none; leave it out")
    if options.report is not None:
        check_report_path(options.report, "--report")
    for option in ("--report", "--confirm"):
        for other in ("--no-output", "--progress"):
            if getattr(options, option.strip("-")) and is_given(other, core_options):
                raise UserMistake(f"{option} contradicts {other}: leave one of them out")
    return options, core_options


def _joined(options: Sequence[str], arguments: Sequence[str]) -> list[str]:
    """Join these with their values, because argparse takes a value that begins with a dash for an option."""
    joined: list[str] = []
    for argument in arguments:
        if joined and joined[-1] in options:
            joined[-1] += f"={argument}"
        else:
            joined.append(argument)
    return joined


def is_given(option: str, core_options: Sequence[str]) -> bool:
    """Whether the core is told an option, written in full."""
    return any(given == option or given.startswith(f"{option}=") for given in core_options)


def main(arguments: Sequence[str]) -> int:
    """Measure and show; the core's exit code is ours, and with --confirm also that of the judgement."""
    options, core_options = parsed(arguments)
    core = find_core()
    check_version(core)
    start = starter(core, options, core_options)
    if is_given("--progress", core_options):
        return start(core_options, _print_line)
    code, output = _measure(start, core_options)
    if output is None or code == USERS_MISTAKE:
        return code
    if options.confirm and code in MEASURED:
        again = [option for option in core_options if option != "--force"]
        code = confirm(output, lambda more: _measure(start, [*again, *more])[0]) or code
    healthy = _show(output, options.report)
    return FAULTS_FOUND if options.confirm and code == 0 and not healthy else code


def _print_line(line: str) -> None:
    print(line, flush=True)


def _measure(start: Start, core_options: Sequence[str]) -> tuple[int, Path | None]:
    """Run the core under a display; returns its exit code and its results file, if it named one."""
    outputs: list[str] = []
    with display(terminal()) as shown:

        def on_line(line: str) -> None:
            event: Event = parse_event(line)
            if isinstance(event.get("output"), str):
                outputs.append(event["output"])
            shown.show(event)

        code = start(["--progress", "json", *core_options], on_line)
    return code, Path(outputs[-1]) if outputs else None


def _show(output: Path, report: Path | None) -> bool:
    """Print the summary and write the report; gives whether all is healthy, as far as the file can be read."""
    try:
        results = read(output)
    except ResultsError as error:
        print(f"everylink: {error}", file=sys.stderr)
        return True  # the core's own exit code says more
    console = terminal()
    run = judged(results)
    kind_of(results).show(run, console, Shown())
    console.print(f"\nResults file {output}", soft_wrap=True)
    if report is not None:
        for written in write_report([run], report):
            console.print(f"Report {written}", soft_wrap=True)
    return run.judgement.healthy
