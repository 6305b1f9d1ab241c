"""Hint files: one `row column piece rotation` per line, row and column from 0 at the top left, piece from 1.

The rotation may be omitted, which allows any rotation. It refers to the piece as given in *its* list; lists of the same
puzzle may differ in this respect.
"""

from __future__ import annotations

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.edge_matching.formats.options import HintOption
from matheur.problems.edge_matching.formats.text import data_lines
from matheur.problems.edge_matching.instance import CELLS_MAX, Instance

__all__ = ["read_hints", "write_hints"]


def read_hints(source: Source) -> tuple[HintOption, ...]:
    """Read the hints in such a file, for `ReadOptions.hints`.

    Raises
    ------
    InputError
        If a line is not a hint. Whether the hints fit a puzzle is checked when the puzzle is read.
    """
    hints: list[HintOption] = []
    for line in data_lines(source):
        numbers = line.integers()
        if len(numbers) not in (3, 4):
            raise line.error(f"a hint is row, column, piece and rotation (this line has {len(numbers)} numbers)")
        rotation = numbers[3] if len(numbers) == 4 else None
        if rotation is not None and rotation > 3:
            raise line.error(f"a rotation is 0 to 3 quarter-turns ({rotation})")
        if len(hints) == CELLS_MAX:
            raise line.error(f"a puzzle may have up to {CELLS_MAX} hints")
        hints.append((numbers[0], numbers[1], numbers[2], rotation))
    if not hints:
        raise InputError("there is no hint in this file", source=source.name)
    return tuple(hints)


def write_hints(instance: Instance) -> str:
    """The text of such a file for the hints of a puzzle."""
    lines = []
    for hint in instance.hints:
        row, column = divmod(hint.cell, instance.columns)
        lines.append(f"{row} {column} {hint.piece + 1}" + ("" if hint.rotation is None else f" {hint.rotation}"))
    return "".join(line + "\n" for line in lines)
