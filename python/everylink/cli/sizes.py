"""Selects the message size that a command works on."""

from everylink.errors import UserMistake
from everylink.model.results import Results, Size
from everylink.units import size_text


def chosen_size(results: Results, wanted: int | None) -> Size:
    """The size of `wanted` bytes, by default the largest. Raises UserMistake if it was not measured."""
    if not results.sizes:
        raise UserMistake(f"{results.path}: has no message size")
    if wanted is None:
        return results.sizes[-1]
    for size in results.sizes:
        if size.bytes == wanted:
            return size
    there = ", ".join(f"{size.bytes} ({size_text(size.bytes)})" for size in results.sizes)
    raise UserMistake(f"--size {wanted}: was not measured; {results.path} has {there}")
