"""Colours of heat maps for light and dark themes: blue above 0, orange below, stronger the farther from 0."""

from __future__ import annotations

from matheur.problems.quadratic_assignment.picture.heatmap import LEVELS

__all__ = ["DARK", "LIGHT", "colour_of", "strong_text"]

_RAMPS = {
    "light": {
        1: ("dfeaf5", "9cc3e2", "4a8fc6", "1b5b9c", "0a2c57"),
        -1: ("fdebdc", "f3bd8c", "dd8440", "a9530f", "5f2c05"),
    },
    "dark": {
        1: ("22384c", "2b5b82", "3f88bb", "82bfe6", "e6f5ff"),
        -1: ("47301d", "7a4a1c", "b8711f", "eca75c", "ffe9d2"),
    },
}
_COMMON = {
    "light": {
        "paper": "ffffff",
        "ink": "1f2328",
        "muted": "5b636c",
        "line": "9aa2ab",
        "zero": "f4f5f7",
        "bad": "b3261e",
    },
    "dark": {
        "paper": "16181b",
        "ink": "e8eaed",
        "muted": "a7aeb6",
        "line": "6b737c",
        "zero": "1d2024",
        "bad": "ff8a80",
    },
}
_HALF = LEVELS // 2 + 1  # from this level on, text on a cell has the background colour


def _blend(ramp: tuple[str, ...], share: float) -> str:
    place = share * (len(ramp) - 1)
    left = min(int(place), len(ramp) - 2)
    part = place - left
    pairs = ((int(ramp[left][i : i + 2], 16), int(ramp[left + 1][i : i + 2], 16)) for i in (0, 2, 4))
    return "#" + "".join(f"{round(a + part * (b - a)):02x}" for a, b in pairs)


def _theme(name: str) -> dict[str, str]:
    theme = {key: f"#{value}" for key, value in _COMMON[name].items()}
    for sign, letter in ((1, "p"), (-1, "m")):
        for level in range(1, LEVELS + 1):
            theme[f"{letter}{level}"] = _blend(_RAMPS[name][sign], (level - 1) / (LEVELS - 1))
    return theme


LIGHT, DARK = _theme("light"), _theme("dark")
"""`#rrggbb` by the names of `colour_of`, and `paper`, `ink`, `muted`, `line`, `bad`."""


def colour_of(level: int) -> str:
    """The name of the colour of a level."""
    return "zero" if level == 0 else f"p{level}" if level > 0 else f"m{-level}"


def strong_text(level: int) -> bool:
    """Whether numbers on a cell have the background colour instead of the text colour."""
    return abs(level) >= _HALF
