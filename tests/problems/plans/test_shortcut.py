"""Action elimination, plan neighbourhood graphs, and the neighbourhood made of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.plans.puzzles import PancakeProblem, best_cost, cube, detour

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.plans.elimination import eliminate
from matheur.problems.plans.shortcut import Shortcut
from matheur.problems.plans.trajectory import Trajectory
from matheur.problems.plans.vicinity import Vicinity

CUBE = cube(4, 2, "4 7 13 5", "13 7 5 4")


def shortened(domain: Domain, plan: list[int]) -> int | None:
    """Least cost of the plan with one move and all that fails left out, replayed one by one."""
    best = None
    for left_out in range(len(plan)):
        key, cost = domain.packing.pack(domain.start[None]), 0
        for step, move in enumerate(plan):
            found = domain.expand(key)
            edge = np.flatnonzero(found.moves == move)
            if step != left_out and edge.size:
                key, cost = found.keys[edge[:1]], cost + int(found.costs[edge[0]])
            if step >= left_out and domain.is_goal(key)[0]:
                best = cost if best is None else min(best, cost)
    return best


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(0, 12))
def test_elimination_finds_what_replaying_finds(seed: int, steps: int) -> None:
    """The plans played side by side are those that one gets one after the other."""
    problem = CUBE if seed % 2 else PancakeProblem((3, 1, 4, 0, 2))
    domain = domain_of(problem)
    path = Trajectory.of(domain, detour(problem, np.random.default_rng(seed), steps))
    found, best = eliminate(path, Budget()), shortened(domain, path.plan.tolist())
    if found is None:
        assert best is None or best >= path.cost
    else:
        assert problem.evaluate(found.plan).feasible
        assert found.cost == best < path.cost


def test_elimination_keeps_to_its_work() -> None:
    """With work for a part only it books no more than that."""
    path = Trajectory.of(domain_of(CUBE), detour(CUBE, np.random.default_rng(0), 20))
    for work in (0, 1, 7, 30):
        budget = Budget(work=work)
        eliminate(path, budget)
        assert budget.spent_work <= work


def subgraph_distance(path: Trajectory, radius: int) -> int:
    """Cost of the cheapest way that uses only moves with an end fewer than `radius` moves from the plan."""
    domain = path.domain
    near = {tuple(row) for row in path.states.tolist()}
    edges: dict[tuple[int, ...], set[tuple[tuple[int, ...], int]]] = {}
    layer = near
    for depth in range(max(radius, 1)):
        after = set()
        for state in layer:
            found = domain.expand(domain.packing.pack([state]))
            for row, cost in zip(domain.packing.unpack(found.keys).tolist(), found.costs.tolist(), strict=True):
                if radius == 0 and tuple(row) not in near:
                    continue
                edges.setdefault(state, set()).add((tuple(row), cost))
                edges.setdefault(tuple(row), set()).add((state, cost))
                after.add(tuple(row))
        layer, near = after - near, near | after
        assert depth >= 0
    away = {tuple(path.states[0].tolist()): 0}
    while True:
        changed = False
        for state, cost in list(away.items()):
            for other, price in edges.get(state, ()):
                if cost + price < away.get(other, 1 << 30):
                    away[other], changed = cost + price, True
        if not changed:
            return away[tuple(path.states[-1].tolist())]


@pytest.mark.parametrize("radius", [0, 1, 2])
@pytest.mark.parametrize("seed", range(4))
def test_the_vicinity_holds_the_ways_it_should(seed: int, radius: int) -> None:
    """The cheapest way is that of the same graph built state by state."""
    problem = cube(3, 1, "6 4 5 1", "4 1 5 6") if seed % 2 else PancakeProblem((3, 1, 4, 0, 2))
    path = Trajectory.of(domain_of(problem), detour(problem, np.random.default_rng(seed), 8))
    vicinity = Vicinity.around(path, Budget(), radius=radius, edges=1_000_000)
    assert vicinity is not None
    found, best = vicinity.shortest(), subgraph_distance(path, radius)
    assert best == (path.cost if found is None else found.cost)
    if found is not None:
        assert problem.evaluate(found.plan).objective == best


def test_a_whole_space_is_a_proof() -> None:
    """When the vicinity is everything that can be reached, the plan is optimal, and the bound says so."""
    problem = cube(3, 1, "6 4", "4 6")
    outcome = Shortcut(radius=30).explore(
        problem, detour(problem, np.random.default_rng(1), 10), Budget(), np.random.default_rng(0)
    )
    assert outcome.status is Status.LOCAL_OPTIMUM
    assert outcome.bound == outcome.objective == best_cost(domain_of(problem))
    assert outcome.certificate["states"] == 56


def test_cycles_are_cut_out() -> None:
    """A plan that comes back to its start loses the loop even with radius 0."""
    problem = cube(3, 1, "0", "1")
    plan = np.array([2, 0, 4, 0, 1], dtype=np.int32)
    outcome = Shortcut(radius=0).explore(problem, plan, Budget(), np.random.default_rng(0))
    assert outcome.solution.tolist() == [1]


def test_few_edges_leave_the_plan_itself() -> None:
    """The plan's own states are expanded whatever the limit, and nothing gets worse."""
    plan = detour(CUBE, np.random.default_rng(5), 15)
    outcome = Shortcut(edges=1).explore(CUBE, plan, Budget(), np.random.default_rng(0))
    assert outcome.objective is None or outcome.objective <= len(plan)
    assert outcome.status is Status.LOCAL_OPTIMUM


def test_options_out_of_range_are_refused() -> None:
    """The error names the option and its value."""
    with pytest.raises(ConfigurationError, match=r"radius.*-1"):
        Shortcut(radius=-1)
    with pytest.raises(ConfigurationError, match=r"edges.*0"):
        Shortcut(edges=0)
