"""Base classes of the compiled clique searches, whose state is stored in arrays and advanced in slices."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from types import ModuleType
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.compiling import search_clock
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["BranchAndBound", "CandidateLists", "SteppedSearch", "in_slices"]

_FIRST_CHUNK = 100  # nodes
_CHUNK_SECONDS = 0.03
_LEAST_SHARE = 1e-9  # of the tree


class SteppedSearch:
    """Progress of a search, from the state of its kernel.

    The kernel's module names the places in the state: `STEPS`, `REACHED` (steps when the best clique was found), `BEST`
    (its size; a search that stores another value there overrides `size`).
    """

    _kernels: Any
    _state: NDArray[np.int64]

    @property
    def selections(self) -> int:
        """Number of steps made so far: selections, exchanges or assignments, depending on the search."""
        return int(self._state[self._kernels.STEPS])

    @property
    def reached_at(self) -> int:
        """Number of steps made when the best clique was found."""
        return int(self._state[self._kernels.REACHED])

    @property
    def size(self) -> int:
        """Size of the best clique so far."""
        return int(self._state[self._kernels.BEST])

    @property
    def value(self) -> int:
        """Value of the objective: the size of the best clique, unless vertices have weights."""
        return self.size


class BranchAndBound(ABC):
    """Base of the exact searches: the best clique and the progress, from the state of their kernel.

    The kernel's module names the places in the state: `NODES`, `BEST` (the objective value: size or weight), `OWN`
    (whether the kernel has found the best clique itself), and `DEPTH` (above 0 below a branch of the root; a search
    without a single root overrides `progress`).
    """

    _kernels: Any
    _state: NDArray[np.int64]
    _graph: AnyGraph
    _start: NDArray[np.int32]  # the given clique, ascending
    _order: NDArray[np.integer[Any]]  # the vertices in the order of the kernel
    _best: NDArray[np.int32]  # the best clique, numbered in this order
    _bounds: NDArray[np.integer[Any]]  # bounds of the branches, a row for each depth
    _left: NDArray[np.int64]  # numbers of unfinished and of all branches of the current nodes, by depth
    _roots: int  # number of branches of the root

    @abstractmethod
    def advance(self, nodes: int, target: int | None = None) -> None:
        """Make up to this many more branchings; stop early at a clique of value `target`."""

    @property
    @abstractmethod
    def done(self) -> bool:
        """Whether the search has proved that no better clique exists."""

    def improve(self, members: Sequence[int] | NDArray[np.integer]) -> None:
        """Use a better clique that was found elsewhere: the search then looks only for better cliques than this.

        Raises
        ------
        ValueError
            If it is not a clique.
        """
        vertices = self._counted(np.sort(np.array(members, dtype=np.int32)))
        value = self._value_of(vertices)
        if value <= self.value:
            return
        if not self._graph.is_clique(vertices):
            raise ValueError("the given vertices are not a clique")
        self._start = vertices
        self._state[self._kernels.BEST], self._state[self._kernels.OWN] = value, 0

    def _counted(self, vertices: NDArray[np.int32]) -> NDArray[np.int32]:
        """The vertices that contribute to the value of a clique."""
        return vertices

    def _value_of(self, vertices: NDArray[np.int32]) -> int:
        return len(vertices)

    @property
    def nodes(self) -> int:
        """Work so far: branchings, and other work that a kernel counts."""
        return int(self._state[self._kernels.NODES])

    @property
    def value(self) -> int:
        """Value of the best clique: its size, unless vertices have weights."""
        return int(self._state[self._kernels.BEST])

    @property
    def size(self) -> int:
        """Number of vertices of the best clique."""
        return self.value

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        if not self._state[self._kernels.OWN]:
            return self._start
        return np.sort(self._order[self._best[: self.size]]).astype(np.int32)

    @property
    def progress(self) -> float:
        """Share of the tree that is done if the branches of a node are equal; usually less than the share of the work.

        Late branches are smaller. Of the root's branches, only those that may contain a better clique are counted.
        """
        if self.done:
            return 1.0
        deepest = int(self._state[self._kernels.DEPTH])
        left, made = self._left[:, : deepest + 1].tolist()
        promising = self._bounds[0, : self._roots] > self.value
        left[0], made[0] = np.count_nonzero(promising[: left[0]]), np.count_nonzero(promising)
        share, size = 0.0, 1.0  # what is done, and the share of the current node
        for depth, (unfinished, branches) in enumerate(zip(left, made, strict=True)):
            if branches == 0 or size < _LEAST_SHARE:
                break
            begun = depth < deepest  # one more branch
            share += size * max(0, branches - unfinished - begun) / branches
            size /= branches
        return share


def in_slices(
    search: BranchAndBound, on: Callable[[], bool], *, max_nodes: int | None = None, target: int | None = None
) -> Iterator[None]:
    """Advance a search to its end, to a limit or to a clique of value `target`; yields after each slice.

    Parameters
    ----------
    on
        Called before each slice, about every 0.03 s; the search ends when it returns False.
    max_nodes
        Limit of the search's `nodes`.
    """
    chunk = _FIRST_CHUNK
    while not search.done and (target is None or search.value < target) and on():
        room = chunk if max_nodes is None else min(chunk, max_nodes - search.nodes)
        if room <= 0:
            return
        began = search_clock()
        search.advance(room, target)
        took = search_clock() - began
        chunk = max(10, int(min(4 * chunk, chunk * _CHUNK_SECONDS / max(took, 1e-6))))
        yield


class CandidateLists(SteppedSearch):
    """A local search with lists of the vertices that can be added or exchanged; see `local_search_kernels`.

    Parameters
    ----------
    kernels
        The module of the kernel, which has the constants of `local_search_kernels`.
    members
        The clique to start from.
    left_out
        Vertices that never take part.
    """

    def __init__(
        self,
        kernels: ModuleType,
        graph: Graph,
        rng: Generator,
        members: NDArray[np.int32],
        left_out: NDArray[np.integer[Any]] | None = None,
    ) -> None:
        n = graph.n
        self._kernels: Any = kernels
        self._graph = graph
        # Below 65,536 vertices, counts and sums fit in 32 bits and vertices in 16: a third faster on 6,000 vertices.
        narrow = n < 1 << 16
        self._idx = graph.idx.astype(np.uint16) if narrow else graph.idx
        self._half = np.uint64(16 if narrow else 32)
        self._code: NDArray[Any] = np.zeros(n, dtype=np.uint32 if narrow else np.uint64)
        self._lists = np.zeros((4, n), dtype=np.int32)
        self._pos = np.zeros(n, dtype=np.int32)
        self._barred = np.zeros(n, dtype=np.uint8)
        if left_out is not None:
            self._barred[left_out] = self._kernels.BANNED
        self._state = np.zeros(self._kernels.STATE_LENGTH, dtype=np.int64)
        self._random = rng.integers(0, 1 << 64, size=1, dtype=np.uint64)
        self._best = np.zeros(n, dtype=np.int32)
        self._fill(members)

    def _fill(self, members: NDArray[np.int32]) -> None:
        """Build the state for a clique."""
        kernels = self._kernels
        one = (members.astype(np.uint64) << self._half) + np.uint64(1)
        for member, unit in zip(members.tolist(), one.astype(self._code.dtype), strict=True):
            self._code[self._graph.non_neighbours(member)] += unit
        self._barred[members] = kernels.MEMBER
        missing = self._code & self._code.dtype.type((1 << int(self._half)) - 1)
        free = self._barred == 0
        for kind, vertices in (
            (kernels.ADDS, np.flatnonzero(free & (missing == 0))),
            (kernels.SWAPS, np.flatnonzero(free & (missing == 1))),
            (kernels.MEMBERS, members),
        ):
            self._lists[kind, : len(vertices)] = vertices
            self._pos[vertices] = np.arange(len(vertices))
            self._state[kind] = len(vertices)
        self._best[: len(members)] = members
        self._state[kernels.BEST] = len(members)

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        return np.sort(self._best[: self.size])
