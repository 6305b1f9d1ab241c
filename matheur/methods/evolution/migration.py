"""How islands exchange individuals between two epochs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.evolution.population import Population, pooled
from matheur.methods.evolution.selection import rank_selection
from matheur.methods.evolution.similarity import Similarity, grouped

__all__ = ["Migration", "migrate", "redeal"]


@dataclass(frozen=True, slots=True)
class Migration:
    """Parameters of migration.

    Attributes
    ----------
    topology
        `redeal`: all individuals are pooled, sorted by similarity and dealt out in equal groups, so that similar
        individuals share an island (section V-B of the paper). `ring`: each island sends to the next one. `full`: each
        island sends to all others. `none`: no migration.
    similarity
        Groups for `redeal`: `fitness` (consecutive in the order of fitness), `hamming` (the fittest remaining
        individual and those that differ from it in the fewest genes), `entropy` or `spectral`, see
        `similarity.grouped`.
    rate
        Share of an island that migrates, at least one individual (`ring` and `full`).
    select
        Selection of migrants: the `best`, `random` ones, or drawn by `rank`. Copies migrate; the originals stay.
    replace
        Individuals that migrants replace: the `worst` or the most `similar`, only if the migrant is fitter; or `random`
        ones in any case, but never the fittest.
    """

    topology: Literal["redeal", "ring", "full", "none"] = "redeal"
    similarity: Similarity = "fitness"
    rate: float = 0.1
    select: Literal["best", "random", "rank"] = "best"
    replace: Literal["worst", "random", "similar"] = "worst"

    def __post_init__(self) -> None:
        if not 0 < self.rate <= 1:
            raise ConfigurationError(f"rate must be above 0 and at most 1 ({self.rate})")


def migrate(islands: Sequence[Population], migration: Migration, rng: Generator) -> list[Population]:
    """The populations after an exchange; their sizes change only under `redeal`, which makes them equal."""
    if len(islands) < 2 or migration.topology == "none":
        return list(islands)
    if migration.topology == "redeal":
        return redeal(islands, migration.similarity)
    travellers = [_selected(island, migration, rng) for island in islands]
    arrived = []
    for number, island in enumerate(islands):
        if migration.topology == "ring":
            guests = travellers[number - 1]
        else:
            guests = pooled([group for other, group in enumerate(travellers) if other != number]).ranked()
        arrived.append(_replaced(island, guests, migration, rng))
    return arrived


def redeal(islands: Sequence[Population], similarity: Similarity = "fitness") -> list[Population]:
    """Pool all individuals and deal them out in groups of similar ones, as equal in size as possible."""
    everyone = pooled(islands).ranked()
    sizes = [len(part) for part in np.array_split(np.arange(len(everyone)), len(islands))]
    return [everyone.take(group) for group in grouped(everyone, sizes, similarity)]


def _selected(island: Population, migration: Migration, rng: Generator) -> Population:
    """The migrants, fittest first."""
    size = len(island)
    if not size:
        return island
    count = max(1, round(migration.rate * size))
    ranked = island.ranked()
    if migration.select == "best":
        return ranked.take(slice(count))
    if migration.select == "random":
        return ranked.take(np.sort(rng.choice(size, count, replace=False)))
    return ranked.take(np.unique(rank_selection(count, size, rng)))


def _replaced(island: Population, guests: Population, migration: Migration, rng: Generator) -> Population:
    """The island after the migrants have replaced individuals; its size does not change."""
    size = len(island)
    guests = guests.take(slice(max(0, size - 1)))
    if not len(guests):
        return island
    genomes, fitness = island.genomes.copy(), island.fitness.copy()
    if migration.replace == "similar":
        for genome, value in zip(guests.genomes, guests.fitness, strict=True):
            nearest = int(np.argmin((genomes != genome).sum(axis=1)))
            if value < fitness[nearest]:
                genomes[nearest], fitness[nearest] = genome, value
        return Population(genomes, fitness).ranked()
    order = np.argsort(fitness, kind="stable")
    places: NDArray[np.intp]
    if migration.replace == "worst":
        places = order[::-1][: len(guests)]
        settle = guests.fitness < fitness[places]
    else:
        places = rng.choice(order[1:], len(guests), replace=False)
        settle = np.ones(len(guests), dtype=bool)
    genomes[places[settle]], fitness[places[settle]] = guests.genomes[settle], guests.fitness[settle]
    return Population(genomes, fitness).ranked()
