"""The party building puzzle as a problem of the engine: solutions are items by slot, the objective price or synergy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.array_problem import ArrayProblem, row_fault
from matheur.engine.outcome import Evaluation, plain_number
from matheur.errors import InputError, nearest
from matheur.problems.party.catalogue import UNBUYABLE
from matheur.problems.party.constraints import (
    ChemistryConstraint,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    MinSameConstraint,
    SquadRatingConstraint,
    SumConstraint,
    holds,
    measures_of,
    slots_of,
)
from matheur.problems.party.feasibility import infeasible_reason
from matheur.problems.party.instance import Instance
from matheur.problems.party.rules import chemistry_of, most_of_the_same, squad_rating

__all__ = ["Party"]


@dataclass(frozen=True, eq=False)
class Party(ArrayProblem):
    """Choose one item for every slot, each at most once, so that all demands hold, at the least total price.

    The instance may have another objective, which is maximised by minimising a difference. For the synergy, this is the
    number of points (`Instance.points`) missing to a synergy of 1, and the score is the synergy. For the total of a
    measure, it is the sum of the differences from the best item (`Instance.costs`), and the score is the total. For the
    chemistry, it is the number of points missing to the maximum of all items, and the score is the chemistry.

    Solutions are int32 arrays of item numbers, one per slot; as JSON they are objects, slot name -> item id.

    Attributes
    ----------
    instance
        The puzzle.
    assumptions
        Assumptions of the reader, one phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "party"

    @cached_property
    def fingerprint(self) -> str:
        """Hash of the content of the puzzle."""
        one = self.instance
        digest = blake2b(b"party", digest_size=12)
        demands = (one.slots, one.synergy, one.constraints, sorted(one.fixed.items()), sorted(one.excluded))
        digest.update(repr(demands).encode())
        if one.objective != "price":
            digest.update(one.objective.encode() + one.maximised.encode())
        if any(constraint.scope is not None for constraint in one.constraints):
            digest.update(repr([constraint.scope for constraint in one.constraints]).encode())
        if one.plays is not None:
            digest.update(np.ascontiguousarray(one.plays).tobytes())
        for array in (one.catalogue.prices, one.fits, one.edges):
            digest.update(np.ascontiguousarray(array).tobytes())
        for column, trait in sorted(one.catalogue.traits.items()):
            digest.update(repr((column, trait.values)).encode())
            digest.update(trait.codes.tobytes())
        for column, measure in sorted(one.catalogue.measures.items()):
            digest.update(repr((column, measure.scale)).encode())
            digest.update(measure.amounts.tobytes())
            digest.update(measure.missing.tobytes())
        digest.update("\0".join(one.catalogue.ids).encode())
        return digest.hexdigest()

    def evaluate(self, solution: NDArray[np.int32]) -> Evaluation:
        """Recompute price, synergy and every demand in exact arithmetic."""
        fault = row_fault(solution, "a party")
        if fault is not None:
            return Evaluation(0, False, (fault,))
        one = self.instance
        chosen = [int(item) for item in np.asarray(solution).ravel()]
        if len(chosen) != len(one.slots) or any(not 0 <= item < len(one.catalogue) for item in chosen):
            return Evaluation(0, False, (f"a party has one existing item for each of the {len(one.slots)} slots",))
        violations = []
        for slot, item in enumerate(chosen):
            who = f"item '{one.catalogue.ids[item]}' in slot '{one.slots[slot]}'"
            if not one.fits[slot, item]:
                violations.append(f"{who} does not fit there")
            if one.catalogue.prices[item] == UNBUYABLE:
                violations.append(f"{who} has no price and cannot be bought")
            elif one.costs[item] == UNBUYABLE:
                violations.append(f"{who} has no {one.maximised}")
            if item in one.excluded:
                violations.append(f"{who} is excluded")
            if one.fixed.get(slot, item) != item:
                violations.append(
                    f"{who} takes the place of '{one.catalogue.ids[one.fixed[slot]]}', which is fixed there"
                )
        for item, times in Counter(chosen).items():
            if times > 1:
                violations.append(f"item '{one.catalogue.ids[item]}' is used {times} times")
        for constraint in one.constraints:
            violations.extend(self._violation(constraint, chosen))
        synergy, demanded = self.synergy(solution), None if one.synergy is None else one.synergy.minimum
        if synergy is not None and demanded is not None and synergy < demanded:
            violations.append(f"the synergy is {float(synergy):.6g}, not at least {float(demanded):.6g}")
        objective = (
            sum(max(0, int(one.costs[item])) for item in chosen) if one.additive else self._missing(synergy, chosen)
        )
        return Evaluation(objective, not violations, tuple(violations))

    def price(self, solution: NDArray[np.int32]) -> int:
        """Return the price of a party; an item that cannot be bought counts as 0."""
        return sum(max(0, int(self.instance.catalogue.prices[item])) for item in solution)

    def _missing(self, synergy: Fraction | None, chosen: list[int]) -> int:
        """Points missing to a synergy of 1, or to the maximum chemistry."""
        one, points = self.instance, self.instance.points
        if one.objective == "chemistry":
            return one.points_top - sum(chemistry_of(one, one.chemistry, chosen))
        return 0 if points is None or synergy is None else int((1 - synergy) * points.unit)

    def score(self, objective: int | float) -> int | float:
        """Return the price, or the synergy, chemistry or total if that is the objective."""
        if self.instance.objective == "price":
            return objective
        if self.instance.objective == "chemistry":
            return self.instance.points_top - objective
        if self.instance.objective == "total":
            one = self.instance
            total = len(one.slots) * one.total_top - Fraction(objective)
            scale = one.catalogue.measures[one.maximised].scale
            return int(total) if scale == 1 and total.denominator == 1 else float(total / scale)
        points = self.instance.points
        return 1.0 if points is None else float(1 - Fraction(objective) / points.unit)

    @property
    def score_max(self) -> int | float | None:
        """Maximum score: 1 for a synergy, `most` points per item for a chemistry, None for a price or a total."""
        if self.instance.objective == "chemistry":
            return self.instance.points_top
        return 1.0 if self.instance.objective == "synergy" else None

    def _violation(self, constraint: Constraint, chosen: list[int]) -> list[str]:
        """Describe the violation of a constraint, if any; `chosen` contains the items of all slots."""
        one = self.instance
        catalogue = one.catalogue
        items = [chosen[slot] for slot in slots_of(constraint, len(chosen))]
        for column in measures_of(constraint):
            lacking = [item for item in items if catalogue.measures[column].missing[item]]
            if lacking:
                return [f"item '{catalogue.ids[lacking[0]]}' has no {column}"]
        value: Fraction | int
        if isinstance(constraint, ChemistryConstraint):
            points = chemistry_of(one, constraint, chosen)
            value = sum(points)
            poor = [
                f"{constraint} fails: item '{catalogue.ids[item]}' has {own}"
                for item, own in zip(items, points, strict=True)
                if own < constraint.each
            ][:1]
            met = holds(value, constraint.op, constraint.value)
            return poor if met else [f"{constraint} fails: it is {value}", *poor]
        if isinstance(constraint, MaxSameConstraint | MinSameConstraint):
            name, value = most_of_the_same(catalogue, constraint.column, items)
            met = value <= constraint.value if isinstance(constraint, MaxSameConstraint) else value >= constraint.value
            return [] if met else [f"{constraint} fails: {value} have '{name}'"]
        if isinstance(constraint, SumConstraint):
            value = sum((catalogue.measures[constraint.column].number(item) for item in items), Fraction(0))
        elif isinstance(constraint, SquadRatingConstraint):
            measure = catalogue.measures[constraint.column]
            value = squad_rating([int(measure.amounts[item]) for item in items], measure.scale, constraint)
        else:
            trait = catalogue.traits[constraint.column]
            cells = Counter(cell for item in items if (cell := trait.value(item)) is not None)
            if isinstance(constraint, CountConstraint):
                value = sum(cells[cell] for cell in set(constraint.values))
            else:
                assert isinstance(constraint, DistinctConstraint)
                value = len(cells)
        met = holds(value, constraint.op, constraint.value)
        said = f"{float(value):g}" if isinstance(value, Fraction) else str(value)
        return [] if met else [f"{constraint} fails: it is {said}"]

    def synergy(self, solution: NDArray[np.int32]) -> Fraction | None:
        """Return the exact synergy of a party; None if the puzzle has no synergy."""
        one = self.instance
        if one.synergy is None:
            return None
        if not len(one.edges):
            return Fraction(1)
        weights = sum((term.weight for term in one.synergy.terms), Fraction(0))
        total = Fraction(0)
        for a, b in one.edges.tolist():
            for term in one.synergy.terms:
                trait = one.catalogue.traits[term.column]
                total += term.weight * term.match(trait.value(int(solution[a])), trait.value(int(solution[b])))
        return total / weights / len(one.edges)

    def report(self, solution: NDArray[np.int32]) -> dict[str, float]:
        """Return synergy, chemistry, squad rating and price as numbers for the result file, if applicable.

        Chemistry and squad rating are included if exactly one demand defines them, the price if it is not the
        objective.
        """
        synergy = self.synergy(solution)
        found = {} if synergy is None else {"synergy": float(synergy)}
        one = self.instance
        chosen = [int(item) for item in solution]
        chemistry = [demand for demand in one.constraints if isinstance(demand, ChemistryConstraint)]
        if len(chemistry) == 1:
            found["chemistry"] = float(sum(chemistry_of(one, chemistry[0], chosen)))
        ratings = [demand for demand in one.constraints if isinstance(demand, SquadRatingConstraint)]
        if len(ratings) == 1:
            measure = one.catalogue.measures[ratings[0].column]
            amounts = [int(measure.amounts[chosen[slot]]) for slot in slots_of(ratings[0], len(chosen))]
            found["squad_rating"] = float(squad_rating(amounts, measure.scale, ratings[0]))
        return found if self.instance.objective == "price" else {**found, "price": float(self.price(solution))}

    @cached_property
    def trivial_bound(self) -> int:
        """Sum of the lowest costs in each slot; 0 if the objective is the synergy or the chemistry."""
        if not self.instance.additive:
            return 0
        costs = self.instance.costs
        return sum(int(costs[items].min()) for items in self.instance.candidates if len(items))

    def infeasible_reason(self) -> str | None:
        """Return a sentence that names a demand, or two, that cannot be met, if this is found without a search."""
        return infeasible_reason(self.instance)

    def encode(self, solution: NDArray[np.int32]) -> dict[str, str]:
        """Return an object slot name -> item id."""
        one = self.instance
        return {slot: one.catalogue.ids[int(item)] for slot, item in zip(one.slots, solution, strict=True)}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.instance.catalogue.ids)}

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Convert an object slot name -> item id to item numbers; `evaluate` checks the demands.

        Raises
        ------
        InputError
            If it is not such an object, lacks a slot, or names an unknown slot or item.
        """
        slots = self.instance.slots
        if not isinstance(data, Mapping):
            raise InputError(f"a party is an object 'slot name -> item id', not {type(data).__name__}")
        for name in data:
            if name not in slots:
                raise InputError(f"no slot is called {str(name)[:40]!r}. {nearest(str(name)[:40], slots)}")
        chosen = []
        for slot in slots:
            if slot not in data:
                raise InputError(f"nothing is in slot '{slot}'")
            item = plain_number(data[slot])
            text = str(item) if type(item) is int else item.strip() if isinstance(item, str) else None
            if text is None or text not in self._numbers:
                raise InputError(f"slot '{slot}': no item has the id {str(item)[:40]!r}")
            chosen.append(self._numbers[text])
        return np.array(chosen, dtype=np.int32)
