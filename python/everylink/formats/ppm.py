"""Writes a picture of one pixel a cell as PPM, whose header says what the colours mean."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray


def write_ppm(path: Path, image: NDArray[np.uint8], remarks: Sequence[str]) -> None:
    """Write colours of shape [height, width, 3]; the remarks stand in the header."""
    height, width, _ = image.shape
    said = "".join(f"# {remark}\n" for remark in remarks).encode("ascii", "replace")
    path.write_bytes(b"P6\n" + said + f"{width} {height}\n255\n".encode() + image.tobytes())
