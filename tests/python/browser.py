"""Pages as a browser shows them."""

import json
import re
import shutil
import subprocess
from html import unescape
from pathlib import Path
from typing import Any


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no browser was found: install Debian's package chromium (scripts/setup test does)"
    return found


FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking")


def shown(page: Path, *flags: str) -> str:
    """The document after its scripts ran, as HTML."""
    return _shown(f"file://{page}", page.parent, *flags)


def _shown(address: str, folder: Path, *flags: str) -> str:
    """The same of a page anywhere. The browser keeps its files in `folder`."""
    profile = f"--user-data-dir={folder / 'profile'}"
    command = [chromium(), *FLAGS, *flags, profile, "--virtual-time-budget=20000", "--dump-dom", address]
    return subprocess.run(command, capture_output=True, text=True, timeout=180).stdout


def done_in(page: Path, script: str, *flags: str) -> Any:
    """What a script, the body of an asynchronous function, returns when the page is ready."""
    return done_at(f"file://{with_script(page, script)}", page.parent, *flags)


def with_script(page: Path, script: str) -> Path:
    """A copy of the page that also runs this script, for `done_at`."""
    wrapped = f"""<script>(async () => {{
      let said;
      try {{
        await ready;
        said = {{value: await (async () => {{ {script} }})()}};
      }} catch (error) {{
        said = {{error: String(error.stack)}};
      }}
      const result = document.createElement("template");
      result.id = "result";
      result.dataset.said = JSON.stringify(said);
      document.body.append(result);
    }})();</script></body>"""
    acted = page.with_name(f"acted-{page.name}")
    acted.write_text(page.read_text().replace("</body>", wrapped))
    return acted


def done_at(address: str, folder: Path, *flags: str) -> Any:
    """What the script of a page from `with_script` returns."""
    found = re.search(r'<template id="result" data-said="(.*?)">', _shown(address, folder, *flags), re.DOTALL)
    assert found, "the script did not come to an end"
    said = json.loads(unescape(found.group(1)))
    assert "error" not in said, said
    return said["value"]
