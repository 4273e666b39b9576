"""What a mistyped or abbreviated word stands for. The only place on the Python side that completes a word."""

from collections.abc import Collection
from difflib import get_close_matches


def meant(word: str, known: Collection[str]) -> list[str]:
    """The known word itself, else all that begin with it: one is unambiguous."""
    return [word] if word in known else [name for name in known if name.startswith(word)]


def suggestion(word: str, known: Collection[str]) -> str:
    """` (did you mean show?)`, or nothing where no known word is near."""
    near = get_close_matches(word, known, 1)
    return f" (did you mean {near[0]}?)" if near else ""
