"""Writes report pages as PDF, PNG or PostScript: one page per figure."""

import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from matplotlib import rc_context
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure

Draw = Callable[[], Figure]  # makes a page on request, because all pages at once would take much memory
PNG_DPI = 200  # twice the layout's, so cells remain whole pixels and small text is readable


@dataclass(frozen=True)
class Part:
    """Pages of a report; the pictures of a part with a name have that name, too."""

    name: str
    pages: Sequence[Draw]


@contextmanager
def _missing_glyphs_are_boxes() -> Iterator[None]:
    """Names of hosts may have characters that the font has not."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from", UserWarning)
        yield


@_missing_glyphs_are_boxes()
def write_pdf(parts: Sequence[Part], path: Path, title: str = "Everylink report") -> list[Path]:
    """Write all pages; return the paths written."""
    written = BytesIO()  # PdfPages raises errors of zlib where a file cannot be written
    with (
        rc_context({"pdf.fonttype": 42, "image.composite_image": False}),
        PdfPages(written, metadata={"Title": title}) as pdf,
    ):
        for draw in _pages(parts):
            pdf.savefig(draw())
    path.write_bytes(written.getvalue())
    return [path]


@_missing_glyphs_are_boxes()
def write_png(parts: Sequence[Part], path: Path) -> list[Path]:
    """Write one picture per page: `x.png`, or `x-1.png`, `x-2.png`, ... for several; of a part with a name
    `x-verdicts.png` and so on. Returns the paths written."""
    written: list[Path] = []
    for name in dict.fromkeys(part.name for part in parts):
        pages = [draw for part in parts if part.name == name for draw in part.pages]
        stem = f"{path.stem}-{name}" if name else path.stem
        for number, draw in enumerate(pages, start=1):
            which = f"-{number}" if len(pages) > 1 else ""
            written.append(path.with_name(f"{stem}{which}{path.suffix}"))
            draw().savefig(written[-1], dpi=PNG_DPI)
    return written


@_missing_glyphs_are_boxes()
def write_ps(parts: Sequence[Part], path: Path) -> list[Path]:
    """Write all pages; return the paths written."""
    pages = list(_pages(parts))
    with path.open("wb") as file:
        file.write(f"%!PS-Adobe-3.0\n%%Title: Everylink report\n%%Pages: {len(pages)}\n%%EndComments\n".encode())
        for number, draw in enumerate(pages, start=1):
            file.write(f"%%Page: {number} {number}\n%%BeginDocument: page {number}\n".encode())
            file.write(_document(draw()))
            file.write(b"\n%%EndDocument\n")
        file.write(b"%%Trailer\n%%EOF\n")
    return [path]


def _pages(parts: Sequence[Part]) -> Iterator[Draw]:
    return (draw for part in parts for draw in part.pages)


def _document(figure: Figure) -> bytes:
    for artist in figure.findobj():
        artist.set_alpha(None)  # PostScript has no transparency
    written = BytesIO()
    with rc_context({"ps.papersize": "a4"}):
        figure.savefig(written, format="ps")
    return written.getvalue()
