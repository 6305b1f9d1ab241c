"""Search over the states of a puzzle, exact and heuristic, for any domain that follows one protocol.

The searches are loaded on first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matheur.methods.statespace.answer import SearchAnswer
    from matheur.methods.statespace.best_first.anytime import anytime_astar
    from matheur.methods.statespace.best_first.astar import astar
    from matheur.methods.statespace.best_first.batch_astar import batch_astar
    from matheur.methods.statespace.best_first.beam import anytime_beam, beam
    from matheur.methods.statespace.best_first.ida_star import ida_star
    from matheur.methods.statespace.best_first.relative import relative_astar
    from matheur.methods.statespace.breadth_first import bfs, bidirectional, distance_distribution
    from matheur.methods.statespace.domain import BaseDomain, Domain
    from matheur.methods.statespace.heuristics import heuristic_by_name
    from matheur.methods.statespace.planners.assisted_evolution import assisted_evolution
    from matheur.methods.statespace.planners.evolution import evolution
    from matheur.methods.statespace.planners.q_learning import q_learning

_HOMES = {
    "BaseDomain": "domain",
    "Domain": "domain",
    "SearchAnswer": "answer",
    "anytime_astar": "best_first.anytime",
    "anytime_beam": "best_first.beam",
    "assisted_evolution": "planners.assisted_evolution",
    "astar": "best_first.astar",
    "batch_astar": "best_first.batch_astar",
    "beam": "best_first.beam",
    "bfs": "breadth_first",
    "bidirectional": "breadth_first",
    "distance_distribution": "breadth_first",
    "evolution": "planners.evolution",
    "heuristic_by_name": "heuristics",
    "ida_star": "best_first.ida_star",
    "q_learning": "planners.q_learning",
    "relative_astar": "best_first.relative",
}

__all__ = [
    "BaseDomain",
    "Domain",
    "SearchAnswer",
    "anytime_astar",
    "anytime_beam",
    "assisted_evolution",
    "astar",
    "batch_astar",
    "beam",
    "bfs",
    "bidirectional",
    "distance_distribution",
    "evolution",
    "heuristic_by_name",
    "ida_star",
    "q_learning",
    "relative_astar",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'matheur.methods.statespace' has no attribute '{name}'")
    return getattr(import_module(f"matheur.methods.statespace.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)
