"""Problems of users whose solutions are lists, written in another form than they have in Python."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from cli.conftest import Command

from matheur.engine import ArrayProblem, Evaluation, Outcome, Status
from matheur.engine.operators import _registry, register_operator
from matheur.engine.problem_types import problem_types
from matheur.problems.builtin_instances import Builtins
from matheur.problems.simple_type import SimpleType


@dataclass(frozen=True)
class Order(ArrayProblem):
    """An order of items, a list from 0; files count from 1."""

    items: int
    name = "own-order"

    def evaluate(self, solution: Any) -> Evaluation:
        """The place of the last item, which may be anywhere."""
        wrong = () if sorted(solution) in ([*range(self.items)], [*range(-1, self.items - 1)]) else ("not an order",)
        return Evaluation(10 + solution[0] if not wrong else 0, not wrong, wrong)

    def encode(self, solution: Any) -> list[int]:
        return [item + 1 for item in solution]

    def decode(self, data: Any) -> Any:
        return [item - 1 for item in data]


class Sorted:
    """The items in their order."""

    def build(self, problem: Any, budget: Any, rng: Any) -> Outcome[Any]:
        return Outcome(Status.NO_IMPROVEMENT, [*range(problem.items)], 10)


class OrderType(SimpleType[Order]):
    """Orders of three items."""

    name, problem = "own-order", Order
    instances = Builtins(name, {"three": "items"}, lambda _: 3)


@pytest.fixture(autouse=True)
def registered() -> Iterator[None]:
    """The problem and its construction."""
    problem_types.add("own-order", OrderType())
    register_operator("own-order", "construction", "sorted", Sorted)
    yield
    problem_types.remove("own-order")
    _registry.remove("own-order.construction.sorted")


def test_a_start_is_read_once(matheur: Command, tmp_path: Path) -> None:
    """`--start` is the solution in the file; read a second time, the same numbers were another one."""
    path = tmp_path / "start.json"
    path.write_text(json.dumps({"problem": "own-order", "solution": [3, 1, 2]}))
    way = ("--construction", "sorted", "--neighbourhoods", "none", "--iterations", 0, "--json")
    found = matheur("solve", "own-order/three", *way, "--start", path).json
    assert (found["solution"], found["objective"]) == ([3, 1, 2], 12)


def test_a_problem_that_names_no_violation_has_no_valid_solutions(
    matheur: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without a sentence that says why, a solution that is not feasible was called valid."""
    monkeypatch.setattr(Order, "evaluate", lambda _, solution: Evaluation(0, False))
    (tmp_path / "answer.json").write_text("[3, 2, 1]")
    answer = matheur("verify", "own-order/three", tmp_path / "answer.json")
    assert answer.code == 2
    assert "evaluate of 'own-order' must name what a solution violates" in answer.err
