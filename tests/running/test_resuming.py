"""Runs that continue from a checkpoint with other options of their operators."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import matheur
from matheur.engine import ArrayProblem, Outcome, Status
from matheur.engine.operators import _registry


@dataclass(frozen=True)
class Signs(ArrayProblem):
    """Signs of numbers, whose sum is to be near 0."""

    numbers: tuple[int, ...]
    name = "signs"

    def objective(self, solution: Any) -> int:
        return abs(int(solution @ np.array(self.numbers)))


@dataclass(frozen=True)
class Ones:
    """Equal signs, but for the first numbers."""

    minus: int = 0

    def build(self, problem: Any, budget: Any, rng: Any) -> Outcome[Any]:
        signs = np.ones(len(problem.numbers), dtype=np.int32)
        signs[: self.minus] = -1
        return Outcome(Status.NO_IMPROVEMENT, signs, problem.objective(signs))


@dataclass(frozen=True)
class Flip:
    """The best change of `most` signs."""

    most: int = 1

    def explore(self, problem: Any, incumbent: Any, budget: Any, rng: Any) -> Outcome[Any]:
        best, objective = incumbent, problem.objective(incumbent)
        for places in combinations(range(len(incumbent)), self.most):
            signs = incumbent.copy()
            signs[list(places)] *= -1
            if problem.objective(signs) < objective:
                best, objective = signs, problem.objective(signs)
        status = Status.LOCAL_OPTIMUM if best is incumbent else Status.IMPROVED
        return Outcome(status, best, objective)


PROBLEM = Signs((6, 5, 5, 2, 2))  # single changes lead to 2, two changes at once to 0
NAMES = ("signs.construction.ones", "signs.neighbourhood.flip")


@pytest.fixture(autouse=True)
def operators() -> Iterator[None]:
    """The operators of the problem."""
    matheur.register_operator("signs", "construction", "ones", Ones)
    matheur.register_operator("signs", "neighbourhood", "flip", Flip)
    yield
    for name in NAMES:
        _registry.remove(name)


def test_a_proof_holds_for_the_options_with_which_it_was_made(tmp_path: Path) -> None:
    """A local optimum of one change need not be one of two, so the search goes on."""
    way: dict[str, Any] = {"construction": "ones", "neighbourhoods": ["flip"], "iterations": 9, "checkpoint": tmp_path}
    first = matheur.solve(PROBLEM, **way)
    assert first.stopped == "local-optimum"
    again = matheur.solve(PROBLEM, **way, resume=True)
    assert (again.stopped, again.iterations) == ("local-optimum", first.iterations)
    wider = matheur.solve(PROBLEM, **way, resume=True, settings=["neighbourhood.flip.most=2"])
    assert wider.objective < first.objective
    assert wider.iterations > first.iterations


def test_another_construction_is_called(tmp_path: Path) -> None:
    """Without neighbourhoods, a construction with other options makes another solution; the better one counts."""
    way: dict[str, Any] = {"construction": "ones", "neighbourhoods": "none", "checkpoint": tmp_path}
    assert matheur.solve(PROBLEM, **way).objective == 20
    assert matheur.solve(PROBLEM, **way, resume=True).operators["ones"].calls == 1
    again = matheur.solve(PROBLEM, **way, resume=True, settings=["construction.minus=2"])
    assert (again.objective, again.operators["ones"].calls) == (2, 2)
