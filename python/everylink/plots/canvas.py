"""A4 pages measured in pixels of 100 dpi from the top left, so that matrix cells can be whole pixels."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

DPI = 100
WIDTH, HEIGHT = 827, 1169
LEFT, RIGHT = 45, 782
INK, PALE_INK, ALARM = "#1a1a1a", "#6b6b6b", "#c00060"


def blank_page() -> Figure:
    """An empty A4 page."""
    return Figure(figsize=(WIDTH / DPI, HEIGHT / DPI), dpi=DPI)


def axes_at(figure: Figure, left: float, top: float, width: float, height: float) -> Axes:
    """Axes with this box in pixels."""
    return figure.add_axes((left / WIDTH, 1 - (top + height) / HEIGHT, width / WIDTH, height / HEIGHT))


def write(figure: Figure, x: float, y: float, text: str, **style: Any) -> None:
    """Text at a pixel; its left end and baseline unless the style says otherwise. `$` is only a dollar sign."""
    options: dict[str, Any] = {"fontsize": 8, "color": INK, "ha": "left", "va": "baseline", "parse_math": False} | style
    figure.text(x / WIDTH, 1 - y / HEIGHT, text, **options)


def shortened(name: str, most: int) -> str:
    """A long name by its end, because that is where host names differ."""
    return name if len(name) <= most else "…" + name[1 - most :]


def beginning(text: str, most: int) -> str:
    """A long text by its beginning."""
    return text if len(text) <= most else text[: most - 1] + "…"
