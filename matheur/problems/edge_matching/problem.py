"""The edge-matching problem: an instance with its evaluator and its solution as plain JSON values."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import ArrayProblem
from matheur.engine.outcome import Evaluation, plain_number
from matheur.errors import InputError
from matheur.problems.edge_matching.blocks import GUIDES, incomplete_blocks
from matheur.problems.edge_matching.instance import (
    DOWN,
    EMPTY,
    LEFT,
    RIGHT,
    UP,
    Board,
    Instance,
    matching_joints,
)
from matheur.problems.edge_matching.rules import PLAIN

__all__ = ["EdgeMatching"]

_SIDE_NAMES = ("upper", "right", "lower", "left")


@dataclass(frozen=True, eq=False)
class EdgeMatching(ArrayProblem):
    """Place every piece so that as many inner edges as possible match.

    The objective is the number of mismatched inner edges (joints): neighbours with different colours, an empty cell, or
    the frame colour inside. The score, as usually reported, is the number of matched inner edges (at most 480 for
    Eternity II). Cells may be empty; the frame, the hints and "each piece once" are constraints.

    Attributes
    ----------
    instance
        The pieces, the size of the board and the hints.
    assumptions
        Assumptions that the reader made, one phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "edge-matching"

    @property
    def fingerprint(self) -> str:
        """A digest of size, pieces, hints and rules: equal puzzles have equal fingerprints, whatever their name."""
        instance = self.instance
        hints = sorted(instance.hints, key=lambda hint: hint.cell)
        digest = blake2b(repr((instance.rows, instance.columns, hints)).encode(), digest_size=12)
        digest.update(instance.pieces.astype("<i2").tobytes())
        if instance.rules != PLAIN:
            digest.update(repr(instance.rules).encode())
        return digest.hexdigest()

    @property
    def score_max(self) -> int:
        """Number of inner edges."""
        return self.instance.joints

    @property
    def trivial_bound(self) -> int:
        """Mismatches that the colour counts alone make unavoidable: each match uses two sides of one colour.

        It is 0 for every puzzle made from a solution.
        """
        one = self.instance
        if not one.rules.rotation:
            return one.joints - self._matches_without_turns()
        sides_of = np.bincount(one.pieces.ravel(), minlength=one.colours)
        if one.rules.signed:
            codes = np.arange(1, one.colours, 2)
            return max(0, one.joints - int(np.minimum(sides_of[codes], sides_of[one.rules.partners(codes)]).sum()))
        return max(0, one.joints - int((sides_of[1:] // 2).sum()))

    def _matches_without_turns(self) -> int:
        """Maximum matches by colour counts if pieces may not be turned: right meets left, and down meets up."""
        one = self.instance
        across, down = one.rows * (one.columns - 1), (one.rows - 1) * one.columns
        most = 0
        for joints, first, second in ((across, RIGHT, LEFT), (down, DOWN, UP)):
            counts = [np.bincount(one.sides[::4, side], minlength=one.colours)[1:] for side in (first, second)]
            most += min(joints, int(np.minimum(*counts).sum()))
        return most

    def score(self, objective: int | float) -> int | float:
        """Number of matched inner edges of a board with this objective."""
        return self.instance.joints - objective

    def evaluate(self, solution: Board) -> Evaluation:
        """Evaluate a board from scratch, from the colours of the pieces alone.

        Parameters
        ----------
        solution
            Placements `4 * piece + rotation` by cell, -1 in empty cells; see `matheur.problems.edge_matching.instance`.
        """
        instance = self.instance
        board = np.asarray(solution)
        if board.shape != (instance.cells,) or not np.issubdtype(board.dtype, np.integer):
            sentence = (
                f"a board of {instance.rows} x {instance.columns} is an array of {instance.cells} integers "
                f"(this one has shape {board.shape} and type {board.dtype})"
            )
            return Evaluation(instance.joints, False, (sentence,))
        violations: list[str] = []
        valid = (board >= 0) & (board < 4 * instance.cells)
        for cell in np.flatnonzero(~valid & (board != EMPTY)):
            violations.append(f"{self._where(cell)} holds placement {board[cell]}, which is not a piece of this puzzle")
        pieces, rotations = np.divmod(np.where(valid, board, 0).astype(np.int64), 4)
        shown = self._shown(pieces, rotations, valid)
        violations += self._repeated(pieces, valid)
        if instance.framed:
            violations += self._frame(shown, valid)
        if not instance.rules.rotation:
            for cell in np.flatnonzero(valid & (rotations > 0)):
                violations.append(f"{self._where(cell)} holds a turned piece, and pieces may not be turned")
        violations += self._hints(pieces, rotations, valid)
        return Evaluation(instance.joints - _matches(shown, instance), not violations, tuple(violations))

    def infeasible_reason(self) -> str | None:
        """The reason why no complete board can satisfy the frame and the hints, or None.

        Boards may have empty cells, but the goal is a complete board. With a frame, the numbers of corners, border
        pieces and inner pieces must equal the numbers of cells of each kind; a complete board then exists unless a
        hint contradicts it.
        """
        instance = self.instance
        if instance.framed:
            for what, needed, given in _frame_counts(instance):
                if needed != given:
                    size = f"{instance.rows} x {instance.columns}"
                    said = f"no complete board: the frame of a {size} board needs {needed} {what} (there are {given})"
                    return said + (". Maybe 0 is a colour (variant)?" if _odd_frame(instance) else "")
        for hint in instance.hints:
            if not instance.fits[4 * hint.piece : 4 * hint.piece + 4, hint.cell].any():
                turn = "in no rotation" if hint.rotation is None else f"not with rotation {hint.rotation}"
                where = self._where(hint.cell)
                return f"no board: the hint puts piece {hint.piece + 1} into {where}, where the frame allows it {turn}"
        return None

    def remark(self, solution: Board) -> str | None:
        """A remark on a valid board in addition to its score: the number of filled cells, unless it is complete."""
        filled = int((np.asarray(solution) != EMPTY).sum())
        return None if filled == self.instance.cells else f"incomplete, {filled} of {self.instance.cells} cells filled"

    def encode(self, solution: Board) -> list[list[int] | None]:
        """Row-major list of `[piece, rotation]`, with pieces from 1 in file order and None for empty cells."""
        return [
            None if value == EMPTY else [int(value) // 4 + 1, int(value) % 4] for value in np.asarray(solution).tolist()
        ]

    def decode(self, data: Any) -> Board:
        """The board of a list in the form of `encode`.

        Raises
        ------
        InputError
            If the list is malformed, with the cell and the value. A piece that is used twice is not an error here;
            `evaluate` reports it as a violation.
        """
        cells = self.instance.cells
        if not isinstance(data, list):
            raise InputError(f"a board is a list of {cells} cells (this is {_shortly(data)})")
        if len(data) != cells:
            raise InputError(
                f"a {self.instance.rows} x {self.instance.columns} board has {cells} cells (the list has {len(data)})"
            )
        board = np.full(cells, EMPTY, dtype=np.int32)
        for cell, entry in enumerate(data):
            if entry is None:
                continue
            entry = list(map(plain_number, entry)) if isinstance(entry, list | tuple) else entry
            if not isinstance(entry, list) or len(entry) != 2 or any(type(value) is not int for value in entry):
                raise InputError(f"{self._where(cell)} must be [piece, rotation] or null (it is {_shortly(entry)})")
            piece, rotation = entry
            if not 1 <= piece <= cells:
                raise InputError(f"{self._where(cell)} names piece {_shortly(piece)}; pieces are numbered 1 to {cells}")
            if not 0 <= rotation <= 3:
                raise InputError(
                    f"{self._where(cell)} has rotation {_shortly(rotation)}; rotations are 0 to 3 quarter-turns"
                )
            board[cell] = 4 * (piece - 1) + rotation
        return board

    def digest(self, solution: Board) -> bytes:
        """The placements as little-endian bytes: equal boards have equal digests."""
        return np.ascontiguousarray(solution, dtype="<i4").tobytes()

    def orbit(self, solution: Board) -> bytes:
        """The smallest digest of the board and its turns that the size of the board and the hints allow."""
        return min(self.digest(board) for board in self._turns(solution))

    def difference(self, first: Board, second: Board) -> int:
        """Number of cells in which two boards differ in piece or rotation, minimised over the turns of one of them."""
        return min(int(np.count_nonzero(turned != np.asarray(first))) for turned in self._turns(second))

    @property
    def guides(self) -> tuple[str, ...]:
        """`blocks-2` and `blocks-3`: measures for `matheur.engine.guidance`."""
        return tuple(GUIDES)

    def guide(self, name: str, solution: Board) -> int:
        """Number of squares of 2 x 2 or 3 x 3 cells with a mismatched joint."""
        return incomplete_blocks(self.instance, solution, GUIDES[name])

    def _turns(self, board: Board) -> list[Board]:
        """The board and its turns that the size of the board and the hints allow."""
        instance = self.instance
        if instance.hints or not instance.rules.rotation:
            return [np.asarray(board)]
        grid = np.asarray(board).reshape(instance.rows, instance.columns)
        turns = range(4) if instance.rows == instance.columns else (0, 2)
        moved = [(np.rot90(grid, -quarters).ravel(), quarters) for quarters in turns]
        return [np.where(turned == EMPTY, EMPTY, (turned & ~3) | ((turned + q) & 3)) for turned, q in moved]

    def _where(self, cell: int | np.integer[Any]) -> str:
        row, column = divmod(int(cell), self.instance.columns)
        return f"cell {int(cell)} (row {row}, column {column})"

    def _shown(
        self, pieces: NDArray[np.int64], rotations: NDArray[np.int64], valid: NDArray[np.bool_]
    ) -> NDArray[np.int64]:
        """Colours by cell and side as placed; -1 in empty cells."""
        position = (np.arange(4)[None, :] - rotations[:, None]) % 4
        colours = self.instance.pieces[pieces[:, None], position].astype(np.int64)
        return np.where(valid[:, None], colours, -1)

    def _repeated(self, pieces: NDArray[np.int64], valid: NDArray[np.bool_]) -> list[str]:
        counts = np.bincount(pieces[valid], minlength=self.instance.cells)
        return [f"piece {piece + 1} is used {counts[piece]} times" for piece in np.flatnonzero(counts > 1)]

    def _frame(self, shown: NDArray[np.int64], valid: NDArray[np.bool_]) -> list[str]:
        row, column = np.divmod(np.arange(self.instance.cells), self.instance.columns)
        last_row, last_column = self.instance.rows - 1, self.instance.columns - 1
        outside = np.stack([row == 0, column == last_column, row == last_row, column == 0], axis=1)
        sentences = []
        for cell, side in np.argwhere(valid[:, None] & (outside != (shown == 0))):
            what = (
                f"colour {shown[cell, side]} on the edge of the board"
                if outside[cell, side]
                else "the frame colour inside"
            )
            sentences.append(f"{self._where(cell)} shows {what} (its {_SIDE_NAMES[side]} side)")
        return sentences

    def _hints(self, pieces: NDArray[np.int64], rotations: NDArray[np.int64], valid: NDArray[np.bool_]) -> list[str]:
        sentences = []
        for hint in self.instance.hints:
            right = valid[hint.cell] and pieces[hint.cell] == hint.piece
            if not right or hint.rotation not in (None, rotations[hint.cell]):
                turn = "" if hint.rotation is None else f" with rotation {hint.rotation}"
                sentences.append(f"{self._where(hint.cell)} must hold piece {hint.piece + 1}{turn} (a hint)")
        return sentences


def _matches(shown: NDArray[np.int64], instance: Instance) -> int:
    """Number of inner edges with the same colour on both sides, or with opposite signs."""
    grid = shown.reshape(instance.rows, instance.columns, 4)
    if instance.rules.signed:
        partners = np.where(grid > 0, instance.rules.partners(grid), grid)
        grid = np.concatenate([grid[..., :RIGHT], partners[..., RIGHT:LEFT], grid[..., LEFT:]], axis=2)
    across, down = matching_joints(grid)
    return int(across.sum()) + int(down.sum())


def _odd_frame(instance: Instance) -> bool:
    """Whether a piece has frame on opposite sides, which is impossible with at least two rows and two columns."""
    frame = instance.pieces == 0
    lines = min(instance.rows, instance.columns) > 1 and instance.rules == PLAIN
    return lines and bool(((frame[:, 0] & frame[:, 2]) | (frame[:, 1] & frame[:, 3])).any())


def _frame_counts(instance: Instance) -> list[tuple[str, int, int]]:
    """Name, number of cells and number of pieces of every pattern of frame sides.

    Patterns are counted up to rotation; if pieces may not be turned and these counts agree, as they are.
    """
    names = {
        (0, 0, 1, 1): "corners",
        (0, 0, 0, 1): "border pieces",
        (0, 0, 0, 0): "inner pieces",
        (0, 1, 0, 1): "pieces with frame on two opposite sides",
        (0, 1, 1, 1): "pieces with frame on three sides",
        (1, 1, 1, 1): "pieces with frame on four sides",
    }
    needed, given = _patterns(instance.outside, 4), _patterns(instance.pieces == 0, 4)
    counts = [(name, needed.count(key), given.count(key)) for key, name in names.items()]
    if instance.rules.rotation or any(one != other for _, one, other in counts):
        return counts
    needed, given = _patterns(instance.outside, 1), _patterns(instance.pieces == 0, 1)
    sides_of = {key: " and ".join(name for name, bit in zip(_SIDE_NAMES, key, strict=True) if bit) for key in needed}
    return [
        (f"pieces with frame on the {sides_of[key] or 'no'} side", needed.count(key), given.count(key))
        for key in dict.fromkeys(needed)
    ]


def _patterns(frame: NDArray[np.bool_], turns: int) -> list[tuple[int, ...]]:
    """For each row of sides, the lexicographically first of its rotations by fewer than `turns` quarter-turns."""
    rows: list[list[int]] = frame.astype(int).tolist()
    return [min(tuple(bits[turn:] + bits[:turn]) for turn in range(turns)) for bits in rows]


def _shortly(value: Any) -> str:
    """Any value as text for an error message, cut to a readable length."""
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**18:
        return "a number of more than 18 digits"
    if isinstance(value, list | dict) and len(value) > 8:
        return f"a {type(value).__name__} of {len(value)} entries"
    text = "null" if value is None else repr(value)
    return text if len(text) <= 60 else text[:57] + "..."
