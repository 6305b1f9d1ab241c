"""Local searches for maximum clique: constructions and neighbourhoods of the same name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.hubs import HubSearch
from matheur.methods.clique.local_search import LocalSearch
from matheur.methods.clique.partition import PartitionSearch
from matheur.methods.clique.portfolio import Searching
from matheur.methods.clique.vertex_cover import VertexCover
from matheur.problems.max_clique.operators.driving import (
    drive,
    goal_of,
    limit_of,
    local_search,
    outcome_of,
    refuse_weights,
)
from matheur.problems.max_clique.operators.on_core import builds_on_core, explores_on_core

__all__ = ["Cover", "Hubs", "Iterated", "Partition", "Phased"]

Clique = NDArray[np.int32]

_EXPLORED = 1_000_000


class _Heuristic(ABC):
    """Construction and neighbourhood by the same search: from an empty start, or from the incumbent."""

    __slots__ = ()

    called: ClassVar[str]
    selections: int | None

    @abstractmethod
    def _search(self, graph: Graph, rng: Generator, start: Clique | None) -> Searching:
        """The search, starting from a clique or from nothing."""

    def _of(self, problem: Any, rng: Generator, start: Clique | None) -> Searching:
        """The search for a problem.

        Raises
        ------
        ConfigurationError
            If vertices have weights, which the search does not support.
        """
        refuse_weights(problem, self.called)
        return self._search(problem.graph, rng, start)

    @builds_on_core
    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Clique]:
        """Search until the limit, the target or the end of the budget."""
        search = self._of(problem, rng, None)
        drive(search, budget, limit_of(self.selections, budget), goal_of(budget, problem))
        return outcome_of(problem, search.vertices)

    @explores_on_core
    def explore(self, problem: Any, incumbent: Clique, budget: Budget, rng: Generator) -> Outcome[Clique]:
        """Search from the incumbent for `selections` units of work, a million by default."""
        search = self._of(problem, rng, incumbent)
        limit = limit_of(_EXPLORED if self.selections is None else self.selections, budget)
        drive(search, budget, limit, goal_of(budget, problem), problem.value(incumbent))
        return outcome_of(problem, search.vertices, incumbent, finished=not budget.exhausted)


@dataclass(frozen=True, slots=True)
class Iterated(_Heuristic):
    """Iterated local search (Grosso, Locatelli, Pullan 2008): additions and plateau swaps, then a forced vertex.

    Work: selections, that is, vertices that enter the clique. If vertices have weights, the search is the tabu search
    of Wu, Hao and Glover (2012), which adds, exchanges and drops vertices and ignores `delta` and `rule`; its work is
    counted in moves.

    Attributes
    ----------
    selections
        Number of selections per call; None for the whole budget.
    delta
        Smallest number of members of the clique that a forced vertex conflicts with.
    rule
        Rule for the choice among candidates: `random`, `degree`, `penalty` or `phased`; see
        `matheur.methods.clique.local_search`.
    """

    called: ClassVar[str] = "local-search"

    selections: int | None = option(None, minimum=1)
    delta: int = option(4, minimum=1)
    rule: Literal["random", "degree", "penalty", "phased"] = "random"

    def __post_init__(self) -> None:
        check_options(self)

    def _search(self, graph: Graph, rng: Generator, start: Clique | None) -> Searching:
        return LocalSearch(graph, rng, delta=self.delta, rule=self.rule, start=start)

    def _of(self, problem: Any, rng: Generator, start: Clique | None) -> Searching:
        return local_search(problem, rng, delta=self.delta, rule=self.rule, start=start)


@dataclass(frozen=True, slots=True)
class Phased(_Heuristic):
    """Phased local search (Pullan 2006): stages by chance, by penalties that fade by themselves, and by degrees.

    Work: selections.

    Attributes
    ----------
    selections
        Number of selections per call; None for the whole budget.
    delta
        Smallest number of members of the clique that a forced vertex conflicts with.
    """

    called: ClassVar[str] = "phased"

    selections: int | None = option(None, minimum=1)
    delta: int = option(4, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def _search(self, graph: Graph, rng: Generator, start: Clique | None) -> Searching:
        return LocalSearch(graph, rng, delta=self.delta, rule="phased", start=start)


@dataclass(frozen=True, slots=True)
class Cover(_Heuristic):
    """Minimum vertex cover of the complement by edge weights (NuMVC; Cai, Su, Luo, Sattar 2013).

    Work: exchanges.

    Attributes
    ----------
    selections
        Number of exchanges per call; None for the whole budget.
    forgetting
        Threshold of the mean edge weight, as a multiple of the number of vertices, above which all weights are reduced.
    """

    called: ClassVar[str] = "vertex-cover"

    selections: int | None = option(None, minimum=1)
    forgetting: float = option(0.5, above=0, maximum=10_000)

    def __post_init__(self) -> None:
        check_options(self)

    def _search(self, graph: Graph, rng: Generator, start: Clique | None) -> Searching:
        return VertexCover(graph, rng, forgetting=self.forgetting, start=start)


@dataclass(frozen=True, slots=True)
class Partition(_Heuristic):
    """One vertex of every class of a colouring, and tabu search on the conflicts between them.

    For graphs that encode assignments: edge-matching boards, Model RB. Work: steps.

    Attributes
    ----------
    selections
        Number of steps per call; None for the whole budget.
    tenure, spread
        Tabu tenure of a replaced vertex: `tenure` steps, plus up to 9 random steps, plus `spread` percent of the number
        of classes in conflict.
    """

    called: ClassVar[str] = "partition"

    selections: int | None = option(None, minimum=1)
    tenure: int = option(5, minimum=0, maximum=1_000_000)
    spread: int = option(20, minimum=0, maximum=1_000_000)

    def __post_init__(self) -> None:
        check_options(self)

    def _search(self, graph: Graph, rng: Generator, start: Clique | None) -> Searching:
        return PartitionSearch(graph, rng, tenure=self.tenure, spread=self.spread, start=start)


@dataclass(frozen=True, slots=True)
class Hubs(_Heuristic):
    """Tabu search over the few vertices (hubs) without which the conflicts fall into clusters.

    For very dense graphs of covering problems, such as the `MANN` graphs; slow if many vertices are hubs. Work: steps.

    Attributes
    ----------
    selections
        Number of steps per call; None for the whole budget.
    tenure
        Tabu tenure: a changed hub stays unchanged for a random number of steps from `tenure` to 2 `tenure`. None for an
        eighth of the number of hubs.
    """

    called: ClassVar[str] = "hubs"

    selections: int | None = option(None, minimum=1)
    tenure: int | None = option(None, minimum=1, maximum=1_000_000)

    def __post_init__(self) -> None:
        check_options(self)

    def _search(self, graph: Graph, rng: Generator, start: Clique | None) -> Searching:
        return HubSearch(graph, rng, tenure=self.tenure, start=start)
