"""The two exact searches: branch and bound with dual ascent, and the enumeration; symmetries."""

from __future__ import annotations

import csv
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.quadratic_assignment.operators.assignments import SHAPES, optimum, problem, problems, random_permutation

from matheur.engine import Budget
from matheur.problems.quadratic_assignment import Instance, QuadraticAssignment, generate, load
from matheur.problems.quadratic_assignment.generator import grid_shape
from matheur.problems.quadratic_assignment.operators.region_methods import by_branch_and_bound, by_enumeration
from matheur.problems.quadratic_assignment.operators.symmetry import automorphisms
from matheur.problems.quadratic_assignment.operators.tree import ROOM, SIZE_MAX, Tree, magnitude
from matheur.problems.quadratic_assignment.restriction import Restriction, restrict

SEARCHES = [by_branch_and_bound, by_enumeration]


def whole(one: QuadraticAssignment) -> Restriction:
    return restrict(one.instance, [-1] * one.instance.n)


def gridded(n: int, seed: int) -> QuadraticAssignment:
    """Locations on a grid, which has symmetries, and any flows."""
    grid, _ = generate("grid", grid_shape(n), seed=seed)
    flows = np.random.default_rng(seed).integers(-9, 20, size=(n, n))
    return QuadraticAssignment(Instance(flows, grid.distances))


@settings(max_examples=40)
@given(problems(7), st.sampled_from(["none", "optimum", "above"]), st.booleans(), st.integers(1, 60))
def test_branch_and_bound_finds_the_optimum(one: QuadraticAssignment, upper: str, thorough: bool, effort: int) -> None:
    """With a limit or without, in slices of any size; the bound holds all the time and ends at the optimum."""
    best = optimum(one)
    limit = {"none": None, "optimum": best, "above": best + 40 * one.instance.grain + 1}[upper]
    tree = Tree(whole(one), limit, rounds=1 + effort % 4, root_rounds=1 + effort % 7, thorough=thorough)
    while not tree.done:
        assert tree.bound <= best
        tree.search(effort)
    assert tree.bound == best
    if limit == best:
        assert tree.best is None
    else:
        assert tree.best is not None
        assert one.evaluate(tree.restriction.complete(tree.best)).objective == best


@pytest.mark.parametrize("n", [4, 6, 7])
@pytest.mark.parametrize("turned", [False, True])
def test_symmetric_parts_are_left_out_safely(n: int, turned: bool) -> None:
    """Symmetries of locations or of facilities spare nodes, never the optimum."""
    for seed in range(4):
        one = gridded(n, seed)
        if turned:
            one = QuadraticAssignment(Instance(one.instance.distances, one.instance.flows))
        tree = Tree(whole(one), rounds=1, root_rounds=1)
        while not tree.done:
            tree.search(1000)
        assert tree.bound == optimum(one)


@settings(max_examples=40)
@given(problems(9), st.integers(2, 6), st.integers(0, 100))
def test_regions_are_arranged_in_the_best_way(one: QuadraticAssignment, size: int, seed: int) -> None:
    """Both searches find what trying all arrangements of the free facilities finds, and prove it."""
    n = one.instance.n
    places = random_permutation(n, seed)
    free = np.random.default_rng(seed).choice(n, min(size, n), replace=False)
    part = restrict(one.instance, places, free)
    present = int(one.evaluate(places).objective)
    best = min(part.cost(order) for order in permutations(range(len(free))))
    for search in SEARCHES:
        found = search(part, present, Budget(), None)
        assert found.proved
        if best == present:
            assert found.order is None
        else:
            assert found.order is not None
            assert part.cost(found.order) == best == one.evaluate(part.complete(found.order)).objective


@pytest.mark.parametrize("search", SEARCHES)
def test_limits_and_interrupts_end_a_search(search) -> None:
    """Without a claim; the work that was done is booked."""
    one = QuadraticAssignment(generate("uniform", 14, seed=1)[0])
    part, present = whole(one), int(one.evaluate(random_permutation(14)).objective)
    budget = Budget()
    assert not search(part, present, budget, 2000).proved
    assert budget.spent_work >= 1
    for stopped in (Budget(work=1), Budget(interrupt=lambda: True), Budget(seconds=0.0)):
        assert not search(part, present, stopped, None).proved


def test_costs_of_any_size() -> None:
    """What all costs have in common does not count; costs that remain too large are refused."""
    large, small = problem(6, "none", 3, scale=10**9), problem(6, "none", 3)
    assert magnitude(whole(large)) == magnitude(whole(small)) < ROOM
    for seed in range(3):
        rng = np.random.default_rng(seed)
        huge = QuadraticAssignment(Instance(*rng.integers(-(1 << 23), 1 << 23, size=(2, 5, 5))))
        part, places = whole(huge), random_permutation(5)
        assert magnitude(part) >= ROOM
        with pytest.raises(ValueError, match="too large"):
            Tree(part)
        for search in SEARCHES:
            found = search(part, int(huge.evaluate(places).objective), Budget(), None)
            assert found.proved
            assert found.order is not None
            assert part.cost(found.order) == optimum(huge)
    with pytest.raises(ValueError, match=f"1 to {SIZE_MAX} free facilities"):
        Tree(whole(problem(SIZE_MAX + 1)))


@pytest.mark.parametrize("name", ["had12", "nug12", "chr12a", "tai12a", "scr15"])
def test_published_optima_are_proved(data: Path, name: str) -> None:
    """Both searches prove the optima of QAPLIB's small instances: found from above, and nothing is below."""
    with (data / "assignment" / "qaplib" / "best_known.csv").open() as file:
        known = {row["name"]: int(row["best_known"]) for row in csv.DictReader(file)}[name]
    one = load(data / "assignment" / "qaplib" / f"{name}.dat")
    for search in SEARCHES:
        found = search(whole(one), known + 2, Budget(), None)
        assert found.proved
        assert found.order is not None
        assert whole(one).cost(found.order) == known
        assert by_enumeration(whole(one), known, Budget(), None).order is None


def test_the_bound_of_the_root_is_better_than_gilmore_and_lawlers(data: Path) -> None:
    """Dual ascent on Nugent's instance of 20 comes near the bound of the relaxation of Adams and Johnson, 2182."""
    one = load(data / "assignment" / "qaplib" / "nug20.dat")
    tree = Tree(whole(one), 2570, thorough=True)
    while tree.at_root:
        tree.search(1)
    assert one.trivial_bound == 2058
    assert 2130 <= tree.bound <= 2182


def test_automorphisms_are_all_there() -> None:
    """As many as known; each leaves the matrix as it is; more than allowed, or linear costs, leave the identity."""
    grid, _ = generate("grid", (2, 3), seed=1)
    square, _ = generate("grid", (3, 3), seed=1)
    free = np.zeros((9, 9), dtype=np.int64)
    for matrix, number in ((grid.distances, 4), (square.distances, 8), (free[:4, :4], 24), (free[:1, :1], 1)):
        group = automorphisms(matrix, np.zeros_like(matrix), 100)
        assert len(np.unique(group, axis=0)) == len(group) == number
        assert (group[0] == np.arange(len(matrix))).all()
        for one in group:
            assert (matrix[np.ix_(one, one)] == matrix).all()
    assert len(automorphisms(free, free, 100)) == 1
    linear = np.zeros((9, 9), dtype=np.int64)
    corner = int(np.flatnonzero((square.distances == 4).any(axis=1))[0])
    linear[:, corner] = 1
    assert len(automorphisms(square.distances, linear, 100)) == 2


@pytest.mark.parametrize("shape", SHAPES)
def test_the_grain_divides_all_objectives(shape: str) -> None:
    """Bounds may be rounded up to it."""
    one = problem(5, shape, 2, scale=3)
    places = np.array(list(permutations(range(5))))
    assert all(one.evaluate(order).objective % one.instance.grain == 0 for order in places)
    assert one.instance.grain % 3 == 0
