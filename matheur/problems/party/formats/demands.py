"""Reader of the synergy and the constraints in the JSON file of a puzzle."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from matheur.errors import shown
from matheur.problems.party.constraints import (
    ChemistryConstraint,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    Group,
    MaxSameConstraint,
    MinSameConstraint,
    Op,
    Rounding,
    Scope,
    SquadRatingConstraint,
    SumConstraint,
)
from matheur.problems.party.formats.document import Node, hint
from matheur.problems.party.formats.functions import function_of
from matheur.problems.party.synergy import Synergy, Term

__all__ = ["columns_named", "read_constraint", "read_scope", "read_synergy", "slot_number"]

_KEYS = {
    "sum": ("column", "op", "value"),
    "count": ("column", "op", "value"),
    "distinct": ("column", "op", "value"),
    "max_same": ("column", "value"),
    "min_same": ("column", "value"),
    "squad_rating": ("column", "op", "value"),
    "chemistry": ("groups", "op", "value"),
}
_MORE = {
    "count": ("in", "from", "to"),
    "squad_rating": ("rounding",),
    "chemistry": ("most", "each", "full"),
}
_ROUNDINGS: tuple[Rounding, ...] = ("down", "nearest")
_STEPS_MAX = 1000
_PAIRED_MAX = 2000  # maximum number of values in pairs; all pairs of them become a table
_OPS: dict[str, Op] = {">=": ">=", "<=": "<=", "==": "=="}


def read_synergy(node: Node) -> Synergy:
    """Read the synergy from its object.

    Raises
    ------
    InputError
        If a key is unknown, a weight is not positive, or a match value or `min` is outside [0, 1].
    """
    node.entries(("terms", "min"), ("terms",))
    terms = tuple(_term(entry) for entry in node["terms"].items(least=1))
    return Synergy(terms, node["min"].share() if "min" in node else None)


def read_constraint(node: Node, scope: Scope | None = None) -> Constraint:
    """Read a constraint from its object, on the slots of a scope.

    Raises
    ------
    InputError
        If a key, type or comparison is unknown, or a value is of the wrong kind.
    """
    node.entries(None, ("type",))
    kind = node["type"].value
    if not isinstance(kind, str) or kind not in _KEYS:
        raise node["type"].wrong("a known type of constraint", hint(str(kind), _KEYS))
    node.entries(("type", *_KEYS[kind], *_MORE.get(kind, ()), "slots"), _KEYS[kind])
    value = node["value"].number()
    if kind == "max_same":
        return MaxSameConstraint(node["column"].text(), value, scope)
    if kind == "min_same":
        return MinSameConstraint(node["column"].text(), value, scope)
    op = _OPS.get(node["op"].value) if isinstance(node["op"].value, str) else None
    if op is None:
        raise node["op"].wrong("one of '>=', '<=' and '=='")
    if kind == "chemistry":
        return _chemistry(node, op, value, scope)
    column = node["column"].text()
    if kind == "sum":
        return SumConstraint(column, op, value, scope)
    if kind == "distinct":
        return DistinctConstraint(column, op, value, scope)
    if kind == "squad_rating":
        return SquadRatingConstraint(column, op, value, _rounding(node), scope)
    if "in" in node:
        if "from" in node or "to" in node:
            raise node["in"].error("lists values, and 'from' or 'to' gives a range of them. Maybe keep only one?")
        values = dict.fromkeys(entry.label() for entry in node["in"].items())
        return CountConstraint(column, tuple(values), op, value, scope)
    if "from" not in node and "to" not in node:
        raise node.error("has no key 'in', a list of values, and no 'from' or 'to', a range of numbers")
    least, most = (node[key].number() if key in node else None for key in ("from", "to"))
    return CountConstraint(column, (), op, value, scope, (least, most))


def _rounding(node: Node) -> Rounding:
    given = node["rounding"].value if "rounding" in node else "down"
    for known in _ROUNDINGS:
        if given == known:
            return known
    raise node["rounding"].wrong("'down' or 'nearest'", hint(str(given), _ROUNDINGS))


def _chemistry(node: Node, op: Op, value: Fraction, scope: Scope | None) -> ChemistryConstraint:
    groups = []
    for entry in node["groups"].items(least=1):
        entry.entries(("column", "steps"), ("column", "steps"))
        steps = [_whole(step, 1) for step in entry["steps"].items(least=1)]
        for number in range(1, len(steps)):
            if steps[number] <= steps[number - 1]:
                raise entry["steps"][number].error("is not greater than the step before it")
        groups.append(Group(entry["column"].text(), tuple(steps)))
    most = _whole(node["most"], 1) if "most" in node else 3
    each = _whole(node["each"], 0) if "each" in node else 0
    full = None
    if "full" in node:
        node["full"].entries(("column", "in"), ("column", "in"))
        values = dict.fromkeys(entry.label() for entry in node["full"]["in"].items())
        full = node["full"]["column"].text(), tuple(values)
    return ChemistryConstraint(tuple(groups), op, value, most, each, full, scope)


def _whole(node: Node, least: int) -> int:
    number = node.number()
    if number.denominator != 1 or not least <= number <= _STEPS_MAX:
        raise node.wrong(f"a whole number from {least} to {_STEPS_MAX}")
    return int(number)


def read_scope(node: Node, numbers: Mapping[str, int], within: Scope | None) -> Scope | None:
    """Return the slots in the key `slots` of a constraint; `within` if the key is missing.

    Parameters
    ----------
    numbers
        Numbers of the slots that may be named.
    """
    if "slots" not in node:
        return within
    slots = [slot_number(entry, numbers) for entry in node["slots"].items(least=1)]
    if len(set(slots)) < len(slots):
        raise node["slots"].error("names a slot twice")
    names = {number: name for name, number in numbers.items()}
    few = ", ".join(names[slot] for slot in sorted(slots)[:4]) + (", ..." if len(slots) > 4 else "")
    said = few if within is None or not within.name else f"{within.name}, {few}"
    return Scope(said, tuple(sorted(slots)))


def slot_number(node: Node, numbers: Mapping[str, int]) -> int:
    """Return the number of the named slot."""
    if not isinstance(node.value, str) or node.value not in numbers:
        raise node.wrong("the name of a slot", hint(str(node.value), numbers))
    return numbers[node.value]


def columns_named(node: Node) -> Iterator[tuple[Node, bool, bool]]:
    """Yield the nodes in which a constraint names columns, with flags: read as text, read as numbers."""
    kind = node["type"].value
    if kind == "chemistry":
        yield from ((group["column"], True, False) for group in node["groups"].items())
        if "full" in node:
            yield node["full"]["column"], True, False
        return
    numeric = kind in ("sum", "squad_rating")
    yield node["column"], not numeric, numeric or "from" in node or "to" in node


def _term(node: Node) -> Term:
    if isinstance(node.value, dict) and "function" in node:
        node.entries(("function", "weight"))
        text = function_of(node["function"]).text
        return Term(f"= {text}", _weight(node), Fraction(0), Fraction(0), {}, text)
    node.entries(("column", "weight", "pairs", "same", "other"), ("column",))
    weight = _weight(node)
    same, other = (
        node[key].share() if key in node else Fraction(default) for key, default in (("same", 1), ("other", 0))
    )
    pairs: dict[tuple[str, str], Fraction] = {}
    for entry in node["pairs"].items() if "pairs" in node else ():
        one, two, match = entry.items(least=3, most=3)
        key, value = (one.label(), two.label()), match.share()
        known = pairs.get(key, pairs.get((key[1], key[0]), value))
        if known != value:
            raise entry.error(f"gives the pair {shown(key[0])}, {shown(key[1])} a second match value")
        if (key[1], key[0]) not in pairs:
            pairs[key] = value
    if len({value for pair in pairs for value in pair}) > _PAIRED_MAX:
        raise node["pairs"].error(f"uses more than {_PAIRED_MAX} different values")
    return Term(node["column"].text(), weight, same, other, pairs)


def _weight(node: Node) -> Fraction:
    weight = node["weight"].number() if "weight" in node else Fraction(1)
    if weight <= 0:
        raise node["weight"].wrong("greater than 0")
    return weight
