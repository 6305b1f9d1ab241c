"""Instances and solutions as plain text: small matrices as numbers, larger ones as shades."""

from __future__ import annotations

import numpy as np

from matheur.problems.quadratic_assignment.picture.heatmap import LEVELS, HeatMap
from matheur.problems.quadratic_assignment.picture.scene import Scene

__all__ = ["draw_text"]

_WIDTH = 78
_SHADES = " ░▒▓█"
_SHADED_MAX = 36  # in larger maps several cells are merged and show the strongest one
_PAIRS_MAX = 8


def draw_text(scene: Scene) -> str:
    """The scene as lines of text."""
    lines = [scene.title, scene.state]
    if scene.places:
        lines += ["", *_places(scene)]
    for one in scene.maps[:2] if scene.places else scene.maps:
        lines += ["", f"{one.title} ({one.note})", *(_numbers(one) if one.numbers else _shades(one))]
    if scene.pairs:
        lines += ["", "dearest pairs", *_pairs(scene)]
    if scene.violations:
        lines += ["", *(f"✗ {said}" for said in scene.violations)]
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _places(scene: Scene) -> list[str]:
    """Facilities with their locations below, in as many lines as needed."""
    width = len(str(len(scene.places))) + 1
    step = (_WIDTH - 10) // width
    lines: list[str] = []
    for start in range(0, len(scene.places), step):
        facilities = range(start + 1, min(start + step, len(scene.places)) + 1)
        lines.append("facility  " + "".join(f"{number:>{width}}" for number in facilities))
        lines.append("location  " + "".join(f"{scene.places[number - 1]:>{width}}" for number in facilities))
    return lines


def _numbers(one: HeatMap) -> list[str]:
    width = max(map(len, one.numbers)) + 1
    rows = (one.numbers[start : start + one.size] for start in range(0, len(one.numbers), one.size))
    return ["".join(f"{number:>{width}}" for number in row) for row in rows]


def _shades(one: HeatMap) -> list[str]:
    """Two characters for each cell; blank means zero, and negative values are marked by a minus."""
    block = -(-one.size // _SHADED_MAX)
    starts = np.arange(0, one.size, block)
    strongest = np.maximum.reduceat(np.maximum.reduceat(np.abs(one.levels), starts, axis=0), starts, axis=1)
    negative = np.minimum.reduceat(np.minimum.reduceat(one.levels, starts, axis=0), starts, axis=1) < 0
    lines = []
    for levels, below in zip(strongest.tolist(), negative.tolist(), strict=True):
        shades = (_SHADES[-(-level * (len(_SHADES) - 1) // LEVELS)] for level in levels)
        lines.append("".join(f"{'-' if minus else shade}{shade}" for shade, minus in zip(shades, below, strict=True)))
    ends = f"scale {one.low} … {one.high}" + (", logarithmic" if one.logarithmic else "")
    return [*lines, ends + (f"; the strongest of {block} x {block} each" if block > 1 else "")]


def _pairs(scene: Scene) -> list[str]:
    rows = [["facilities", "flow", "distance", "cost", "share"]]
    for pair in scene.pairs[:_PAIRS_MAX]:
        share = "" if pair.share is None else f"{100 * pair.share:.1f} %"
        rows.append([f"{pair.one}, {pair.two}", pair.flows, pair.distances, f"{pair.cost:,}", share])
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    return [
        "  ".join(
            cell.rjust(width) if column else cell.ljust(width)
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
