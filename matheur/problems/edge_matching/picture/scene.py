"""Content of a picture, independent of how it is drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.problems.edge_matching.instance import DOWN, EMPTY, LEFT, RIGHT, UP, Board
from matheur.problems.edge_matching.problem import EdgeMatching
from matheur.problems.edge_matching.rules import Rules
from matheur.problems.pictures import readable

__all__ = ["Scene", "scene_of"]


@dataclass(frozen=True, slots=True)
class Scene:
    """A grid of cells with their colours.

    Attributes
    ----------
    rows, columns
        Size of the grid.
    sides
        Colours up, right, down, left by cell: 0 for the frame, -1 in an empty cell. If 0 is a colour, the file's values
        plus one; with signs, the values without their signs.
    signs
        Array of the same shape: -1 for a side with a minus, else 0.
    rules
        Rules of the puzzle.
    labels
        Text by cell: the piece number, or nothing in an empty cell.
    tooltips
        One sentence by cell.
    across, down
        Whether the joint to the right of a cell, or below it, shows two different colours (or grey) side by side.
    hinted
        Cells with a hint; in a set of pieces, the pieces with a hint.
    placed
        True for a board, False for a set of separate pieces.
    score
        Matched and total inner edges as `matched/all`; empty for a set of pieces.
    title
        Name and score in one line.
    """

    rows: int
    columns: int
    sides: NDArray[np.int16]
    signs: NDArray[np.int8]
    rules: Rules
    labels: tuple[str, ...]
    tooltips: tuple[str, ...]
    across: NDArray[np.bool_]
    down: NDArray[np.bool_]
    hinted: NDArray[np.bool_]
    placed: bool
    score: str
    title: str


def scene_of(problem: EdgeMatching, board: Board | None) -> Scene:
    """The scene of a board (placements out of range are shown as empty), or of the pieces in file order."""
    instance = problem.instance
    rows, columns, cells = instance.rows, instance.columns, instance.cells
    name = readable(instance.name) or problem.name
    if board is None:
        placements = 4 * np.arange(cells)
        hinted = np.zeros(cells, dtype=bool)
        hinted[[hint.piece for hint in instance.hints]] = True
        score, title = "", f"{name}: {cells} pieces for a {rows} x {columns} board"
    else:
        board = np.asarray(board)
        placements = np.where((board >= 0) & (board < 4 * cells), board, EMPTY)
        hinted = instance.fixed
        score, state = _state(problem, board)
        title = f"{name}: {state}"
    there = placements >= 0
    codes = np.where(there[:, None], instance.shown[placements], -1).astype(np.int16)
    compared = np.where(there[:, None], instance.sides[placements], -1).astype(np.int16)
    across, down = _mismatches(compared, there, rows, columns, board is not None)
    sides, signs = _drawn(codes, instance.rules)
    named = np.where(codes < 0, 0, instance.rules.colours(np.maximum(codes, 0)))
    return Scene(
        rows,
        columns,
        sides,
        signs,
        instance.rules,
        tuple(str(value // 4 + 1) if value >= 0 else "" for value in placements.tolist()),
        tuple(
            _tooltip(cell, value, columns, named[cell].tolist(), board is not None)
            for cell, value in enumerate(placements.tolist())
        ),
        across,
        down,
        hinted,
        board is not None,
        score,
        title,
    )


def _drawn(codes: NDArray[np.int16], rules: Rules) -> tuple[NDArray[np.int16], NDArray[np.int8]]:
    """Colours to draw, and signs."""
    if not rules.signed:
        return codes, np.zeros(codes.shape, dtype=np.int8)
    return np.where(codes > 0, (codes + 1) // 2, codes), np.where((codes > 0) & (codes % 2 == 0), -1, 0).astype(np.int8)


def _state(problem: EdgeMatching, board: Board) -> tuple[str, str]:
    """The score as `matched/all`, and a description that includes empty cells and violations."""
    evaluation = problem.evaluate(board)
    score = problem.score(evaluation.objective)
    parts = [f"{score} of {problem.score_max} inner edges match"]
    if empty := int((board == EMPTY).sum()):
        parts.append(_counted(empty, "cell") + " empty")
    if evaluation.violations:
        parts.append(_counted(len(evaluation.violations), "violation"))
    return f"{score}/{problem.score_max}", ", ".join(parts)


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"


def _mismatches(
    sides: NDArray[np.int16], there: NDArray[np.bool_], rows: int, columns: int, placed: bool
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    grid, full = sides.reshape(rows, columns, 4), there.reshape(rows, columns)
    across, down = np.zeros((rows, columns), dtype=bool), np.zeros((rows, columns), dtype=bool)
    if placed:
        for wrong, one, other, a, b in (
            (across, np.s_[:, :-1], np.s_[:, 1:], RIGHT, LEFT),
            (down, np.s_[:-1, :], np.s_[1:, :], DOWN, UP),
        ):
            first, second = grid[(*one, a)], grid[(*other, b)]
            wrong[one] = full[one] & full[other] & ((first != second) | (first == 0))
    return across.ravel(), down.ravel()


def _tooltip(cell: int, placement: int, columns: int, sides: list[int], placed: bool) -> str:
    row, column = divmod(cell, columns)
    where = f"row {row}, column {column}: " if placed else ""
    if placement < 0:
        return f"{where}empty"
    turn = f", rotation {placement % 4}" if placed else ""
    return f"{where}piece {placement // 4 + 1}{turn}, colours {' '.join(map(str, sides))}"
