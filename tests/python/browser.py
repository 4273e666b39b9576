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
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [chromium(), *FLAGS, *flags, profile, "--virtual-time-budget=20000", "--dump-dom", f"file://{page}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=180).stdout


def done_in(page: Path, script: str, *flags: str) -> Any:
    """What a script, the body of an asynchronous function, returns when the page is ready."""
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
    found = re.search(r'<template id="result" data-said="(.*?)">', shown(acted, *flags), re.DOTALL)
    assert found, "the script did not come to an end"
    said = json.loads(unescape(found.group(1)))
    assert "error" not in said, said
    return said["value"]
