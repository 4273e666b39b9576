"""The colours of matrix cells: one palette a class of links, few enough for an indexed image of 256 colours."""

import numpy as np
from matplotlib import colormaps
from matplotlib.colors import to_rgb
from numpy.typing import NDArray

from everylink.analysis.classes import LinkClass
from everylink.analysis.shading import Shading

SHADES = 120
DIAGONAL, FAILED, UNKNOWN = "#000000", "#ff00a0", "#dcdcdc"
_MAPS = {LinkClass.OTHER_HOST: ("YlGnBu", 0.08, 0.92), LinkClass.SAME_HOST: ("YlOrBr", 0.04, 0.85)}


def palette(link_class: LinkClass) -> NDArray[np.uint8]:
    """The colours from fast to slow, shape [SHADES, 3]."""
    name, low, high = _MAPS[link_class]
    return np.asarray(np.round(255 * colormaps[name](np.linspace(low, high, SHADES))[:, :3]), np.uint8)


def paint(shading: Shading) -> NDArray[np.uint8]:
    """The matrix as colours, shape [blocks, blocks, 3]; the diagonal is black unless ranks are folded."""
    known = np.isfinite(shading.position)
    shade = np.round(np.where(known, shading.position, 0) * (SHADES - 1)).astype(np.intp)
    same, other = palette(LinkClass.SAME_HOST), palette(LinkClass.OTHER_HOST)
    same_drawn = shading.same_host | (LinkClass.OTHER_HOST not in shading.scales)
    image = np.where(same_drawn[..., None], same[shade], other[shade])
    image[~known] = _bytes(UNKNOWN)
    image[shading.failed] = _bytes(FAILED)
    if shading.fold == 1:
        np.einsum("iic->ic", image)[:] = _bytes(DIAGONAL)
    return image


def _bytes(colour: str) -> NDArray[np.uint8]:
    return np.round(255 * np.array(to_rgb(colour))).astype(np.uint8)
