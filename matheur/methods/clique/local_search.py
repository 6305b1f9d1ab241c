"""Iterated local search for maximum clique: the Python side of the kernel.

The method is that of Grosso, Locatelli and Pullan (2008): random additions and plateau swaps with a tabu set that
lives for one stage, then a forced vertex that conflicts with at least `delta` members. The unit of work is the
*selection*: a vertex that enters the clique.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.compiling import search_clock
from matheur.errors import ConfigurationError, nearest
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.starting import starting_clique
from matheur.methods.clique.stepping import CandidateLists

__all__ = ["CliqueResult", "LocalSearch", "Rule", "search"]

Rule = Literal["random", "degree", "penalty", "phased"]

_RULES: tuple[str, ...] = get_args(Rule)
_FIRST_CHUNK = 500
_CHUNK_SECONDS = 0.03


def _never() -> bool:
    return False


@dataclass(frozen=True, eq=False, slots=True)
class CliqueResult:
    """The best clique of a search.

    Attributes
    ----------
    vertices
        0-based, ascending, int32.
    selections
        Number of selections made.
    reached_at
        Number of selections made when the clique was found.
    seconds
        Wall-clock seconds without compilation.
    proved
        True if no larger clique exists.
    """

    vertices: NDArray[np.int32]
    selections: int
    reached_at: int
    seconds: float
    proved: bool = False

    @property
    def size(self) -> int:
        """Number of vertices."""
        return len(self.vertices)


class LocalSearch(CandidateLists):
    """A search that can be advanced in slices; its course does not depend on how it is sliced.

    Parameters
    ----------
    graph
        Graph to search.
    rng
        Source of the seed of the kernel's own generator; one number is drawn.
    delta
        A forced vertex conflicts with at least this many members: a small number keeps most of the clique, half the
        size of the clique is nearly a restart.
    rule
        Choice among candidates: `random`, `degree` (largest degree), `penalty` (least penalty, which grows with every
        stage at whose end the vertex is a member), or `phased`: repeatedly 50 stages at random, 50 by penalties and 100
        by degrees (Pullan 2006). Ties are broken at random. Penalties decrease at a rate that adjusts itself until
        three quarters of the vertices have one.
    start
        A clique to start from.

    Raises
    ------
    ConfigurationError
        If the rule is unknown or `delta` is below 1.
    ValueError
        If `start` is not a clique.
    """

    def __init__(
        self,
        graph: Graph,
        rng: Generator,
        *,
        delta: int = 4,
        rule: Rule = "random",
        start: Sequence[int] | NDArray[np.integer] | None = None,
    ) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.methods.clique import local_search_kernels as kernels

        if rule not in _RULES:
            raise ConfigurationError(f"unknown selection rule '{rule}'. {nearest(rule, _RULES)}")
        if delta < 1:
            raise ConfigurationError(f"delta must be at least 1 ({delta})")
        members = starting_clique(graph, start)
        self._delta, self._rule = delta, _RULES.index(rule)
        self._penalty, self._degree = np.zeros(graph.n, dtype=np.int64), np.diff(graph.ptr)
        super().__init__(kernels, graph, rng, members)
        self._state[kernels.DELAY] = 1

    def advance(self, selections: int, target: int | None = None) -> None:
        """Make up to this many more selections; stop early at a clique of `target` vertices, or if all are members."""
        state = self._state
        self._kernels.run(
            int(state[self._kernels.STEPS]) + selections,
            self._graph.n if target is None else min(target, self._graph.n),
            self._delta,
            self._rule,
            self._graph.ptr,
            self._idx,
            self._code,
            self._half,
            self._lists,
            self._pos,
            self._barred,
            self._penalty,
            self._degree,
            state,
            self._random,
            self._best,
        )


def search(
    graph: Graph,
    rng: Generator,
    *,
    max_selections: int | None = None,
    seconds: float | None = None,
    target: int | None = None,
    delta: int = 4,
    rule: Rule = "random",
    start: Sequence[int] | NDArray[np.integer] | None = None,
    stop: Callable[[], bool] = _never,
    on_improvement: Callable[[NDArray[np.int32]], None] | None = None,
) -> CliqueResult:
    """Search for a large clique.

    Parameters
    ----------
    graph, rng, delta, rule, start
        See `LocalSearch`.
    max_selections
        Work limit; if it is the only limit, the result depends only on the generator.
    seconds
        Time limit, accurate to about 0.03 s.
    target
        Size at which the search may end, such as the number of cells of an edge-matching region.
    stop
        Called about every 0.03 s; the search ends when it returns True.
    on_improvement
        Called with the vertices of a better clique, at most every 0.03 s and for the last one.

    Raises
    ------
    ValueError
        If there is no limit: one of `max_selections`, `seconds` and `stop` is needed.

    Examples
    --------
    >>> triangle = Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3])
    >>> search(triangle, np.random.default_rng(1), max_selections=100).vertices.tolist()
    [0, 1, 2]
    """
    if max_selections is None and seconds is None and stop is _never:
        raise ValueError("a search needs max_selections, seconds or stop to end")
    local = LocalSearch(graph, rng, delta=delta, rule=rule, start=start)
    goal = graph.n if target is None else min(target, graph.n)
    local.advance(0)  # loads the kernel before the clock starts
    began = search_clock()
    reported = local.size
    chunk = _FIRST_CHUNK
    while local.size < goal and not stop():
        left = chunk if max_selections is None else min(chunk, max_selections - local.selections)
        before, spent = local.selections, search_clock() - began
        if left <= 0 or (seconds is not None and spent >= seconds):
            break
        local.advance(left, goal)
        took = search_clock() - began - spent
        if on_improvement is not None and local.size > reported:
            reported = local.size
            on_improvement(local.vertices)
        if local.selections == before:
            break
        chunk = max(100, int(min(4 * chunk, chunk * _CHUNK_SECONDS / max(took, 1e-6))))
    took = search_clock() - began
    return CliqueResult(local.vertices, local.selections, local.reached_at, took, local.size == graph.n)
