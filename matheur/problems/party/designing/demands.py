"""Demands of a party puzzle by name, and the same puzzle with another threshold."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any

from matheur.errors import ConfigurationError, nearest
from matheur.problems.party import Constraint, Instance, MaxSameConstraint, MinSameConstraint, Party
from matheur.problems.party.constraints import slots_of
from matheur.problems.party.formats.writer import TYPES

__all__ = ["Demand", "demand_of", "threshold_of"]


@dataclass(frozen=True, slots=True)
class Demand:
    """A demand whose threshold can be varied.

    Attributes
    ----------
    name
        Display name.
    harder
        Direction of difficulty: 1 if a higher threshold allows fewer parties, -1 if a lower one does, 0 if unknown.
    index
        Number of the constraint from 0; None for the synergy.
    slots
        Number of slots to which the demand applies.
    """

    name: str
    harder: int
    index: int | None
    slots: int

    def put(self, problem: Party, value: Fraction) -> Party:
        """Return the same puzzle with another threshold.

        Raises
        ------
        ConfigurationError
            If the demand is the synergy and the threshold is not from 0 to 1.
        """
        one = problem.instance
        if self.index is None:
            if not 0 <= value <= 1:
                raise ConfigurationError(f"a synergy lies between 0 and 1 ({float(value):g})")
            assert one.synergy is not None
            return Party(replace(one, synergy=replace(one.synergy, minimum=value)))
        constraints: list[Constraint] = list(one.constraints)
        constraints[self.index] = replace(constraints[self.index], value=value)
        return Party(replace(one, constraints=tuple(constraints)))


def demand_of(instance: Instance, text: str) -> Demand:
    """Return the demand with this name.

    Parameters
    ----------
    text
        Name of the demand: `synergy`, `chemistry`, the number of a constraint from 1, its column, `TYPE:COLUMN` (sum,
        count, distinct, max_same, min_same, squad_rating), or the constraint in words as in messages.

    Raises
    ------
    ConfigurationError
        If no demand or several demands have this name.
    """
    text = text.strip()
    if text == "synergy" and instance.synergy is not None:
        return Demand("synergy", 1, None, len(instance.slots))
    if text.isdecimal() and len(text) < 10 and 1 <= int(text) <= len(instance.constraints):
        return _of(instance, int(text) - 1)
    found = [number for number, one in enumerate(instance.constraints) if text in _names(one)]
    if len(found) == 1:
        return _of(instance, found[0])
    known = ["synergy"] if instance.synergy is not None else []
    known += [f"{number} ({one})" for number, one in enumerate(instance.constraints, start=1)]
    if found:
        numbers = ", ".join(str(number + 1) for number in found)
        raise ConfigurationError(f"several demands are called {text!r}. Maybe by number: {numbers}?")
    if not known:
        raise ConfigurationError("the puzzle has no demands to vary")
    raise ConfigurationError(f"no demand is called {text!r}. {nearest(text, known)}")


def threshold_of(value: Any) -> Fraction:
    """Convert a number or a decimal text exactly as it is written.

    Raises
    ------
    ConfigurationError
        If it is not a finite number.
    """
    try:
        return value if isinstance(value, Fraction) else Fraction(Decimal(str(value).strip()))
    except (InvalidOperation, ValueError, OverflowError):
        raise ConfigurationError(f"not a number ({str(value)[:40]!r})") from None


def _names(one: Constraint) -> tuple[str, ...]:
    return str(one), one.column, f"{TYPES[type(one)]}:{one.column}"


def _of(instance: Instance, index: int) -> Demand:
    one = instance.constraints[index]
    slots = len(slots_of(one, len(instance.slots)))
    if isinstance(one, MaxSameConstraint):
        return Demand(f"most of the same {one.column}", -1, index, slots)
    if isinstance(one, MinSameConstraint):
        return Demand(f"least of the same {one.column}", 1, index, slots)
    name = str(one).rsplit(f" {one.op} ", 1)[0]
    return Demand(f"{name} {one.op}", {">=": 1, "<=": -1, "==": 0}[one.op], index, slots)
