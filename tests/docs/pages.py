"""The commands of README and docs, as a reader finds them, and what a page says about running them.

A fenced block names what it holds: `sh` has commands; `console` has commands after `$ `, and below each what it prints
(`...` stands for what is left out); any other word means no command. A comment above the fence says what a block needs:

    <!-- commands: PART; PART -->

    long                        takes long: runs by `make test-long` only
    own build                   in a tree without build/, because the commands make one
    needs root: WHY             root, and network namespaces
    needs program NAME: WHY     a program on PATH
    needs hosts NAME...: WHY    names that resolve
    scaled: WHY                 ranks, messages and launchers of a cluster are replaced by what one machine has (SCALED)
    exits N "WORDS"             the exit code of each command that contains WORDS, also `N or M`; else it is 0
    output varies: WHY          what the commands print is not compared
    not run "WORDS": WHY        commands that contain WORDS are left out, always
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[2]
KINDS = ("sh", "console", "text", "csv", "python")  # what a fence may hold
NOTE = re.compile(r"<!-- commands: (.*) -->")
FENCE = re.compile(r"\s*```(\S*)$")


class WrongPage(Exception):
    """A page breaks the rules above."""


@dataclass(frozen=True)
class Command:
    line: int
    text: str
    prints: tuple[str, ...] = ()  # empty: not compared
    codes: tuple[int, ...] = (0,)


@dataclass(frozen=True)
class Block:
    page: str
    line: int
    commands: tuple[Command, ...]
    long: bool = False
    own_build: bool = False
    scaled: bool = False
    needs: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()  # commands, by the words of `not run`


@dataclass
class Note:
    long: bool = False
    own_build: bool = False
    scaled: bool = False
    output_varies: bool = False
    needs: list[str] = field(default_factory=list)
    exits: list[tuple[tuple[int, ...], str]] = field(default_factory=list)
    not_run: list[str] = field(default_factory=list)

    def take(self, part: str) -> bool:
        """Whether `part` is one of the parts above."""
        if part == "long":
            self.long = True
        elif part == "own build":
            self.own_build = True
        elif re.fullmatch(r"scaled: .+", part):
            self.scaled = True
        elif re.fullmatch(r"output varies: .+", part):
            self.output_varies = True
        elif match := re.fullmatch(r"needs (root|program \S+|hosts [^:]+): .+", part):
            self.needs.append(match[1])
        elif match := re.fullmatch(r'exits (\d+(?: or \d+)*) "([^"]+)"(?:: .+)?', part):
            self.exits.append((tuple(int(code) for code in match[1].split(" or ")), match[2]))
        elif match := re.fullmatch(r'not run "([^"]+)": .+', part):
            self.not_run.append(match[1])
        else:
            return False
        return True


def pages() -> list[Path]:
    """Every page of the repository."""
    folders = ("bench", "docs", "integrations", "testbed")
    return [*sorted(ROOT.glob("*.md")), *(page for folder in folders for page in sorted((ROOT / folder).rglob("*.md")))]


def name_of(page: Path) -> str:
    return str(page.relative_to(ROOT))


def fences(page: Path) -> list[tuple[int, str, str, list[str]]]:
    """Of each fence its line, what it holds, the line above it, and its lines."""
    lines = page.read_text().splitlines()
    found, start = [], -1
    for number, line in enumerate(lines):
        if not (match := FENCE.match(line)):
            if start < 0 and line.startswith("    ") and not lines[number - 1].strip():
                raise WrongPage(f"{name_of(page)}:{number + 1}: a block by its indent; put ``` around it")
            continue
        if start < 0:
            start, kind = number, match[1]
        else:
            found.append((start + 1, kind, lines[start - 1] if start else "", lines[start + 1 : number]))
            start = -1
    if start >= 0:
        raise WrongPage(f"{name_of(page)}:{start + 1}: this block has no end")
    return found


def note_of(where: str, above: str) -> Note:
    note = Note()
    if "commands:" not in above:
        return note
    if not (match := NOTE.fullmatch(above.strip())):
        raise WrongPage(f"{where}: write <!-- commands: PART; PART -->")
    for part in match[1].split("; "):
        if not note.take(part):
            raise WrongPage(f"{where}: {part!r} is none of the parts that tests/docs/pages.py lists")
    return note


def shell_commands(first: int, lines: list[str]) -> list[Command]:
    """A command for each line that is more than a comment; a backslash at its end goes on with the next line."""
    commands, pending, begins = [], "", first
    for number, line in enumerate(lines, first):
        begins = begins if pending else number
        pending += line + "\n"
        if line.endswith("\\"):
            continue
        if pending.strip() and not pending.lstrip().startswith("#"):
            commands.append(Command(begins, pending.rstrip("\n")))
        pending = ""
    return commands


def console_commands(where: str, first: int, lines: list[str]) -> list[Command]:
    commands: list[Command] = []
    for number, line in enumerate(lines, first):
        if line.startswith("$ "):
            commands.append(Command(number, line[2:]))
        elif commands:
            last = commands[-1]
            commands[-1] = Command(last.line, last.text, (*last.prints, line))
        else:
            raise WrongPage(f"{where}: a console block begins with `$ COMMAND`")
    return commands


def block_of(page: str, line: int, kind: str, above: str, lines: list[str]) -> Block:
    where = f"{page}:{line}"
    note = note_of(where, above)
    commands = shell_commands(line + 1, lines) if kind == "sh" else console_commands(where, line + 1, lines)
    for words in (*note.not_run, *(words for _, words in note.exits)):
        if not any(words in command.text for command in commands):
            raise WrongPage(f"{where}: no command contains {words!r}")
    run = []
    for command in commands:
        if any(words in command.text for words in note.not_run):
            continue
        codes = next((codes for codes, words in note.exits if words in command.text), (0,))
        run.append(Command(command.line, command.text, () if note.output_varies else command.prints, codes))
    return Block(
        page=page,
        line=line,
        commands=tuple(run),
        long=note.long,
        own_build=note.own_build,
        scaled=note.scaled,
        needs=tuple(note.needs),
        left_out=tuple(note.not_run),
    )


def blocks_of(page: Path) -> list[Block]:
    """The blocks of a page that hold commands."""
    found = []
    for line, kind, above, lines in fences(page):
        if kind not in KINDS:
            raise WrongPage(f"{name_of(page)}:{line}: a block begins with ``` and one of {', '.join(KINDS)}")
        if kind in ("sh", "console"):
            found.append(block_of(name_of(page), line, kind, above, lines))
        elif NOTE.search(above):
            raise WrongPage(f"{name_of(page)}:{line}: a note on commands, but the block holds {kind}")
    return found
