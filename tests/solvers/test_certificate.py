"""Certificates of optimality."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from solvers import small_models as small

from matheur.errors import SolverError
from matheur.solvers import SolveRequest, get_backend
from matheur.solvers.certificate import Certificate, certify


def test_second_backend_confirms() -> None:
    """Two backends that agree give a certificate that names both and is plain JSON."""
    request = SolveRequest(absolute_gap=0.999)
    first = get_backend("highs").solve(small.odd_cycle_cover(), request)
    proof = certify(small.odd_cycle_cover, first, 14.0, get_backend("scip"), request)
    assert proof.second is not None
    assert (proof.backend, proof.second.backend) == ("highs", "scip")
    assert json.loads(json.dumps(proof.to_dict()))["second"]["objective"] == pytest.approx(14)


def test_disagreement_names_both() -> None:
    """A first claim that the second proof refutes is an error, in either sense."""
    for build, optimum, claim in ((small.odd_cycle_cover, 14.0, 15.0), (small.knapsack, 9.0, 8.0)):
        first = get_backend("highs").solve(build(), SolveRequest())
        assert first.objective == pytest.approx(optimum)
        wrong = replace(first, objective=claim, bound=claim)
        with pytest.raises(SolverError, match="highs and scip disagree"):
            certify(build, wrong, claim, get_backend("scip"), SolveRequest())
    with pytest.raises(SolverError, match="highs and scip disagree"):
        certify(small.infeasible, first, 9.0, get_backend("scip"), SolveRequest())


def test_evaluator_has_the_last_word() -> None:
    """An objective that the evaluator does not confirm is no certificate."""
    first = get_backend("highs").solve(small.odd_cycle_cover(), SolveRequest())
    with pytest.raises(SolverError, match="the evaluator says"):
        Certificate.of(first, SolveRequest(), 13.0)


def test_limits_and_wide_gaps_prove_nothing() -> None:
    """A time-out or a bound outside the gap is refused."""
    request = SolveRequest(nodes=5)
    answer = get_backend("highs").solve(small.market_split(slack=True), request)
    assert answer.objective is not None
    with pytest.raises(SolverError, match="proved no optimum"):
        Certificate.of(answer, request, answer.objective)
    first = get_backend("highs").solve(small.odd_cycle_cover(), SolveRequest())
    with pytest.raises(SolverError, match="leaves a gap"):
        Certificate.of(replace(first, bound=10.0), SolveRequest(), 14.0)
