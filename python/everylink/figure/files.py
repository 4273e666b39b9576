"""Writes report pages as PDF, PNG or PostScript: a page for each run and size, or pattern."""

from collections.abc import Callable, Sequence
from functools import partial
from io import BytesIO
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

from everylink.figure.page import page
from everylink.load.figure import load_page
from everylink.model.results import Results

PNG_DPI = 200  # twice that of the layout, so cells stay whole pixels and small text can be read


def pages(runs: Sequence[Results]) -> list[Callable[[], Figure]]:
    """What draws each page, because all of them at once would take much memory."""
    found: list[Callable[[], Figure]] = []
    for run in runs:
        found += [partial(page, run, size) for size in run.sizes]
        found += [partial(load_page, run, load) for load in run.loads]
    return found


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


def write_ps(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write all pages; returns what was written."""
    drawn = pages(runs)
    with path.open("wb") as file:
        file.write(f"%!PS-Adobe-3.0\n%%Title: Everylink report\n%%Pages: {len(drawn)}\n%%EndComments\n".encode())
        for number, draw in enumerate(drawn, start=1):
            file.write(f"%%Page: {number} {number}\n%%BeginDocument: page {number}\n".encode())
            file.write(_document(draw()))
            file.write(b"\n%%EndDocument\n")
        file.write(b"%%Trailer\n%%EOF\n")
    return [path]


def _document(figure: Figure) -> bytes:
    for artist in figure.findobj():
        artist.set_alpha(None)  # PostScript knows nothing of it
    written = BytesIO()
    with rc_context({"ps.papersize": "a4"}):
        figure.savefig(written, format="ps")
    return written.getvalue()
