"""Writes report pages as PDF or PNG: a page for each run and size."""

from collections.abc import Sequence
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_pdf import PdfPages

from everylink.plots.page import page
from everylink.results import Results

PNG_DPI = 200  # twice that of the layout, so cells stay whole pixels and small text can be read


def write_pdf(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write one A4 page for each run and size; returns what was written."""
    with (
        rc_context({"pdf.fonttype": 42, "image.composite_image": False}),
        PdfPages(path, metadata={"Title": "Everylink report"}) as pdf,
    ):
        for run in runs:
            for size in run.sizes:
                pdf.savefig(page(run, size))
    return [path]


def write_png(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write one picture for each run and size: `x.png`, or `x-1.png`, `x-2.png`, ... where there are several."""
    pages = [(run, size) for run in runs for size in run.sizes]
    numbered = [path.with_name(f"{path.stem}-{i + 1}{path.suffix}") for i in range(len(pages))]
    written = numbered if len(pages) > 1 else [path]
    for (run, size), file in zip(pages, written, strict=True):
        page(run, size).savefig(file, dpi=PNG_DPI)
    return written
