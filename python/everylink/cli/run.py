"""`everylink run`: measures by starting everylink-measure, shows its progress, then what it found."""

import sys
from collections.abc import Sequence
from pathlib import Path

from everylink.cli.diagnose import FAULTS_FOUND
from everylink.cli.run_options import is_given, parsed
from everylink.errors import ResultsError
from everylink.launch.confirm import MEASURED, confirm
from everylink.launch.core import check_version, find_core
from everylink.launch.events import Event, parse_event
from everylink.launch.launchers import Start, starter
from everylink.report.progress import display
from everylink.report.terminal import print_summary, terminal
from everylink.report.write import write_report
from everylink.results import read

USERS_MISTAKE = 2  # the core's exit code, after which there is nothing to show


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
    judgement = print_summary(results, console)
    console.print(f"\nResults file {output}", soft_wrap=True)
    if report is not None:
        for written in write_report([results], report):
            console.print(f"Report {written}", soft_wrap=True)
    return judgement.healthy
