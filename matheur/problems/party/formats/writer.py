"""Puzzles as the text of a JSON file and of the table that it names."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import InputError
from matheur.problems.decimals import written
from matheur.problems.party.catalogue import UNBUYABLE, Measure
from matheur.problems.party.constraints import (
    ChemistryConstraint,
    Constraint,
    CountConstraint,
    DistinctConstraint,
    MaxSameConstraint,
    MinSameConstraint,
    SquadRatingConstraint,
    SumConstraint,
)
from matheur.problems.party.formats.puzzle import FORMAT
from matheur.problems.party.instance import Instance
from matheur.problems.party.synergy import Synergy, Term

__all__ = ["TYPES", "constraint_object", "json_text", "synergy_object", "table_text", "write_puzzle"]

_WIDTH = 110


def write_puzzle(instance: Instance, cards: str = "cards.csv") -> tuple[str, str]:
    """Write the puzzle in the form that `read_instance` reads.

    An instance only stores which items fit a slot, so the positions written are `P1`, `P2`, ..., one for each group of
    slots that accept the same items.

    Parameters
    ----------
    instance
        Any puzzle.
    cards
        Name of the table in the JSON file.

    Returns
    -------
    puzzle, table
        Text of the JSON file and of the CSV file.

    Raises
    ------
    InputError
        If a number has no decimal form of 18 digits.
    """
    one = instance
    catalogue, items = one.catalogue, range(len(one.catalogue))
    taken = {*catalogue.traits, *catalogue.measures}
    names = {part: _free(part, taken) for part in ("id", "price", "position")}
    accepts, cells = _positions(one.fits, "P")
    plays: list[list[str] | None] = [None] * len(one.slots)
    if one.plays is not None:
        plays, places = _positions(one.plays, "Q")
        cells = ["|".join(filter(None, pair)) for pair in zip(cells, places, strict=True)]
    table = {
        names["id"]: list(catalogue.ids),
        names["price"]: ["" if price == UNBUYABLE else str(price) for price in catalogue.prices.tolist()],
        names["position"]: cells,
    }
    functions = {term.column for term in one.synergy.terms if term.function is not None} if one.synergy else set()
    for column, trait in catalogue.traits.items():
        if column in functions:
            continue
        table[column] = [trait.value(item) or "" for item in items]
    for column, measure in catalogue.measures.items():
        if column not in table:
            table[column] = [_cell(measure, item) for item in items]
    content: dict[str, Any] = {"format": FORMAT, "version": 1}
    content |= {"name": one.name} if one.name else {}
    content |= {
        "cards": cards,
        "columns": names,
        "slots": [
            {"name": slot}
            | ({} if values is None else {"accepts": values})
            | ({} if better is None else {"plays": better})
            for slot, values, better in zip(one.slots, accepts, plays, strict=True)
        ],
        "edges": [[one.slots[a], one.slots[b]] for a, b in one.edges.tolist()],
    }
    content |= {} if one.synergy is None else {"synergy": synergy_object(one.synergy)}
    if one.objective == "total":
        content["maximise"] = one.maximised
    elif one.objective != "price":
        content["objective"] = one.objective
    content |= {"constraints": [constraint_object(constraint, one.slots) for constraint in one.constraints]}
    if one.fixed:
        content["fixed"] = {one.slots[slot]: catalogue.ids[item] for slot, item in sorted(one.fixed.items())}
    if one.excluded:
        content["excluded"] = [catalogue.ids[item] for item in sorted(one.excluded)]
    return json_text(content), table_text(list(table), zip(*table.values(), strict=True))


def synergy_object(synergy: Synergy) -> dict[str, Any]:
    """Return the synergy as JSON values and fractions."""
    found: dict[str, Any] = {"terms": [_term(term) for term in synergy.terms]}
    return found if synergy.minimum is None else {**found, "min": synergy.minimum}


TYPES: Mapping[type[Constraint], str] = {
    SumConstraint: "sum",
    CountConstraint: "count",
    DistinctConstraint: "distinct",
    MaxSameConstraint: "max_same",
    MinSameConstraint: "min_same",
    SquadRatingConstraint: "squad_rating",
    ChemistryConstraint: "chemistry",
}
"""Names of the types of constraints in files."""


def constraint_object(constraint: Constraint, slots: Sequence[str]) -> dict[str, Any]:
    """Return the constraint as JSON values and fractions; `slots` are the names of all slots."""
    found: dict[str, Any] = {"type": TYPES[type(constraint)]}
    if isinstance(constraint, ChemistryConstraint):
        found["groups"] = [{"column": group.column, "steps": list(group.steps)} for group in constraint.groups]
        found |= {} if constraint.most == 3 else {"most": constraint.most}
        found |= {"each": constraint.each} if constraint.each else {}
        if constraint.full is not None:
            found["full"] = {"column": constraint.full[0], "in": list(constraint.full[1])}
    else:
        found["column"] = constraint.column
    if isinstance(constraint, CountConstraint):
        least, most = constraint.span or (None, None)
        found |= {"in": list(constraint.values)} if constraint.span is None else {}
        found |= {} if least is None else {"from": least}
        found |= {} if most is None else {"to": most}
    if isinstance(constraint, SquadRatingConstraint) and constraint.rounding != "down":
        found["rounding"] = constraint.rounding
    if not isinstance(constraint, MaxSameConstraint | MinSameConstraint):
        found["op"] = constraint.op
    found["value"] = constraint.value
    if constraint.scope is not None:
        found["slots"] = [slots[slot] for slot in constraint.scope.slots]
    return found


def json_text(value: Any, indent: int = 0) -> str:
    """Format JSON values and fractions as text, with short values on one line.

    Raises
    ------
    InputError
        If a fraction has no decimal form of 18 digits.
    """
    line = _inline(value)
    if not isinstance(value, list | dict) or not value or (indent and indent + len(line) <= _WIDTH):
        return line
    inner = " " * (indent + 2)
    if isinstance(value, dict):
        parts = [f"{inner}{json.dumps(key)}: {json_text(entry, indent + 2)}" for key, entry in value.items()]
        opening, closing = "{", "}"
    else:
        parts = [inner + json_text(entry, indent + 2) for entry in value]
        opening, closing = "[", "]"
    return f"{opening}\n" + ",\n".join(parts) + f"\n{' ' * indent}{closing}" + ("" if indent else "\n")


def table_text(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return the text of a CSV file."""
    table = [header, *rows]
    text = _rendered(table, "\n")
    # A carriage return in a cell is quoted only if lines end with one.
    return _rendered(table, "\r\n") if "\r" in text else text


def _rendered(table: Iterable[Sequence[str]], end: str) -> str:
    out = io.StringIO(newline="")
    csv.writer(out, lineterminator=end).writerows(table)
    return out.getvalue()


def _inline(value: Any) -> str:
    if isinstance(value, Fraction):
        return _number(value)
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{json.dumps(key)}: {_inline(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_inline, value)) + "]"
    return json.dumps(value)


def _number(number: Fraction) -> str:
    text = written(number)
    if text is None:
        raise InputError(f"the number {number} has no decimal form of 18 digits")
    return text


def _term(term: Term) -> dict[str, Any]:
    if term.function is not None:
        return {"function": term.function} | ({} if term.weight == 1 else {"weight": term.weight})
    found: dict[str, Any] = {"column": term.column, "weight": term.weight, "same": term.same, "other": term.other}
    found |= {"pairs": [[one, two, match] for (one, two), match in term.pairs.items()]}
    usual = {"weight": 1, "same": 1, "other": 0, "pairs": []}
    return {key: value for key, value in found.items() if key not in usual or usual[key] != value}


def _cell(measure: Measure, item: int) -> str:
    return "" if measure.missing[item] else _number(measure.number(item))


def _free(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _positions(fits: NDArray[np.bool_], letter: str) -> tuple[list[list[str] | None], list[str]]:
    """Return the positions that each slot accepts, and the cell of each item."""
    groups: dict[bytes, tuple[str, int]] = {}
    accepts: list[list[str] | None] = []
    for slot, row in enumerate(fits):
        if row.all():
            accepts.append(None)
        else:
            name, _ = groups.setdefault(row.tobytes(), (f"{letter}{len(groups) + 1}", slot))
            accepts.append([name])
    cells = ["|".join(name for name, slot in groups.values() if fits[slot, item]) for item in range(fits.shape[1])]
    return accepts, cells
