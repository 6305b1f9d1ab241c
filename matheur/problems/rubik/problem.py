"""Rubik's cube as a problem of the engine: solutions are plans, the objective is the number of turns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import row_fault
from matheur.engine.outcome import Evaluation
from matheur.errors import InputError, shown
from matheur.problems.plan_problem import PlanProblem
from matheur.problems.rubik.cubies import unsolvable
from matheur.problems.rubik.instance import Instance
from matheur.problems.rubik.notation import Turn, moves_of
from matheur.problems.rubik.stickers import FACES, MOVES, QUARTER_TURNS, SOLVED, turn
from matheur.problems.rubik.turn_text import parse_moves, parse_turns

__all__ = ["Rubik"]


@dataclass(frozen=True, eq=False)
class Rubik(PlanProblem):
    """Solve the cube with as few turns as possible.

    Solutions are int32 arrays of moves (see `matheur.problems.rubik.stickers.MOVES`); in JSON, they are lists of the
    names of moves.

    Attributes
    ----------
    instance
        The cube.
    assumptions
        Assumptions made by the reader, one phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "rubik"

    @property
    def content(self) -> tuple[Any, ...]:
        """The data from which the fingerprint of the cube is computed."""
        return (self.instance.facelets, self.instance.metric)

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Turn the stickers in space, move by move; in the quarter-turn metric, a half turn counts as two moves."""
        fault = row_fault(solution, "a plan")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        facelets, spent = self.instance.facelets, 0
        for step, move in enumerate(np.asarray(solution).ravel().tolist(), start=1):
            if not 0 <= move < len(MOVES):
                return Evaluation(spent, False, (f"move {step}: there is no move number {move}",))
            facelets = turn(facelets, move)
            spent += 2 if move >= QUARTER_TURNS and self.instance.metric == "quarter" else 1
        wrong = sum(a != b for a, b in zip(facelets, SOLVED, strict=True))
        if wrong:
            return Evaluation(spent, False, (f"at the end {wrong} stickers are not on the face of their colour",))
        return Evaluation(spent, True)

    @property
    def trivial_bound(self) -> int:
        """Number of misplaced or turned pieces, divided by the eight pieces that a turn moves, rounded up."""
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
        """A sentence if turns cannot solve the cube."""
        return unsolvable(self.instance.cubies)

    def encode(self, solution: NDArray[np.int32]) -> list[str]:
        """Names of the moves."""
        return [MOVES[int(move)] for move in np.asarray(solution).ravel()]

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Convert a list or a text of names to moves; in the quarter-turn metric, a half turn becomes two moves.

        Raises
        ------
        InputError
            If `data` is not such a list or text.
        """
        if isinstance(data, str):
            return self.spelt(parse_moves(data))
        if not isinstance(data, Sequence) or isinstance(data, bytes):
            raise InputError(f"a plan is a list of turns, not {type(data).__name__}")
        turns: list[Turn] = []
        small = any(isinstance(name, str) and not set(FACES).isdisjoint(name) for name in data)
        for step, name in enumerate(data, start=1):
            found = parse_turns(name, small=small) if isinstance(name, str) else []
            if len(found) != 1:
                what = shown(name, 20) if isinstance(name, str) else type(name).__name__
                raise InputError(f"move {step} must be one turn ({what}). Maybe one of: {' '.join(MOVES)}")
            turns += found
        return self.spelt(moves_of(turns))

    def spelt(self, moves: Sequence[int] | NDArray[np.int32]) -> NDArray[np.int32]:
        """The plan in the moves of the metric; in the quarter-turn metric, a half turn becomes two quarter turns."""
        plan = np.asarray(moves, dtype=np.int32)
        if self.instance.metric == "half" or not (plan >= QUARTER_TURNS).any():
            return plan
        twice = {number: MOVES.index(name[0]) for number, name in enumerate(MOVES) if number >= QUARTER_TURNS}
        return np.array([m for move in plan.tolist() for m in ([twice[move]] * 2 if move in twice else [move])], "i4")
