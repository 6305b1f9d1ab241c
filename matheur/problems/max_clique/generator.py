"""Graphs of common benchmark families, each with a clique: the hidden clique, or a greedy one.

Graphs of edge-matching boards are made by `matheur export clique` from a board, which may be generated.

`gnp`
    Random graphs in which every pair is joined with probability `density`; their cliques are greedy.
`hidden`
    Random graphs with a hidden clique of `clique` vertices, whose degrees are not larger than those of other vertices
    (Brockington, Culberson 1996: the `brock` graphs).
`rb`
    Forced satisfiable instances of Model RB at the phase transition (Xu, Boussemart, Hemery, Lecoutre 2007: the `frb`
    graphs of BHOSLIB): `variables` classes of `domain` vertices and a hidden clique with one vertex of each.
`hamming`, `johnson`, `keller`
    The algebraic graphs of the DIMACS challenge: words of n letters that differ in at least d places; subsets of w of
    n elements that differ in at least d places; neighbours of the origin in the graph of Keller's conjecture.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import combinations
from math import comb, log
from types import MappingProxyType

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.clique.graph import Graph

__all__ = [
    "KINDS",
    "VERTICES_MAX",
    "Vertices",
    "gnp",
    "greedy_clique",
    "hamming",
    "hidden",
    "hidden_size",
    "johnson",
    "keller",
    "model_rb",
    "sizes",
]

VERTICES_MAX = 8_192

KINDS: Mapping[str, str] = MappingProxyType(
    {
        "hidden": "a hidden clique among vertices of equal degrees, as the brock graphs of DIMACS",
        "gnp": "every pair joined with the same probability",
        "rb": "Model RB with a hidden solution, as the frb graphs of BHOSLIB",
        "hamming": "words that differ in at least d places",
        "johnson": "subsets that differ in at least d places",
        "keller": "the neighbours of the origin in Keller's graph",
    }
)
"""Kinds of graphs, with one line about each."""

Vertices = NDArray[np.int32]


def gnp(n: int, density: float, rng: Generator) -> tuple[Graph, Vertices]:
    """A random graph, and a greedy clique by degree."""
    graph = _from_joined(n, lambda first, last: rng.random((last - first, n)) < density)
    return graph, greedy_clique(graph)


def hidden(n: int, density: float, clique: int, rng: Generator) -> tuple[Graph, Vertices]:
    """A random graph of about this density with a hidden clique, whose members have the same degrees as other vertices.

    Raises
    ------
    ConfigurationError
        If the clique is too large to keep its members' degrees inconspicuous.
    """
    if not 1 <= clique <= n:
        raise ConfigurationError(f"a hidden clique has 1 to {n} vertices ({clique})")
    across, rest = _chances(n, density, clique)
    if not (0 <= across <= 1 and 0 <= rest <= 1):
        raise ConfigurationError(
            f"a clique of {clique} cannot hide among {n} vertices at density {density}. Maybe a smaller clique?"
        )
    members = np.sort(rng.choice(n, clique, replace=False)).astype(np.int32)
    inside = np.zeros(n, dtype=bool)
    inside[members] = True

    def joined(first: int, last: int) -> NDArray[np.bool_]:
        own = inside[first:last, None]
        chance = np.where(own ^ inside[None, :], across, rest)
        chance[own & inside[None, :]] = 1.0
        return rng.random((last - first, n)) < chance

    return _from_joined(n, joined), members


def _chances(n: int, density: float, clique: int) -> tuple[float, float]:
    """Densities between the members of a hidden clique and other vertices, and among the others."""
    degree = density * (n - 1)
    across = (degree - (clique - 1)) / (n - clique) if clique < n else 0.0
    rest = (degree - clique * across) / (n - clique - 1) if clique < n - 1 else density
    return across, rest


def hidden_size(n: int, density: float) -> int:
    """A size of the hidden clique: twice what a greedy search is expected to find, or the largest that can hide."""
    expected = 2 * log(max(n, 2)) / -log(min(max(density, 1e-3), 0.999))
    size = max(1, min(n, round(expected)))
    while size > 1 and not all(0 <= chance <= 1 for chance in _chances(n, density, size)):
        size -= 1
    return size


def model_rb(variables: int, domain: int, rng: Generator, *, tightness: float = 0.25) -> tuple[Graph, Vertices]:
    """Model RB with alpha given by the domain size, r at the threshold, and a hidden solution; vertices by variable.

    Raises
    ------
    ConfigurationError
        If there are fewer than two variables or values.
    """
    if variables < 2 or domain < 2 or not 0 < tightness < 1:
        raise ConfigurationError(
            f"Model RB needs two variables and values, and a tightness between 0 and 1 ({variables}, {domain}, "
            f"{tightness})"
        )
    n = variables * domain
    alpha = log(domain) / log(variables)
    count = round(-alpha / log(1 - tightness) * variables * log(variables))
    values = rng.integers(0, domain, variables)
    solution = (np.arange(variables) * domain + values).astype(np.int32)
    pairs = [np.array(list(combinations(range(domain), 2))) + v * domain for v in range(variables)]
    forbidden = round(tightness * domain * domain)
    for _ in range(count):
        a, b = np.sort(rng.choice(variables, 2, replace=False)).tolist()
        allowed = np.delete(np.arange(domain * domain), values[a] * domain + values[b])
        drawn = rng.choice(allowed, min(forbidden, len(allowed)), replace=False)
        pairs.append(np.stack([a * domain + drawn // domain, b * domain + drawn % domain], axis=1))
    ends = np.concatenate(pairs)
    return Graph.from_complement(n, ends[:, 0], ends[:, 1]), solution


def hamming(length: int, distance: int) -> tuple[Graph, Vertices]:
    """Words of `length` bits, joined if they differ in at least `distance` of them."""
    n = 1 << length
    words = np.arange(n)
    graph = _from_joined(n, lambda first, last: _weight(words[first:last, None] ^ words[None, :]) >= distance)
    return graph, greedy_clique(graph)


def johnson(length: int, weight: int, distance: int) -> tuple[Graph, Vertices]:
    """Subsets of `weight` out of `length` elements, joined if they differ in at least `distance` elements."""
    subsets = np.array([sum(1 << i for i in chosen) for chosen in combinations(range(length), weight)])
    graph = _from_joined(
        len(subsets), lambda first, last: _weight(subsets[first:last, None] ^ subsets[None, :]) >= distance
    )
    return graph, greedy_clique(graph)


def keller(dimension: int) -> tuple[Graph, Vertices]:
    """Neighbours of the origin in Keller's graph (Lagarias, Shor 1992): the DIMACS graph `keller4`, `keller5`, ....

    Vertices of the whole graph are words over 0 to 3; two are joined if they differ in at least two places and in at
    least one of these by exactly 2.
    """
    words = np.stack(np.meshgrid(*[np.arange(4)] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)
    kept = words[((words != 0).sum(axis=1) >= 2) & (words == 2).any(axis=1)]

    def joined(first: int, last: int) -> NDArray[np.bool_]:
        apart = (kept[first:last, None, :] - kept[None, :, :]) & 3
        return ((apart != 0).sum(axis=2) >= 2) & (apart == 2).any(axis=2)

    graph = _from_joined(len(kept), joined, step=64)
    return graph, greedy_clique(graph)


def greedy_clique(graph: Graph) -> Vertices:
    """A maximal clique: vertices in the order of their degrees, each added if adjacent to all before."""
    free = np.ones(graph.n, dtype=bool)
    members = []
    for vertex in np.argsort(-graph.degrees, kind="stable").tolist():
        if free[vertex]:
            members.append(vertex)
            free[graph.non_neighbours(vertex)] = False
    return np.sort(np.array(members, dtype=np.int32))


def sizes(kind: str, length: int, weight: int = 0) -> int:
    """Number of vertices of an algebraic graph, to be checked before the graph is made."""
    if kind == "johnson":
        return comb(length, weight)
    return 1 << length if kind == "hamming" else 4**length


def _from_joined(n: int, joined: Callable[[int, int], NDArray[np.bool_]], step: int = 512) -> Graph:
    """A graph from blocks of rows; of each pair, the row of the larger vertex counts."""
    blocks = []
    for first in range(0, n, step):
        last = min(n, first + step)
        blocks.append((first, ~joined(first, last)[:, :last] & np.tri(last - first, last, first - 1, dtype=bool)))
    return Graph.from_lower_blocks(n, lambda: iter(blocks))


def _weight(words: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number of bits that are set in each word."""
    count = np.zeros_like(words)
    while words.any():
        count += words & 1
        words = words >> 1
    return count
