"""JSON: the project's own instances, and the puzzle and board files of eternity2.dev.

The project's format stores everything that an instance holds::

    {"format": "matheur-edge-matching", "version": 1, "name": "...", "rows": 2, "columns": 2,
     "pieces": [[0, 0, 1, 2], ...], "hints": [{"row": 0, "column": 0, "piece": 1, "rotation": 2}]}

Variants have additional keys: `"rotation": false` (pieces may not be turned), `"signed": true` (+c matches -c) and
`"zero": "colour"` (0 is a colour, and there is no frame).

Pieces list the sides up, right, down, left and are numbered from 1; rows and columns count from 0; a missing or null
rotation is free.
"""

from __future__ import annotations

import json
from typing import Any, NoReturn

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError, nearest, shown
from matheur.problems.edge_matching.formats.options import ReadOptions, merge_hints
from matheur.problems.edge_matching.formats.piece_list import reorder_sides
from matheur.problems.edge_matching.formats.text import COLOUR_MAX, place, text_of
from matheur.problems.edge_matching.instance import CELLS_MAX, EMPTY, Board, Hint, Instance
from matheur.problems.edge_matching.problem import EdgeMatching
from matheur.problems.edge_matching.rules import Rules
from matheur.problems.json_keys import without_repetition

__all__ = ["FORMAT", "load_json", "read_json_board", "read_json_instance", "write_json"]

FORMAT = "matheur-edge-matching"
_KEYS = ("format", "version", "name", "rows", "columns", "rotation", "signed", "zero", "pieces", "hints")
_HINT_KEYS = ("row", "column", "piece", "rotation")


def load_json(source: Source) -> Any:
    """Load plain JSON values; repeated keys, NaN, and excessive nesting or numbers are errors.

    Raises
    ------
    InputError
        If the text is not valid JSON.
    """

    def no_constant(name: str) -> NoReturn:
        raise InputError(f"{name} is not JSON", source=source.name)

    try:
        return json.loads(text_of(source), parse_constant=no_constant, object_pairs_hook=without_repetition)
    except InputError as error:
        raise error.located(source.name) from None
    except json.JSONDecodeError as error:
        raise InputError(f"not JSON: {error.msg}", source=source.name, line=error.lineno) from None
    except RecursionError:
        raise InputError("the JSON is nested too deeply", source=source.name) from None
    except ValueError:
        raise InputError("a number in the JSON has too many digits", source=source.name) from None


def read_json_instance(source: Source, options: ReadOptions) -> Instance:
    """Read a puzzle from a JSON file of either kind.

    Raises
    ------
    InputError
        If the file is malformed, with the key and the value.
    """
    data = load_json(source)
    if not isinstance(data, dict):
        raise InputError("a puzzle in JSON is an object", source=source.name)
    own = "format" in data
    if not own and not {"width", "height", "pieces"} <= set(data):
        missing = (
            "Maybe a solution instead of an instance?"
            if {"solution", "board"} & set(data)
            else f"Maybe add it: {FORMAT!r}."
        )
        raise InputError(f"the JSON object has no key 'format'. {missing}", source=source.name)
    try:
        return _own(data, options, source) if own else _site(data, options, source)
    except InputError as error:
        raise error.located(source.name) from None


def write_json(instance: Instance) -> str:
    """The puzzle in the project's own format, with one piece per line."""
    hints = []
    for hint in instance.hints:
        row, column = divmod(hint.cell, instance.columns)
        entry = {"row": row, "column": column, "piece": hint.piece + 1}
        hints.append(json.dumps(entry if hint.rotation is None else {**entry, "rotation": hint.rotation}))
    pieces = ",\n    ".join(json.dumps(piece) for piece in instance.rules.colours(instance.pieces).tolist())
    rules = instance.rules
    said = {"rotation": False} if not rules.rotation else {}
    said |= {"signed": True} if rules.signed else {}
    stated = "".join(f'  "{key}": {json.dumps(value)},\n' for key, value in said.items())
    stated += '  "zero": "colour",\n' if rules.zero else ""
    listed = "[\n    " + ",\n    ".join(hints) + "\n  ]" if hints else "[]"
    return (
        f'{{\n  "format": "{FORMAT}",\n  "version": 1,\n  "name": {json.dumps(instance.name)},\n'
        f'  "rows": {instance.rows},\n  "columns": {instance.columns},\n{stated}'
        f'  "pieces": [\n    {pieces}\n  ],\n  "hints": {listed}\n}}\n'
    )


def read_json_board(instance: Instance, source: Source) -> Board:
    """Read a board in JSON: a list as from `EdgeMatching.encode`, an object with it as `solution`, or a site board.

    Raises
    ------
    InputError
        If the text is none of these.
    """
    data = load_json(source)
    try:
        if isinstance(data, dict):
            if "solution" in data:
                data = data["solution"]
            elif "board" in data:
                return _site_board(instance, data["board"])
            else:
                raise InputError("the JSON object has neither a key 'solution' nor 'board'")
        return EdgeMatching(instance).decode(data)
    except InputError as error:
        raise error.located(source.name) from None


def _own(data: dict[str, Any], options: ReadOptions, source: Source) -> Instance:
    if data["format"] != FORMAT:
        raise InputError(f"the format is {_show(data['format'])}, not {FORMAT!r}")
    if data.get("version") != 1 or isinstance(data["version"], bool):
        raise InputError(f"version {_show(data.get('version'))} of the format is unknown. Maybe 1?")
    _known(data, _KEYS, "a puzzle")
    rows, columns = _integer(data, "rows", 1, CELLS_MAX), _integer(data, "columns", 1, CELLS_MAX)
    name = data.get("name", "")
    if not isinstance(name, str):
        raise InputError(f"the name must be a text ({_show(name)})")
    rules = _rules(data) if options.variant is None else options.rules
    pieces = _pieces(data, rows, columns, rules)
    hints = [
        _hint(entry, position, rows, columns) for position, entry in enumerate(_list(data, "hints", rows * columns))
    ]
    return _instance(rows, columns, pieces, hints, name, options, source, rules)


def _rules(data: dict[str, Any]) -> Rules:
    for key in ("rotation", "signed"):
        if not isinstance(data.get(key, True), bool):
            raise InputError(f"{key!r} must be true or false ({_show(data[key])})")
    if data.get("zero", "frame") not in ("frame", "colour"):
        raise InputError(f"'zero' must be 'frame' or 'colour' ({_show(data['zero'])})")
    signed, zero = bool(data.get("signed", False)), data.get("zero") == "colour"
    if signed and zero:
        raise InputError("'signed' and 'zero': 'colour' exclude each other: 0 has no sign")
    return Rules(rotation=data.get("rotation", True), signed=signed, zero=zero)


def _site(data: dict[str, Any], options: ReadOptions, source: Source) -> Instance:
    rows, columns = _integer(data, "height", 1, CELLS_MAX), _integer(data, "width", 1, CELLS_MAX)
    pieces = _pieces(data, rows, columns, options.rules)
    hints = []
    for entry in _list(data, "hints", rows * columns):
        if not isinstance(entry, dict):
            raise InputError(f"a hint is an object with pos, piece and rot ({_show(entry)})")
        last = rows * columns - 1
        hints.append(
            Hint(_integer(entry, "pos", 0, last), _integer(entry, "piece", 0, last), _integer(entry, "rot", 0, 3))
        )
    name = data.get("name", "")
    name = name if isinstance(name, str) else ""
    return _instance(rows, columns, pieces, hints, name, options, source, options.rules)


def _site_board(instance: Instance, cells: Any) -> Board:
    """A board of `piece * 4 + rotation` by cell, piece from 0, -1 if empty: the same as this package's placements."""
    if not isinstance(cells, list) or len(cells) != instance.cells:
        raise InputError(f"'board' must list {instance.cells} placements ({_show(cells)})")
    for cell, value in enumerate(cells):
        if type(value) is not int or not EMPTY <= value < 4 * instance.cells:
            raise InputError(
                f"{place(cell, instance.columns)} must hold -1 to {4 * instance.cells - 1} ({_show(value)})"
            )
    return np.array(cells, dtype=np.int32)


def _instance(
    rows: int,
    columns: int,
    pieces: list[list[int]],
    hints: list[Hint],
    name: str,
    options: ReadOptions,
    source: Source,
    rules: Rules,
) -> Instance:
    for what, given, asked in (("rows", rows, options.rows), ("columns", columns, options.columns)):
        if asked not in (None, given):
            raise InputError(f"the file is for a board of {given} {what}, but {asked} were asked for")
    merged = merge_hints(rows, columns, hints, options.hints, source.name)
    sides = reorder_sides(pieces, options.sides or "urdl", rules)
    return Instance(rows, columns, sides, merged, name or source.stem, rules)


def _pieces(data: dict[str, Any], rows: int, columns: int, rules: Rules) -> list[list[int]]:
    least, most = (-(COLOUR_MAX // 2), COLOUR_MAX // 2) if rules.signed else (0, COLOUR_MAX - rules.zero)
    pieces = _list(data, "pieces", CELLS_MAX)
    if len(pieces) != rows * columns:
        raise InputError(f"a {rows} x {columns} board needs {rows * columns} pieces (there are {len(pieces)})")
    for number, piece in enumerate(pieces, start=1):
        if not isinstance(piece, list) or len(piece) != 4:
            raise InputError(f"piece {number} must be [up, right, down, left] ({_show(piece)})")
        for colour in piece:
            if type(colour) is not int or not least <= colour <= most:
                signs = " (with 'signed': true also below 0)" if type(colour) is int and colour < 0 else ""
                raise InputError(
                    f"the colours of piece {number} must be whole numbers from {least} to {most} "
                    f"({_show(colour)}){signs}"
                )
    return pieces


def _hint(entry: Any, position: int, rows: int, columns: int) -> Hint:
    if not isinstance(entry, dict):
        raise InputError(f"hint {position + 1} must be an object with row, column, piece and rotation ({_show(entry)})")
    _known(entry, _HINT_KEYS, f"hint {position + 1}")
    cell = _integer(entry, "row", 0, rows - 1) * columns + _integer(entry, "column", 0, columns - 1)
    piece = _integer(entry, "piece", 1, rows * columns) - 1
    return Hint(cell, piece, None if entry.get("rotation") is None else _integer(entry, "rotation", 0, 3))


def _known(data: dict[str, Any], keys: tuple[str, ...], what: str) -> None:
    for key in data:
        if key not in keys:
            raise InputError(f"{what} has no key {shown(key)}. {nearest(key[:80], keys)}")


def _list(data: dict[str, Any], key: str, longest: int) -> list[Any]:
    value = data.get(key, [])
    if not isinstance(value, list) or len(value) > longest:
        raise InputError(f"{key!r} must be a list of up to {longest} entries ({_show(value)})")
    return value


def _integer(data: dict[str, Any], key: str, least: int, most: int) -> int:
    value = data.get(key)
    if type(value) is not int or not least <= value <= most:
        raise InputError(f"{key!r} must be a whole number from {least} to {most} ({_show(value)})")
    return value


def _show(value: Any) -> str:
    if isinstance(value, list | dict):
        return f"a {'list' if isinstance(value, list) else 'object'} of {len(value)} entries"
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value) if abs(value) < 10**18 else "a number of more than 18 digits"
    return "null" if value is None else shown(value) if isinstance(value, str) else str(value)
