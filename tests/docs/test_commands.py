"""README and docs: every command runs as written, every link leads somewhere, every path is there."""

import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from pages import ROOT, WrongPage, blocks_of, name_of, pages
from shell import BED, Tree, is_here, run_block

LONG = bool(os.environ.get("EVERYLINK_TEST_LONG"))
LEFT_OUT = {  # all that no tier runs; pages.py says how a page tells why
    "README.md": {"make test", "scripts/setup", "pip install", "bundle", "view"},
    "CONTRIBUTING.md": {"make", "scripts/check", "cmake"},
    "docs/guide.md": {"cmake"},
    "docs/install.md": {
        "scripts/setup",
        "pip install",
        "buildah",
        "podman",
        "apptainer",
        "srun",
        "spack",
        "git archive",
        "eb",
        "rattler-build",
        "scripts/wheel",
        "scripts/tarball",
        "tar",
        "cmake",
        "cpack",
        "scripts/release",
    },
    "docs/kubernetes.md": {"kubectl", "helm"},
    "docs/monitoring.md": {"everylink check"},
    "docs/quick-start.md": {"scripts/setup", "pip install", "salloc", "kubectl"},
    "docs/robustness.md": {"make proof"},
    "docs/scale.md": {"growth.py", "score_readiness", "score_screen"},
    "docs/testing.md": {"scripts/fuzz", "scripts/run_tests", "build/dev", "pytest"},
    "integrations/jube/README.md": {"jube", "jubench", "export"},
    "docs/slurm.md": {"sbatch"},
    "testbed/smpi/README.md": {"smpi build"},
    "bench/README.md": {
        "make bench",
        "linktest_steps",
        "tcp_pingpong",
        "mpi_pingpong",
        "verbs_in_vm",
        "compare.py",
        "score_worlds",
        "score_screen",
        "beds.py",
    },
}
NOT_LONG = ("README.md", "docs/quick-start.md")
every_page = pytest.mark.parametrize("page", pages(), ids=name_of)


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("made")


@pytest.fixture
def bed() -> Iterator[None]:
    """The bed that pages make, removed at the end even where a page leaves it up."""
    yield
    if os.geteuid() == 0 and LONG:
        subprocess.run([ROOT / "testbed/netns/bed", "--name", BED, "down"], capture_output=True, check=False)


@every_page
def test_every_block_says_what_it_holds_and_every_exception_is_known(page: Path) -> None:
    blocks = blocks_of(page)
    assert {words for block in blocks for words in block.left_out} == LEFT_OUT.get(name_of(page), set())


@pytest.mark.usefixtures("bed")
@pytest.mark.parametrize(
    "page",
    [
        pytest.param(page, id=name_of(page), marks=() if name_of(page) in NOT_LONG else pytest.mark.long)
        for page in pages()
        if "```" in page.read_text()
    ],
)
def test_the_commands_of_a_page_do_what_it_says(page: Path, tmp_path: Path, made: Path) -> None:
    blocks = [b for b in blocks_of(page) if b.commands and (LONG or not b.long) and all(map(is_here, b.needs))]
    wrong = []
    for block in blocks:
        tree = Tree(tmp_path / f"line-{block.line}", made, build=not block.own_build)
        wrong += run_block(tree, block)
    assert not wrong, "\n\n".join(wrong)


def anchors_of(page: Path) -> set[str]:
    headings = re.findall(
        r"^#+ (.*)$", re.sub(r"^```.*?^```", "", page.read_text(), flags=re.DOTALL | re.MULTILINE), re.MULTILINE
    )
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@every_page
def test_every_link_leads_to_a_file_and_a_heading(page: Path) -> None:
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        to = (page.parent / path).resolve() if path else page
        assert to.exists(), target
        assert not anchor or anchor in anchors_of(to), target


@every_page
def test_every_path_of_the_tree_that_a_page_names_is_there(page: Path) -> None:
    for path in re.findall(
        r"`((?:core|python|tests|bench|docs|scripts|testbed|integrations)/[\w./-]+)", page.read_text()
    ):
        if not re.search(r"NAME|FILE", path):
            assert (ROOT / path.rstrip("./")).exists(), path


@every_page
def test_prose_wraps_at_120_columns(page: Path) -> None:
    prose = re.sub(r"^```.*?^```$", "", page.read_text(), flags=re.DOTALL | re.MULTILINE)
    lines = [line for line in prose.splitlines() if not re.match(r"\||#|<!--|!\[", line)]
    assert [line for line in lines if len(line) > 120] == []


def test_every_decision_is_listed_once() -> None:
    folder = ROOT / "docs/decisions"
    there = sorted(page.name for page in folder.glob("[0-9]*.md"))
    assert sorted(re.findall(r"\((\d{4}-[^)]*\.md)\)", (folder / "README.md").read_text())) == there


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("```\neverylink show x.h5\n```", "a block begins with"),
        ("<!-- commands: needs luck -->\n```sh\ntrue\n```", "'needs luck' is none of the parts"),
        ('<!-- commands: not run "make": it is long -->\n```sh\ntrue\n```', "no command contains 'make'"),
        ("<!-- commands: long -->\n```text\ntrue\n```", "a note on commands, but the block holds text"),
        ("```sh\ntrue", "this block has no end"),
        ("Run this:\n\n    true", "a block by its indent"),
    ],
)
def test_a_page_that_breaks_the_rules_is_refused(
    text: str, complaint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("pages.ROOT", tmp_path)
    (tmp_path / "page.md").write_text(text + "\n")
    with pytest.raises(WrongPage, match=re.escape(complaint)):
        blocks_of(tmp_path / "page.md")


def test_a_command_that_ends_otherwise_or_prints_something_else_is_found(
    tmp_path: Path, made: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tree = Tree(tmp_path, made)
    monkeypatch.setattr("pages.ROOT", tmp_path)
    page = tmp_path / "page.md"
    exits = '<!-- commands: exits 3 "exit 3" -->\n```sh\n(exit 3)\nfalse\ntouch reached\n```\n'
    page.write_text(exits + "```console\n$ seq 3\n1\n...\n4\n```\n")
    ends_otherwise, prints = blocks_of(page)
    (wrong,) = run_block(tree, ends_otherwise)
    assert wrong.startswith("page.md:4: false\nexit code 1, not 0")
    assert not (tree.root / "reached").exists()
    (wrong,) = run_block(tree, prints)
    assert wrong.startswith("page.md:8: seq 3\nthe page shows:\n1\n...\n4\nit prints:\n1\n2\n3\n")
