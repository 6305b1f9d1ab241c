"""Partitions of the tiles into patterns, by name."""

from __future__ import annotations

import re
from math import perm

from matheur.errors import ConfigurationError
from matheur.problems.sliding_tile.instance import GOALS
from matheur.problems.sliding_tile.search.geometry import Geometry

__all__ = ["NAMED", "largest_size", "named_for", "partition", "table_bytes"]


def _drawn(rows: str) -> tuple[tuple[int, ...], ...]:
    """Patterns as letters in the cells, with the blank last; for the goal `blank-first`."""
    cells = rows.replace(" ", "")
    letters = sorted(set(cells) - {"."})
    return tuple(
        tuple(sorted(len(cells) - 1 - i for i, one in enumerate(cells) if one == letter)) for letter in letters
    )


NAMED: dict[tuple[int, int], dict[str, tuple[tuple[int, ...], ...]]] = {
    (4, 4): {
        "6-6-3": ((1, 4, 5, 8, 9, 12), (7, 10, 11, 13, 14, 15), (2, 3, 6)),
        "7-8": ((1, 4, 5, 8, 9, 12, 13), (2, 3, 6, 7, 10, 11, 14, 15)),
        "5-5-5": ((1, 2, 3, 6, 7), (4, 5, 8, 9, 12), (10, 11, 13, 14, 15)),
    },
    (5, 5): {
        "6-6-6-6": ((1, 2, 5, 6, 7, 12), (3, 4, 8, 9, 13, 14), (10, 11, 15, 16, 20, 21), (17, 18, 19, 22, 23, 24)),
        "5-5-5-5-4": _drawn("AAABB AABBB CCDDD CCEDD CEEE."),
    },
    (6, 6): {
        "5-5-5-5-5-5-5": _drawn("AABBCC AABBCC ADDBEC FDDDEE FFGGEE FFGGG."),
        "6-6-6-6-6-5": _drawn("AAABBB AAABBB CCCDDD CCCDDD EEEFFF EEEFF."),
    },
    (7, 7): {
        "4-4-4-4-4-4-4-4-4-4-4-4": _drawn("AABBCCD AABBCCD EEFFGDD EEFFGGG HHHIIKK HLIIJKK LLLJJJ."),
        "5-5-5-5-5-5-5-5-5-3": _drawn("AAABBCC AABBBCC EEEFFCD EEXFFDD GXXXFDD GGXHHKK GGHHHK."),
    },
}
"""Partitions for the goal `blank-first`: those of the literature (Korf and Felner 2002), 5-5-5, and compact ones."""

_NIBBLES = 2  # entries per byte


def named_for(board: Geometry) -> dict[str, tuple[tuple[int, ...], ...]]:
    """The named partitions of a board; empty if the blank's goal is neither the first nor the last cell."""
    return NAMED.get((board.rows, board.columns), {}) if board.goal in GOALS else {}


def partition(board: Geometry, name: str) -> tuple[tuple[int, ...], ...]:
    """The patterns that a name stands for.

    Parameters
    ----------
    name
        One of `NAMED` for the size, or a number k: blocks of k neighbouring tiles and a remainder.

    Raises
    ------
    ConfigurationError
        If the board has no such partition.
    """
    known = named_for(board)
    if name in known:
        return tuple(_for_goal(board, pattern) for pattern in known[name])
    if not re.fullmatch(r"[1-9][0-9]?", name):
        choices = ", ".join([*known, "a number of tiles"])
        goal = "" if board.goal in GOALS else f" with the goal {board.goal}"
        size = f"{board.rows} x {board.columns} board{goal}"
        raise ConfigurationError(f"a {size} has no partition '{name}'. Known: {choices}")
    return _blocks(board, int(name))


def largest_size(board: Geometry, memory: int) -> int:
    """Size of the largest blocks whose tables take at most `memory` bytes in total."""
    size = 1
    while size < board.cells - 1:
        blocks, rest = divmod(board.cells - 1, size + 1)
        needed = blocks * perm(board.cells, size + 1) // _NIBBLES + (perm(board.cells, rest) // _NIBBLES if rest else 0)
        if needed > memory:
            break
        size += 1
    return size


def table_bytes(board: Geometry, name: str) -> int:
    """Bytes of the tables of a partition."""
    return sum(-(-perm(board.cells, len(pattern)) // _NIBBLES) for pattern in partition(board, name))


def _for_goal(board: Geometry, pattern: tuple[int, ...]) -> tuple[int, ...]:
    """The pattern for the goal of the board: rotation by 180 degrees exchanges the goals, tile t becomes cells - t."""
    return pattern if board.goal == "blank-first" else tuple(sorted(board.cells - tile for tile in pattern))


def _blocks(board: Geometry, size: int) -> tuple[tuple[int, ...], ...]:
    """Blocks cut from a zigzag path through strips of two rows, beginning far from the blank's goal cell."""
    walk = []
    for number, top in enumerate(range(0, board.rows, 2)):
        columns = range(board.columns) if number % 2 == 0 else range(board.columns - 1, -1, -1)
        for step, column in enumerate(columns):
            rows = [row for row in (top, top + 1) if row < board.rows]
            walk += [row * board.columns + column for row in (rows if step % 2 == 0 else rows[::-1])]
    tiles = [int(board.target[cell]) for cell in walk if board.target[cell]]
    if board.goal == "blank-first":
        tiles.reverse()
    return tuple(tuple(sorted(tiles[i : i + size])) for i in range(0, len(tiles), size))
