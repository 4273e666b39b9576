"""Writes the report as one HTML file that needs no network and nothing beside it."""

import json
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from everylink.report.load_html import write_load_html
from everylink.report.view import view
from everylink.results import Results


def write_html(runs: Sequence[Results], path: Path) -> list[Path]:
    """Write one page for all runs; returns what was written."""
    if any(run.loads for run in runs):
        return write_load_html(runs, path)
    assets = files("everylink.report") / "assets"
    template, style, script = (
        assets.joinpath(name).read_text("utf-8") for name in ("page.html", "page.css", "page.js")
    )
    data = json.dumps(view(runs), separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(template)
    title = ", ".join(run.path.name for run in runs)
    text = page.render(title=title, style=Markup(style), script=Markup(script), data=Markup(data))
    path.write_text(text, encoding="utf-8")
    return [path]
