"""Quadratic assignment as a problem: evaluation, names, solutions as JSON; the instance; restrictions."""

from __future__ import annotations

import csv
import math
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.quadratic_assignment.strategies import instances

from matheur.errors import InputError
from matheur.problems.quadratic_assignment import Instance, QuadraticAssignment, load
from matheur.problems.quadratic_assignment.exchange import descend, exchanges
from matheur.problems.quadratic_assignment.instance import MAGNITUDE_MAX
from matheur.problems.quadratic_assignment.restriction import restrict


def cost(instance: Instance, places: list[int]) -> int:
    """The definition, pair by pair, in Python's integers."""
    n = instance.n
    return sum(
        int(instance.flows[i, j]) * int(instance.distances[places[i], places[j]]) for i in range(n) for j in range(n)
    )


@given(instances(), st.randoms())
def test_the_objective_is_the_sum_over_all_pairs(instance: Instance, random) -> None:
    """Asymmetric, negative, with diagonals: flow times distance, nothing forgotten, and a multiple of the grain."""
    places = list(range(instance.n))
    random.shuffle(places)
    evaluation = QuadraticAssignment(instance).evaluate(np.array(places, dtype=np.int32))
    assert evaluation.feasible
    assert evaluation.objective == cost(instance, places)
    assert type(evaluation.objective) is int
    assert evaluation.objective % instance.grain == 0


def test_published_optima(data: Path) -> None:
    """Every known solution of the QAPLIB instances has the best known value, and none is below the bound."""
    folder = data / "assignment" / "qaplib"
    with (folder / "best_known.csv").open() as file:
        best = {row["name"]: int(row["best_known"]) for row in csv.DictReader(file)}
    with (folder / "solutions.csv").open() as file:
        solutions = {row["name"]: row for row in csv.DictReader(file)}
    assert len(best) == 27
    assert len(solutions) == 26
    for name, value in best.items():
        problem = load(folder / f"{name}.dat")
        assert problem.trivial_bound <= value
        assert value % problem.instance.grain == 0
        if name in solutions:
            places = np.array([int(word) for word in solutions[name]["p_zero_based"].split()], dtype=np.int32)
            evaluation = problem.evaluate(places)
            assert (evaluation.feasible, evaluation.objective) == (True, value), name


def test_large_numbers_are_exact() -> None:
    """Nothing overflows and nothing is rounded near the limit; from it on the instance is refused."""
    one = np.array([[0, 1 << 29], [(1 << 29) - 1, 1]], dtype=np.int64)
    problem = QuadraticAssignment(Instance(one, one))
    assert problem.evaluate(np.array([0, 1])).objective == (1 << 58) + ((1 << 29) - 1) ** 2 + 1
    side = math.isqrt(MAGNITUDE_MAX // 4)
    huge = np.full((2, 2), side, dtype=np.int64)
    for wrong in (huge, -huge):
        with pytest.raises(ValueError, match="overflow"):
            Instance(huge, wrong)
    Instance(huge, huge - 1)
    least = np.full((1, 1), -(1 << 63), dtype=np.int64)
    with pytest.raises(ValueError, match="overflow"):
        Instance(least, np.ones((1, 1), dtype=np.int64))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "uint8", "uint32"])
def test_narrow_integers_do_not_overflow(dtype: str) -> None:
    """Costs are sums in 64 bits, whatever the type of the tables; lists will do."""
    one = np.full((2, 2), 100, dtype=dtype)
    for made in (Instance(one, one, linear=one), Instance(one.tolist(), one.tolist(), linear=one.tolist())):
        assert {made.flows.dtype, made.distances.dtype, made.assignments.dtype} == {np.dtype(np.int64)}
        assert QuadraticAssignment(made).evaluate(np.array([0, 1])).objective == 40_200


def test_tables_of_other_numbers_are_refused() -> None:
    """Halves would be cut off."""
    whole = np.ones((2, 2), dtype=np.int64)
    for wrong in (whole / 2, whole.astype(np.uint64), whole.astype(object)):
        with pytest.raises(ValueError, match="whole numbers"):
            Instance(wrong, whole)
        with pytest.raises(ValueError, match="whole numbers"):
            Instance(whole, whole, linear=wrong)


def test_shapes_are_checked() -> None:
    """Both matrices are square, of one size, and not empty."""
    for shapes in (((2, 2), (3, 3)), ((2, 3), (2, 3)), ((0, 0), (0, 0))):
        with pytest.raises(ValueError, match="square"):
            Instance(*(np.zeros(shape, dtype=np.int64) for shape in shapes))


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ([0, 0, 2], "location 1 holds 2 facilities (1, 2)"),
        ([0, 1], "one of the locations"),
        ([0, 1, 3], "one of the locations"),
        ([-1, 1, 2], "one of the locations"),
    ],
)
def test_what_is_no_permutation_is_infeasible(places: list[int], words: str) -> None:
    """The evaluator names what is wrong."""
    one = np.ones((3, 3), dtype=np.int64)
    evaluation = QuadraticAssignment(Instance(one, one)).evaluate(np.array(places))
    assert not evaluation.feasible
    assert words in evaluation.violations[0]


def test_solutions_as_lists() -> None:
    """A solution is a 1-based list in JSON; anything else is refused with its value."""
    one = np.arange(9).reshape(3, 3)
    problem = QuadraticAssignment(Instance(one, one))
    places = np.array([2, 0, 1], dtype=np.int32)
    assert problem.encode(places) == [3, 1, 2]
    assert problem.decode([3, 1, 2]).tolist() == places.tolist()
    assert problem.decode([3, 1, 2]).dtype == np.int32
    assert problem.decode(list(np.array([3, 1, 2]))).tolist() == places.tolist()
    assert problem.digest(problem.decode([3, 1, 2])) == problem.digest(places) != problem.digest(places[::-1])
    for wrong, words in (
        ("312", "a list of 3 locations"),
        ({"1": 3}, "not dict"),
        ([3, 1], "not 2"),
        ([3, 1, 4], r"facility 3: locations are 1 to 3 \(4\)$"),
        ([2, 0, 1], r"locations are 1 to 3 \(0\). Maybe the list counts from 0"),
        ([3, 1, 2.0], r"whole number \('2.0'\)"),
        ([3, 1, True], "whole number"),
        ([3, 1, np.float64(2)], "whole number"),
        ([3, 1, None], "whole number"),
        ([3, 1, 10**5000], "a huge number"),
    ):
        with pytest.raises(InputError, match=words):
            problem.decode(wrong)


def test_the_fingerprint_is_that_of_the_content() -> None:
    """Equal matrices have equal fingerprints whatever their name; other ones another."""
    one = np.arange(9).reshape(3, 3)
    same = [QuadraticAssignment(Instance(one, one.T, name)).fingerprint for name in ("a", "b")]
    assert same[0] == same[1] != QuadraticAssignment(Instance(one.T, one)).fingerprint


def test_the_rest_of_the_port() -> None:
    """The score is the cost, which has no maximum, and there is always a solution."""
    one = np.ones((2, 2), dtype=np.int64)
    problem = QuadraticAssignment(Instance(one, one))
    assert (problem.score(7), problem.score_max, problem.infeasible_reason()) == (7, None, None)
    assert problem.name == "quadratic-assignment"


@settings(max_examples=40)
@given(instances(), st.randoms())
def test_exchanges_change_what_they_say(instance: Instance, random) -> None:
    """The table of all exchanges is that of the evaluator, and the descent ends where none of them gains."""
    problem, n = QuadraticAssignment(instance), instance.n
    places = np.array(random.sample(range(n), n), dtype=np.int32)
    change = exchanges(instance.flows, instance.distances[np.ix_(places, places)])
    before = problem.evaluate(places).objective
    for r in range(n):
        for s in range(n):
            other = places.copy()
            other[[r, s]] = other[[s, r]]
            assert problem.evaluate(other).objective - before == change[r, s]
    low = descend(instance, places, 1000)
    assert (exchanges(instance.flows, instance.distances[np.ix_(low, low)]) >= 0).all()
    assert problem.evaluate(low).objective <= before


@settings(max_examples=50)
@given(instances(), st.randoms())
def test_a_restriction_costs_what_the_instance_does(instance: Instance, random) -> None:
    """With some facilities fixed, every arrangement of the others has the objective of the whole permutation."""
    problem, n = QuadraticAssignment(instance), instance.n
    places = np.array(random.sample(range(n), n), dtype=np.int32)
    free = random.sample(range(n), random.randint(0, min(n, 4)))
    one = restrict(instance, places, free)
    assert one.facilities.tolist() == sorted(free)
    for order in permutations(range(len(free))):
        whole = one.complete(order)
        evaluation = problem.evaluate(whole)
        assert evaluation.feasible
        assert one.cost(order) == evaluation.objective
        assert one.order(whole).tolist() == list(order)
        assert all(whole[i] == places[i] for i in range(n) if i not in free)


def test_restrictions_of_nonsense_are_refused() -> None:
    """Two facilities on one location, locations that do not exist, and other sizes are errors."""
    one = np.ones((3, 3), dtype=np.int64)
    instance = Instance(one, one)
    for wrong in ([0, 0, -1], [0, 3, -1], [0, -2, 1], [0, 1]):
        with pytest.raises(ValueError, match="location"):
            restrict(instance, wrong)
