"""Searches over partial assignments of all problems that have them, against all solutions of tiny instances."""

from __future__ import annotations

from itertools import permutations, product
from typing import Any

import numpy as np
import pytest
from problems.party.brute_force import best_price, tiny_instance

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.placing import PlacingDomain
from matheur.problems import edge_matching, party, quadratic_assignment
from matheur.problems.placements.learning import QLearning
from matheur.problems.placements.searches import AStar, BatchAStar, Beam


def _board(seed: int) -> edge_matching.EdgeMatching:
    """Four pieces of random colours, without a frame: some mismatches cannot be avoided."""
    pieces = np.random.default_rng(seed).integers(1, 10, (4, 4))
    return edge_matching.EdgeMatching(edge_matching.Instance(2, 2, pieces))


def _fewest(problem: edge_matching.EdgeMatching) -> int:
    return min(
        int(problem.evaluate(4 * np.array(pieces) + np.array(turns)).objective)
        for pieces in permutations(range(4))
        if pieces[0] == 0  # up to a turn of the board
        for turns in product(range(4), repeat=4)
    )


def _assignment(seed: int) -> quadratic_assignment.QuadraticAssignment:
    """Five facilities; every other instance has negative numbers and a diagonal."""
    rng = np.random.default_rng(seed)
    flows, distances = rng.integers(-9 if seed % 2 else 0, 10, (2, 5, 5))
    return quadratic_assignment.QuadraticAssignment(quadratic_assignment.Instance(flows, distances))


def _cheapest(problem: Any) -> int:
    return min(int(problem.evaluate(np.array(order)).objective) for order in permutations(range(problem.instance.n)))


@pytest.mark.parametrize("search", [AStar(batch=1), AStar(heuristic="zero", dive=0), BatchAStar(), Beam()])
@pytest.mark.parametrize("seed", range(3))
def test_placements_of_facilities(search: Any, seed: int) -> None:
    """On any integers, also negative ones, the best permutation is found, and A* proves it with every heuristic."""
    problem = _assignment(seed)
    best = _cheapest(problem)
    found = search.build(problem, Budget(work=100_000), np.random.default_rng(0))
    assert problem.evaluate(found.solution).objective == found.objective == best
    if not isinstance(search, Beam):
        assert found.bound == best


@pytest.mark.parametrize("seed", range(2))
def test_boards(seed: int) -> None:
    """The fewest mismatches are found and proved where some cannot be avoided."""
    problem = _board(seed)
    best = _fewest(problem)
    found = AStar().build(problem, Budget(), np.random.default_rng(0))
    assert found.objective == found.bound == best > 0


def test_parties() -> None:
    """The cheapest party is found and proved, by both bounds; that there is none is proved, too."""
    kinds = set()
    for seed in range(12):
        problem = party.Party(tiny_instance(seed))
        best = best_price(problem)
        for heuristic in ("lagrangian", "cheapest"):
            found = AStar(heuristic=heuristic).build(problem, Budget(), np.random.default_rng(0))
            if best is None:
                assert found.status is Status.INFEASIBLE
            else:
                assert found.objective == found.bound == best
        kinds.add(best is None)
    assert kinds == {True, False}


@pytest.mark.parametrize(
    "problem",
    [_board(0), _assignment(1), _assignment(2), party.Party(tiny_instance(0)), party.Party(tiny_instance(3))],
    ids=["board", "negative", "assignment", "party", "another-party"],
)
def test_bounds_never_exceed_the_cheapest_completion(problem: Any) -> None:
    """On random partial assignments, every bound of a problem is at most what the best completion costs."""
    domain: PlacingDomain = domain_of(problem)
    rng = np.random.default_rng(1)
    keys = domain.packing.pack(domain.start[None])
    heuristics = [make() for make in domain.heuristics().values()]
    while len(keys):
        states = keys[rng.permutation(len(keys))[:5]]
        for key in states:
            rest = _least_cost(domain, key[None])
            for heuristic in heuristics:
                assert int(heuristic.estimate(key[None])[0]) <= (np.inf if rest is None else rest)
        keys = domain.expand(states).keys


def _least_cost(domain: PlacingDomain, keys: np.ndarray) -> int | None:
    """Of the cheapest completion of one state, layer by layer."""
    costs = np.zeros(len(keys), dtype=np.int64)
    while len(keys) and not domain.is_goal(keys[:1])[0]:
        found = domain.expand(keys)
        keys, costs = found.keys, costs[found.parents] + found.costs
    return int(costs.min()) if len(keys) else None


def test_a_search_that_ends_early_hands_over_what_it_has() -> None:
    """With little work A* returns the board of its first beam, complete and evaluated, and a bound that holds."""
    problem = edge_matching.EdgeMatching(edge_matching.builtin("6x6"))
    offered: list[int | float] = []
    budget = Budget(work=400, on_incumbent=lambda board, objective: offered.append(objective))
    found = AStar().build(problem, budget, np.random.default_rng(0))
    assert found.status is Status.IMPROVED
    assert found.objective == offered[-1] == problem.evaluate(found.solution).objective > 0
    assert found.bound is None or found.bound <= 0


def test_q_learning_proves_small_optima() -> None:
    """Lower and upper values meet at the optimum, whatever the signs; walks of the paper's form find assignments."""
    for problem, best in ((_assignment(1), _cheapest(_assignment(1))), (_board(0), _fewest(_board(0)))):
        found = QLearning().build(problem, Budget(), np.random.default_rng(0))
        assert found.objective == found.bound == best
        walked = QLearning(variant="paper", walks=100).build(problem, Budget(), np.random.default_rng(0))
        assert best <= walked.objective == problem.evaluate(walked.solution).objective
        assert walked.bound is None or walked.bound <= best


def test_q_learning_refuses_costs_that_it_cannot_count() -> None:
    """Instances with costs of a million and more are an error that names the limit and the way out."""
    flows, distances = np.random.default_rng(0).integers(0, 3000, (2, 5, 5))
    problem = quadratic_assignment.QuadraticAssignment(quadratic_assignment.Instance(flows, distances))
    with pytest.raises(ConfigurationError, match=r"up to 999999.*Maybe"):
        QLearning().build(problem, Budget(), np.random.default_rng(0))


def test_a_target_ends_the_search() -> None:
    """The target is one of the problem's objective, not of the costs that the search counts."""
    problem = _assignment(1)
    best = _cheapest(problem)
    budget = Budget(target=best + 200)
    found = AStar(heuristic="zero").build(problem, budget, np.random.default_rng(0))
    assert found.objective <= best + 200
    assert budget.spent_work <= 2 * 8 * 5  # the first beam
