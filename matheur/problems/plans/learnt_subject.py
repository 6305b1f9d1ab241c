"""What a network for a problem learns from, and how long its walks should be."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain
from matheur.problems.domains import domain_of
from matheur.problems.sokoban.boards_domain import SokobanBoards
from matheur.problems.sokoban.instance import Instance
from matheur.problems.sokoban.problem import Sokoban

__all__ = ["learnt_domain", "suggested_longest"]

_LONGEST, _LONGEST_MAX = 100, 1000


def learnt_domain(problems: Sequence[Any]) -> Domain:
    """The state space that a network for these problems learns from.

    For Sokoban all levels of the size of the first one; the network fits any level of that size. For other problems the
    state space of the only problem.

    Raises
    ------
    ConfigurationError
        If there are several problems of another kind, or Sokoban levels that count pushes.
    """
    if problems and all(isinstance(one, Sokoban) for one in problems):
        levels: list[Instance] = [one.instance for one in problems]
        if any(one.cost != "moves" for one in levels):
            raise ConfigurationError("networks for Sokoban count moves, not pushes")
        first = levels[0]
        return SokobanBoards([one for one in levels if (one.rows, one.columns) == (first.rows, first.columns)])
    if len(problems) != 1:
        raise ConfigurationError(f"a network is trained for one instance ({len(problems)})")
    domain: Domain = domain_of(problems[0])
    return domain


def suggested_longest(problem: Any) -> int:
    """Steps of walks from the goal that reach most states of a problem.

    Sliding tiles: three quarters of the square of the cells, at most 1,000. Lights Out: a step for each cell. Rubik's
    cube: 30 quarter or 24 half turns. Sokoban, whose walks go from box to box: 150. Others: 100.
    """
    one: Any = getattr(problem, "instance", None)
    if problem.name == "sliding-tile":
        return min(_LONGEST_MAX, max(20, 3 * (one.rows * one.columns) ** 2 // 4))
    if problem.name == "lights-out":
        return int(one.cells)
    if problem.name == "rubik":
        return 30 if one.metric == "quarter" else 24
    return 150 if problem.name == "sokoban" else _LONGEST
