"""Breadth-first search from both ends."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.statespace.answer import SearchAnswer
from matheur.statespace.breadth_first.hashed import HashedLevels, lifted_plan
from matheur.statespace.breadth_first.symmetry import Quotient, quotient_of
from matheur.statespace.domain import Domain
from matheur.statespace.table import OutOfMemoryBudgetError

__all__ = ["bidirectional"]


def bidirectional(
    domain: Domain, *, budget: Budget | None = None, memory: int = 2 << 30, quotient: bool = False
) -> SearchAnswer:
    """An optimal plan by two breadth-first searches that meet, or the proof that there is none.

    Whole levels are expanded, always on the side whose deepest level is smaller. With levels a and b complete and no
    state in common, every plan has more than a + b moves; a state of level a + 1 that the other side knows lies in its
    level b, so the first one met gives an optimal plan. Work is counted in states expanded.

    Parameters
    ----------
    memory
        Bytes of both hash tables together.
    quotient
        Keep one state of each class under `Domain.automorphisms`.

    Raises
    ------
    ValueError
        If the moves have different costs or cannot be taken back, if there is more than one goal state, or if no
        symmetries are known for the quotient.
    """
    if not domain.unit_costs:
        raise ValueError(f"'bidirectional' needs moves of cost 1 ({domain.name}). Maybe use A*.")
    if not domain.reversible:
        raise ValueError(f"the moves of '{domain.name}' cannot be taken back. Maybe use 'bfs' or A*.")
    if not domain.goal_mask.all():
        raise ValueError(f"'{domain.name}' has more than one goal state. Maybe use 'bfs' or A*.")
    budget = Budget() if budget is None else budget
    started = budget.clock()
    start, goal = domain.packing.pack(np.stack([domain.start, domain.goal]))
    if (start == goal).all():
        return SearchAnswer(np.empty(0, dtype=np.int32), 0, stored=1, seconds=budget.clock() - started)
    classes = quotient_of(domain, quotient)
    try:
        sides = [HashedLevels(domain, key, memory=memory // 2, quotient=classes) for key in (start, goal)]
    except OutOfMemoryBudgetError:
        return SearchAnswer(bound=1, limit="memory", stored=2, seconds=budget.clock() - started)
    limit, meeting = _meet(sides, budget)
    plan = None if meeting is None else _plan(domain, start, sides, meeting, classes)
    depths = sides[0].depth + sides[1].depth
    unreachable = plan is None and not all(side.counts[-1] for side in sides)
    return SearchAnswer(
        plan=plan,
        cost=None if plan is None else len(plan),
        bound=depths + 1 if plan is None else len(plan),
        unreachable=unreachable,
        limit=limit,
        expanded=sum(side.expanded for side in sides),
        generated=sum(side.generated for side in sides),
        stored=sum(side.stored for side in sides),
        memory=sum(side.nbytes for side in sides),
        seconds=budget.clock() - started,
    )


def _meet(sides: list[HashedLevels], budget: Budget) -> tuple[str | None, tuple[int, int] | None]:
    """Expand levels until a state is known to both sides: what ended it, and the state's index on both sides."""
    while all(side.counts[-1] for side in sides):
        one = 0 if sides[0].starts[-1] - sides[0].starts[-2] <= sides[1].starts[-1] - sides[1].starts[-2] else 1
        other = sides[1 - one]
        limit = sides[one].advance(budget, meet=other.table)
        met = sides[one].met
        if met is not None:
            return None, met if one == 0 else (met[1], met[0])
        if limit is not None:
            return limit, None
    return None, None


def _plan(
    domain: Domain,
    start: NDArray[np.uint64],
    sides: list[HashedLevels],
    meeting: tuple[int, int],
    classes: Quotient | None,
) -> NDArray[np.int32]:
    """The moves through the meeting state."""
    first, second = sides[0].path(meeting[0])[::-1], sides[1].path(meeting[1])
    return lifted_plan(domain, start, np.concatenate([first, second[1:]]), classes)
