"""Pages as a browser shows them."""

import json
import re
import shutil
import subprocess
import threading
import urllib.parse
from html import unescape
from http import HTTPStatus
from pathlib import Path
from typing import Any

from everylink.page.server import Page, Request, Resource, Server


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no browser was found: install Debian's package chromium (scripts/setup test does)"
    return found


LIMIT = 120.0  # seconds
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")


def shown(page: Path, *flags: str) -> str:
    """The document after its scripts ran, as HTML."""
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [chromium(), *FLAGS, *flags, profile, "--virtual-time-budget=20000", "--dump-dom", f"file://{page}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=180).stdout


def done_in(page: Path, script: str, *flags: str) -> Any:
    """What a script, the body of an asynchronous function, returns when the page is ready. The browser's clock runs as
    fast as it can, and does not wait for files: then `done_when_served` is right."""
    ending = """const result = document.createElement("template");
      result.id = "result";
      result.dataset.said = JSON.stringify(said);
      document.body.append(result);"""
    acted = page.with_name(f"acted-{page.name}")
    acted.write_text(_with_script(page.read_text(), script, ending))
    found = re.search(r'<template id="result" data-said="(.*?)">', shown(acted, *flags), re.DOTALL)
    assert found, "the script did not come to an end"
    return _value(unescape(found.group(1)))


def done_when_served(page: str, script: str, folder: Path, **resources: Resource) -> Any:
    """The same of a page that is served beside `resources`, in real time. The browser keeps its files in `folder`."""
    reported = Reported()
    page = re.sub(r'<meta http-equiv="Content-Security-Policy"[^>]*>', "", page)  # the script reports to the server
    text = _with_script(page, script, "fetch(`said?${encodeURIComponent(JSON.stringify(said))}`);")
    own: dict[str, Resource] = {"": Page(lambda: text), "said": reported}
    with Server(own | resources, None) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        command = [chromium(), *FLAGS, f"--user-data-dir={folder / 'profile'}", server.address]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as browser:
            try:
                assert reported.there.wait(LIMIT), "the script did not come to an end"
            finally:
                browser.kill()
        server.shutdown()
    return _value(reported.value)


class Reported:
    """Takes what a page says, as its query."""

    def __init__(self) -> None:
        self.there = threading.Event()
        self.value = ""

    def answer(self, request: Request) -> None:
        self.value = urllib.parse.unquote(urllib.parse.urlsplit(request.path).query)
        request.begin(HTTPStatus.OK, "text/plain", {"Content-Length": "0"})
        self.there.set()


def _with_script(page: str, script: str, ending: str) -> str:
    wrapped = f"""<script>(async () => {{
      let said;
      try {{
        await ready;
        said = {{value: await (async () => {{ {script} }})()}};
      }} catch (error) {{
        said = {{error: String(error.stack)}};
      }}
      {ending}
    }})();</script></body>"""
    return page.replace("</body>", wrapped)


def _value(text: str) -> Any:
    said = json.loads(text)
    assert "error" not in said, said
    return said["value"]
