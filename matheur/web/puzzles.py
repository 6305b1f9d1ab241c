"""Editing of instances in the browser, as text or cell by cell, and solving by hand.

The problems implement these functions, see `matheur.problems.workbench`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from matheur.engine.problem_types import tool_of
from matheur.errors import InputError
from matheur.problems.workbench import Workbench

__all__ = [
    "companions_of",
    "editor_of",
    "has_game",
    "options_beside",
    "position",
    "scramble_of",
    "scrambled_by",
    "text_of",
]

MOVES_MAX = 5000
SCRAMBLE_MAX = 10_000
_EDITED_MAX, _PLAYED_MAX = 600, 400  # cells


def _workbench(problem: str) -> Workbench:
    found: Workbench | None = tool_of(problem, "workbench")
    return found or Workbench()


def text_of(problem: Any) -> str | None:
    """The instance in the format of its reader; None if it is not suitable for editing by hand."""
    return _workbench(problem.name).text(problem)


def companions_of(problem: Any) -> Mapping[str, str]:
    """Additional files that the text names."""
    return _workbench(problem.name).companions(problem)


def options_beside(problem: str, options: str) -> str:
    """The reader options (lines of `key=value`) that still apply to a text written by `text_of`."""
    kept = _workbench(problem).text_options
    return "\n".join(line for line in options.splitlines() if line.partition("=")[0].strip() in kept)


def editor_of(problem: Any) -> dict[str, Any] | None:
    """The editor of an instance; None if it can be edited only as text."""
    found = _workbench(problem.name).editor(problem)
    return None if found is None or len(found.get("cells", ())) > _EDITED_MAX else found


def has_game(problem: Any) -> bool:
    """Whether a person can solve it by hand here."""
    cells = getattr(getattr(problem, "instance", None), "cells", 0)
    return _workbench(problem.name).plays and not (isinstance(cells, int) and cells > _PLAYED_MAX)


def scrambled_by(problem: str) -> str:
    """Unit of the length of a problem's scrambles; empty if it has none."""
    return _workbench(problem).scrambled_by


def scramble_of(problem: Any, length: int | None, seed: int) -> str:
    """A random instance similar to this one, as the text of a file, see `Workbench.scramble`."""
    if length is not None and length > SCRAMBLE_MAX:
        raise InputError(f"a scramble has up to {SCRAMBLE_MAX:,} {scrambled_by(problem.name)} here ({length:,})")
    return _workbench(problem.name).scramble(problem, length, seed)


def position(problem: Any, moves: Sequence[str]) -> dict[str, Any]:
    """The position after these moves, with its evaluation.

    Returns
    -------
    dict
        The fields of `Position`; `problem` and `fingerprint`, which identify the instance; `unit`, by which the score
        changes if the objective changes by 1; and `valid`, `objective`, `score`, `perfect` (no better solution exists),
        `violations`.

    Raises
    ------
    InputError
        If a move cannot be read.
    """
    if len(moves) > MOVES_MAX:
        raise InputError(f"more than {MOVES_MAX} moves")
    found = _workbench(problem.name).position(problem, moves).to_dict()
    found |= {"problem": problem.name, "fingerprint": problem.fingerprint}
    found["unit"] = float(abs(problem.score(1) - problem.score(0)))
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
