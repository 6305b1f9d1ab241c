"""The linearisations of quadratic assignment."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pyomo.environ as pyo
import pytest
from pyomo.common.collections import ComponentMap

from matheur.errors import SolverError
from matheur.models.quadratic_assignment import FORMULATIONS, AssignmentModel, build, entries
from matheur.problems.quadratic_assignment import Instance, QuadraticAssignment, generate
from matheur.solvers import MilpSolution, MilpStatus, SolveRequest, get_backend
from matheur.solvers.proving import proved_bound

VARIANTS = [(name, True) for name in FORMULATIONS] + [("flow", False), ("kaufman-broeckx", False)]


def random_instance(n: int, seed: int, share: float = 1.0) -> Instance:
    """Asymmetric, with diagonals and negative numbers; only a share of the flows is not zero."""
    rng = np.random.default_rng(seed)
    flows, distances = rng.integers(-9, 15, size=(2, n, n))
    return Instance(np.where(rng.random((n, n)) < share, flows, 0), distances)


def solve(built: AssignmentModel, backend: str = "highs") -> MilpSolution:
    """To the end."""
    return get_backend(backend).solve(built.model, SolveRequest(absolute_gap=0.999))


def best(instance: Instance, fixed: list[int] | None = None) -> int:
    """The least objective of all permutations that keep what is fixed."""
    problem = QuadraticAssignment(instance)
    kept = [-1] * instance.n if fixed is None else fixed
    return min(
        int(problem.evaluate(np.array(places)).objective)
        for places in permutations(range(instance.n))
        if all(f in (-1, p) for f, p in zip(kept, places, strict=True))
    )


def check(instance: Instance, built: AssignmentModel, answer: MilpSolution, optimum: int) -> None:
    """The permutation read back has the optimum, which the solver says too, and its bound holds."""
    assert answer.status is MilpStatus.OPTIMAL
    places = built.read(answer.values)
    assert places.dtype == np.int32
    assert QuadraticAssignment(instance).evaluate(places).objective == optimum
    assert answer.objective == pytest.approx(optimum)
    assert answer.bound is not None
    assert proved_bound(answer, step=built.restriction.grain, error=built.slack) == optimum


@pytest.mark.parametrize(("formulation", "strengthened"), VARIANTS)
@pytest.mark.parametrize(("n", "seed", "share"), [(1, 0, 1.0), (2, 1, 1.0), (3, 2, 1.0), (5, 3, 1.0), (5, 4, 0.3)])
def test_the_optimum_is_that_of_trying_all(
    formulation: str, strengthened: bool, n: int, seed: int, share: float
) -> None:
    """Every formulation, with asymmetric matrices, diagonals and negative numbers."""
    instance = random_instance(n, seed, share)
    built = build(instance, formulation, strengthened=strengthened)
    check(instance, built, solve(built), best(instance))


@pytest.mark.parametrize("formulation", FORMULATIONS)
def test_two_solvers_agree(formulation: str) -> None:
    """SCIP finds the same optimum."""
    instance = random_instance(4, 7)
    built = build(instance, formulation)
    check(instance, built, solve(built, "scip"), best(instance))


@pytest.mark.parametrize(("formulation", "strengthened"), VARIANTS)
def test_fixed_facilities_stay(formulation: str, strengthened: bool) -> None:
    """What is fixed costs what it costs, and is in the permutation read back."""
    instance = random_instance(7, 5, 0.6)
    fixed = [-1, 4, -1, -1, 0, 6, -1]
    built = build(instance, formulation, fixed=fixed, strengthened=strengthened)
    answer = solve(built)
    check(instance, built, answer, best(instance, fixed))
    assert built.read(answer.values)[[1, 4, 5]].tolist() == [4, 0, 6]


@pytest.mark.parametrize("sparse", ["flows", "distances"])
def test_the_sparse_side_gets_the_products(sparse: str) -> None:
    """The flow formulation has variables for the pairs of the sparser matrix, whichever it is."""
    tree, _ = generate("tree", 7, seed=1)
    instance = tree if sparse == "flows" else Instance(tree.distances, tree.flows)
    built = build(instance, "flow")
    assert len(built.model.y) == 6 * 7 * 6
    assert len(build(instance, "adams-johnson").model.y) == 21 * 7 * 6
    assert entries(built.restriction, "flow") < entries(built.restriction, "adams-johnson")
    check(instance, built, solve(built), best(instance))


def linear_relaxation(built: AssignmentModel) -> float:
    """Its optimum."""
    for variable in built.x.values():
        variable.domain = pyo.UnitInterval
    return float(solve(built).objective or 0.0)


def test_strength_of_the_relaxations() -> None:
    """Adams and Johnson's is the tightest; strengthening helps, up to the bound of Gilmore and Lawler at least."""
    instance, _ = generate("grid", 5, seed=2)
    bounds = {variant: linear_relaxation(build(instance, variant[0], strengthened=variant[1])) for variant in VARIANTS}
    lawler = QuadraticAssignment(instance).trivial_bound - instance.grain
    assert bounds["adams-johnson", True] >= bounds["flow", True] - 1e-6
    assert bounds["flow", True] >= bounds["flow", False] - 1e-6
    assert bounds["kaufman-broeckx", True] > bounds["kaufman-broeckx", False]
    assert bounds["kaufman-broeckx", True] >= lawler
    assert bounds["adams-johnson", True] <= best(instance) + 1e-6


@pytest.mark.parametrize(("formulation", "strengthened"), VARIANTS)
def test_a_permutation_is_a_start(formulation: str, strengthened: bool) -> None:
    """The values of a permutation keep all rows and cost what the permutation costs."""
    for instance in (random_instance(5, 8), generate("tree", 5, seed=1)[0], random_instance(5, 9, 0.2)):
        fixed = [-1, 2, -1, -1, -1]
        built = build(instance, formulation, fixed=fixed, strengthened=strengthened)
        places = np.array([4, 2, 0, 1, 3], dtype=np.int32)
        built.begin_at(places)
        assert pyo.value(built.model.cost) == QuadraticAssignment(instance).evaluate(places).objective
        for row in built.model.component_data_objects(pyo.Constraint):
            assert row.slack() >= -1e-9, row.name
        for variable in built.model.component_data_objects(pyo.Var):
            assert variable.lb - 1e-9 <= variable.value <= variable.ub + 1e-9, variable.name
        assert (
            built.read(ComponentMap((variable, variable.value) for variable in built.x.values())).tolist()
            == places.tolist()
        )


def test_what_cannot_be_modelled() -> None:
    """Unknown formulations, nothing to decide, and values that are no permutation."""
    instance = random_instance(3, 1)
    with pytest.raises(ValueError, match="no formulation is called 'lawler'"):
        build(instance, "lawler")
    with pytest.raises(ValueError, match="nothing to decide"):
        build(instance, fixed=[0, 1, 2])
    with pytest.raises(ValueError, match="share a location"):
        build(instance, fixed=[0, 0, -1])
    with pytest.raises(SolverError, match="not a permutation"):
        build(instance).read(ComponentMap())
