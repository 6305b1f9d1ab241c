"""Second proofs of optimality."""

from __future__ import annotations

import json

import pytest

from matheur.errors import SolverError
from matheur.solvers import SolveRequest, get_backend
from matheur.solvers.certificate import RefutedError, confirm, proof_facts
from matheur.testing import models as small


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_a_true_optimum_is_confirmed(name: str) -> None:
    """A backend that finds nothing better says under which settings, in plain JSON values, in either sense."""
    for build, optimum in ((small.odd_cycle_cover, 14.0), (small.knapsack, 9.0)):
        proof = json.loads(json.dumps(confirm(build, optimum, get_backend(name), SolveRequest(absolute_gap=0.999))))
        assert proof["backend"] == name
        assert proof["cutoff"] == optimum
        assert proof["absolute_gap"] == 0.999


def test_a_false_optimum_is_refuted_by_a_better_solution() -> None:
    """A claim that is not optimal is an error that carries what was found."""
    for build, optimum, claim in ((small.odd_cycle_cover, 14.0, 15.0), (small.knapsack, 9.0, 8.0)):
        with pytest.raises(RefutedError, match="better than the claimed optimum") as caught:
            confirm(build, claim, get_backend("scip"), SolveRequest())
        assert caught.value.answer.objective == pytest.approx(optimum)


def test_a_limit_confirms_nothing() -> None:
    """A backend that could not finish has not confirmed."""
    with pytest.raises(SolverError, match="could not confirm"):
        confirm(lambda: small.market_split(slack=True), 0.5, get_backend("highs"), SolveRequest(nodes=5))


def test_facts_of_a_proof() -> None:
    """A proof names backend, version, gaps, objective and bound."""
    request = SolveRequest(absolute_gap=0.5)
    answer = get_backend("highs").solve(small.odd_cycle_cover(), request)
    facts = proof_facts(answer, request)
    assert facts["backend"] == "highs"
    assert facts["version"] == get_backend("highs").version()
    assert facts["solver_objective"] == pytest.approx(14)
    assert facts["absolute_gap"] == 0.5
