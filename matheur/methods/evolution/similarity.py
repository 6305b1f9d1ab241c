"""Groups of similar individuals: by fitness, by equal genes, by entropy, by spectral clustering."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from matheur.methods.evolution.population import Population
from matheur.methods.evolution.species import Genomes

__all__ = ["Similarity", "grouped"]

Similarity: TypeAlias = Literal["fitness", "hamming", "entropy", "spectral"]

_LINK = 1e-3  # similarity of individuals without an equal gene, so that the graph is connected


def grouped(ranked: Population, sizes: Sequence[int], similarity: Similarity) -> list[NDArray[np.intp]]:
    """Divide a population into groups of similar individuals.

    `fitness`: consecutive individuals in the order of fitness. `hamming`: the fittest remaining individual and those
    that differ from it in the fewest genes. `entropy`: the fittest remaining individual, then repeatedly the individual
    that gives the genes of the group the least Shannon entropy. `spectral`: the population is bisected along the
    Fiedler vector of the graph whose edge weights are the shares of equal genes, and then the halves in turn (spectral
    clustering into equal parts).

    Parameters
    ----------
    ranked
        The population, fittest first.
    sizes
        Size of each group; their sum is the size of the population.

    Returns
    -------
    list
        Numbers of the individuals of each group, ascending. The fittest is in the first group.
    """
    return _GROUPINGS[similarity](ranked, sizes)


def _by_fitness(ranked: Population, sizes: Sequence[int]) -> list[NDArray[np.intp]]:
    return [part.astype(np.intp) for part in np.split(np.arange(len(ranked)), np.cumsum(sizes)[:-1])]


def _one_after_the_other(
    ranked: Population, sizes: Sequence[int], nearest: Callable[[Genomes, int], NDArray[np.intp]]
) -> list[NDArray[np.intp]]:
    """Each group is the fittest remaining individual with those that `nearest` places next to it."""
    groups = []
    left = np.arange(len(ranked))
    for size in sizes:
        near = np.sort(nearest(ranked.genomes[left], size))
        groups.append(left[near])
        left = np.delete(left, near)
    return groups


def _nearest_by_hamming(genomes: Genomes, size: int) -> NDArray[np.intp]:
    distance = (genomes != genomes[:1]).sum(axis=1)
    return np.argsort(distance, kind="stable")[:size]


def _nearest_by_entropy(genomes: Genomes, size: int) -> NDArray[np.intp]:
    """Numbers of a group that begins with the first genome.

    The entropy of a gene in a group of n is log n - (sum over its values of k log k) / n, where k of the n have the
    value. So the entropy of all genes grows least with the genome for which the sum of (k + 1) log(k + 1) - k log k
    is largest, k being how many of the group have its gene.
    """
    chosen = np.zeros(len(genomes), dtype=bool)
    shared = np.zeros(genomes.shape, dtype=np.int64)
    members: list[int] = []
    while len(members) < min(size, len(genomes)):
        gain = _xlogx(shared + 1).sum(axis=1) - _xlogx(shared).sum(axis=1)
        newest = int(np.argmax(np.where(chosen, -np.inf, gain))) if members else 0
        chosen[newest] = True
        members.append(newest)
        shared += genomes == genomes[newest]
    return np.array(members, dtype=np.intp)


def _xlogx(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    return counts.astype(np.float64) * np.log(np.maximum(counts, 1))


def _by_spectrum(ranked: Population, sizes: Sequence[int]) -> list[NDArray[np.intp]]:
    genomes = ranked.genomes
    equal = (genomes[:, None, :] == genomes[None, :, :]).mean(axis=2) if len(genomes) else np.zeros((0, 0))
    return [np.sort(part) for part in _bisected(np.arange(len(genomes)), sizes, np.maximum(equal, _LINK))]


def _bisected(
    members: NDArray[np.intp], sizes: Sequence[int], similarity: NDArray[np.float64]
) -> list[NDArray[np.intp]]:
    """Divide the members into groups of these sizes by bisection; the first member is in the first group."""
    if len(sizes) == 1:
        return [members]
    half = len(sizes) // 2
    ordered = members[_fiedler_order(similarity[np.ix_(members, members)])]
    cut = sum(sizes[:half])
    first, second = np.sort(ordered[:cut]), np.sort(ordered[cut:])
    return [*_bisected(first, sizes[:half], similarity), *_bisected(second, sizes[half:], similarity)]


def _fiedler_order(similarity: NDArray[np.float64]) -> NDArray[np.intp]:
    """Numbers sorted by the second eigenvector of the normalised Laplacian, number 0's side first; ties by number."""
    if len(similarity) < 3:
        return np.arange(len(similarity))
    degree = similarity.sum(axis=1)
    scaled = similarity / np.sqrt(degree[:, None] * degree[None, :])
    _, vectors = np.linalg.eigh(np.eye(len(degree)) - scaled)
    fiedler = np.round(vectors[:, 1] / np.sqrt(degree), 9)  # last bits differ between machines
    return np.argsort(fiedler if fiedler[0] <= 0 else -fiedler, kind="stable")


_GROUPINGS: Mapping[Similarity, Callable[[Population, Sequence[int]], list[NDArray[np.intp]]]] = {
    "fitness": _by_fitness,
    "hamming": lambda ranked, sizes: _one_after_the_other(ranked, sizes, _nearest_by_hamming),
    "entropy": lambda ranked, sizes: _one_after_the_other(ranked, sizes, _nearest_by_entropy),
    "spectral": _by_spectrum,
}
