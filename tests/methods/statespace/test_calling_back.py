"""Compiled searches over domains that are written in NumPy."""

from __future__ import annotations

import numpy as np
import pytest
from contracts.domains import BENCHES

from matheur.methods.statespace import astar, bfs, heuristic_by_name
from matheur.methods.statespace.calling_back import called_back
from matheur.methods.statespace.domain import Successors
from matheur.methods.statespace.heuristics.base import Heuristic, zero


def test_a_star_runs_on_a_domain_without_compiled_code() -> None:
    """It finds the plan that it finds with every cost compared, and the domain itself stays as it is."""
    domain = BENCHES["pancakes"].domain
    with pytest.raises(ValueError, match="compiled expander"):
        astar(domain, zero())
    with called_back(domain, zero()) as (compiled, heuristic):
        answer = astar(compiled, heuristic)
    assert answer.proved
    states = domain.apply(domain.start, answer.plan)
    assert (states[-1] == domain.goal).all()
    assert answer.cost == sum(answer.plan.tolist())
    assert domain.expander is None


def test_a_heuristic_without_compiled_code_is_asked() -> None:
    """Its values are those of the batch function, state by state and in batches."""
    domain = BENCHES["pancakes"].domain
    asked: list[int] = []

    def misplaced(keys: np.ndarray) -> np.ndarray:
        asked.append(len(keys))
        return (np.diff(domain.packing.unpack(keys).astype(int), axis=1) != 1).sum(axis=1).astype(np.int32)

    guess = Heuristic("gaps", True, True, batch=misplaced)
    with called_back(domain, guess) as (compiled, heuristic):
        keys = domain.expand(domain.packing.pack(domain.start[None])).keys
        assert (heuristic.estimate(keys) == misplaced(keys)).all()
        informed = astar(compiled, heuristic)
    with called_back(domain, zero()) as (compiled, heuristic):
        blind = astar(compiled, heuristic)
    assert informed.cost == blind.cost
    assert informed.expanded < blind.expanded
    assert asked


def test_an_error_of_the_domain_reaches_the_caller() -> None:
    """What a domain raises inside a kernel is raised when the block ends."""

    class Broken(type(BENCHES["pancakes"].domain)):  # type: ignore[misc]
        def expand(self, keys: np.ndarray) -> Successors:
            raise ZeroDivisionError("as asked")

    with pytest.raises(ZeroDivisionError, match="as asked"), called_back(Broken(5), zero()) as (compiled, heuristic):
        astar(compiled, heuristic)


def test_more_successors_than_announced_are_an_error() -> None:
    """A kernel has room for `branching` successors; more are not written."""
    domain = BENCHES["pancakes"].domain

    class Wide(type(domain)):  # type: ignore[misc]
        def expand(self, keys: np.ndarray) -> Successors:
            found = super().expand(keys)
            return Successors(*(np.repeat(part, 2, axis=0) for part in found))

    with pytest.raises(ValueError, match="8 successors"), called_back(Wide(5), zero()) as (compiled, heuristic):
        astar(compiled, heuristic)


def test_compiled_ones_stay_as_they_are() -> None:
    """A domain with compiled code keeps it."""
    domain = BENCHES["cubical-d3"].domain
    known = heuristic_by_name(domain, "hamming")
    with called_back(domain, known) as (compiled, heuristic):
        assert compiled.expander is domain.expander
        assert heuristic is known
        assert astar(compiled, heuristic).cost == bfs(domain).cost
