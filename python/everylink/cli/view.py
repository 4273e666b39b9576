"""`everylink view`: serves the HTML report of results files, and every single link of them, to a browser."""

import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from rich.console import Console

from everylink.cli.answers import Answer, give
from everylink.cli.kinds import LINKS, judged
from everylink.cli.options.parser import parsed
from everylink.cli.options.table import VIEW
from everylink.errors import UserMistake
from everylink.io.topology import given_topology
from everylink.page.html import write_html
from everylink.page.server import File, Server, interrupted_by_signals, until_stopped
from everylink.text.json_text import json_text

SCHEMA = "everylink-view/1"


def main(arguments: Sequence[str]) -> int:
    """Serve until Ctrl-C; what the browser reads is in a temporary folder until then."""
    options = parsed(VIEW, arguments)
    runs = [LINKS.read(file) for file in options.files]
    for run in runs:
        if not run.sizes:
            raise UserMistake(f"{run.path}: has no message size, so there is nothing to show")
    topology = given_topology(options.topology)
    with interrupted_by_signals(), TemporaryDirectory(prefix="everylink-view-") as folder:
        page, tiles = Path(folder) / "page.html", Path(folder) / "links.tiles"
        server = Server({"": File(page, "text/html"), "tiles": File(tiles, "application/octet-stream")}, options.port)
        write_html([judged(run, topology) for run in runs], page, tiles, served=True)
        give(_answer(server), options)
        sys.stdout.flush()  # before waiting
        until_stopped(server)
    return 0


def _answer(server: Server) -> Answer:
    def text(console: Console) -> None:
        console.print(f"Open {server.address}", soft_wrap=True)
        console.print(f"From another machine, first: {server.forwarding}", soft_wrap=True)
        console.print("Ctrl-C ends it.")

    fields = {"schema": SCHEMA, "address": server.address, "forwarding": server.forwarding}
    return Answer(text, server.address, lambda: json_text(fields))
