"""Hypothesis strategies: puzzles with awkward texts and numbers, and files that are nearly right."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st

from matheur.problems.party import (
    UNBUYABLE,
    Catalogue,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    Instance,
    MaxSameConstraint,
    Measure,
    SumConstraint,
    Synergy,
    Term,
    Trait,
)

__all__ = ["instances", "mutated", "texts"]

AWKWARD = [
    "id",
    "price",
    "position",
    "a,b",
    'say "x"',
    "a|b",
    "é",
    "\U0001f600",
    "1",
    "nan",
    "null",
    "{}",
    "a b",
    "two\nlines",
]
OPS = st.sampled_from([">=", "<=", "=="])


def texts(*, printable: bool = False) -> st.SearchStrategy[str]:
    """Trimmed texts that are not empty, with all that makes CSV and JSON difficult."""
    anything = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=12)
    trimmed = st.one_of(st.sampled_from(AWKWARD), anything).map(str.strip).filter(bool)
    return trimmed.filter(str.isprintable) if printable else trimmed


def decimals(largest: int = 10**6) -> st.SearchStrategy[Fraction]:
    """Numbers with up to three decimals."""
    return st.builds(Fraction, st.integers(-largest, largest), st.sampled_from([1, 2, 5, 10, 1000]))


SHARES = st.builds(
    lambda part, whole: Fraction(min(part, whole), whole), st.integers(0, 100), st.sampled_from([1, 4, 100])
)


@st.composite
def instances(draw: st.DrawFn) -> Instance:
    """Any puzzle that a file can hold, solvable or not."""
    items = draw(st.integers(0, 6))
    ids = draw(st.lists(texts(), min_size=items, max_size=items, unique=True))
    slots = draw(st.lists(texts(printable=True), min_size=1, max_size=4, unique=True))
    columns = draw(st.lists(texts(), min_size=4, max_size=4, unique=True))
    traits = {name: draw(_traits(items)) for name in columns[:2]}
    measures = {name: draw(_measures(items)) for name in columns[2:]}
    prices = draw(st.lists(st.one_of(st.just(UNBUYABLE), st.integers(0, 10**15)), min_size=items, max_size=items))
    fits = draw(st.lists(st.booleans(), min_size=items * len(slots), max_size=items * len(slots)))
    pairs = [(a, b) for a in range(len(slots)) for b in range(a + 1, len(slots))]
    edges = draw(st.lists(st.sampled_from(pairs), unique=True)) if pairs else []
    # A file names every column that is read: each is spoken of at least once.
    constraints = [SumConstraint(name, draw(OPS), draw(decimals())) for name in measures]
    constraints += draw(st.lists(_constraints(list(traits)), max_size=3))
    terms = tuple(draw(_terms(name, trait)) for name, trait in traits.items())
    item = st.integers(0, items - 1)
    return Instance(
        Catalogue(ids, np.array(prices, dtype=np.int64), traits, measures),
        tuple(slots),
        np.array(fits, dtype=np.bool_).reshape(len(slots), items),
        np.array(edges, dtype=np.int32).reshape(-1, 2),
        Synergy(terms, draw(st.one_of(st.none(), SHARES))),
        tuple(constraints),
        draw(st.dictionaries(st.integers(0, len(slots) - 1), item, max_size=2)) if items else {},
        draw(st.frozensets(item, max_size=2)) if items else frozenset(),
        draw(st.one_of(st.just(""), st.text(st.characters(exclude_categories=["Cs"]), max_size=10))),
        draw(st.sampled_from(["price", "synergy"])),
    )


@st.composite
def _traits(draw: st.DrawFn, items: int) -> Trait:
    cells = draw(st.lists(st.one_of(st.just(""), texts()), min_size=items, max_size=items))
    values = sorted({cell for cell in cells if cell})
    return Trait(tuple(values), np.array([values.index(cell) if cell else -1 for cell in cells], dtype=np.int32))


@st.composite
def _measures(draw: st.DrawFn, items: int) -> Measure:
    cells = draw(st.lists(st.one_of(st.none(), decimals()), min_size=items, max_size=items))
    scale = next(scale for scale in (1, 10, 100, 1000) if all((cell or Fraction(0)) * scale % 1 == 0 for cell in cells))
    return Measure(
        np.array([int((cell or Fraction(0)) * scale) for cell in cells], dtype=np.int64),
        np.array([cell is None for cell in cells], dtype=np.bool_),
        scale,
    )


def _constraints(traits: list[str]) -> st.SearchStrategy[Constraint]:
    column = st.sampled_from(traits)
    return st.one_of(
        st.builds(CountConstraint, column, st.lists(texts(), max_size=3, unique=True).map(tuple), OPS, decimals(9)),
        st.builds(DistinctConstraint, column, OPS, decimals(9)),
        st.builds(MaxSameConstraint, column, decimals(9)),
    )


@st.composite
def _terms(draw: st.DrawFn, column: str, trait: Trait) -> Term:
    value = st.one_of(st.sampled_from(trait.values), texts()) if trait.values else texts()
    pairs: dict[tuple[str, str], Fraction] = {}
    for one, two, match in draw(st.lists(st.tuples(value, value, SHARES), max_size=4)):
        if (two, one) not in pairs:
            pairs[one, two] = match
    weight = draw(st.sampled_from([Fraction(1), Fraction(2), Fraction(1, 2), Fraction(3, 1000)]))
    return Term(column, weight, draw(SHARES), draw(SHARES), pairs)


@st.composite
def mutated(draw: st.DrawFn, valid: bytes) -> bytes:
    """A valid file with a few bytes cut, doubled, replaced or inserted."""
    data = bytearray(valid)
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        length = draw(st.integers(0, 12))
        piece = draw(
            st.one_of(
                st.binary(max_size=6),
                st.sampled_from(
                    [
                        b"-1", b"1e999999", b"1e3", b"0.5", b"true", b"null", b"NaN", b"\n", b"\r", b" ", b"\xff",
                        b"\0", b"[", b"{", b"}", b"]", b'"', b",", b":", b"|", b"9" * 200, b"\\ud800", b"-Infinity",
                    ]
                ),
                st.just(bytes(data[start : start + length]) * 2),
            )
        )  # fmt: skip
        data[start : start + length] = piece
    return bytes(data)
