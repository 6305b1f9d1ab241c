"""Rubik's cube as a problem of the engine: solutions are plans, the objective is the number of turns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.outcome import Evaluation
from matheur.errors import InputError
from matheur.problems.rows import row_fault, without_moves
from matheur.problems.rubik.cubies import unsolvable
from matheur.problems.rubik.instance import Instance
from matheur.problems.rubik.stickers import MOVES, SOLVED, turn

__all__ = ["Rubik", "parse_moves"]

_SPELLINGS = {"’": "'", "`": "'", "3": "'", "i": "'", "-": "'", "'2": "2", "2'": "2"}


def parse_moves(text: str) -> list[int]:
    """Moves written one after the other: `R U' F2`, with blanks or without, also `R3`, `Ri` or `R-` for `R'`.

    Raises
    ------
    InputError
        With the number and the text of the first move that cannot be read.
    """
    numbers: list[int] = []
    rest = text.strip()
    while rest:
        match = re.match(r"([URFDLB])('2|2'|['’`23i-]?)[\s,;]*", rest)
        if match is None:
            raise InputError(f"move {len(numbers) + 1} cannot be read ({rest[:20]!r}). Maybe one of: {' '.join(MOVES)}")
        suffix = match[2]
        numbers.append(MOVES.index(match[1] + _SPELLINGS.get(suffix, suffix)))
        rest = rest[match.end() :]
    return numbers


@dataclass(frozen=True, eq=False)
class Rubik:
    """Solve the cube with as few turns as possible.

    Solutions are int32 arrays of moves (see `matheur.problems.rubik.stickers.MOVES`); as JSON they are lists of their
    names.

    Attributes
    ----------
    instance
        The cube.
    assumptions
        What the reader took for granted, a phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "rubik"

    @cached_property
    def fingerprint(self) -> str:
        """Names the cube by its content."""
        content = (self.instance.facelets, self.instance.metric)
        return blake2b(repr(content).encode(), digest_size=12).hexdigest()

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Turn the stickers in space, move by move."""
        fault = row_fault(solution, "a plan")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        facelets, violations = self.instance.facelets, []
        allowed = len(self.instance.moves)
        for step, move in enumerate(np.asarray(solution).ravel().tolist(), start=1):
            if not 0 <= move < len(MOVES):
                violations.append(f"move {step}: there is no move number {move}")
                break
            if move >= allowed:
                violations.append(f"move {step}: {MOVES[move]} is a half turn, and the metric counts quarter turns")
                break
            facelets = turn(facelets, move)
        wrong = sum(a != b for a, b in zip(facelets, SOLVED, strict=True))
        if wrong:
            violations.append(f"at the end {wrong} stickers are not on the face of their colour")
        return Evaluation(len(solution), not violations, tuple(violations))

    def score(self, objective: int | float) -> int | float:
        """The number of turns itself."""
        return objective

    @property
    def score_max(self) -> None:
        """None: fewer turns are better."""
        return None

    @property
    def trivial_bound(self) -> int:
        """Pieces out of place or turned, divided by the eight that a turn moves, rounded up."""
        one = self.instance.cubies
        wrong = sum(
            piece != place or turned != 0
            for place, (piece, turned) in enumerate(zip(one.corners, one.twists, strict=True))
        )
        wrong += sum(
            piece != place or turned != 0
            for place, (piece, turned) in enumerate(zip(one.edges, one.flips, strict=True))
        )
        return -(-wrong // 8)

    def infeasible_reason(self) -> str | None:
        """A sentence if turns cannot solve it."""
        return unsolvable(self.instance.cubies)

    def given_solution(self) -> NDArray[np.int32] | None:
        """The plan without moves, where the start is the goal; else None."""
        return without_moves(self)

    def encode(self, solution: NDArray[np.int32]) -> list[str]:
        """Names of the moves."""
        return [MOVES[int(move)] for move in np.asarray(solution).ravel()]

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Moves of a list of names, or of a text of them.

        Raises
        ------
        InputError
            If it is neither.
        """
        if isinstance(data, str):
            return np.array(parse_moves(data), dtype=np.int32)
        if not isinstance(data, Sequence) or isinstance(data, bytes):
            raise InputError(f"a plan is a list of turns, not {type(data).__name__}")
        numbers = []
        for step, name in enumerate(data, start=1):
            found = parse_moves(name) if isinstance(name, str) else []
            if len(found) != 1:
                shown = repr(name[:20]) if isinstance(name, str) else type(name).__name__
                raise InputError(f"move {step} must be one turn ({shown}). Maybe one of: {' '.join(MOVES)}")
            numbers += found
        return np.array(numbers, dtype=np.int32)

    def digest(self, solution: NDArray[np.int32]) -> bytes:
        """The same for the same moves."""
        return blake2b(np.asarray(solution, dtype=np.int32).tobytes(), digest_size=16).digest()
