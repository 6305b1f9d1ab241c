"""Operators of dense graphs on sparse ones: a clique is grown, and what may hold a larger one is all that they see."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.elites import ElitePool
from matheur.engine.outcome import Outcome, Status
from matheur.errors import MatheurError
from matheur.methods.clique.reduction import Reduction, reduced
from matheur.methods.clique.sparse_exact import SparseExact
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.problems.max_clique.operators.driving import goal_of
from matheur.problems.max_clique.problem import MaxClique
from matheur.version import __version__

__all__ = ["BY_CORES", "builds_on_core", "explores_on_core"]

BY_CORES = "cores"
"""What a certificate names where too few vertices have enough neighbours for a larger clique."""

_PLACES = 10_000

Clique: TypeAlias = NDArray[np.int32]
_Build: TypeAlias = Callable[[Any, Any, Budget, Generator], Outcome[Clique]]
_Explore: TypeAlias = Callable[[Any, Any, Clique, Budget, Generator], Outcome[Clique]]


def builds_on_core(build: _Build) -> _Build:
    """A method `build` that is given the reduced graph of a sparse one, and answers for the whole.

    A `MatheurError` says that too many vertices are left.
    """

    @wraps(build)
    def built(self: Any, problem: Any, budget: Budget, rng: Generator) -> Outcome[Clique]:
        if not isinstance(problem.graph, SparseGraph):
            return build(self, problem, budget, rng)
        grown = _grown(problem.graph, budget)
        clique, size = grown.vertices, grown.size
        if grown.done:
            return _proved(Outcome(Status.IMPROVED, clique, -size), "colouring")
        if size >= goal_of(budget, problem.graph.n) or budget.exhausted:
            return Outcome(Status.EXHAUSTED, clique, -size, bound=-grown.bound)
        core = reduced(problem.graph, size)
        if not len(core.vertices):
            return _proved(Outcome(Status.IMPROVED, clique, -size), BY_CORES)
        found = build(self, MaxClique(core.graph, problem.title), _inner(budget, core), rng)
        bound = None if found.bound is None else min(-size, found.bound)
        if found.solution is None or len(found.solution) <= size:
            return replace(found, solution=clique, objective=-size, bound=bound)
        return replace(found, solution=core.lifted(found.solution), bound=bound)

    return built


def explores_on_core(explore: _Explore) -> _Explore:
    """The same for a method `explore`, which finds nothing where too many vertices are left."""

    @wraps(explore)
    def explored(self: Any, problem: Any, incumbent: Clique, budget: Budget, rng: Generator) -> Outcome[Clique]:
        if not isinstance(problem.graph, SparseGraph):
            return explore(self, problem, incumbent, budget, rng)
        size = len(incumbent)
        try:
            core = reduced(problem.graph, size)
        except MatheurError:
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)
        if not len(core.vertices):
            budget.spend(work=1)
            return _proved(Outcome(Status.LOCAL_OPTIMUM, objective=-size), BY_CORES)
        inner = _inner(budget, core)
        found = explore(self, MaxClique(core.graph, problem.title), core.inside(incumbent), inner, rng)
        if found.solution is None or len(found.solution) <= size:
            missed = Status.EXHAUSTED if found.status is Status.EXHAUSTED else Status.NO_IMPROVEMENT
            return Outcome(missed)
        return replace(found, solution=core.lifted(found.solution))

    return explored


def _grown(graph: SparseGraph, budget: Budget) -> SparseExact:
    """The search that has grown its first cliques, as far as the budget goes."""
    search, goal = SparseExact(graph), goal_of(budget, graph.n)
    over = False
    while not over:
        before = search.nodes
        over = search.grow(max(1, budget.affordable(_PLACES)), goal) or search.size >= goal or search.done
        budget.spend(work=search.nodes - before)
        over = over or budget.exhausted
    budget.offer(search.vertices, -search.size)
    return search


def _inner(budget: Budget, core: Reduction) -> Budget:
    """A child for a search on the reduced graph: what it offers is offered as a clique of the whole one."""

    def offer(solution: Any, _objective: int | float) -> None:
        if len(solution) > core.size:
            budget.offer(core.lifted(np.asarray(solution)), -len(solution))

    inner = budget.translated(offer, lambda objective: objective)
    inner.elites = ElitePool()  # those of the whole graph have other numbers
    return inner


def _proved(outcome: Outcome[Clique], backend: str) -> Outcome[Clique]:
    facts = {"backend": backend, "version": __version__, "arithmetic": "exact integers"}
    return replace(outcome, bound=outcome.objective, certificate=facts)
