"""Writes report pages as one PostScript file, which ps2pdf and printers take: a page a run and size, or pattern."""

from collections.abc import Sequence
from io import BytesIO
from pathlib import Path

from matplotlib import rc_context
from matplotlib.figure import Figure

from everylink.plots.pages import pages
from everylink.results import Results


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
