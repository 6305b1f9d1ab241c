"""Synergy and constraints as they stand in a puzzle's JSON."""

from __future__ import annotations

from fractions import Fraction

from matheur.errors import shown
from matheur.problems.party.constraints import (
    Constraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    Op,
    SumConstraint,
)
from matheur.problems.party.formats.document import Node, hint
from matheur.problems.party.formats.functions import function_of
from matheur.problems.party.synergy import Synergy, Term

__all__ = ["read_constraint", "read_synergy"]

_KEYS = {
    "sum": ("type", "column", "op", "value"),
    "count": ("type", "column", "in", "op", "value"),
    "distinct": ("type", "column", "op", "value"),
    "max_same": ("type", "column", "value"),
}
_PAIRED_MAX = 2000  # all pairs of them become a table
_OPS: dict[str, Op] = {">=": ">=", "<=": "<=", "==": "=="}


def read_synergy(node: Node) -> Synergy:
    """The synergy in its object.

    Raises
    ------
    InputError
        Unknown keys, a weight that is not positive, a match value or `min` outside [0, 1].
    """
    node.entries(("terms", "min"), ("terms",))
    terms = tuple(_term(entry) for entry in node["terms"].items(least=1))
    return Synergy(terms, node["min"].share() if "min" in node else None)


def read_constraint(node: Node) -> Constraint:
    """A constraint in its object.

    Raises
    ------
    InputError
        Unknown keys, types or comparisons, and values of the wrong kind.
    """
    node.entries(None, ("type",))
    kind = node["type"].value
    if not isinstance(kind, str) or kind not in _KEYS:
        raise node["type"].wrong("a known type of constraint", hint(str(kind), _KEYS))
    node.entries(_KEYS[kind], _KEYS[kind])
    column, value = node["column"].text(), node["value"].number()
    if kind == "max_same":
        return MaxSameConstraint(column, value)
    op = _OPS.get(node["op"].value) if isinstance(node["op"].value, str) else None
    if op is None:
        raise node["op"].wrong("one of '>=', '<=' and '=='")
    if kind == "sum":
        return SumConstraint(column, op, value)
    if kind == "distinct":
        return DistinctConstraint(column, op, value)
    values = dict.fromkeys(entry.label() for entry in node["in"].items())
    return CountConstraint(column, tuple(values), op, value)


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
        raise node["pairs"].error(f"speaks of more than {_PAIRED_MAX} different values")
    return Term(node["column"].text(), weight, same, other, pairs)


def _weight(node: Node) -> Fraction:
    weight = node["weight"].number() if "weight" in node else Fraction(1)
    if weight <= 0:
        raise node["weight"].wrong("greater than 0")
    return weight
