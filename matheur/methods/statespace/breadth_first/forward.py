"""Exact breadth-first search: number of states at each distance, and shortest plans.

The search uses the first of three representations that fits the memory: bit arrays indexed by the key, bit arrays
indexed by the rank that the domain declares (`Domain.ranking`), and a hash table. A domain may provide its own step for
whole levels on bit arrays (`Domain.levels`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.breadth_first.hashed import HashedLevels, lifted_plan
from matheur.methods.statespace.breadth_first.ranked import RankedLevels, ranked_levels
from matheur.methods.statespace.breadth_first.symmetry import quotient_of
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.table import OutOfMemoryBudgetError

__all__ = ["Distribution", "bfs", "distance_distribution"]

_ANTIPODES = 8


@dataclass(frozen=True)
class Distribution:
    """Number of states at each distance from one state.

    Attributes
    ----------
    counts
        Number of states at distances 0, 1, 2 and so on; if the distribution is incomplete, only of complete levels.
    antipodes
        uint8[n, size]: some of the states at the largest distance in `counts`.
    complete
        Whether all reachable states are counted.
    limit
        The limit that ended the search early: `time`, `work`, `memory`, `interrupt`; None if it is complete.
    expanded
        Number of expanded states.
    classes
        Number of stored states; with a quotient, one per class of symmetric states.
    representation
        `bits by key`, `bits by rank` or `hash table`.
    memory
        Size of the search's arrays in bytes.
    seconds
        Wall-clock seconds.
    """

    counts: tuple[int, ...]
    antipodes: NDArray[np.uint8]
    complete: bool
    limit: str | None
    expanded: int
    classes: int
    representation: str
    memory: int
    seconds: float

    @property
    def eccentricity(self) -> int:
        """The largest distance; for an incomplete distribution, a lower bound."""
        return len(self.counts) - 1

    @property
    def size(self) -> int:
        """Total number of counted states."""
        return sum(self.counts)


def distance_distribution(
    domain: Domain,
    *,
    source: str = "goal",
    budget: Budget | None = None,
    memory: int = 2 << 30,
    quotient: bool = False,
) -> Distribution:
    """Count the states at each distance: from the start, or to the goal.

    Work is counted in expanded states; a level expanded by whole words counts its states gradually.

    Parameters
    ----------
    source
        `"goal"`: distances to the goal, which needs a reversible domain with a single goal state. `"start"`: distances
        from the start.
    memory
        Memory limit in bytes for the search's arrays.
    quotient
        Store one state of each class under `Domain.automorphisms`, which does not change the counts. For distances from
        the start, all symmetries must fix the start as well.

    Raises
    ------
    ValueError
        If the moves have different costs, or the source or quotient is not possible for the domain.
    """
    _check_costs(domain, "distance_distribution")
    budget = Budget() if budget is None else budget
    started = budget.clock()
    key = _source_key(domain, source, quotient)
    levels: RankedLevels | HashedLevels | None = None if quotient else ranked_levels(domain, key, memory=memory)
    if levels is None:
        try:
            levels = HashedLevels(domain, key, memory=memory, quotient=quotient_of(domain, quotient), parents=False)
        except OutOfMemoryBudgetError:
            first = domain.packing.unpack(key[None])
            return Distribution((1,), first, False, "memory", 0, 1, "hash table", 0, budget.clock() - started)
    limit = None
    antipodes = levels.sample(_ANTIPODES)
    while limit is None:
        limit = levels.advance(budget)
        if levels.counts[-1] == 0:
            break
        if limit is None:
            antipodes = levels.sample(_ANTIPODES)
    complete = levels.counts[-1] == 0
    return Distribution(
        counts=tuple(levels.counts[:-1] if complete else levels.counts),
        antipodes=domain.packing.unpack(antipodes),
        complete=complete,
        limit=limit,
        expanded=levels.expanded,
        classes=levels.stored,
        representation=levels.representation,
        memory=levels.nbytes,
        seconds=budget.clock() - started,
    )


def bfs(domain: Domain, *, budget: Budget | None = None, memory: int = 2 << 30, quotient: bool = False) -> SearchAnswer:
    """An optimal plan by breadth-first search, or the proof that no plan exists.

    If the states have small numbers and the moves can be undone, the search runs on bit arrays from the goal to the
    start (4 bits per index); else it runs in a hash table from the start. Work is counted in expanded states.

    Parameters
    ----------
    memory
        Memory limit in bytes for the search's arrays.
    quotient
        Store one state of each class under `Domain.automorphisms`, always in a hash table.

    Raises
    ------
    ValueError
        If the moves have different costs, or no symmetries are known for the quotient.
    """
    _check_costs(domain, "bfs")
    budget = Budget() if budget is None else budget
    started = budget.clock()
    start, goal = domain.packing.pack(np.stack([domain.start, domain.goal]))
    if domain.is_goal(start[None])[0]:
        return SearchAnswer(np.empty(0, dtype=np.int32), 0, stored=1, seconds=budget.clock() - started)
    if not quotient and domain.reversible and domain.goal_mask.all():
        ranked = ranked_levels(domain, goal, memory=memory, depths=True)
        if ranked is not None:
            return _ranked_bfs(domain, ranked, start, budget, started)
    return _hashed_bfs(domain, start, budget, memory, quotient, started)


def _ranked_bfs(
    domain: Domain, levels: RankedLevels, start: NDArray[np.uint64], budget: Budget, started: float
) -> SearchAnswer:
    limit, reached = None, False
    while limit is None and not reached and levels.counts[-1]:
        limit = levels.advance(budget)
        reached = levels.depth_code(start) != 0
    plan = None
    if reached:
        # The states seen of an incomplete level are one level deeper than the last complete level.
        depth = levels.depth if limit is None else levels.depth + 1
        plan = lifted_plan(domain, start, np.array(levels.path(start, depth)), None)
    return _answer(levels, plan, limit, budget.clock() - started)


def _hashed_bfs(
    domain: Domain, start: NDArray[np.uint64], budget: Budget, memory: int, quotient: bool, started: float
) -> SearchAnswer:
    classes = quotient_of(domain, quotient)
    try:
        levels = HashedLevels(domain, start, memory=memory, quotient=classes, stop_at_goal=True)
    except OutOfMemoryBudgetError:
        return SearchAnswer(bound=1, limit="memory", stored=1, seconds=budget.clock() - started)
    limit = None
    while limit is None and levels.counts[-1]:
        limit = levels.advance(budget)
    plan = None
    if levels.found is not None:
        plan = lifted_plan(domain, start, levels.path(levels.found)[::-1], classes)
    return _answer(levels, plan, limit, budget.clock() - started)


def _answer(
    levels: RankedLevels | HashedLevels, plan: NDArray[np.int32] | None, limit: str | None, seconds: float
) -> SearchAnswer:
    unreachable = plan is None and levels.counts[-1] == 0
    return SearchAnswer(
        plan=plan,
        cost=None if plan is None else len(plan),
        bound=levels.depth + 1 if plan is None else len(plan),
        unreachable=unreachable,
        limit=None if plan is not None else limit,
        expanded=levels.expanded,
        generated=levels.generated,
        stored=levels.stored,
        memory=levels.nbytes,
        seconds=seconds,
    )


def _check_costs(domain: Domain, search: str) -> None:
    if not domain.unit_costs:
        raise ValueError(f"'{search}' needs moves of cost 1 ({domain.name}). Maybe use A* with the heuristic 'zero'.")


def _source_key(domain: Domain, source: str, quotient: bool) -> NDArray[np.uint64]:
    """The packed state from which distances are measured."""
    if source not in ("goal", "start"):
        raise ValueError(f"the source must be 'goal' or 'start' ({source!r})")
    if source == "goal" and not domain.reversible:
        raise ValueError(f"the moves of '{domain.name}' cannot be taken back. Maybe count from the start.")
    if source == "goal" and not domain.goal_mask.all():
        raise ValueError(f"'{domain.name}' has more than one goal state. Maybe count from the start.")
    state = domain.goal if source == "goal" else domain.start
    if quotient and source == "start":
        symmetries = domain.automorphisms()
        if symmetries is not None and (symmetries.images(state) != state).any():
            raise ValueError("the symmetries do not fix the start. Maybe count from the goal.")
    key: NDArray[np.uint64] = domain.packing.pack(state[None])[0]
    return key
