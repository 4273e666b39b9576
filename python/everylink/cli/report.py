"""`everylink report`: draws results files as one HTML page, a PDF or pictures."""

from collections.abc import Sequence
from pathlib import Path

from everylink.cli.parser import Parser
from everylink.errors import UserMistake
from everylink.report.write import check_report_path, write_report
from everylink.results import read


def main(arguments: Sequence[str]) -> int:
    """Read all files first, so that a bad one spoils no half-written report."""
    parser = Parser(
        prog="everylink report",
        description="Draw results files: HTML to explore, PDF (A4) or PNG to keep. A page for each run and size.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="results file")
    parser.add_argument(
        "-o",
        "--output",
        required=True,
        type=Path,
        metavar="FILE",
        help="x.html, x.pdf or x.png; several pages as PNG become x-1.png, x-2.png, ...",
    )
    options = parser.parse_args(arguments)
    check_report_path(options.output, "-o")
    runs = [read(file) for file in options.files]
    empty = [run.path for run in runs if not run.sizes]
    if empty:
        raise UserMistake(f"{empty[0]}: has no message size, so there is nothing to draw")
    for written in write_report(runs, options.output):
        print(written)
    return 0
