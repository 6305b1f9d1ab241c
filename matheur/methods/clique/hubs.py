"""Cliques of very dense graphs determined by a few vertices: the Python side of the tabu search over hubs.

For graphs whose complement falls into disjoint cliques when a few vertices are removed (a cluster vertex deletion set):
the graphs of set covering and Steiner triple problems (`MANN`), and similar vertex cover problems. The unit of work is
a step: one hub enters or leaves.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.starting import starting_clique
from matheur.methods.clique.stepping import SteppedSearch

__all__ = ["HubSearch", "cluster_labels"]

_TENURE_MAX = 100
_PATIENCE = 20_000  # steps without a gain before a shake
_ENTRIES_MAX = 50_000_000  # most entries of rows that a call reads


def cluster_labels(graph: Graph, *, hubs_max: int | None = None) -> NDArray[np.int32] | None:
    """Clusters of the complement: the cluster of each vertex from 0, -1 for hubs.

    Vertices are processed by ascending degree in the complement. A vertex whose earlier neighbours are not exactly one
    whole cluster is a hub.

    Parameters
    ----------
    hubs_max
        Most hubs; None is returned as soon as there are more.

    Examples
    --------
    >>> cluster_labels(Graph.from_complement(5, [0, 1, 0, 3], [1, 2, 2, 2])).tolist()
    [2, 2, -1, 1, 0]
    """
    label = np.full(graph.n, -1, dtype=np.int32)
    size: list[int] = []
    hubs = 0
    for vertex in np.argsort(np.diff(graph.ptr), kind="stable").tolist():
        near = label[graph.non_neighbours(vertex)]
        near = near[near >= 0]
        if not len(near):
            label[vertex] = len(size)
            size.append(1)
        elif len(near) == size[near[0]] and (near == near[0]).all():
            label[vertex] = near[0]
            size[near[0]] += 1
        else:
            hubs += 1
            if hubs_max is not None and hubs > hubs_max:
                return None
    return label


class HubSearch(SteppedSearch):
    """A search that can be advanced in slices; its course does not depend on how it is sliced.

    Parameters
    ----------
    graph
        Graph to search.
    rng
        Source of the seed of the kernel's own generator; one number is drawn.
    labels
        The clusters, -1 for hubs; those of `cluster_labels` if None.
    tenure
        A hub that changed does not change again for `tenure` to 2 `tenure` steps, drawn at random; None for an eighth
        of the number of hubs.
    start
        A clique whose hubs are taken at the start.

    Raises
    ------
    ConfigurationError
        If the tenure is below 1.
    ValueError
        If the labels do not form clusters, or `start` is not a clique.
    """

    def __init__(
        self,
        graph: Graph,
        rng: Generator,
        *,
        labels: NDArray[np.integer] | None = None,
        tenure: int | None = None,
        start: Sequence[int] | NDArray[np.integer] | None = None,
    ) -> None:
        # Numba is imported where it is used: importing the package must stay cheap.
        from matheur.methods.clique import hubs_kernels as kernels

        if tenure is not None and not 1 <= tenure <= 10**6:
            raise ConfigurationError(f"the tenure must be from 1 to 1,000,000 ({tenure})")
        given = cluster_labels(graph) if labels is None else np.asarray(labels, dtype=np.int32)
        assert given is not None
        if len(given) != graph.n:
            raise ValueError(f"every vertex needs a cluster, or -1 ({len(given)} labels, {graph.n} vertices)")
        members = starting_clique(graph, start)
        self._kernels, self._graph, self._label = kernels, graph, given
        self._hubs = np.flatnonzero(given < 0).astype(np.int32)
        self._tenure = min(len(self._hubs) // 8 + 1, _TENURE_MAX) if tenure is None else tenure
        count = int(given.max()) + 1 if len(given) else 0
        self._free = np.bincount(given[given >= 0], minlength=count).astype(np.int64)
        _check(graph, given, self._free)
        number = np.full(graph.n, -1, dtype=np.int64)
        number[self._hubs] = np.arange(len(self._hubs))
        owner = np.repeat(np.arange(graph.n), np.diff(graph.ptr))
        own = number[owner] >= 0
        row, other = number[owner[own]], graph.idx[own]
        order = np.lexsort((given[other], row))
        row, other = row[order], other[order]
        far = given[other] >= 0
        self._ptr = np.searchsorted(row[far], np.arange(len(self._hubs) + 1)).astype(np.int64)
        self._vertex = other[far].astype(np.int32)
        self._group = given[self._vertex]
        self._near_ptr = np.searchsorted(row[~far], np.arange(len(self._hubs) + 1)).astype(np.int64)
        self._near = number[other[~far]].astype(np.int32)
        self._inside, self._best = np.zeros(len(self._hubs), np.uint8), np.zeros(len(self._hubs), np.uint8)
        self._tabu = np.zeros(len(self._hubs), dtype=np.int64)
        self._blocked = np.zeros(graph.n, dtype=np.int32)
        self._state = np.zeros(kernels.STATE_LENGTH, dtype=np.int64)
        self._random = rng.integers(0, 1 << 64, size=1, dtype=np.uint64)
        taken = number[members]
        kernels.prepare(
            taken[taken >= 0], self._ptr, self._vertex, self._group, self._inside, self._blocked, self._free,
            self._state, self._best,
        )  # fmt: skip

    def advance(self, steps: int, target: int | None = None) -> None:
        """Make up to this many more steps; stop early at a clique of `target` vertices, or if that takes too long.

        A call takes at most about a tenth of a second, even with many hubs.
        """
        state = self._state
        steps = min(steps, max(1, _ENTRIES_MAX // (len(self._vertex) + len(self._near) + len(self._hubs) + 1)))
        self._kernels.run(
            int(state[self._kernels.STEPS]) + steps,
            self._graph.n if target is None else min(target, self._graph.n),
            self._tenure, _PATIENCE, self._ptr, self._vertex, self._group, self._near_ptr, self._near, self._inside,
            self._tabu, self._blocked, self._free, state, self._random, self._best,
        )  # fmt: skip

    @property
    def hubs(self) -> int:
        """Number of hubs."""
        return len(self._hubs)

    @property
    def vertices(self) -> NDArray[np.int32]:
        """The best clique so far, ascending."""
        hubs = self._hubs[self._best == 1]
        open_ = self._label >= 0
        for hub in hubs.tolist():
            open_[self._graph.non_neighbours(hub)] = False
        free = np.flatnonzero(open_)
        chosen = free[np.unique(self._label[free], return_index=True)[1]]
        return np.sort(np.concatenate((hubs, chosen))).astype(np.int32)


def _check(graph: Graph, label: NDArray[np.int32], sizes: NDArray[np.int64]) -> None:
    """Check that clusters are cliques of the complement without edges between them."""
    owner = np.repeat(np.arange(graph.n), np.diff(graph.ptr))
    inner = (label[owner] >= 0) & (label[graph.idx] >= 0)
    if (label[owner[inner]] != label[graph.idx[inner]]).any():
        raise ValueError("vertices of two clusters are not joined")
    if int(inner.sum()) != int((sizes * (sizes - 1)).sum()):
        raise ValueError("two vertices of a cluster are joined")
