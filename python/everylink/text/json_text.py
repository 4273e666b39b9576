"""JSON for programs: one object, in which an unknown number is null."""

import json
import math
from collections.abc import Mapping
from pathlib import Path

import numpy as np


def json_text(fields: Mapping[str, object]) -> str:
    """The object as text. Numbers of NumPy are plain numbers; NaN is null, because JSON has no NaN."""
    return json.dumps(_plain(fields), indent=2, allow_nan=False)


def _plain(value: object) -> object:
    match value:
        case Mapping():
            return {str(name): _plain(item) for name, item in value.items()}
        case list() | tuple():
            return [_plain(item) for item in value]
        case np.ndarray() | np.generic():
            return _plain(value.tolist())
        case float():
            return value if math.isfinite(value) else None
        case Path():
            return str(value)
        case _:
            return value
