"""Terms of the synergy, which measures how well neighbours match, and their form in whole numbers."""

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
    """One trait by which neighbours are compared.

    Attributes
    ----------
    column
        Name of a trait of the catalogue.
    weight
        Weight relative to the other terms, positive.
    same, other
        Match value in [0, 1] of equal and of different values that `pairs` does not list.
    pairs
        Match value of listed pairs of values. The order within a pair does not matter, and each pair is listed once.
    function
        Expression whose values the pairs are, see `weight_function`; None if they are listed by hand. The column of a
        function is not in the table: its values are the kinds of items that the function distinguishes.
    """

    column: str
    weight: Fraction = Fraction(1)
    same: Fraction = Fraction(1)
    other: Fraction = Fraction(0)
    pairs: Mapping[tuple[str, str], Fraction] = field(default_factory=dict)
    function: str | None = None

    def match(self, one: str | None, two: str | None) -> Fraction:
        """Return the match value of two cells; None stands for an empty cell."""
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
        Terms, at least one.
    minimum
        Demanded minimum, exact; None if no synergy is demanded.
    """

    terms: tuple[Term, ...]
    minimum: Fraction | None = None


@dataclass(frozen=True, slots=True, eq=False)
class TermPoints:
    """A term in whole numbers.

    Attributes
    ----------
    column
        Name of the trait.
    codes
        Value number of each item, -1 for an empty cell, as in the catalogue.
    same, other
        Points of equal and of different values that are not listed; an empty cell gives 0 points.
    group
        Row in `table` of each value, 0 for a value that is in no listed pair. Shape (values,).
    table
        Points of two groups, -1 if the pair is not listed; row and column 0 are all -1. Symmetric, int64.
    """

    column: str
    codes: NDArray[np.int32]
    same: int
    other: int
    group: NDArray[np.int32]
    table: NDArray[np.int64]

    @property
    def plain(self) -> bool:
        """Whether only equality counts: no listed pairs, and no points for different values."""
        return self.other == 0 and len(self.table) == 1


@dataclass(frozen=True, slots=True, eq=False)
class Points:
    """Synergy in whole numbers: synergy = points / unit, where points is the sum over all edges and terms.

    Attributes
    ----------
    terms
        Terms in the order of `Synergy.terms`.
    unit
        Points of a synergy of 1, over all edges.
    demand
        Demanded minimum of the points, exact; 0 if no synergy is demanded.
    """

    terms: tuple[TermPoints, ...]
    unit: int
    demand: int


def points_of(synergy: Synergy, catalogue: Catalogue, edges: int) -> Points:
    """Convert the synergy to whole numbers for a formation of `edges` edges (at least one).

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
