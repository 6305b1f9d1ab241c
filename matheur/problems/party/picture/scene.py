"""Content of a picture of a formation or a party, independent of the drawing; all numbers are exact."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.catalogue import UNBUYABLE, Catalogue
from matheur.problems.party.constraints import measures_of, traits_of
from matheur.problems.party.instance import Instance
from matheur.problems.party.picture.demands import Demand, demands_of
from matheur.problems.party.picture.words import amount, counted
from matheur.problems.party.problem import Party
from matheur.problems.pictures import readable

__all__ = ["Card", "Cell", "Link", "Match", "Scene", "scene_of"]


@dataclass(frozen=True, slots=True)
class Cell:
    """A trait of a chosen item.

    Attributes
    ----------
    column, value
        Column and value as text; the value is None for an empty cell.
    group
        Rank of the value among the values shared by several chosen items, from 1 (most frequent); 0 if not shared.
    """

    column: str
    value: str | None
    group: int


@dataclass(frozen=True, slots=True)
class Card:
    """A slot and its item.

    Attributes
    ----------
    slot
        Name of the slot.
    item
        Id of the item; None if there is no party.
    price
        Price of the item; None if it has none.
    traits
        Traits of the item: columns of the synergy, then of the demands.
    measures
        Measures of the item, as pairs of column and number.
    candidates, cheapest
        Number of allowed items, and their lowest price (None without any).
    fixed
        Whether the puzzle fixes the item (without a party, `item` is the fixed one).
    wrong
        Reasons why the item is not allowed in this slot, in words.
    """

    slot: str
    item: str | None
    price: int | None
    traits: tuple[Cell, ...]
    measures: tuple[tuple[str, str], ...]
    candidates: int
    cheapest: int | None
    fixed: bool
    wrong: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Match:
    """A term on an edge: the two values (None if empty), their match in [0, 1], and the relative weight of the term."""

    column: str
    one: str | None
    two: str | None
    match: Fraction
    share: Fraction


@dataclass(frozen=True, slots=True)
class Link:
    """An edge between two slots, given by number, with its synergy in [0, 1] if there are a party and a synergy."""

    one: int
    two: int
    synergy: Fraction | None
    matches: tuple[Match, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    """Complete content of a picture.

    Attributes
    ----------
    title, state
        Two lines: the name of the puzzle, and a summary of the puzzle or the party.
    cards, links
        Slots and edges.
    price
        Price of the party; without one, the sum of the cheapest candidates.
    synergy, minimum
        Synergy of the party, and the demanded minimum; None if there is none.
    demands
        Demands: first the demand on the synergy, if any, then the constraints.
    violations
        Violations found by the evaluation of the party.
    filled
        Whether there is a party.
    """

    title: str
    state: str
    cards: tuple[Card, ...]
    links: tuple[Link, ...]
    price: int
    synergy: Fraction | None
    minimum: Fraction | None
    demands: tuple[Demand, ...]
    violations: tuple[str, ...]
    filled: bool


def scene_of(problem: Party, solution: NDArray[np.int32] | None) -> Scene:
    """Return the scene of a party, which may be infeasible, or of the formation alone."""
    one = problem.instance
    items = _items(one, solution)
    violations = () if solution is None else problem.evaluate(np.asarray(solution)).violations
    synergy = None if items is None else problem.synergy(np.array(items))
    links = tuple(_link(one, items, a, b) for a, b in one.edges.tolist())
    price = problem.trivial_bound if one.additive else Party(one.priced).trivial_bound
    if items is not None:
        price = sum(max(0, int(one.catalogue.prices[item])) for item in items)
    return Scene(
        f"{readable(one.name) or problem.name}: {_size(one)}",
        _state(problem, items, price, synergy, violations),
        _cards(one, items),
        links,
        price,
        synergy,
        None if one.synergy is None else one.synergy.minimum,
        demands_of(one, items, synergy),
        tuple(readable(said, 300) for said in violations),
        items is not None,
    )


def _items(one: Instance, solution: NDArray[np.int32] | None) -> list[int] | None:
    """Return the items by slot; None if there is no party or its form is invalid."""
    if solution is None:
        return None
    items = [int(item) for item in np.asarray(solution).ravel()]
    sound = len(items) == len(one.slots) and all(0 <= item < len(one.catalogue) for item in items)
    return items if sound else None


def _size(one: Instance) -> str:
    return (
        f"{counted(len(one.slots), 'slot')}, {counted(len(one.edges), 'edge')}, {counted(len(one.catalogue), 'item')}"
    )


def _state(
    problem: Party, items: list[int] | None, price: int, synergy: Fraction | None, violations: tuple[str, ...]
) -> str:
    if items is None:
        if violations:
            return f"not valid: {readable(violations[0], 300)}"
        reason = problem.infeasible_reason()
        bound = f"price at least {price:,}, the sum of the cheapest candidates"
        if problem.instance.objective == "total":
            best = amount(Fraction(problem.score(price)).limit_denominator(10**9))
            bound = f"{readable(problem.instance.maximised)} at most {best}, the sum of the best candidates"
        return bound if reason is None else f"cannot be solved: {readable(reason, 300)}"
    one = problem.instance
    parts = []
    if one.objective == "total":
        measure = one.catalogue.measures[one.maximised]
        parts = [f"{readable(one.maximised)} {amount(sum((measure.number(item) for item in items), Fraction(0)))}"]
    parts.append(f"price {price:,}")
    if synergy is not None:
        parts.append(f"synergy {amount(synergy)}")
    parts.append(f"not valid: {counted(len(violations), 'violation')}" if violations else "all demands hold")
    return ", ".join(parts)


def _columns(one: Instance) -> tuple[list[str], list[str]]:
    """Return traits and measures: columns of the synergy first, then of the demands, then all others."""
    asked = [] if one.synergy is None else [term.column for term in one.synergy.terms]
    compared = {*asked, *(column for constraint in one.constraints for column in traits_of(constraint))}
    asked += [column for demand in one.constraints for column in (*traits_of(demand), *measures_of(demand))]
    asked += [one.maximised] if one.maximised else []
    traits = [column for column in (*asked, *one.catalogue.traits) if column in one.catalogue.traits]
    measures = [column for column in (*asked, *one.catalogue.measures) if column in one.catalogue.measures]
    return [c for c in dict.fromkeys(traits) if c in compared or c not in measures], list(dict.fromkeys(measures))


def _cards(one: Instance, items: list[int] | None) -> tuple[Card, ...]:
    catalogue = one.catalogue
    traits, measures = _columns(one)
    groups = {column: _groups(catalogue, column, items or []) for column in traits}
    used = Counter(items or [])
    cards = []
    for slot, name in enumerate(one.slots):
        item = one.fixed.get(slot) if items is None else items[slot]
        cells: tuple[Cell, ...] = ()
        numbers: tuple[tuple[str, str], ...] = ()
        if item is not None:
            cells = tuple(
                Cell(readable(column), _shown(value), groups[column].get(value, 0))
                for column in traits
                for value in (catalogue.traits[column].value(item),)
            )
            numbers = tuple((readable(column), _measured(catalogue, column, item)) for column in measures)
        prices = catalogue.prices[one.candidates[slot]]
        cards.append(
            Card(
                readable(name),
                None if item is None else readable(catalogue.ids[item]),
                None if item is None or catalogue.prices[item] == UNBUYABLE else int(catalogue.prices[item]),
                cells,
                numbers,
                len(prices),
                int(prices.min()) if len(prices) else None,
                slot in one.fixed,
                () if items is None else _wrong(one, slot, items[slot], used),
            )
        )
    return tuple(cards)


def _groups(catalogue: Catalogue, column: str, items: list[int]) -> dict[str | None, int]:
    """Return the numbers of the values that several items share."""
    cells = Counter(catalogue.traits[column].value(item) for item in items)
    shared = [value for value, times in cells.most_common() if times > 1 and value is not None]
    return {value: number for number, value in enumerate(shared, start=1)}


def _measured(catalogue: Catalogue, column: str, item: int) -> str:
    measure = catalogue.measures[column]
    return "—" if measure.missing[item] else amount(measure.number(item))


def _wrong(one: Instance, slot: int, item: int, used: Counter[int]) -> tuple[str, ...]:
    said = {
        "does not fit": not one.fits[slot, item],
        "has no price": one.catalogue.prices[item] == UNBUYABLE,
        "is excluded": item in one.excluded,
        "another is fixed here": one.fixed.get(slot, item) != item,
        f"is used {used[item]} times": used[item] > 1,
    }
    return tuple(words for words, true in said.items() if true)


def _link(one: Instance, items: list[int] | None, a: int, b: int) -> Link:
    if items is None or one.synergy is None:
        return Link(a, b, None, ())
    weights = sum((term.weight for term in one.synergy.terms), Fraction(0))
    matches = []
    for term in one.synergy.terms:
        trait = one.catalogue.traits[term.column]
        mine, yours = trait.value(items[a]), trait.value(items[b])
        share = term.weight / weights
        matches.append(Match(readable(term.column), _shown(mine), _shown(yours), term.match(mine, yours), share))
    return Link(a, b, sum((match.match * match.share for match in matches), Fraction(0)), tuple(matches))


def _shown(value: str | None) -> str | None:
    return None if value is None else readable(value)
