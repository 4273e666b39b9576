"""Pages as a browser shows them."""

import shutil
import subprocess
from pathlib import Path


def chromium() -> str:
    found = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    assert found, "no browser was found: install Debian's package chromium (scripts/setup test does)"
    return found


def shown(page: Path) -> str:
    """The document after its scripts ran, as HTML."""
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
    profile = f"--user-data-dir={page.parent / 'profile'}"
    command = [chromium(), *flags, profile, "--dump-dom", f"file://{page}"]
    return subprocess.run(command, capture_output=True, text=True, timeout=180).stdout
