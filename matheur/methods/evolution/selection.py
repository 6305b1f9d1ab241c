"""Selection of parents and of survivors."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.methods.evolution.population import Population, first_occurrences, pooled
from matheur.methods.evolution.species import Fitness

__all__ = ["parent_pairs", "rank_selection", "survivors", "tournament_selection"]


def rank_selection(picks: int, size: int, rng: Generator, pressure: float = 2.0) -> NDArray[np.intp]:
    """Ranks of parents, 0 = fittest, drawn by rank alone (Tate and Smith 1995, section 4).

    A uniform number between 1 and size ** (1 / pressure), raised to the power `pressure` and truncated, is the rank,
    counted from 1. Tate and Smith take the square; a pressure of 1 is a uniform choice.

    Parameters
    ----------
    picks
        Number of parents.
    size
        Number of individuals to choose from, at least 1.
    pressure
        Selection pressure, at least 1.
    """
    drawn = 1.0 + rng.random(picks) * (size ** (1.0 / pressure) - 1.0)
    return np.minimum(np.power(drawn, pressure).astype(np.intp) - 1, size - 1)


def parent_pairs(picks: int, size: int, rng: Generator, pressure: float = 2.0) -> tuple[NDArray[np.intp], ...]:
    """Ranks of two parents for each of `picks` children; different ones if there are at least two individuals."""
    first, second = rank_selection(2 * picks, size, rng, pressure).reshape(2, picks)
    return first, np.where(first == second, (second + 1) % size, second)


def tournament_selection(picks: int, fitness: Fitness, size: int, rng: Generator) -> NDArray[np.intp]:
    """Winners of tournaments: the fittest of `size` individuals drawn with replacement; of equal ones the first drawn.

    Parameters
    ----------
    picks
        Number of tournaments.
    fitness
        Fitness of the candidates, minimised. Shape (individuals,), not empty.
    size
        Individuals in a tournament, at least 1; 1 is a uniform choice.

    Returns
    -------
    NDArray[np.intp]
        Numbers of the winners, shape (picks,).
    """
    drawn = rng.integers(len(fitness), size=(picks, size))
    return drawn[np.arange(picks), fitness[drawn].argmin(axis=1)]


def survivors(parents: Population, offspring: Population, size: int, *, distinct: bool) -> Population:
    """The fittest `size` of parents and offspring, fittest first; ties are broken in favour of offspring.

    Parameters
    ----------
    distinct
        Prefer different genomes: equal ones survive only if there are too few different ones.
    """
    everyone = pooled([offspring, parents]).ranked()
    if not distinct:
        return everyone.take(slice(size))
    first = first_occurrences(everyone.genomes)
    order = np.concatenate([np.flatnonzero(first), np.flatnonzero(~first)])[:size]
    return everyone.take(np.sort(order))
