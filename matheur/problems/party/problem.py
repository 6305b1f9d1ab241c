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
from matheur.engine.outcome import Evaluation
from matheur.errors import InputError, nearest
from matheur.problems.party.catalogue import UNBUYABLE
from matheur.problems.party.constraints import (
    Constraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    SumConstraint,
    holds,
)
from matheur.problems.party.feasibility import infeasible_reason
from matheur.problems.party.instance import Instance

__all__ = ["Party"]


@dataclass(frozen=True, eq=False)
class Party(ArrayProblem):
    """Choose one item for every slot, each at most once, so that all demands hold, at the least total price.

    If the objective of the instance is the synergy, it is to be as large as can be: then what is minimised is the
    number of points (`Instance.points`) that are missing to a synergy of 1, and the score is the synergy.

    Solutions are int32 arrays of item numbers, one per slot; as JSON they are objects, slot name -> item id.

    Attributes
    ----------
    instance
        The puzzle.
    assumptions
        What the reader took for granted, a phrase each.
    """

    instance: Instance
    assumptions: tuple[str, ...] = ()
    name = "party"

    @cached_property
    def fingerprint(self) -> str:
        """Names the puzzle by its content."""
        one = self.instance
        digest = blake2b(b"party", digest_size=12)
        demands = (one.slots, one.synergy, one.constraints, sorted(one.fixed.items()), sorted(one.excluded))
        digest.update(repr(demands).encode())
        if one.objective != "price":
            digest.update(one.objective.encode())
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
            said = self._violation(constraint, chosen)
            if said is not None:
                violations.append(said)
        synergy, demanded = self.synergy(solution), None if one.synergy is None else one.synergy.minimum
        if synergy is not None and demanded is not None and synergy < demanded:
            violations.append(f"the synergy is {float(synergy):.6g}, not at least {float(demanded):.6g}")
        objective = self.price(solution) if one.objective == "price" else self._missing(synergy)
        return Evaluation(objective, not violations, tuple(violations))

    def price(self, solution: NDArray[np.int32]) -> int:
        """What a party costs; an item that cannot be bought counts as 0."""
        return sum(max(0, int(self.instance.catalogue.prices[item])) for item in solution)

    def _missing(self, synergy: Fraction | None) -> int:
        """Points that are missing to a synergy of 1."""
        points = self.instance.points
        return 0 if points is None or synergy is None else int((1 - synergy) * points.unit)

    def score(self, objective: int | float) -> int | float:
        """The price, or the synergy if that is the objective."""
        if self.instance.objective == "price":
            return objective
        points = self.instance.points
        return 1.0 if points is None else float(1 - Fraction(objective) / points.unit)

    @property
    def score_max(self) -> int | float | None:
        """1 for a synergy; None for a price."""
        return None if self.instance.objective == "price" else 1.0

    def _violation(self, constraint: Constraint, chosen: list[int]) -> str | None:
        """A sentence if the constraint does not hold."""
        catalogue = self.instance.catalogue
        if isinstance(constraint, SumConstraint):
            measure = catalogue.measures[constraint.column]
            lacking = [item for item in chosen if measure.missing[item]]
            if lacking:
                return f"item '{catalogue.ids[lacking[0]]}' has no {constraint.column}"
            total = sum((measure.number(item) for item in chosen), Fraction(0))
            return (
                None if holds(total, constraint.op, constraint.value) else f"{constraint} fails: it is {float(total):g}"
            )
        trait = catalogue.traits[constraint.column]
        cells = Counter(value for item in chosen if (value := trait.value(item)) is not None)
        if isinstance(constraint, CountConstraint):
            count = sum(cells[value] for value in set(constraint.values))
        elif isinstance(constraint, DistinctConstraint):
            count = len(cells)
        else:
            assert isinstance(constraint, MaxSameConstraint)
            value, count = max(cells.items(), key=lambda pair: pair[1], default=("", 0))
            return None if count <= constraint.value else f"{constraint} fails: {count} have '{value}'"
        return None if holds(count, constraint.op, constraint.value) else f"{constraint} fails: it is {count}"

    def synergy(self, solution: NDArray[np.int32]) -> Fraction | None:
        """The synergy of a party, exact; None if the puzzle has none."""
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
        """The synergy as a number, for the result file, if there is one; and the price where the synergy is wanted."""
        synergy = self.synergy(solution)
        found = {} if synergy is None else {"synergy": float(synergy)}
        return found if self.instance.objective == "price" else {**found, "price": float(self.price(solution))}

    @cached_property
    def trivial_bound(self) -> int:
        """Sum over the slots of the cheapest item that may stand there; 0 missing points of a synergy."""
        if self.instance.objective != "price":
            return 0
        prices = self.instance.catalogue.prices
        return sum(int(prices[items].min()) for items in self.instance.candidates if len(items))

    def infeasible_reason(self) -> str | None:
        """A sentence that names the demand if one alone plainly cannot be met."""
        return infeasible_reason(self.instance)

    def encode(self, solution: NDArray[np.int32]) -> dict[str, str]:
        """Slot name -> item id."""
        one = self.instance
        return {slot: one.catalogue.ids[int(item)] for slot, item in zip(one.slots, solution, strict=True)}

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.instance.catalogue.ids)}

    def decode(self, data: Any) -> NDArray[np.int32]:
        """Item numbers of an object slot name -> item id; whether the demands hold is for `evaluate` to say.

        Raises
        ------
        InputError
            If it is not such an object, misses a slot, or names an unknown slot or item.
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
            item = data[slot]
            text = str(item) if type(item) is int else item.strip() if isinstance(item, str) else None
            if text is None or text not in self._numbers:
                raise InputError(f"slot '{slot}': no item has the id {str(item)[:40]!r}")
            chosen.append(self._numbers[text])
        return np.array(chosen, dtype=np.int32)
