"""Completes abbreviated words and suggests corrections of mistyped ones. No other Python module does."""

from collections.abc import Collection
from difflib import get_close_matches


def matches(word: str, known: Collection[str]) -> list[str]:
    """The word itself if it is known, else all known words that begin with it. A single match is unambiguous."""
    return [word] if word in known else [name for name in known if name.startswith(word)]


def suggestion(word: str, known: Collection[str]) -> str:
    """` (did you mean show?)`, or an empty string if no known word is similar."""
    near = get_close_matches(word, known, 1)
    return f" (did you mean {near[0]}?)" if near else ""
