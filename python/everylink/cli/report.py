"""`everylink report`: draws results files as one HTML page, a PDF or pictures."""

from collections.abc import Sequence
from pathlib import Path

from everylink.cli.kinds import LINKS, judged, kind_of
from everylink.cli.options import Parser
from everylink.cli.reports import ENDINGS, check_report_path, write_report
from everylink.errors import UserMistake
from everylink.figure.curves import CURVE_ENDINGS, parsed_line, write_curves
from everylink.io.read import read


def main(arguments: Sequence[str]) -> int:
    """Read all files first, so that a bad one spoils no half-written report."""
    parser = Parser(
        prog="everylink report",
        description="Draw results files: HTML to explore; PDF, PostScript (A4) or PNG to keep, a page a run and size, "
        "or load pattern.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="results file")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        metavar="FILE",
        help="x.html, x.pdf, x.ps or x.png; several pages as PNG become x-1.png, x-2.png, ...",
    )
    parser.add_argument(
        "--curves", action="store_true", help="bandwidth over message size in place of the pages: a figure a kernel, a "
        "curve a run; PDF or PNG",
    )  # fmt: skip
    parser.add_argument(
        "--line", action="append", default=[], metavar="RATE", help="with --curves: a line at 11.64GiB/s or, with a "
        "label, at HDR=200Gb/s; as often as wanted",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    check_report_path(options.output, "-o", CURVE_ENDINGS if options.curves else ENDINGS)
    if options.line and not options.curves:
        raise UserMistake(f"--line {options.line[0]}: there is no curve to compare with; it goes with --curves")
    lines = [parsed_line(text) for text in options.line]
    runs = [(LINKS.read if options.curves else read)(file) for file in options.files]
    empty = [run.path for run in runs if not run.sizes and kind_of(run) is LINKS]
    if empty:
        raise UserMistake(f"{empty[0]}: has no message size, so there is nothing to draw")
    if options.curves:
        files, falls = write_curves(runs, options.output, lines)
        print(*falls, *files, sep="\n")
        return 0
    for written in write_report([judged(run) for run in runs], options.output):
        print(written)
    return 0
