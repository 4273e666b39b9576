"""Writes the report of load patterns as one self-contained HTML file."""

import base64
from collections.abc import Iterator, Sequence
from importlib.resources import files
from io import BytesIO
from pathlib import Path
from typing import Any

from jinja2 import Environment, StrictUndefined
from markupsafe import Markup

from everylink.errors import UserMistake
from everylink.judge.verdict import JudgedRun
from everylink.load.conclusions import all_conclusions
from everylink.load.tables import tables
from everylink.load.words import load_lines, load_warnings
from everylink.text.host_tables import SECTION, report_tables
from everylink.text.run import remarks
from everylink.text.verdicts import verdict_text

DPI = 130  # readable at the width of a screen


def write_load_html(runs: Sequence[JudgedRun], path: Path) -> list[Path]:
    """Write one page for all runs; return the paths written. Raises UserMistake if some runs hold links."""
    if of_links := [run.results.path for run in runs if not run.results.loads]:
        raise UserMistake(f"{of_links[0]}: holds links, the others load patterns; an HTML page takes one kind only")
    assets = files("everylink.page") / "assets"
    template, style = (assets.joinpath(name).read_text("utf-8") for name in ("patterns.html", "page.css"))
    page = Environment(autoescape=True, undefined=StrictUndefined).from_string(template)
    title = ", ".join(run.results.path.name for run in runs)
    path.write_text(
        page.render(title=title, section=SECTION, style=Markup(style), runs=[_run(run) for run in runs]),
        encoding="utf-8",
    )
    return [path]


def _run(judged: JudgedRun) -> dict[str, Any]:
    run = judged.results
    return {
        "name": run.path.name,
        "lines": load_lines(run),
        "verdicts": verdict_text(judged.judgement).plain.splitlines(),
        "alarm": judged.judgement.conclusion.is_alarm,
        "warnings": load_warnings(run),
        "remarks": remarks(run),
        "hosts": report_tables(judged),
        "loads": [
            {
                "name": load.name,
                "said": all_conclusions(load, run.ranks.name),
                "picture": picture,
                "tables": list(tables(run, load)),
            }
            for load, picture in zip(run.loads, _pictures(judged), strict=True)
        ],
    }


def _pictures(run: JudgedRun) -> Iterator[str]:
    from everylink.load.figure import load_page

    for load in run.results.loads:
        written = BytesIO()
        load_page(run, load, head=False).savefig(written, format="png", dpi=DPI, bbox_inches="tight")
        yield base64.b64encode(written.getvalue()).decode()
