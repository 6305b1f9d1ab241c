"""The MILP of party puzzles against all parties of tiny ones."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from problems.party.brute_force import all_parties, best_price, tiny_instance
from pyomo.common.collections import ComponentMap

from matheur.errors import SolverError
from matheur.models.party import build
from matheur.problems.party import (
    CountConstraint,
    DistinctConstraint,
    Instance,
    MaxSameConstraint,
    Party,
    SumConstraint,
    Synergy,
    Term,
)
from matheur.solvers import MilpSolution, MilpStatus, SolveRequest, get_backend

FEASIBLE = (6, 7, 12, 17, 18, 19, 24, 25)  # seeds of tiny puzzles with several parties


def solved(instance: Instance, backend: str = "highs", **options: Any) -> tuple[int | None, MilpSolution]:
    """The least price by MILP, checked by the evaluator; None if the solver says that there is none."""
    built = build(instance, **options)
    answer = get_backend(backend).solve(built.model, SolveRequest(absolute_gap=0.999 * built.step))
    if answer.status is MilpStatus.INFEASIBLE:
        return None, answer
    assert answer.status is MilpStatus.OPTIMAL
    evaluation = Party(instance).evaluate(built.read(answer.values))
    assert evaluation.feasible, evaluation.violations
    assert evaluation.objective == pytest.approx(answer.objective)
    return int(evaluation.objective), answer


def bare(seed: int, **demands: Any) -> Instance:
    """A tiny puzzle with these demands only."""
    empty: Mapping[str, Any] = {"synergy": None, "constraints": (), "fixed": {}, "excluded": frozenset()}
    return replace(tiny_instance(seed, slots=3, items=8), **{**empty, **demands})


@pytest.mark.parametrize(("backend", "seeds"), [("highs", range(25)), ("scip", range(25, 35))])
def test_optimum(backend: str, seeds: range) -> None:
    """Its optimum is the least price of all parties, or it has no solution where there are none."""
    for seed in seeds:
        instance = tiny_instance(seed)
        if all(len(items) for items in instance.candidates):
            assert solved(instance, backend)[0] == best_price(Party(instance)), seed


TERMS = {
    "plain": Term("club"),
    "other": Term("club", other=Fraction(1, 2)),
    "repulsive": Term("league", same=Fraction(0), other=Fraction(1)),
    "listed": Term("element", pairs={("fire", "water"): Fraction(1), ("air", "air"): Fraction(0)}),
    "listed-below-other": Term(
        "element",
        other=Fraction(4, 5),
        pairs={("fire", "water"): Fraction(0), ("air", "water"): Fraction(1), ("fire", "fire"): Fraction(1, 10)},
    ),
}


@pytest.mark.parametrize("term", TERMS.values(), ids=TERMS)
@pytest.mark.parametrize("least", [Fraction(1, 3), Fraction(2, 3)])
def test_match_tables(term: Term, least: Fraction) -> None:
    """Any table of matches is modelled exactly: equal values, different ones, listed pairs better or worse."""
    edges = np.array([[0, 1], [0, 2], [1, 2]], dtype=np.int32)
    for seed in FEASIBLE[:4]:
        instance = bare(seed, synergy=Synergy((term,), least), edges=edges)
        assert solved(instance)[0] == best_price(Party(instance)), seed


CONSTRAINTS = [
    SumConstraint("rating", ">=", Fraction(163)),
    SumConstraint("rating", "<=", Fraction(315, 2)),
    SumConstraint("speed", "==", Fraction(1621, 10)),
    CountConstraint("club", ("A", "B"), ">=", Fraction(2)),
    CountConstraint("club", ("A", "absent"), "<=", Fraction(1, 2)),
    CountConstraint("league", ("X",), "==", Fraction(1)),
    DistinctConstraint("club", ">=", Fraction(3)),
    DistinctConstraint("club", "<=", Fraction(1)),
    DistinctConstraint("element", "==", Fraction(2)),
    MaxSameConstraint("league", Fraction(3, 2)),
    MaxSameConstraint("element", Fraction(0)),
    DistinctConstraint("club", "==", Fraction(1, 2)),
]


@pytest.mark.parametrize("constraint", CONSTRAINTS, ids=map(str, CONSTRAINTS))
def test_constraints(constraint: Any) -> None:
    """Each kind of constraint is modelled exactly, with whole numbers and fractions, possible or not."""
    for seed in FEASIBLE[:3]:
        instance = bare(seed, constraints=(constraint,))
        if all(len(items) for items in instance.candidates):
            assert solved(instance)[0] == best_price(Party(instance)), seed


def test_price_max() -> None:
    """With a limit of the price the model has exactly the parties up to it."""
    for seed in FEASIBLE[:3]:
        instance = tiny_instance(seed)
        best = best_price(Party(instance))
        assert best is not None
        assert solved(instance, price_max=best)[0] == best
        assert solved(instance, price_max=best - 1)[0] is None


def test_candidates() -> None:
    """Only the given candidates are used."""
    instance = tiny_instance(FEASIBLE[0])
    dearest = max(all_parties(Party(instance)), key=lambda party: Party(instance).evaluate(party).objective)
    price, _ = solved(instance, candidates=[dearest[slot : slot + 1] for slot in range(len(dearest))])
    assert price == Party(instance).evaluate(dearest).objective


def test_write_then_read() -> None:
    """The variables can carry a party."""
    instance = tiny_instance(FEASIBLE[1])
    party = next(all_parties(Party(instance)))
    built = build(instance)
    built.write(party)
    values = ComponentMap((variable, variable.value) for variable in built.variables)
    assert built.read(values).tolist() == party.tolist()
    with pytest.raises(SolverError, match="one item into every slot"):
        built.read(ComponentMap())


def test_slot_without_candidates() -> None:
    """There is no model of a slot that nothing fits."""
    instance = tiny_instance(FEASIBLE[0])
    with pytest.raises(ValueError, match="has no candidates"):
        build(instance, [np.zeros(0, dtype=np.int32)] * len(instance.slots))


def test_step() -> None:
    """All prices are multiples of the step."""
    instance = tiny_instance(FEASIBLE[0])
    prices = np.where(instance.catalogue.prices > 0, 50 * instance.catalogue.prices, instance.catalogue.prices)
    coarse = replace(instance, catalogue=replace(instance.catalogue, prices=prices))
    assert build(coarse).step % 50 == 0
    assert solved(coarse)[0] == 50 * (best_price(Party(instance)) or 0)
