"""Detection without a search of demands that cannot be met: single demands, and pairs that contradict each other.

Every check is exact or a relaxation, so a reported reason is always true; None proves nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from matheur.problems.party.catalogue import UNBUYABLE
from matheur.problems.party.constraints import (
    ChemistryConstraint,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    MinSameConstraint,
    Op,
    SquadRatingConstraint,
    SumConstraint,
    holds,
    measures_of,
    slots_of,
)
from matheur.problems.party.instance import Instance
from matheur.problems.party.reach import best_match, extreme_sum, greedy_sum, seat
from matheur.problems.party.rules import rating_range, rating_total

__all__ = ["infeasible_reason"]

_NAMED_MAX = 8

Items = NDArray[np.int32]
Ranged = SumConstraint | CountConstraint | DistinctConstraint | MaxSameConstraint


def infeasible_reason(instance: Instance) -> str | None:
    """Return a sentence that names the demand or the two demands, or None if no contradiction is found."""
    for check in (_fixed, _empty_slots, _crowded_slots, _contradictions, _constraints, _synergy):
        for reason in check(instance):
            return reason
    return None


def _fixed(one: Instance) -> Iterator[str]:
    """Yield fixed items that are not allowed in their slots."""
    places: dict[int, int] = {}
    for slot, item in sorted(one.fixed.items()):
        who = f"item '{one.catalogue.ids[item]}', fixed in slot '{one.slots[slot]}',"
        if item in places:
            yield f"{who} is fixed in slot '{one.slots[places[item]]}' too, and may be used only once"
        places[item] = slot
        if item in one.excluded:
            yield f"{who} is excluded"
        if not one.fits[slot, item]:
            yield f"{who} does not fit there"
        if one.catalogue.prices[item] == UNBUYABLE:
            yield f"{who} has no price and cannot be bought"
        for constraint in one.constraints:
            for column in measures_of(constraint) if slot in slots_of(constraint, len(one.slots)) else ():
                if one.catalogue.measures[column].missing[item]:
                    yield f"{who} has no {column}, which the demand '{constraint}' needs"
        if one.catalogue.prices[item] != UNBUYABLE and one.costs[item] == UNBUYABLE:
            yield f"{who} has no {one.maximised}, which is maximised"


def _empty_slots(one: Instance) -> Iterator[str]:
    """Yield slots without candidates, with the reasons."""
    for slot, candidates in enumerate(one.candidates):
        if not len(candidates):
            reason = f"no usable item fits slot '{one.slots[slot]}'"
            items = np.flatnonzero(one.fits[slot])
            if not len(items):
                yield f"{reason}: no item has a position that it accepts"
            told, parts = np.zeros(len(items), dtype=np.bool_), []
            for what, mask in _obstacles(one, slot):
                count = int(np.count_nonzero(mask[items] & ~told))
                told |= mask[items]
                parts += [f"{count} {what}"] if count else []
            yield f"{reason}: of the {_counted(len(items), 'item')} that fit by position, {_listed(parts)}"


def _obstacles(one: Instance, slot: int) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield the reasons why items cannot be used in a slot, with the items."""
    yield "cannot be bought", one.catalogue.prices == UNBUYABLE
    mask = np.zeros(len(one.catalogue), dtype=np.bool_)
    mask[list(one.excluded)] = True
    yield "excluded", mask
    for constraint in one.constraints:
        for column in measures_of(constraint) if slot in slots_of(constraint, len(one.slots)) else ():
            yield f"without {column}", one.catalogue.measures[column].missing
    if one.maximised:
        yield f"without {one.maximised}", one.catalogue.measures[one.maximised].missing
    mask = np.zeros(len(one.catalogue), dtype=np.bool_)
    mask[list(one.fixed.values())] = True
    yield "fixed in another slot", mask


def _crowded_slots(one: Instance) -> Iterator[str]:
    """Yield sets of slots that have fewer candidates than slots."""
    # A slot with as many candidates as there are slots always receives one.
    few = [slot for slot, items in enumerate(one.candidates) if len(items) < len(one.slots)]
    seating = seat([one.candidates[slot].tolist() for slot in few], lambda _: 1)
    if seating.crowd:
        names = _listed([f"'{one.slots[few[slot]]}'" for slot in seating.crowd])
        yield (
            f"slots {names} need {len(seating.crowd)} different items, "
            f"but together they have only {_counted(len(seating.exhausted), 'usable item')} that may stand there"
        )


def _contradictions(one: Instance) -> Iterator[str]:
    """Yield constraints on the same quantity whose ranges are disjoint, and constraints with an empty range."""
    ranges: list[tuple[object, Constraint, int | None, int | None]] = []
    for constraint in one.constraints:
        if isinstance(constraint, ChemistryConstraint | MinSameConstraint):
            continue
        scale = one.catalogue.measures[constraint.column].scale if measures_of(constraint) else 1
        values = frozenset(constraint.values) if isinstance(constraint, CountConstraint) else None
        key = (type(constraint), constraint.column, values, constraint.scope)
        if isinstance(constraint, SquadRatingConstraint):
            slots = len(slots_of(constraint, len(one.slots)))
            low, high = rating_range(constraint, slots, scale)
        else:
            low, high = _range(constraint, scale)
        if low is not None and high is not None and low > high:
            among = "no sum of the numbers" if measures_of(constraint) else "no number of items"
            among = "no squad rating" if isinstance(constraint, SquadRatingConstraint) else among
            yield f"the demand '{constraint}' cannot be met: {among} is exactly that"
        for other, said, least, most in ranges:
            if other == key and (_exceeds(low, most) or _exceeds(least, high)):
                yield f"the demands '{said}' and '{constraint}' contradict each other"
        ranges.append((key, constraint, low, high))


def _range(constraint: Ranged, scale: int) -> tuple[int | None, int | None]:
    """Return the smallest and largest whole number, in units of 1 / scale, that a constraint allows."""
    op: Op = "<=" if isinstance(constraint, MaxSameConstraint) else constraint.op
    value = constraint.value * scale
    return (None if op == "<=" else math.ceil(value)), (None if op == ">=" else math.floor(value))


def _exceeds(low: int | None, high: int | None) -> bool:
    return low is not None and high is not None and low > high


def _constraints(one: Instance) -> Iterator[str]:
    """Yield constraints that cannot be met even without the other demands."""
    for constraint in one.constraints:
        candidates = [one.candidates[slot] for slot in slots_of(constraint, len(one.slots))]
        if isinstance(constraint, SumConstraint):
            measure = one.catalogue.measures[constraint.column]
            yield from _sum(candidates, constraint, measure.amounts, measure.scale, f"sum of {constraint.column}")
        elif isinstance(constraint, CountConstraint):
            weights = one.catalogue.traits[constraint.column].among(constraint.values).astype(np.int64)
            yield from _sum(candidates, constraint, weights, 1, "number of them")
        elif isinstance(constraint, DistinctConstraint):
            yield from _distinct(one, candidates, constraint)
        elif isinstance(constraint, MaxSameConstraint):
            yield from _max_same(one, candidates, constraint)
        elif isinstance(constraint, MinSameConstraint):
            yield from _min_same(one, candidates, constraint)
        elif isinstance(constraint, SquadRatingConstraint):
            yield from _squad_rating(one, candidates, constraint)
        else:
            yield from _chemistry(constraint, len(candidates))


def _sum(
    candidates: Sequence[Items],
    constraint: SumConstraint | CountConstraint,
    weights: NDArray[np.int64],
    scale: int,
    what: str,
) -> Iterator[str]:
    """Check a sum of weights of the chosen items by its extremes and by divisibility."""
    low, high = _range(constraint, scale)
    for bound, largest in ((low, True), (high, False)):
        if bound is not None:
            met = greedy_sum(weights, candidates, largest=largest)
            if met is not None and (met >= bound if largest else met <= bound):
                continue
            reached = extreme_sum(weights, candidates, largest=largest)
            if reached < bound if largest else reached > bound:
                extreme, shown = "at most" if largest else "at least", _shown(Fraction(reached, scale))
                said = f"with usable items that fit, the {what} is {extreme} {shown}"
                yield f"the demand '{constraint}' cannot be met: {said}"
    if constraint.op == "==" and low is not None:
        step = np.gcd.reduce([np.gcd.reduce(weights[items] - weights[items[0]]) for items in candidates])
        base = sum(int(weights[items[0]]) for items in candidates)
        if (low - base) % int(step) if step else low != base:
            yield f"the demand '{constraint}' cannot be met: no choice of usable items that fit has exactly this {what}"


def _min_same(one: Instance, candidates: Sequence[Items], constraint: MinSameConstraint) -> Iterator[str]:
    """Check by the number of items that have a value, and by the number of slots that one of them fits."""
    codes = one.catalogue.traits[constraint.column].codes
    values = len(one.catalogue.traits[constraint.column].values)
    supply = np.bincount(codes[np.unique(np.concatenate(candidates))] + 1, minlength=values + 1)[1:]
    room = np.zeros(values, dtype=np.int64)
    for own in _values(one, candidates, constraint.column):
        room[[value for value in own if value >= 0]] += 1
    most = int(np.minimum(supply, room).max(initial=0))
    if most < constraint.value:
        yield f"the demand '{constraint}' cannot be met: of the usable items that fit, at most {most} have the same"


def _squad_rating(one: Instance, candidates: Sequence[Items], constraint: SquadRatingConstraint) -> Iterator[str]:
    """Check by the ratings of the best and the worst items of each slot, as the rating increases with every number."""
    measure = one.catalogue.measures[constraint.column]
    low, high = rating_range(constraint, len(candidates), measure.scale)
    best = rating_total([int(measure.amounts[items].max()) for items in candidates])
    worst = rating_total([int(measure.amounts[items].min()) for items in candidates])
    if _exceeds(low, best):
        yield f"the demand '{constraint}' cannot be met: the best items of all slots have less"
    if _exceeds(worst, high):
        yield f"the demand '{constraint}' cannot be met: the items of the lowest {constraint.column} have more"


def _chemistry(constraint: ChemistryConstraint, slots: int) -> Iterator[str]:
    top = sum(step <= slots for group in constraint.groups for step in group.steps)
    most = constraint.most if constraint.full is not None else min(constraint.most, top)
    if constraint.each > most:
        yield f"the demand '{constraint}' cannot be met: an item has at most {_counted(most, 'point')}"
    elif constraint.op != "<=" and not holds(slots * most, ">=", constraint.value):
        yield f"the demand '{constraint}' cannot be met: {_counted(slots, 'item')} have at most {slots * most} points"
    elif constraint.op != ">=" and not holds(slots * constraint.each, "<=", constraint.value):
        yield f"the demand '{constraint}' cannot be met: {_counted(slots, 'item')} have more together"
    elif constraint.op == "==" and constraint.value.denominator != 1:
        yield f"the demand '{constraint}' cannot be met: no number of points is exactly that"


def _values(one: Instance, candidates: Sequence[Items], column: str) -> list[list[int]]:
    """Values of the candidates of each slot, as numbers; -1 stands for an empty cell."""
    codes = one.catalogue.traits[column].codes
    return [np.unique(codes[items]).tolist() for items in candidates]


def _distinct(one: Instance, candidates: Sequence[Items], constraint: DistinctConstraint) -> Iterator[str]:
    low, high = _range(constraint, 1)
    values = _values(one, candidates, constraint.column)
    said = f"the demand '{constraint}' cannot be met: with usable items that fit, there are at"
    if low is not None:
        most = seat([[value for value in own if value >= 0] for own in values], lambda _: 1).size
        if most < low:
            yield f"{said} most {most} different values"
    if high is not None:
        least = max(_disjoint(values), _needed(one, candidates, constraint.column))
        if least > high:
            yield f"{said} least {least} different values"


def _disjoint(values: Sequence[Sequence[int]]) -> int:
    """Number of slots, found greedily, that have no value in common and no candidate without a value."""
    seen: set[int] = set()
    count = 0
    for own in sorted(values, key=len):
        if own[0] >= 0 and seen.isdisjoint(own):
            seen.update(own)
            count += 1
    return count


def _needed(one: Instance, candidates: Sequence[Items], column: str) -> int:
    """Number of the most frequent values that are needed to provide an item for every slot."""
    codes = one.catalogue.traits[column].codes[np.unique(np.concatenate(candidates))]
    counts = np.bincount(codes + 1)
    missing = len(candidates) - int(counts[0])
    reached = np.cumsum(np.sort(counts[1:])[::-1])
    return 0 if missing <= 0 else int(np.searchsorted(reached, missing)) + 1


def _max_same(one: Instance, candidates: Sequence[Items], constraint: MaxSameConstraint) -> Iterator[str]:
    most = math.floor(constraint.value)
    if most < 0:
        yield f"the demand '{constraint}' cannot be met: nothing occurs less than 0 times"
    trait = one.catalogue.traits[constraint.column]
    usable = np.unique(np.concatenate(candidates))
    supply = np.bincount(trait.codes[usable] + 1, minlength=len(trait.values) + 1)
    values = _values(one, candidates, constraint.column)
    seating = seat(values, lambda value: int(supply[0]) if value < 0 else min(most, int(supply[value + 1])))
    if seating.crowd:
        slots = slots_of(constraint, len(one.slots))
        names = _listed([f"'{one.slots[slots[slot]]}'" for slot in seating.crowd])
        rest = _listed([f"'{trait.values[value]}'" for value in seating.exhausted if value >= 0])
        yield (
            f"the demand '{constraint}' cannot be met: the usable items that fit slots {names} have "
            + (f"no {constraint.column} but {rest}" if rest else f"too few empty cells of {constraint.column}")
        )


def _synergy(one: Instance) -> Iterator[str]:
    """Check the synergy by the best match of each edge alone."""
    points = one.points
    if one.synergy is None or one.synergy.minimum is None or points is None:
        return
    best = sum(
        best_match(term, one.candidates[a], one.candidates[b]) for a, b in one.edges.tolist() for term in points.terms
    )
    if best < points.demand:
        yield (
            f"the synergy cannot be at least {_shown(one.synergy.minimum)}: "
            f"with the best match of every edge it would be {_shown(Fraction(best, points.unit))}"
        )


def _listed(words: Sequence[str]) -> str:
    words = (
        list(words) if len(words) <= _NAMED_MAX else [*words[: _NAMED_MAX - 1], f"{len(words) - _NAMED_MAX + 1} more"]
    )
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}" if words else ""


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _shown(number: Fraction) -> str:
    return str(number.numerator) if number.denominator == 1 else f"{float(number):.6g}"
