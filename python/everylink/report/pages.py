"""Writes report pages as PDF or PNG: a page for each run and size, or pattern."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_pdf import PdfPages

from everylink.plots.pages import pages
from everylink.results import Results

PNG_DPI = 200  # twice that of the layout, so cells stay whole pixels and small text can be read


def write_pdf(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write one A4 page for each run and size, or pattern; returns what was written."""
    with (
        rc_context({"pdf.fonttype": 42, "image.composite_image": False}),
        PdfPages(path, metadata={"Title": "Everylink report"}) as pdf,
    ):
        for draw in pages(runs):
            pdf.savefig(draw())
    return [path]


def write_png(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write one picture for each page: `x.png`, or `x-1.png`, `x-2.png`, ... where there are several."""
    drawn = pages(runs)
    numbered = [path.with_name(f"{path.stem}-{i + 1}{path.suffix}") for i in range(len(drawn))]
    written = numbered if len(drawn) > 1 else [path]
    for draw, file in zip(drawn, written, strict=True):
        draw().savefig(file, dpi=PNG_DPI)
    return written
