"""`everylink run`: starts everylink-measure, shows its progress, then the results."""

import sys
from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path

from everylink.cli.diagnose import FAULTS_FOUND
from everylink.cli.kinds import Shown, judged, kind_of
from everylink.cli.options.parser import parsed_in_part
from everylink.cli.options.table import RUN
from everylink.cli.reports import check_report_path, write_report
from everylink.errors import ResultsError, UserMistake
from everylink.io.read import read
from everylink.launch import sides
from everylink.launch.confirm import MEASURED, confirm
from everylink.launch.core import check_version, find_core
from everylink.launch.core_line import CoreTable, table_of
from everylink.launch.launcher import Start
from everylink.launch.launchers import starter
from everylink.terminal.console import terminal
from everylink.terminal.progress import Event, display, parse_event

USERS_MISTAKE = 2  # exit code of the core; it has measured nothing


def main(arguments: Sequence[str]) -> int:
    """Measure and show. Returns the exit code of the core; with --confirm, 3 if it is 0 but faults were found."""
    options, core_options = parsed_in_part(RUN, arguments)
    core = find_core()
    check_version(core)
    table = table_of(core)
    core_options = checked(options, core_options, table)
    start = starter(core, options, core_options)
    if "--progress" in table.line(core_options).values:
        return start(core_options, _print_line)
    code, output = _measure(start, core_options)
    if output is None or code == USERS_MISTAKE:
        return code
    if options.confirm and code in MEASURED:
        again = table.without("--force", core_options)
        code = confirm(output, lambda more: _measure(start, [*again, *more])[0]) or code
    healthy = _show(output, options.report)
    return FAULTS_FOUND if options.confirm and code == 0 and not healthy else code


def checked(options: Namespace, core_options: Sequence[str], table: CoreTable) -> list[str]:
    """The options of the core with the load pattern that ours imply. Raises UserMistake."""
    if options.np is not None and options.np < 2:
        raise UserMistake(f"--np {options.np}: a single rank has nothing to measure; start at least 2")
    core_options = sides.with_implied_pattern(options, core_options, table)
    line = table.line(core_options)
    if options.confirm and line.pattern:
        raise UserMistake(f"--confirm applies only to links; the pattern {line.pattern} measures none")
    if options.report is not None:
        check_report_path(options.report, "--report")
    for option in ("--report", "--confirm"):
        for other in ("--no-output", "--progress"):
            if getattr(options, option.strip("-")) and other in line.values:
                raise UserMistake(f"{option} and {other} exclude each other")
    return core_options


def _print_line(line: str) -> None:
    print(line, flush=True)


def _measure(start: Start, core_options: Sequence[str]) -> tuple[int, Path | None]:
    """Run the core and display its progress. Returns its exit code and its results file, if it named one."""
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
    """Print the summary and write the report. Returns whether the run is healthy; True if the file is unreadable."""
    try:
        results = read(output)
    except ResultsError as error:
        print(f"everylink: {error}", file=sys.stderr)
        return True  # the core's exit code decides
    console = terminal()
    run = judged(results)
    kind_of(results).show(run, console, Shown())
    console.print(f"\nResults file {output}", soft_wrap=True)
    if report is not None:
        for written in write_report([run], report):
            console.print(f"Report {written}", soft_wrap=True)
    return run.judgement.healthy
