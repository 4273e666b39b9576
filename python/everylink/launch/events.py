"""Reads the JSON lines that the core prints with `--progress json`."""

import json
from typing import Any

Event = dict[str, Any]


def parse_event(line: str) -> Event:
    """The event in a line; a line that is none, from a launcher or a library, becomes a text event."""
    try:
        value = json.loads(line)
    except ValueError:
        value = None
    if isinstance(value, dict) and isinstance(value.get("event"), str):
        return value
    return {"event": "text", "text": line}
