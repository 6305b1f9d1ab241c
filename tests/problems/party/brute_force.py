"""Tiny party puzzles of every kind, and all their solutions: the oracle for everything that claims optima or bounds."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from itertools import count, product
from math import floor

import numpy as np
from hypothesis import strategies as st
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.problems.party import (
    UNBUYABLE,
    Catalogue,
    ChemistryConstraint,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    Group,
    Instance,
    MaxSameConstraint,
    Measure,
    MinSameConstraint,
    Party,
    Scope,
    SquadRatingConstraint,
    SumConstraint,
    Synergy,
    Term,
    Trait,
)

__all__ = ["all_parties", "best_price", "demands_met", "ruled_instance", "tiny_instance", "tiny_instances"]

TRAITS = {"club": "ABCD", "league": "XY", "element": ("fire", "water", "air")}
OPS = (">=", "<=", "==")


def all_parties(problem: Party) -> Iterator[NDArray[np.int32]]:
    """Every feasible party, in lexicographic order of item numbers; each is judged by `Party.evaluate`."""
    for items, _ in _judged(problem):
        yield np.array(items, dtype=np.int32)


def best_price(problem: Party) -> int | None:
    """The least price of a feasible party, None if there is none."""
    return min((price for _, price in _judged(problem)), default=None)


_Judged = tuple[tuple[int, ...], int]
_KNOWN: dict[str, tuple[list[_Judged], Iterator[_Judged]]] = {}


def _judged(problem: Party) -> Iterator[_Judged]:
    """All feasible parties and their objectives; each is judged once, however many tests take the puzzle."""
    found, rest = _KNOWN.setdefault(problem.fingerprint, ([], _judge(problem)))
    for place in count():
        if place == len(found):
            one = next(rest, None)
            if one is None:
                return
            found.append(one)
        yield found[place]


def _judge(problem: Party) -> Iterator[_Judged]:
    one = problem.instance
    every = range(len(one.catalogue))
    for items in product(*[[item for item in every if _may_stand(one, slot, item)] for slot in range(len(one.slots))]):
        if len(set(items)) == len(items):
            evaluation = problem.evaluate(np.array(items, dtype=np.int32))
            if evaluation.feasible:
                yield items, int(evaluation.objective)


def demands_met(instance: Instance, items: list[int]) -> bool:
    """Whether a party meets everything, written from the page of the format and sharing nothing with `Party`."""
    one = instance
    if len(set(items)) < len(items) or not all(_may_stand(one, slot, item) for slot, item in enumerate(items)):
        return False
    party = items
    for constraint in one.constraints:
        slots = range(len(party)) if constraint.scope is None else constraint.scope.slots
        items = [party[slot] for slot in slots]
        if isinstance(constraint, ChemistryConstraint):
            points = _chemistry(one, constraint, party, list(slots))
            if min(points) < constraint.each:
                return False
            number = Fraction(sum(points))
        elif isinstance(constraint, SumConstraint | SquadRatingConstraint):
            measure = one.catalogue.measures[constraint.column]
            if any(measure.missing[item] for item in items):
                return False
            numbers = [Fraction(int(measure.amounts[item]), measure.scale) for item in items]
            number = sum(numbers, Fraction(0))
            if isinstance(constraint, SquadRatingConstraint):
                mean = number / len(numbers)
                number += sum((one - mean for one in numbers if one > mean), Fraction(0))
                if constraint.rounding == "nearest":
                    number = Fraction(floor(number + Fraction(1, 2)))
                number = Fraction(floor(number / len(numbers)))
        else:
            cells = [_cell(one, constraint.column, item) for item in items]
            if isinstance(constraint, CountConstraint):
                number = Fraction(sum(cell in constraint.values for cell in cells if cell))
            elif isinstance(constraint, DistinctConstraint):
                number = Fraction(len(set(cells) - {""}))
            else:
                number = Fraction(max(Counter(cell for cell in cells if cell).values(), default=0))
        op = "<=" if isinstance(constraint, MaxSameConstraint) else ">="
        if not isinstance(constraint, MaxSameConstraint | MinSameConstraint):
            op = constraint.op
        if not {">=": number >= constraint.value, "<=": number <= constraint.value, "==": number == constraint.value}[
            op
        ]:
            return False
    if one.synergy is None or one.synergy.minimum is None or not len(one.edges):
        return True
    total, full, items = Fraction(0), Fraction(0), party
    for a, b in one.edges.tolist():
        for term in one.synergy.terms:
            full += term.weight
            left, right = _cell(one, term.column, items[a]), _cell(one, term.column, items[b])
            if left and right:
                match = term.same if left == right else term.other
                for pair, listed in term.pairs.items():
                    if pair in ((left, right), (right, left)):
                        match = listed
                total += term.weight * match
    return total >= one.synergy.minimum * full


def tiny_instance(seed: int, slots: int | None = None, items: int | None = None) -> Instance:
    """A random puzzle with something of everything, by default of 3-4 slots and 6-9 items; about half are feasible."""
    rng = np.random.default_rng([seed, 2024])
    slots = int(rng.integers(3, 5)) if slots is None else slots
    items = int(rng.integers(6, 10)) if items is None else items
    prices = rng.integers(0, 30, items).astype(np.int64)
    prices[rng.random(items) < 0.08] = UNBUYABLE
    catalogue = Catalogue(
        tuple(str(number) for number in 10 + rng.permutation(items)),
        prices,
        {name: _trait(rng, values, items) for name, values in TRAITS.items()},
        {"rating": _measure(rng, items, 1), "speed": _measure(rng, items, 10)},
    )
    fits = rng.random((slots, items)) < (0.7 if rng.random() < 0.5 else 1.0)
    pairs = [(a, b) for a in range(slots) for b in range(a + 1, slots)]
    chosen = rng.permutation(len(pairs))[: int(rng.integers(0 if rng.random() < 0.15 else 2, len(pairs) + 1))]
    edges = np.array([pairs[number] for number in sorted(chosen.tolist())], dtype=np.int32).reshape(-1, 2)
    constraints = tuple(_constraint(rng, catalogue, slots) for _ in range(int(rng.integers(0, 4))))
    fixed, excluded = {}, frozenset[int]()
    if rng.random() < 0.2:
        slot = int(rng.integers(slots))
        fitting = np.flatnonzero(fits[slot]).tolist() or list(range(items))
        fixed = {slot: int(rng.choice(fitting))}
    if rng.random() < 0.3:
        excluded = frozenset(rng.permutation(items)[: int(rng.integers(1, 3))].tolist())
    return Instance(
        catalogue,
        tuple(f"S{number}" for number in range(slots)),
        fits,
        edges,
        _synergy(rng) if rng.random() < 0.8 else None,
        constraints,
        fixed,
        excluded,
        f"tiny {seed}",
    )


def ruled_instance(seed: int) -> Instance:
    """A tiny puzzle with demands that are no sums, some of them on some slots, and perhaps a total to maximise."""
    rng = np.random.default_rng([seed, 51])
    one = tiny_instance(seed, slots=int(rng.integers(3, 5)), items=int(rng.integers(7, 9)))
    slots = len(one.slots)
    few = Scope("few", tuple(sorted(rng.permutation(slots)[: int(rng.integers(2, slots))].tolist())))
    kept = tuple(replace(old, scope=few) if rng.random() < 0.5 else old for old in one.constraints[:1])
    rules = [_rule(rng, slots, few if rng.random() < 0.35 else None) for _ in range(int(rng.integers(1, 3)))]
    ruled = replace(
        one,
        constraints=(*kept, *rules),
        synergy=one.synergy if rng.random() < 0.3 else None,
        plays=rng.random(one.fits.shape) < 0.8 if rng.random() < 0.4 else None,
    )
    return replace(ruled, objective="total", maximised="speed") if rng.random() < 0.3 else ruled


def _rule(rng: Generator, slots: int, scope: Scope | None) -> Constraint:
    count = slots if scope is None else len(scope.slots)
    kind = int(rng.integers(0, 4))
    op = OPS[int(rng.choice(3, p=[0.5, 0.25, 0.25]))]
    if kind == 0:
        return MinSameConstraint(str(rng.choice(list(TRAITS))), Fraction(int(rng.integers(1, count + 1))), scope)
    if kind == 1:
        column = str(rng.choice(["rating", "speed"]))
        rounding = "down" if rng.random() < 0.5 else "nearest"
        return SquadRatingConstraint(column, op, Fraction(int(rng.integers(53, 58))), rounding, scope)
    groups = (Group("club", (2, 3)), Group("league", (2, 3, 4)), Group("element", (1, 2)))
    kept = tuple(group for group in groups if rng.random() < 0.7) or groups[:1]
    value = Fraction(int(rng.integers(1, 2 * count + 2)))
    full = ("element", ("fire",)) if rng.random() < 0.3 else None
    each = int(rng.random() < 0.2)
    return ChemistryConstraint(kept, op, value, int(rng.integers(1, 4)), each, full, scope)


def _chemistry(one: Instance, constraint: ChemistryConstraint, party: list[int], slots: list[int]) -> list[int]:
    """Points slot by slot."""
    placed = [slot for slot in slots if one.plays is None or one.plays[slot, party[slot]]]
    found = []
    for slot in slots:
        points = 0
        for group in constraint.groups if slot in placed else ():
            mine = _cell(one, group.column, party[slot])
            same = sum(_cell(one, group.column, party[other]) == mine for other in placed)
            points += sum(same >= step for step in group.steps) if mine else 0
        if slot in placed and constraint.full and _cell(one, constraint.full[0], party[slot]) in constraint.full[1]:
            points = constraint.most
        found.append(min(points, constraint.most))
    return found


def tiny_instances() -> st.SearchStrategy[Instance]:
    """Random tiny puzzles for Hypothesis."""
    return st.builds(tiny_instance, st.integers(0, 2**32 - 1))


def _may_stand(one: Instance, slot: int, item: int) -> bool:
    return bool(
        one.fits[slot, item]
        and one.catalogue.prices[item] >= 0
        and item not in one.excluded
        and one.fixed.get(slot, item) == item
    )


def _cell(one: Instance, column: str, item: int) -> str:
    trait = one.catalogue.traits[column]
    return "" if trait.codes[item] < 0 else trait.values[trait.codes[item]]


def _trait(rng: Generator, values: tuple[str, ...] | str, items: int) -> Trait:
    codes = rng.integers(0, len(values), items).astype(np.int32)
    codes[rng.random(items) < 0.08] = -1
    # As a reader makes it: only values that occur, sorted.
    names = sorted({values[code] for code in codes if code >= 0})
    return Trait(
        tuple(names), np.array([-1 if code < 0 else names.index(values[code]) for code in codes], dtype=np.int32)
    )


def _measure(rng: Generator, items: int, scale: int) -> Measure:
    missing = rng.random(items) < 0.04
    return Measure(
        np.where(missing, 0, rng.integers(50, 60, items) * scale + rng.integers(0, scale, items)), missing, scale
    )


def _synergy(rng: Generator) -> Synergy:
    terms = []
    for column in rng.permutation(list(TRAITS))[: int(rng.integers(1, 4))].tolist():
        weight = Fraction(int(rng.integers(1, 4)), int(rng.integers(1, 3)))
        if column == "element" and rng.random() < 0.8:
            pairs = {
                ("fire", "water"): Fraction(0),
                ("fire", "air"): Fraction(1, 2),
                ("water", "water"): Fraction(3, 10),
                ("air", "absent"): Fraction(1),
            }
            kept = {pair: match for pair, match in pairs.items() if rng.random() < 0.7}
            other = Fraction(int(rng.integers(0, 3)), 10)
            terms.append(Term(column, weight, Fraction(int(rng.integers(1, 3)), 2), other, kept))
        else:
            terms.append(Term(column, weight))
    minimum = None if rng.random() < 0.1 else Fraction(int(rng.integers(2, 10)), 10)
    return Synergy(tuple(terms), minimum)


def _constraint(rng: Generator, catalogue: Catalogue, slots: int) -> Constraint:
    kind = int(rng.integers(0, 4))
    op = OPS[int(rng.choice(3, p=[0.45, 0.45, 0.1]))]
    column = str(rng.choice(list(TRAITS)))
    if kind == 0:
        column = str(rng.choice(["rating", "speed"]))
        middle = 54 + int(rng.integers(-2, 3))
        return SumConstraint(column, op, Fraction(middle * slots * 2 + int(rng.integers(-2, 3)), 2))
    if kind == 1:
        values = tuple(rng.permutation([*TRAITS[column], "absent"])[: int(rng.integers(1, 3))].tolist())
        return CountConstraint(column, values, op, Fraction(int(rng.integers(0, 3)) + int(op != ">=")))
    if kind == 2:
        return DistinctConstraint(column, op, Fraction(int(rng.integers(1, 4))))
    return MaxSameConstraint(column, Fraction(int(rng.integers(1, 4))))
