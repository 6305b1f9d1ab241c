"""Operators for dense graphs on sparse graphs: they run on the reduced graph that can contain a better clique."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial, wraps
from typing import Any, TypeAlias, overload

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.elites import ElitePool
from matheur.engine.outcome import Outcome, Status
from matheur.errors import MatheurError
from matheur.methods.clique.reduction import Reduction, heavy_clique, reduced, weighted_reduced
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.problems.max_clique.operators.driving import goal_of
from matheur.problems.max_clique.problem import MaxClique
from matheur.version import __version__

__all__ = ["BY_CORES", "builds_on_core", "explores_on_core"]

BY_CORES = "cores"
"""Backend named in a certificate if too few vertices have enough neighbours for a larger clique."""

_PLACES = 10_000

Clique: TypeAlias = NDArray[np.int32]
_Build: TypeAlias = Callable[[Any, Any, Budget, Generator], Outcome[Clique]]
_Explore: TypeAlias = Callable[[Any, Any, Clique, Budget, Generator], Outcome[Clique]]


@overload
def builds_on_core(build: _Build) -> _Build: ...
@overload
def builds_on_core(*, weights_only: bool) -> Callable[[_Build], _Build]: ...
def builds_on_core(build: _Build | None = None, *, weights_only: bool = False) -> _Build | Callable[[_Build], _Build]:
    """Wrap a method `build` so that it runs on the reduced graph of a sparse graph and returns cliques of the whole.

    The wrapped method raises `MatheurError` if too many vertices are left.

    Parameters
    ----------
    weights_only
        Whether to reduce only sparse graphs with weights; sparse graphs without weights are passed on unchanged.
    """
    if build is None:
        return partial(builds_on_core, weights_only=weights_only)
    inner: _Build = build

    @wraps(inner)
    def built(self: Any, problem: Any, budget: Budget, rng: Generator) -> Outcome[Clique]:
        if not isinstance(problem.graph, SparseGraph) or (weights_only and problem.weights is None):
            return inner(self, problem, budget, rng)
        clique, bound, proved = _heavy(problem, budget) if problem.weights is not None else _grown(problem, budget)
        value = problem.value(clique)
        if proved:
            return _proved(Outcome(Status.IMPROVED, clique, -value), "colouring")
        if value >= goal_of(budget, problem) or budget.exhausted:
            return Outcome(Status.EXHAUSTED, clique, -value, bound=-bound)
        core = _core(problem, value, budget)
        if core is None:
            return Outcome(Status.EXHAUSTED, clique, -value, bound=-bound)
        if not len(core.vertices):
            return _proved(Outcome(Status.IMPROVED, clique, -value), BY_CORES)
        found = inner(self, _on(core, problem), _inner(budget, core, problem), rng)
        best = None if found.bound is None else min(-value, found.bound)
        if found.objective is None or found.solution is None or -found.objective <= value:
            return replace(found, solution=clique, objective=-value, bound=best)
        return replace(found, solution=core.lifted(found.solution), bound=best)

    return built


@overload
def explores_on_core(explore: _Explore) -> _Explore: ...
@overload
def explores_on_core(*, weights_only: bool) -> Callable[[_Explore], _Explore]: ...
def explores_on_core(
    explore: _Explore | None = None, *, weights_only: bool = False
) -> _Explore | Callable[[_Explore], _Explore]:
    """Like `builds_on_core` for a method `explore`, which reports no improvement if too many vertices are left."""
    if explore is None:
        return partial(explores_on_core, weights_only=weights_only)
    inner: _Explore = explore

    @wraps(inner)
    def explored(self: Any, problem: Any, incumbent: Clique, budget: Budget, rng: Generator) -> Outcome[Clique]:
        if not isinstance(problem.graph, SparseGraph) or (weights_only and problem.weights is None):
            return inner(self, problem, incumbent, budget, rng)
        value = problem.value(incumbent)
        try:
            core = _core(problem, value, budget)
        except MatheurError:
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)
        if core is None:
            budget.spend(work=1)
            return Outcome(Status.EXHAUSTED)
        if not len(core.vertices):
            budget.spend(work=1)
            return _proved(Outcome(Status.LOCAL_OPTIMUM, objective=-value), BY_CORES)
        found = inner(self, _on(core, problem), core.inside(incumbent), _inner(budget, core, problem), rng)
        if found.objective is None or found.solution is None or -found.objective <= value:
            missed = Status.EXHAUSTED if found.status is Status.EXHAUSTED else Status.NO_IMPROVEMENT
            return Outcome(missed)
        return replace(found, solution=core.lifted(found.solution))

    return explored


def _core(problem: Any, value: int, budget: Budget) -> Reduction | None:
    """The part of the graph that can contain a clique better than `value`; None if the time ended first."""
    with suppress(OutOfBudgetError), budget.watched():
        if problem.weights is None:
            return reduced(problem.graph, value)
        return weighted_reduced(problem.graph, problem.weights, value)
    return None


def _on(core: Reduction, problem: Any) -> MaxClique:
    """The problem of the reduced graph."""
    weights = None if problem.weights is None else problem.weights[core.vertices]
    return MaxClique(core.graph, problem.title, weights=weights, decimals=problem.decimals)


def _heavy(problem: Any, budget: Budget) -> tuple[Clique, int, bool]:
    """A greedy heavy clique, an upper bound on the weight, and whether the clique is proved optimal."""
    with budget.watched():
        clique = heavy_clique(problem.graph, problem.weights)
    value, bound = problem.value(clique), -int(problem.trivial_bound)
    budget.spend(work=1)
    budget.offer(clique, -value)
    return clique, bound, value >= bound


def _grown(problem: Any, budget: Budget) -> tuple[Clique, int, bool]:
    """The same without weights, by the exact search, which builds its first cliques within the budget."""
    search, goal = SparseExact(problem.graph), goal_of(budget, problem)
    over = False
    while not over:
        before = search.nodes
        over = search.grow(max(1, budget.affordable(_PLACES)), goal) or search.size >= goal or search.done
        budget.spend(work=search.nodes - before)
        over = over or budget.exhausted
    budget.offer(search.vertices, -search.size)
    return search.vertices, search.bound, search.done


def _inner(budget: Budget, core: Reduction, problem: Any) -> Budget:
    """A child budget for a search on the reduced graph; its cliques are offered as cliques of the whole graph."""

    def offer(solution: Any, _objective: int | float) -> None:
        whole = core.lifted(np.asarray(solution))
        if problem.value(whole) > core.size:
            budget.offer(whole, -problem.value(whole))

    inner = budget.translated(offer, lambda objective: objective)
    inner.elites = ElitePool()  # elites of the whole graph have other vertex numbers
    return inner


def _proved(outcome: Outcome[Clique], backend: str) -> Outcome[Clique]:
    facts = {"backend": backend, "version": __version__, "arithmetic": "exact integers"}
    return replace(outcome, bound=outcome.objective, certificate=facts)
