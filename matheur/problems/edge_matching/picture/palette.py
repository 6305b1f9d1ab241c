"""Distinguishable colours.

The list was computed, not chosen by eye: starting from a red, each colour is the one of moderate chroma that is
farthest (in OKLab, lightness weighted 0.75 and the two hue axes 1.25) from all earlier ones and from grey, white and
black. The first few therefore differ the most, which suits small puzzles.
"""

from __future__ import annotations

import colorsys

__all__ = ["BACKGROUND", "EMPTY_CELL", "FRAME", "colour_of"]

FRAME = "#8a8a8a"
EMPTY_CELL = "#ececec"
BACKGROUND = "#ffffff"

# fmt: off
_DISTINCT = [
    "e13c2d", "6900a5", "87e13c", "ff87ff", "0087ff", "006900", "ffb43c", "00e1e1", "78003c", "003c87",
    "784b00", "b4b4ff", "c32d96", "ff96a5", "9669ff", "969600", "2d5a5a", "00a578", "b4d296", "784b87",
    "c3783c", "3ca5d2", "f0f05a", "00ffb4", "b478c3", "4b4bd2", "a54b5a", "00a500", "6978c3", "e1c3d2",
    "ff5a96", "a5e1ff", "4b2d4b", "b44bd2", "a50000", "870078", "5a784b", "3c3c00", "ff7800", "3c00a5",
]
# fmt: on


def colour_of(colour: int) -> str:
    """`#rrggbb` of a puzzle's colour: grey for 0, and steps of the golden angle around the wheel beyond the list."""
    if colour == 0:
        return FRAME
    if colour <= len(_DISTINCT):
        return "#" + _DISTINCT[colour - 1]
    step = colour - len(_DISTINCT)
    red, green, blue = colorsys.hls_to_rgb(step * 0.381966 % 1, (0.35, 0.5, 0.65)[step % 3], 0.6)
    return f"#{round(255 * red):02x}{round(255 * green):02x}{round(255 * blue):02x}"
