"""Colours by purpose for light and dark backgrounds; edge colours range from orange through grey to blue-green."""

from __future__ import annotations

from fractions import Fraction

__all__ = ["DARK", "GROUPS", "LEVELS", "LIGHT", "level_of"]

LEVELS = 6
"""Number of the colour of full synergy; edge colours are numbered from 0 (no synergy)."""

GROUPS = 6
"""Number of colours of values that several items share; they are numbered from 1 and repeat."""

LIGHT = {
    "paper": "#ffffff",
    "ink": "#1f2328",
    "muted": "#5b636c",
    "line": "#9aa2ab",
    "faint": "#e3e7eb",
    "card": "#f7f8fa",
    "good": "#0b6e69",
    "bad": "#b3261e",
    "edge0": "#c2410c",
    "edge1": "#cf6a35",
    "edge2": "#cf9355",
    "edge3": "#9a9c84",
    "edge4": "#6a9f97",
    "edge5": "#36918c",
    "edge6": "#0b6e69",
    "group1": "#0072b2",
    "group2": "#e69f00",
    "group3": "#009e73",
    "group4": "#cc79a7",
    "group5": "#56b4e9",
    "group6": "#a0522d",
}
DARK = {
    "paper": "#16181b",
    "ink": "#e8eaed",
    "muted": "#a7aeb6",
    "line": "#6b737c",
    "faint": "#353a40",
    "card": "#22262a",
    "good": "#58c9c0",
    "bad": "#ff8a80",
    "edge0": "#ff7a3d",
    "edge1": "#e08a5a",
    "edge2": "#cfa276",
    "edge3": "#a5a894",
    "edge4": "#84b3ac",
    "edge5": "#66bfb8",
    "edge6": "#4dd0c6",
    "group1": "#4ea3dc",
    "group2": "#f0b030",
    "group3": "#2fbf95",
    "group4": "#dd97bf",
    "group5": "#8fcdf2",
    "group6": "#cd8a66",
}


def level_of(share: Fraction) -> int:
    """Return the colour of a synergy; the first and the last one are only for no synergy and full synergy."""
    if share <= 0 or share >= 1:
        return LEVELS if share >= 1 else 0
    return 1 + min(LEVELS - 2, int(share * (LEVELS - 1)))
