"""`everylink report`: draws results files as an HTML page, PDF, PostScript or PNG."""

from collections.abc import Sequence
from functools import partial

from everylink.cli.answers import files_answer, give
from everylink.cli.kinds import LINKS, judged, kind_of
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import REPORT
from everylink.cli.reports import ENDINGS, check_report_path, write_report, written_whole
from everylink.errors import UserMistake
from everylink.figure.curves import CURVE_ENDINGS, curve_figures, parsed_line, write_curves
from everylink.io.read import read
from everylink.io.topology import given_topology
from everylink.page.curves import write_curves_html


def main(arguments: Sequence[str]) -> int:
    """Read all files before writing, so that an invalid one leaves no incomplete report."""
    options = parsed(REPORT, arguments)
    check_report_path(options.output, "-o", CURVE_ENDINGS if options.curves else ENDINGS, force=options.force)
    if options.line and not options.curves:
        raise UserMistake(f"--line {options.line[0]}: applies only to --curves")
    if options.topology is not None and options.curves:
        raise UserMistake(f"--topology {options.topology}: does not apply to --curves")
    if options.tiles and options.output.suffix.lower() != ".html":
        raise UserMistake(f"--tiles: applies only to an HTML page, not to -o {options.output}")
    lines = [parsed_line(text) for text in options.line]
    runs = [(LINKS.read if options.curves else read)(file) for file in options.files]
    empty = [run.path for run in runs if not run.sizes and kind_of(run) is LINKS]
    if empty:
        raise UserMistake(f"{empty[0]}: has no message size, so there is nothing to draw")
    if options.curves:
        figures = curve_figures(runs, lines)
        falls = [fall for figure in figures for fall in figure.falls]
        write = write_curves_html if options.output.suffix.lower() == ".html" else write_curves
        files = written_whole(partial(write, figures), options.output, options.force)
        give(files_answer(files, [*falls, *map(str, files)], notes=falls), options)
        return 0
    topology = given_topology(options.topology)
    files = write_report(
        [judged(run, topology) for run in runs], options.output, force=options.force, tiles=options.tiles
    )
    give(files_answer(files, list(map(str, files))), options)
    return 0
