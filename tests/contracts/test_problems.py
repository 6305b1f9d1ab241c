"""Every problem keeps the contracts of `matheur.testing.problem`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from contracts.benches import BENCHES

from matheur.engine import Budget
from matheur.engine.operators import operator_entries
from matheur.running.building import build_operator
from matheur.testing import Contract, NotPromisedError
from matheur.testing.contract import hold
from matheur.testing.problem import CONTRACTS, ProblemCase

FAST = {"edge-matching": "random", "party": "branch-and-bound", "max-clique": "local-search"}


def other_solution(name: str, problem: Any) -> Any:
    """Return the solution of a construction with a small budget, or None."""
    entries = [entry.name for entry in operator_entries(name, "construction")]
    operator = build_operator(name, "construction", FAST.get(name, entries[0]), {}, {"name": "highs"})
    return operator.build(problem, Budget(work=500), np.random.default_rng(1)).solution


@pytest.fixture(
    scope="module", params=[(name, one) for name, bench in BENCHES.items() for one in bench.names], ids="-".join
)
def case(request: pytest.FixtureRequest) -> ProblemCase:
    """Return an instance with a suboptimal solution, another solution if one is found, and invalid arrays."""
    name, instance = request.param
    problem = BENCHES[name].make(instance)
    begin = BENCHES[name].incumbent(problem)
    other = other_solution(name, problem)
    wrong = np.full(len(begin) + 1, 10**6, dtype=np.int32)
    return ProblemCase(problem, (begin,) if other is None else (begin, other), (wrong, wrong[:1]))


@pytest.mark.parametrize("contract", CONTRACTS, ids=lambda one: one.__name__)
def test_every_contract_is_kept(case: ProblemCase, contract: Contract) -> None:
    """Evaluation, encoding, digests, scores and bounds follow the protocol."""
    try:
        hold(contract, case)
    except NotPromisedError as error:
        pytest.skip(str(error))
