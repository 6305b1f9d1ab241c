"""Boards as JSON: an object with `lights` and all rules that are not the default; needed for boards with buttons.

    {"lights": [[0, 1, 2], [1, 0, 0]], "states": 3, "edges": "torus", "pattern": [[0, 1, 0], [1, 2, 1], [0, 1, 0]],
     "target": [[0, 0, 1], [1, 0, 0]]}
    {"lights": [0, 1, 1], "buttons": [[0, 1], [[2, 1]], [0, 2]]}
    {"lights": [1, 1, 1], "neighbours": [[1], [0, 2], [1]]}

A button is a list of the lights that it changes by 1, or of pairs of a light and the amount added. `neighbours`
describes a graph: each light has a button, which also changes its neighbours.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError, nearest, shown
from matheur.problems.lights_out.cell_rows import read_row
from matheur.problems.lights_out.instance import Effect, Instance
from matheur.problems.lights_out.rules import KEYS, edges_of, pattern_and_edges, rows_as_text, states_of

__all__ = ["claim_json", "fields_of_json", "write_json"]

_KEYS = ("lights", *KEYS, "buttons", "neighbours", "columns", "title", "problem")


def claim_json(source: Source) -> Recognition | None:
    """Confidence that a JSON text is a board; None if it is not JSON. Never raises."""
    try:
        if source.text.lstrip()[:1] not in ("{", "["):
            return None
        data = source.json
    except InputError:
        return None
    if isinstance(data, Mapping):
        return Recognition.PROVED if "lights" in data else Recognition.NO
    return Recognition.FITS if _is_table(data) else None


def _is_table(data: Any) -> bool:
    """Whether `data` is a list of rows of two-state lights."""
    return (
        isinstance(data, list)
        and bool(data)
        and all(isinstance(row, list) and row and len(row) == len(data[0]) for row in data)
        and all(type(light) in (int, bool) and light in (0, 1) for row in data for light in row)
    )


def fields_of_json(source: Source) -> dict[str, Any] | None:
    """Arguments of `Instance`, with `target` as written in the file; None if the text is not the JSON of a board.

    Raises
    ------
    InputError
        If it is JSON with `lights`, but not a valid board.
    """
    found = claim_json(source)
    if not found:
        if found is not None:
            raise source.error("a board in JSON has 'lights'. Maybe {\"lights\": [[0, 1], [1, 1]]}?")
        return None
    data = source.json
    data = data if isinstance(data, Mapping) else {"lights": data}
    unknown = next((key for key in data if key not in _KEYS), None)
    if unknown is not None:
        raise source.error(f"unknown key {shown(str(unknown))}. {nearest(str(unknown)[:40], _KEYS)}")
    rules: dict[str, Any] = {}
    for key, value in data.items():
        name = KEYS.get(str(key), str(key))
        if name in rules:
            raise source.error(f"two keys for the {name} ({shown(key)})")
        rules[name] = value
    try:
        return _fields(rules)
    except InputError as error:
        raise error.located(source.name) from None


def _fields(data: Mapping[str, Any]) -> dict[str, Any]:
    fields: dict[str, Any] = {"states": states_of(data.get("states", 2)), "title": str(data.get("title", ""))}
    table = _table(data["lights"], fields["states"], data.get("columns"))
    fields |= {"rows": len(table), "columns": len(table[0]), "lights": tuple(light for row in table for light in row)}
    fields["edges"] = edges_of(data.get("edges", "plain"))
    pattern = data.get("pattern", "plus")
    if isinstance(pattern, list):
        pattern = rows_as_text(pattern, "the pattern")
    named, edges = pattern_and_edges(str(pattern))
    fields |= {"pattern": named or "plus", "edges": edges or fields["edges"]}
    if "target" in data:
        fields["target"] = data["target"]
    given = [key for key in ("buttons", "neighbours") if key in data]
    if len(given) > 1 or (given and {"pattern", "edges"} & set(data)):
        raise InputError(f"'{given[0]}' sets what a press changes; no other rule can be given with it")
    if given == ["neighbours"]:
        graph = _list(data["neighbours"], "neighbours")
        if len(graph) != len(fields["lights"]):
            raise InputError(f"{len(fields['lights'])} lights, but neighbours of {len(graph)}")
        fields["buttons"] = tuple(
            tuple((light, 1) for light in sorted({number, *_lights(row)})) for number, row in enumerate(graph)
        )
    elif given:
        fields["buttons"] = tuple(_button(one) for one in _list(data["buttons"], "buttons"))
    return fields


def _list(value: Any, what: str) -> list[Any]:
    if not isinstance(value, list) or not value:
        raise InputError(f"'{what}' must be a list that is not empty ({shown(str(value))})")
    return value


def _table(value: Any, states: int, columns: Any) -> list[list[int]]:
    """Rows of lights; a plain list is one row, or is split into rows of `columns`."""
    lights = _list(value, "lights")
    if not any(isinstance(row, list | str) for row in lights):
        wide = len(lights) if columns is None else columns
        if type(wide) is not int or wide < 1 or len(lights) % wide:
            raise InputError(f"{len(lights)} lights cannot be divided into rows of {shown(str(wide))}")
        lights = [lights[i : i + wide] for i in range(0, len(lights), wide)]
    table = [_row(row, states) for row in lights]
    if columns is not None and columns != len(table[0]):
        raise InputError(f"rows of {len(table[0])} lights, but 'columns' is {shown(str(columns))}")
    for number, row in enumerate(table):
        if len(row) != len(table[0]):
            raise InputError(f"row {number} has {len(row)} lights, the first row has {len(table[0])}")
    return table


def _row(row: Any, states: int) -> list[int]:
    if isinstance(row, str):
        found = read_row(row, states)
    else:
        found = [int(light) if isinstance(light, bool) else light for light in _list(row, "lights")]
    for light in found:
        if type(light) is not int or not 0 <= light < states:
            raise InputError(f"lights of {states} states are 0 to {states - 1} ({shown(str(light))})")
    if not found:
        raise InputError("a row without lights")
    return found


def _lights(row: Any) -> list[int]:
    if not isinstance(row, list) or not all(type(light) is int for light in row):
        raise InputError(f"neighbours are lists of lights, numbers from 0 ({shown(str(row))})")
    return row


def _button(one: Any) -> Effect:
    """The lights of a button, in ascending order."""
    if not isinstance(one, list):
        raise InputError(f"a button is a list of lights, numbers from 0 ({shown(str(one))})")
    effect = []
    for part in one:
        pair = part if isinstance(part, list) else [part, 1]
        if len(pair) != 2 or not all(type(number) is int for number in pair):
            raise InputError(f"a button names lights, or pairs of a light and what is added ({shown(str(part))})")
        effect.append((pair[0], pair[1]))
    return tuple(sorted(effect))


def write_json(instance: Instance) -> str:
    """A board with buttons in the format that `fields_of_json` accepts."""
    one, wide = instance, instance.columns

    def table(cells: tuple[int, ...]) -> list[list[int]]:
        return [list(map(int, cells[i : i + wide])) for i in range(0, one.cells, wide)]

    data: dict[str, Any] = {"lights": table(one.lights), "states": one.states}
    if one.target:
        data["target"] = table(one.target)
    data["buttons"] = [
        [cell if amount == 1 else [cell, amount] for cell, amount in effect] for effect in one.buttons or ()
    ]
    return json.dumps(data) + "\n"
