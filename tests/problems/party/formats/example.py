"""The puzzle of the page of the format, with a table for it."""

from __future__ import annotations

import copy
import json
from typing import Any

from matheur.engine.source import Source
from matheur.problems.party import Instance
from matheur.problems.party.formats import ReadOptions, read_texts

__all__ = ["CARDS", "PUZZLE", "read", "with_key"]

PUZZLE: dict[str, Any] = {
    "format": "matheur-party",
    "version": 1,
    "name": "example",
    "cards": "cards.csv",
    "columns": {"id": "id", "price": "cost", "position": "position"},
    "slots": [
        {"name": "GK", "accepts": ["GK"]},
        {"name": "RB", "accepts": ["RB", "RWB"]},
        {"name": "ANY"},
    ],
    "edges": [["GK", "RB"], ["RB", "ANY"]],
    "synergy": {
        "terms": [
            {"column": "club"},
            {"column": "league", "weight": 2},
            {"column": "element", "pairs": [["fire", "water", 0], ["fire", "air", 0.5]], "same": 1, "other": 0},
        ],
        "min": 0.8,
    },
    "constraints": [
        {"type": "sum", "column": "rating", "op": ">=", "value": 225},
        {"type": "count", "column": "league", "in": ["Premier League", "La Liga"], "op": ">=", "value": 2},
        {"type": "distinct", "column": "club", "op": ">=", "value": 2},
        {"type": "max_same", "column": "country", "value": 2},
    ],
    "fixed": {"GK": "17"},
    "excluded": ["5", "6"],
}

CARDS = """\
id,position,rating,league,club,country,element,cost,remarks
17,GK,80.5,La Liga,Reds,C1,fire,100,
5,GK,80,La Liga,Reds,C1,fire,90,
6,"RB|GK",80,La Liga,Reds,C2,fire,90,
7, RB | RWB ,75.25,La Liga,Reds,C2,air,,no price
8,RWB,75,La Liga,Reds,C2,fire,250,"a, ""quoted"" cell
of two lines"
9,ST,7.45e1,La Liga,Blues,C3,,0,
10,ST,,Premier League,Blues,C3,fire,10,
"""


def read(puzzle: dict[str, Any] | str | bytes, cards: str | bytes = CARDS, **options: Any) -> Instance:
    """The puzzle in these texts."""
    text = json.dumps(puzzle, indent=1) if isinstance(puzzle, dict) else puzzle
    sources = [
        Source(name, data if isinstance(data, bytes) else data.encode())
        for name, data in (("puzzle.json", text), ("cards.csv", cards))
    ]
    return read_texts(*sources, ReadOptions.from_mapping(options))


def with_key(path: str, value: Any = ...) -> dict[str, Any]:
    """The example with another value at a place such as `slots.0.name`; without the key if there is no value."""
    changed: Any = copy.deepcopy(PUZZLE)
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    place = changed
    for part in way:
        place = place[part]
    if value is ...:
        del place[last]
    elif isinstance(place, list) and last == len(place):
        place.append(value)
    else:
        place[last] = value
    assert isinstance(changed, dict)
    return changed
