"""Every registered construction and neighbourhood keeps the contract of `matheur.engine.protocols`."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from typing import Any

import pytest
from contracts.benches import BENCHES

from matheur.engine.operators import Kind, operator_class, operator_entries
from matheur.errors import ConfigurationError
from matheur.methods.clique import adapters
from matheur.problems import problem_types
from matheur.running.building import build_operator
from matheur.testing import Contract, NotPromisedError
from matheur.testing.contract import hold
from matheur.testing.operator import CONTRACTS, OperatorCase, answer_is_true, local_optima_are_proved

HIGHS = {"name": "highs"}


@dataclass(frozen=True)
class Operator:
    """A registered operator."""

    problem: str
    kind: Kind
    name: str

    def __str__(self) -> str:
        return f"{self.problem}-{self.kind}-{self.name}"

    def make(self, options: Mapping[str, Any] | None = None) -> Any:
        return build_operator(self.problem, self.kind, self.name, options or {}, HIGHS)

    def case(self, name: str) -> OperatorCase:
        """Return a case of the operator on an instance of its bench."""
        bench = BENCHES[self.problem]
        problem = bench.make(name)
        begin, claims = bench.incumbent(problem), CLAIMS.get(str(self), bench.claims)
        return OperatorCase(problem, self.make, self.kind, begin, bench.optimum(problem), bench.work, claims)  # type: ignore[arg-type]


CLAIMS = {"edge-matching-neighbourhood-tabu": 1, "max-clique-neighbourhood-hubs": 1}
"""Calls of neighbourhoods that never claim a local optimum, and take seconds until they end."""


OPERATORS = [
    Operator(problem, kind, entry.name)
    for problem in problem_types.names()
    for kind in ("construction", "neighbourhood")
    for entry in operator_entries(problem, kind)
    if entry.name != "external" or any(program.available for program in adapters().values())
    if entry.name != "local-mip" or find_spec("localmip_py")
]
REFUSED = {("bidirectional", "2x3-states")}  # with more than two states, a single press does not undo another
RUNS = [
    pytest.param(operator, name, id=f"{operator}-{name}")
    for operator in OPERATORS
    for name in BENCHES[operator.problem].names
    if (operator.name, name) not in REFUSED
]


def test_every_problem_has_operators() -> None:
    """Each problem has a bench, a construction and a neighbourhood, so that the suite is not empty."""
    kinds = {(operator.problem, operator.kind) for operator in OPERATORS}
    assert kinds == {(problem, kind) for problem in BENCHES for kind in ("construction", "neighbourhood")}
    assert set(BENCHES) == set(problem_types.names())


@pytest.mark.parametrize(("operator", "name"), RUNS)
def test_the_answer_is_what_it_claims(operator: Operator, name: str) -> None:
    """The answer of an operator is true on every instance."""
    hold(answer_is_true, operator.case(name))


OTHERS = [
    pytest.param(operator, contract, id=f"{operator}-{contract.__name__}")
    for operator in OPERATORS
    for contract in CONTRACTS
    if contract is not answer_is_true and (operator.kind == "neighbourhood" or contract is not local_optima_are_proved)
]


@pytest.mark.parametrize(("operator", "contract"), OTHERS)
def test_every_other_contract_is_kept(operator: Operator, contract: Contract) -> None:
    """Each operator keeps every other contract on one instance."""
    try:
        hold(contract, operator.case(BENCHES[operator.problem].names[0]))
    except NotPromisedError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("operator", OPERATORS, ids=str)
def test_options_are_those_of_the_name(operator: Operator) -> None:
    """Every operator of matheur is a dataclass; an unknown option is an error with a suggestion."""
    assert dataclasses.is_dataclass(operator_class(operator.problem, operator.kind, operator.name))
    with pytest.raises(ConfigurationError, match=r"unknown option .*zzz'\. Maybe"):
        operator.make({"zzz": 1})


def test_no_cell_of_the_matrix_is_empty() -> None:
    """Searches over states, evolution, reinforcement learning and networks are operators of assignment problems, too.

    The contracts above run them like all registered operators.
    """
    known = {(one.problem, one.kind, one.name) for one in OPERATORS}
    for problem in ("edge-matching", "party", "quadratic-assignment"):
        for name in ("astar", "batch-astar", "beam", "q-learning"):
            assert (problem, "construction", name) in known
    for problem in ("edge-matching", "max-clique", "party", "quadratic-assignment"):
        assert (problem, "neighbourhood", "evolution") in known
    assert ("max-clique", "construction", "evolution") in known
    assert ("edge-matching", "construction", "learnt-beam") in known
