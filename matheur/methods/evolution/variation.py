"""Crossover and mutation of genomes whose genes are all different; both leave gaps for healing."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from matheur.methods.evolution.species import EMPTY, Genomes

__all__ = ["drop_genes", "uniform_crossover"]


def uniform_crossover(first: Genomes, second: Genomes, rate: float, rng: Generator) -> Genomes:
    """Children that take each gene from one of two parents, without repeating any.

    The places of a child are filled in a random order: with probability `rate` by the gene of the first parent, else by
    the gene of the second. If the child already has this gene, the gene of the other parent is taken; if it has both,
    the place stays `EMPTY`. Genes keep their places (node-wise crossover of a graph-based genetic algorithm).

    Parameters
    ----------
    first, second
        Parents of each child, shape (children, genes).
    rate
        Probability of the first parent's gene.

    Returns
    -------
    Genomes
        Children, shape (children, genes).
    """
    count, genes = first.shape
    rows = np.arange(count)
    order = rng.permuted(np.tile(np.arange(genes), (count, 1)), axis=1)
    prefers_first = rng.random((count, genes)) < rate
    children = np.full((count, genes), EMPTY, dtype=np.int32)
    for step in range(genes):
        place = order[:, step]
        one, two = first[rows, place], second[rows, place]
        liked = np.where(prefers_first[:, step], one, two)
        other = np.where(prefers_first[:, step], two, one)
        gene = np.where((children == liked[:, None]).any(axis=1), other, liked)
        gene = np.where((children == gene[:, None]).any(axis=1), EMPTY, gene)
        children[rows, place] = gene
    return children


def drop_genes(genomes: Genomes, rate: float, rng: Generator) -> tuple[Genomes, Genomes]:
    """Mutation: drop each gene with probability `rate`.

    Returns
    -------
    partial
        The genomes, with `EMPTY` in place of the dropped genes.
    dropped
        The dropped genes in their places, `EMPTY` elsewhere; healing may bar them.
    """
    drop = rng.random(genomes.shape) < rate
    empty = np.int32(EMPTY)
    return np.where(drop, empty, genomes), np.where(drop, genomes, empty)
