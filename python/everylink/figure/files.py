"""Writes report pages as PDF, PNG or PostScript: one page per figure."""

from collections.abc import Callable, Sequence
from io import BytesIO
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

Draw = Callable[[], Figure]  # makes a page on request, because all pages at once would take much memory
PNG_DPI = 200  # twice the layout's, so cells remain whole pixels and small text is readable


def write_pdf(pages: Sequence[Draw], path: Path, title: str = "Everylink report") -> list[Path]:
    """Write all pages; return the paths written."""
    written = BytesIO()  # PdfPages raises errors of zlib where a file cannot be written
    with (
        rc_context({"pdf.fonttype": 42, "image.composite_image": False}),
        PdfPages(written, metadata={"Title": title}) as pdf,
    ):
        for draw in pages:
            pdf.savefig(draw())
    path.write_bytes(written.getvalue())
    return [path]


def write_png(pages: Sequence[Draw], path: Path) -> list[Path]:
    """Write one picture per page: `x.png`, or `x-1.png`, `x-2.png`, ... for several; return the paths written."""
    numbered = [path.with_name(f"{path.stem}-{i + 1}{path.suffix}") for i in range(len(pages))]
    written = numbered if len(pages) > 1 else [path]
    for draw, file in zip(pages, written, strict=True):
        draw().savefig(file, dpi=PNG_DPI)
    return written


def write_ps(pages: Sequence[Draw], path: Path) -> list[Path]:
    """Write all pages; return the paths written."""
    with path.open("wb") as file:
        file.write(f"%!PS-Adobe-3.0\n%%Title: Everylink report\n%%Pages: {len(pages)}\n%%EndComments\n".encode())
        for number, draw in enumerate(pages, start=1):
            file.write(f"%%Page: {number} {number}\n%%BeginDocument: page {number}\n".encode())
            file.write(_document(draw()))
            file.write(b"\n%%EndDocument\n")
        file.write(b"%%Trailer\n%%EOF\n")
    return [path]


def _document(figure: Figure) -> bytes:
    for artist in figure.findobj():
        artist.set_alpha(None)  # PostScript has no transparency
    written = BytesIO()
    with rc_context({"ps.papersize": "a4"}):
        figure.savefig(written, format="ps")
    return written.getvalue()
