"""Writes bandwidth over message size as PDF or PNG, a figure for each kernel, and says where bandwidth falls."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from everylink.analysis.classes import LinkClass
from everylink.analysis.curves import Curve, Line, curves
from everylink.errors import EverylinkError, UserMistake
from everylink.report.words import mode_text
from everylink.results import Results
from everylink.units import bandwidth_text, parsed_rate, size_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ENDINGS = (".pdf", ".png")


def parsed_line(text: str) -> Line:
    """Read a --line, `11.64GiB/s` or `HDR=200Gb/s`. Raises UserMistake."""
    label, _, rate = text.rpartition("=")
    try:
        found = parsed_rate(rate)
    except ValueError as error:
        raise UserMistake(f"--line {text}: {error}; a label may stand before it, HDR=200Gb/s") from None
    return Line(found, f"{label.strip()}, {bandwidth_text(found)}" if label.strip() else bandwidth_text(found))


def run_label(run: Results, curve: Curve, one_class: bool) -> str:
    """What carried the messages, with which library, in which file; and the class of links where there are two."""
    libraries = list(dict.fromkeys(filter(None, run.ranks.libraries)))
    library = f" ({libraries[0]})" if len(libraries) == 1 else ""
    where = "" if one_class and curve.link_class == LinkClass.OTHER_HOST else f", {curve.link_class}"
    return f"{mode_text(run)}{library}{where}, {run.path.name}"


def write_curves(runs: Sequence[Results], path: Path, lines: Sequence[Line]) -> tuple[list[Path], list[str]]:
    """Write all figures; returns what was written, and a sentence for each fall. Raises UserMistake without a curve."""
    from matplotlib import rc_context
    from matplotlib.backends.backend_pdf import PdfPages

    from everylink.report.pages import PNG_DPI

    figures: list[Figure] = []
    said: list[str] = []
    for kernel in dict.fromkeys(run.facts.kernel for run in runs):
        figure, sentences = _figure([run for run in runs if run.facts.kernel == kernel], lines)
        figures.append(figure)
        said += sentences
    try:
        if path.suffix.lower() == ".pdf":
            with rc_context({"pdf.fonttype": 42}), PdfPages(path, metadata={"Title": "Everylink curves"}) as pdf:
                for figure in figures:
                    pdf.savefig(figure)
            return [path], said
        numbered = [path.with_name(f"{path.stem}-{i + 1}{path.suffix}") for i in range(len(figures))]
        written = numbered if len(figures) > 1 else [path]
        for figure, file in zip(figures, written, strict=True):
            figure.savefig(file, dpi=PNG_DPI)
    except OSError as error:
        raise EverylinkError(f"{path}: cannot be written: {error.strerror}") from None
    return written, said


def _figure(runs: Sequence[Results], lines: Sequence[Line]) -> "tuple[Figure, list[str]]":
    from everylink.plots.curves import Labelled, draw_curves

    drawn: list[Labelled] = []
    said: list[str] = []
    for i, run in enumerate(runs):
        found = curves(run)
        if not found:
            raise UserMistake(f"{run.path}: no link has a time at a message size above 0, so there is no curve")
        for curve in found:
            label = run_label(run, curve, len(found) == 1)
            drawn.append(Labelled(i, label, curve))
            said += _falls(label, curve)
    kernel = runs[0].facts.kernel
    title = f"{kernel} kernel: bandwidth over message size; median link, and 5 % to 95 % of the links"
    return draw_curves(title, runs[0].bandwidth_label, drawn, lines), said


def _falls(label: str, curve: Curve) -> Iterator[str]:
    for fall in curve.falls:
        at = list(curve.bytes).index(fall.next_bytes)
        rates = f"{bandwidth_text(float(curve.median[at - 1]))} -> {bandwidth_text(float(curve.median[at]))}"
        sizes = f"from {size_text(fall.bytes)} to {size_text(fall.next_bytes)}"
        yield f"{label}: bandwidth falls by {1 - fall.part:.0%} {sizes} ({rates})"
