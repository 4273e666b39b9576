"""Writes bandwidth over message size as one self-contained HTML file: a drawing and its numbers for each kernel."""

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from pathlib import Path

from markupsafe import Markup
from matplotlib import rc_context

from everylink.figure.curves import Curves
from everylink.page.document import document
from everylink.units import bandwidth_text, size_text

NO_METADATA = dict.fromkeys(("Creator", "Date", "Format", "Type"))
GROUP = re.compile(r'<g id="[^"]*"')  # nothing refers to these, and several figures have the same


def write_curves_html(figures: Sequence[Curves], path: Path) -> list[Path]:
    """Write one page for all figures; return the paths written."""
    shown = [
        {"title": one.title, "falls": one.falls, "picture": _svg(one, number), "rows": list(_rows(one))}
        for number, one in enumerate(figures)
    ]
    title = ", ".join(dict.fromkeys(name for one in figures for name in one.files))
    path.write_text(document("curves.html", title=title, figures=shown), encoding="utf-8")
    return [path]


def _svg(one: Curves, number: int) -> Markup:
    """The drawing, with text as text; names in it are escaped by matplotlib."""
    written = StringIO()
    with rc_context({"svg.fonttype": "none", "svg.hashsalt": str(number)}):
        one.figure.savefig(written, format="svg", metadata=NO_METADATA)
    text = written.getvalue()
    return Markup(GROUP.sub("<g", text[text.index("<svg") :]))


def _rows(one: Curves) -> Iterator[tuple[str, ...]]:
    for drawn in one.drawn:
        curve = drawn.curve
        for size, *rates in zip(curve.bytes.tolist(), curve.low, curve.median, curve.high, strict=True):
            yield drawn.label, size_text(size), *(bandwidth_text(float(rate)) for rate in rates)
