"""`everylink run`: starts everylink-measure, shows its progress, then the results."""

import itertools
import sys
import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from rich.console import Console

from everylink.cli.answers import Answer, give, is_brief
from everylink.cli.kinds import Shown, judged, kind_of
from everylink.cli.measuring import Ran, live_of, measure
from everylink.cli.options.parser import parsed_in_part
from everylink.cli.options.table import RUN
from everylink.cli.reports import check_report_path, write_report
from everylink.errors import ResultsError, UserMistake
from everylink.exit_codes import MEASURED, Exit
from everylink.files import refuse_other_format
from everylink.io.read import read
from everylink.io.topology import Topology, given_topology
from everylink.judge.verdict import JudgedRun
from everylink.launch import sides
from everylink.launch.confirm import confirm
from everylink.launch.core import check_version, find_core
from everylink.launch.core_line import PAIRS, CoreLine, CoreTable, table_of
from everylink.launch.launcher import Start
from everylink.launch.launchers import starter, take_hosts_of_job
from everylink.launch.plan import SIZES
from everylink.nearest import suggestion
from everylink.terminal.console import terminal
from everylink.text.verdicts import verdict_json

if TYPE_CHECKING:
    from everylink.cli.live import Live

ONLY_PRINT = ("--list", "--version")  # options of the core with which it measures nothing
TAKES_EXISTING = ("--force", "--resume", "--no-output", *ONLY_PRINT)  # with these a file of that name is no obstacle
SION = ".sion"  # holds a single size, and takes no further measurements
LINKTEST = ("--preset", "--step-lines", "--no-output")  # with these LinkTest's lines are wanted, or all there is
OWN_SIZES = ("--size-messages", "--preset", *ONLY_PRINT)  # options with which the core needs no sizes from us


def main(arguments: Sequence[str]) -> int:
    """Measure and show. Returns the exit code of the core; if that is 0, the one of the judgement."""
    options, core_options = parsed_in_part(RUN, arguments)
    core = find_core()
    check_version(core)
    table = table_of(core)
    given, core_options = core_options, checked(options, core_options, table)
    line = table.line(core_options)
    only_prints = any(option in line.values for option in ONLY_PRINT)
    if not only_prints:
        take_hosts_of_job(options)
    topology = given_topology(options.topology)
    start = starter(core, options, core_options)
    say_other_name(given, core_options, table)
    if "--progress" in line.values:
        return _passed_through(start, core_options)
    if only_prints:
        return measure(start, core_options, terminal()).code
    with live_of(options) as live, switches_of(topology, line) as switches:
        return _measured(options, start, [*core_options, *switches], table, live, topology)


@contextmanager
def switches_of(topology: Topology | None, line: CoreLine) -> Iterator[list[str]]:
    """Options of the core that name a file with the switch of each host, for a screening; none without a topology.

    The file is beside the results file, because only rank 0's machine is sure to see that folder.
    """
    if topology is None or not is_screening(line) or "--switches" in line.values:
        yield []
        return
    output = Path(line.values.get("--output") or "everylink.h5").absolute()
    lines = (f"{host} {'_'.join(leaf.split())}\n" for host, leaf in topology.leaf_of.items())
    with tempfile.NamedTemporaryFile("w", prefix=f"{topology.path.name}.", dir=output.parent) as file:
        file.writelines(lines)
        file.flush()
        yield ["--switches", file.name]


def is_screening(line: CoreLine) -> bool:
    """Whether this line of the core has the schedule `screen`, after which what looks slow is measured again."""
    return line.pattern is None and line.values.get("--schedule", "").partition(":")[0] == "screen"


def _measured(
    options: Namespace,
    start: Start,
    core_options: Sequence[str],
    table: CoreTable,
    live: "Live | None",
    topology: Topology | None,
) -> int:
    line = table.line(core_options)
    console = None if is_brief(options) else terminal()
    lines = options.linktest_lines or any(option in line.values for option in LINKTEST)
    ran = measure(start, core_options, console, linktest_lines=lines, live=live)
    if ran.code == Exit.MISTAKE:
        return ran.code
    if ran.output is None:
        return ran.code or _without_results(ran)
    code = ran.code
    if (options.confirm or (is_screening(line) and ran.output.suffix != SION)) and code in MEASURED:
        settings = table.without("--switches", table.without("--force", core_options))

        def measure_again(more: Sequence[str]) -> int:
            if console:
                console.print("Measuring again what looks slow")
            return measure(start, [*settings, *more], console, linktest_lines=lines, again=True, live=live).code

        code = confirm(ran.output, measure_again, topology=topology) or code
    judged_as = _show(ran.output, options, live, topology, force="--force" in line.values)
    return judged_as if code in (Exit.FINE, Exit.UNDECIDED) else code


def checked(options: Namespace, core_options: Sequence[str], table: CoreTable) -> list[str]:
    """The options of the core, with the load pattern that ours imply, and message sizes. Raises UserMistake."""
    if options.np is not None and options.np < 2:
        raise UserMistake(f"--np {options.np}: a single rank has nothing to measure; start at least 2")
    core_options = sides.with_implied_pattern(options, core_options, table)
    line = table.line(core_options)
    if line.unknown:
        known = [*table.options[line.pattern or PAIRS], *(name for option in RUN.options for name in option.names)]
        more = "everylink run --help and everylink-measure --help list the options"
        raise UserMistake(f"{line.unknown[0]}: unknown option{suggestion(line.unknown[0], known)}; {more}")
    if options.confirm and line.pattern:
        raise UserMistake(f"--confirm applies only to links; the pattern {line.pattern} measures none")
    if options.confirm and is_screening(line):
        raise UserMistake("--confirm: leave it out; --schedule screen measures again what looks slow")
    if options.live is not None and line.pattern:
        raise UserMistake(f"--live applies only to links; the pattern {line.pattern} measures none")
    if options.linktest_lines and line.pattern:
        raise UserMistake(f"--linktest-lines applies only to links; the pattern {line.pattern} measures none")
    if options.linktest_lines and is_brief(options):
        raise UserMistake("--linktest-lines: leave out --quiet and --format json, which print the answer alone")
    if options.report is not None:
        check_report_path(options.report, "--report", force="--force" in line.values)
    for option in ("--report", "--confirm", "--quiet"):
        for other in ("--no-output", "--progress"):
            if getattr(options, option.strip("-")) and other in line.values:
                raise UserMistake(f"{option} and {other} exclude each other")
    output = Path(line.values.get("--output") or table.default("--output"))
    if "--output" not in line.values and _is_in_the_way(output, line):
        output = next(new for new in _other_names(output) if not new.exists())
        core_options = ["-o", str(output), *core_options]
    _check_output(output, options, line)
    if options.live is not None:
        _check_live(output, line)
    if options.format == "json" and any(option in line.values for option in ("--no-output", "--progress")):
        raise UserMistake("--format json describes a results file; leave out --no-output and --progress")
    if is_screening(line) and "--num-slowest" not in line.values:  # single pairs would be most of its steps
        core_options = ["--num-slowest", "0", *core_options]
    if line.pattern or output.suffix == SION or any(option in line.values for option in OWN_SIZES):
        return core_options
    return ["-s", SIZES, *core_options]


def say_other_name(given: Sequence[str], core_options: Sequence[str], table: CoreTable) -> None:
    """Say where the results go if that is not the usual file, though the `given` options name no other one."""
    usual, output = (table.line(options).values.get("--output") for options in (given, core_options))
    if usual is None and output is not None:
        print(f"everylink: {table.default('--output')} exists; the results go to {output}", file=sys.stderr)


def _check_output(output: Path, options: Namespace, line: CoreLine) -> None:
    """Raise UserMistake if the core would refuse the results file, once its ranks have started."""
    refuse_other_format(output, SION)
    if options.confirm and output.suffix == SION:
        raise UserMistake(f"-o {output}: a {SION} file takes no further measurements, so --confirm requires .h5")
    if _is_in_the_way(output, line):
        raise UserMistake(f"{output}: exists; --force overwrites it, and -o FILE names another results file")


def _check_live(output: Path, line: CoreLine) -> None:
    """Raise UserMistake if there will be no file to follow."""
    for other in ("--no-output", "--progress"):
        if other in line.values:
            raise UserMistake(f"--live and {other} exclude each other")
    if output.suffix == SION:
        raise UserMistake(f"-o {output}: a {SION} file cannot be read while it is written, so --live requires .h5")


def _is_in_the_way(output: Path, line: CoreLine) -> bool:
    """Whether the core would write to a file that exists, which it refuses."""
    return output.exists() and not any(option in line.values for option in TAKES_EXISTING)


def _other_names(path: Path) -> Iterator[Path]:
    """everylink-2.h5, everylink-3.h5, and so on."""
    return (path.with_stem(f"{path.stem}-{number}") for number in itertools.count(2))


def _passed_through(start: Start, core_options: Sequence[str]) -> int:
    """Run the core and print its lines as they are. Returns its exit code."""
    lines = itertools.count()

    def on_line(line: str) -> None:
        next(lines)
        print(line, flush=True)

    return start(core_options, on_line, None) or (Exit.FINE if next(lines) else _nothing_measured())


def _without_results(ran: Ran) -> Exit:
    """The exit code of a run that succeeded without a results file."""
    return Exit.FINE if ran.links else _nothing_measured()


def _nothing_measured() -> Exit:
    print("everylink: nothing was measured: no rank reported a result", file=sys.stderr)
    return Exit.UNDECIDED


def _show(output: Path, options: Namespace, live: "Live | None", topology: Topology | None, force: bool) -> Exit:
    """Print the summary, or only the verdict, also to `live`, and write the report.

    Returns the exit code of the judgement.
    """
    try:
        results = read(output)
    except ResultsError as error:
        print(f"everylink: {error}", file=sys.stderr)
        return Exit.UNDECIDED
    run = judged(results, topology)
    if live:
        live.end(run)
    give(_answer(run, output), options)
    if options.report is not None:
        for written in write_report([run], options.report, force=force):
            if not is_brief(options):
                terminal().print(f"Report {written}", soft_wrap=True)
    return run.judgement.conclusion.exit_code


def _answer(run: JudgedRun, output: Path) -> Answer:
    """What `show` says, and as JSON what `diagnose` says."""
    shown = kind_of(run.results).show(run, Shown())

    def text(console: Console) -> None:
        shown.text(console)
        console.print(f"\nResults file {output}", soft_wrap=True)

    return Answer(text, shown.brief, partial(verdict_json, run.results, run.judgement))
