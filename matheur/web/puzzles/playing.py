"""Solving a puzzle by hand: from the moves of a person to what is shown, judged by the problem's own evaluator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matheur.errors import InputError
from matheur.web.puzzles import arrangements, plans
from matheur.web.puzzles.position import Position

__all__ = ["has_game", "position"]

MOVES_MAX = 5000
_CELLS_MAX = 400

_GAMES: Mapping[str, Callable[[Any, Sequence[str]], Position]] = {
    "cubical": plans.cubical,
    "edge-matching": arrangements.edge_matching,
    "lights-out": plans.lights_out,
    "max-clique": arrangements.max_clique,
    "party": arrangements.party,
    "quadratic-assignment": arrangements.quadratic_assignment,
    "rubik": plans.rubik,
    "sliding-tile": plans.sliding_tile,
    "sokoban": plans.sokoban,
}


def has_game(problem: Any) -> bool:
    """Whether a person can play it here."""
    cells = getattr(getattr(problem, "instance", None), "cells", 0)
    return problem.name in _GAMES and not (isinstance(cells, int) and cells > _CELLS_MAX)


def position(problem: Any, moves: Sequence[str]) -> dict[str, Any]:
    """What is shown after these moves: that of `Position`, and what the evaluator says.

    Returns
    -------
    dict
        `valid`, `objective`, `score`, `perfect` (no better one can be), `violations` beside the fields of `Position`.

    Raises
    ------
    InputError
        If a move cannot be read.
    """
    if len(moves) > MOVES_MAX:
        raise InputError(f"more than {MOVES_MAX} moves")
    found = _GAMES[problem.name](problem, moves).to_dict()
    if found["solution"] is None:
        return {**found, "valid": False, "objective": None, "score": None, "perfect": False, "violations": []}
    evaluation = problem.evaluate(problem.decode(found["solution"]))
    score = problem.score(evaluation.objective)
    return {
        **found,
        "valid": evaluation.feasible,
        "objective": evaluation.objective,
        "score": score,
        "perfect": evaluation.feasible and score == problem.score_max,
        "violations": list(evaluation.violations),
    }
