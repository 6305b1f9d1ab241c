"""How well neighbours match: the terms of the synergy, and the same in whole numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.catalogue import Catalogue

__all__ = ["Points", "Synergy", "Term", "TermPoints", "points_of"]


@dataclass(frozen=True, slots=True)
class Term:
    """One trait that neighbours are compared by.

    Attributes
    ----------
    column
        A trait of the catalogue.
    weight
        Positive; relative to the other terms.
    same, other
        Match value in [0, 1] of equal and of different values that `pairs` does not list.
    pairs
        Match value of listed pairs of values; both orders of a pair mean the same and only one is here.
    function
        The expression that the pairs are all values of, see `weight_function`; None where they are listed by hand. Its
        column is no column of the table: its values are the kinds of items that the function tells apart.
    """

    column: str
    weight: Fraction = Fraction(1)
    same: Fraction = Fraction(1)
    other: Fraction = Fraction(0)
    pairs: Mapping[tuple[str, str], Fraction] = field(default_factory=dict)
    function: str | None = None

    def match(self, one: str | None, two: str | None) -> Fraction:
        """Match value of two cells, None for an empty one."""
        if one is None or two is None:
            return Fraction(0)
        listed = self.pairs.get((one, two), self.pairs.get((two, one)))
        if listed is not None:
            return listed
        return self.same if one == two else self.other


@dataclass(frozen=True, slots=True)
class Synergy:
    """Mean over the edges of the weighted mean over the terms of their match values.

    Attributes
    ----------
    terms
        At least one term.
    minimum
        Least synergy, exact; None if none is demanded.
    """

    terms: tuple[Term, ...]
    minimum: Fraction | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TermPoints:
    """A term in whole numbers.

    Attributes
    ----------
    column
        The trait.
    codes
        Value number of each item, -1 for an empty cell (that of the catalogue).
    same, other
        Points of equal and of different values that are not listed; an empty cell gives 0 points.
    group
        For each value number: its row in `table`, 0 for a value that no pair lists. Shape (values,).
    table
        Points of two groups, -1 where the pair is not listed; row and column 0 are all -1. Symmetric int64.
    """

    column: str
    codes: NDArray[np.int32]
    same: int
    other: int
    group: NDArray[np.int32]
    table: NDArray[np.int64]

    @property
    def plain(self) -> bool:
        """Whether only equality counts: no listed pairs, nothing for different values."""
        return self.other == 0 and len(self.table) == 1


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Synergy in whole numbers: synergy = points / unit, the sum of the points of all edges and terms.

    Attributes
    ----------
    terms
        As `Synergy.terms`.
    unit
        Points of a synergy of 1, over all edges.
    demand
        Least points of a solution, exact; 0 if no synergy is demanded.
    """

    terms: tuple[TermPoints, ...]
    unit: int
    demand: int


def points_of(synergy: Synergy, catalogue: Catalogue, edges: int) -> Points:
    """The synergy in whole numbers, for a formation of `edges` edges (at least one).

    Raises
    ------
    OverflowError
        If the numbers need more than 62 bits.
    """
    values = [
        [term.weight * match for match in (term.same, term.other, *term.pairs.values())] for term in synergy.terms
    ]
    total = sum((term.weight for term in synergy.terms), Fraction(0))
    scale = math.lcm(total.denominator, *(value.denominator for row in values for value in row))
    unit = int(total * scale) * edges
    if unit >= 1 << 62:
        raise OverflowError("weights and match values have too many digits")
    terms = []
    for term in synergy.terms:
        trait = catalogue.traits[term.column]
        numbers = {value: number for number, value in enumerate(trait.values)}
        listed = sorted({value for pair in term.pairs for value in pair if value in numbers})
        group = np.zeros(len(trait.values), dtype=np.int32)
        rows = {}
        for row, value in enumerate(listed, start=1):
            group[numbers[value]] = rows[value] = row
        table = np.full((len(listed) + 1, len(listed) + 1), -1, dtype=np.int64)
        for (one, two), match in term.pairs.items():
            if one in rows and two in rows:
                table[rows[one], rows[two]] = table[rows[two], rows[one]] = int(term.weight * match * scale)
        same, other = int(term.weight * term.same * scale), int(term.weight * term.other * scale)
        terms.append(TermPoints(term.column, trait.codes, same, other, group, table))
    demand = 0 if synergy.minimum is None else math.ceil(synergy.minimum * unit)
    return Points(tuple(terms), unit, demand)
