"""The site that scripts/make_site makes of README and docs, and what it refuses."""

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pages import ROOT, name_of, pages

from browser import shown

LOADED = re.compile(r"""(?:\ssrc=|<link\b[^>]*\shref=|url\()["']?(?:https?:)?//[^"')\s]*|@import[^;]*""")


def make_site(*words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, ROOT / "scripts/make_site", *words]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.long("half a minute")
def test_every_page_is_on_the_site_which_loads_nothing_from_elsewhere_and_finds_words(tmp_path: Path) -> None:
    site = tmp_path / "site"
    done = make_site("-o", site)
    assert (done.returncode, done.stderr) == (0, "")
    made = {str(page.relative_to(site).with_suffix(".md")) for page in site.rglob("*.html")}
    assert {name_of(page) for page in pages()} <= made
    for file in (*site.rglob("*.html"), *site.rglob("*.css")):
        assert LOADED.findall(file.read_text()) == [], file
    found = shown(site / "search.html?q=drain")  # from a folder, without a server
    assert 'href="docs/check.html"' in found


@pytest.mark.long
def test_a_link_that_leads_nowhere_and_a_page_that_nothing_leads_to_are_refused(tmp_path: Path) -> None:
    docs = tmp_path / "docs"
    docs.mkdir()
    (docs / "index.md").write_text("# First\n\n## One\n1. [Other](other.md)\n")
    links = ("[x](fourth.md)", "[x](index.md#two)", "[x](../core/x.cpp)", "![x](x.png)", "[x](index.md#one)")
    (docs / "other.md").write_text("# Other\n" + "".join(f"\n{link}\n" for link in links))
    (docs / "third.md").write_text("# Third\n")
    done = make_site("--tree", tmp_path)
    complaints = (
        r"docs/other.md:3: WARNING: .*'fourth.md'",
        r"docs/other.md:5: WARNING: .*'two'",
        r"docs/other.md:7: WARNING: .*'../core/x.cpp'",
        r"docs/other.md:9: WARNING: image file not readable: docs/x.png",
        r"docs/third.md: WARNING: document isn't included in any toctree",
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == len(complaints)
    for complaint in complaints:
        assert re.search(complaint, done.stderr), done.stderr


def test_a_folder_that_holds_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "kept").touch()
    done = make_site("-o", tmp_path)
    assert done.returncode == 2
    assert "is no site made before; name a folder that does not exist" in done.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["kept"]
