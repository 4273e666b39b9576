"""Writes report pages as one PostScript file, which ps2pdf and printers take: a page for each run and size."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from matplotlib import rc_context

from everylink.plots.page import page
from everylink.results import Results, Size


def write_ps(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write a page for each run and size; returns what was written."""
    pages = [(run, size) for run in runs for size in run.sizes]
    with path.open("wb") as file:
        file.write(f"%!PS-Adobe-3.0\n%%Title: Everylink report\n%%Pages: {len(pages)}\n%%EndComments\n".encode())
        for number, (run, size) in enumerate(pages, start=1):
            file.write(f"%%Page: {number} {number}\n%%BeginDocument: page {number}\n".encode())
            file.write(_document(run, size))
            file.write(b"\n%%EndDocument\n")
        file.write(b"%%Trailer\n%%EOF\n")
    return [path]


def _document(run: Results, size: Size) -> bytes:
    figure = page(run, size)
    for artist in figure.findobj():
        artist.set_alpha(None)  # PostScript knows nothing of it
    written = BytesIO()
    with rc_context({"ps.papersize": "a4"}):
        figure.savefig(written, format="ps")
    return written.getvalue()
