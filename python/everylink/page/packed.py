"""Arrays as text that the scripts of a page read."""

import base64
import zlib
from typing import Any

from numpy.typing import NDArray


def base64_text(values: NDArray[Any]) -> str:
    """The bytes of an array."""
    return base64.b64encode(values.tobytes()).decode()


def packed(values: NDArray[Any]) -> str:
    """Deflated, without a header: what the browser's DecompressionStream calls deflate-raw."""
    pressed = zlib.compressobj(6, zlib.DEFLATED, -zlib.MAX_WBITS)
    return base64.b64encode(pressed.compress(values.tobytes()) + pressed.flush()).decode()
