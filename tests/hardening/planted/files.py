"""Result files that somebody edited by hand."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hardening.planted.stage import Bench

__all__ = ["EDITS", "Edit"]


@dataclass(frozen=True)
class Edit:
    """What is changed, in the result of a weak solution or of the optimum, and the words of who sees it."""

    name: str
    changes: Callable[[Bench, dict[str, Any]], dict[str, Any]]
    words: str
    of_optimum: bool = False
    by: str = "refuted"


def _other(bench: Bench, _: dict[str, Any]) -> dict[str, Any]:
    """The weak solution under the claims of the optimum."""
    return {"solution": bench.problem.encode(bench.weak)}


EDITS = [
    Edit("objective", lambda _, file: {"objective": file["objective"] - 1}, "claims objective"),
    Edit("objective of another kind", lambda *_: {"objective": "low"}, "claims objective"),
    Edit("score", lambda _, file: {"score": file["score"] + 1}, "claims score"),
    Edit("feasible", lambda *_: {"feasible": False}, "claims feasible"),
    Edit("bound above the objective", lambda _, file: {"bound": file["objective"] + 1}, "claims the bound"),
    Edit("bound that is no number", lambda *_: {"bound": "high"}, "claims the bound"),
    Edit("bound of infinity", lambda *_: {"bound": float("inf")}, "claims the bound"),
    Edit("bound above the optimum", lambda bench, _: {"bound": bench.optimum + 1}, "claims the optimum"),
    Edit("optimal, without a bound", lambda *_: {"status": "optimal", "bound": None}, "but no bound"),
    Edit("optimal, with its bound", lambda *_: {"status": "optimal"}, "claims status optimal, but"),
    Edit(
        "optimal, of a weak solution",
        lambda _, file: {"status": "optimal", "bound": file["objective"]},
        "claims the optimum",
    ),
    Edit("infeasible, with a solution", lambda *_: {"status": "infeasible"}, "but holds a solution"),
    Edit("infeasible", lambda *_: {"status": "infeasible", "solution": None}, "claims that there is no solution"),
    Edit("a status that there is not", lambda *_: {"status": "best"}, "which is not one of"),
    Edit("another solution", _other, "claims objective", of_optimum=True),
]
