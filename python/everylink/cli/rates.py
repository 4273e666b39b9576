"""Options whose value is a bandwidth."""

from everylink.errors import UserMistake
from everylink.units import parsed_rate


def rate(option: str, text: str | None) -> float | None:
    """Bytes per second of an option that may not be there."""
    try:
        return None if text is None else parsed_rate(text)
    except ValueError as error:
        raise UserMistake(f"{option}: {error}") from None
