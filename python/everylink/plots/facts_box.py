"""Draws the head of a page: which file, what was run, and how fast the links are in one line a class."""

from matplotlib.figure import Figure
from matplotlib.patches import Rectangle

from everylink.analysis.summary import ClassSummary, summarise
from everylink.plots.canvas import ALARM, HEIGHT, LEFT, PALE_INK, RIGHT, WIDTH, beginning, shortened, write
from everylink.report.judged import judgement_of
from everylink.report.verdicts import verdict_lines
from everylink.report.words import kernel_text, mode_text, remarks, tool_text, warnings
from everylink.results import UNKNOWN, Results, Size
from everylink.units import bandwidth_text, size_text, time_text

TOP, LINE, COLUMNS = 92, 16, 5
COLUMN_WIDTH, NAME_WIDTH = 146, 54
MOST_WARNINGS, WARNING_LENGTH = 3, 190


def draw_head(figure: Figure, results: Results, size: Size) -> None:
    """Draw title, warnings and the box of facts."""
    facts = results.facts
    write(figure, LEFT, 52, shortened(results.path.name, 50), fontsize=14, weight="bold")
    write(figure, RIGHT, 52, ", ".join(filter(None, (tool_text(results), facts.created))), ha="right", color=PALE_INK)
    verdicts = verdict_lines(judgement_of(results))
    for i, line in enumerate(_few(verdicts + warnings(results) + remarks(results))):
        write(figure, LEFT, 65 + 9 * i, line, color=ALARM, fontsize=6.5)
    facts_shown = _facts(results, size)
    classes = summarise(results, size).classes
    rows = -(-len(facts_shown) // COLUMNS) + len(classes)
    _draw_box(figure, LINE * rows + 8)
    for i, (name, value) in enumerate(facts_shown):
        x, y = LEFT + 10 + i % COLUMNS * COLUMN_WIDTH, TOP + 12 + LINE * (i // COLUMNS)
        write(figure, x, y, name, color=PALE_INK, fontsize=7)
        write(figure, x + NAME_WIDTH, y, beginning(value, 15), fontsize=7)
    for i, summary in enumerate(classes):
        _draw_class(figure, TOP + 12 + LINE * (rows - len(classes) + i), summary, size, results.directions)


def _few(lines: list[str]) -> list[str]:
    """As many lines as there is room for, each by its beginning."""
    shown = (
        lines
        if len(lines) <= MOST_WARNINGS
        else [
            *lines[: MOST_WARNINGS - 1],
            f"and {len(lines) - MOST_WARNINGS + 1} more remarks, which everylink show lists",
        ]
    )
    return [beginning(line, WARNING_LENGTH) for line in shown]


def _facts(results: Results, size: Size) -> list[tuple[str, str]]:
    facts = results.facts
    return [
        ("ranks", str(facts.ranks)),
        ("mode", mode_text(results)),
        ("kernel", kernel_text(results)),
        ("size", size_text(size.bytes)),
        ("messages", str(facts.messages)),
        ("hosts", str(facts.hosts)),
        ("memory", facts.memory),
        ("schedule", facts.schedule),
        ("pairs", "serial" if facts.serial else "parallel"),
        ("warm-ups", UNKNOWN if facts.warmups < 0 else str(facts.warmups)),
    ]


def _draw_box(figure: Figure, height: int) -> None:
    corner = (LEFT / WIDTH, 1 - (TOP - 4 + height) / HEIGHT)
    size = ((RIGHT - LEFT) / WIDTH, height / HEIGHT)
    figure.add_artist(Rectangle(corner, *size, facecolor="#f4f4f4", edgecolor="#bbbbbb", linewidth=0.5))


def _draw_class(figure: Figure, y: float, summary: ClassSummary, size: Size, directions: int) -> None:
    write(figure, LEFT + 10, y, f"{summary.link_class}, one-way", color=PALE_INK, fontsize=7)
    time, rate = summary.time, summary.time.bandwidth(size.bytes, directions)
    both = " both directions" if directions == 2 else ""
    shown = (("min", time.min, rate.min), ("avg", time.mean, rate.mean), ("max", time.max, rate.max))
    for i, (name, seconds, bytes_per_second) in enumerate(shown):
        text = f"{name} {time_text(seconds)} ({bandwidth_text(bytes_per_second)}{both})"
        write(figure, LEFT + 114 + 208 * i, y, text, fontsize=6.7)
