"""Cells that can be edited in the browser. The page turns them into the text of a file, which the server reads.

An editor is plain values: `kind` is `cells`, `hints` (of a board) or `formation` (of a party). Cells have `rows`,
`columns`, `cells` (a symbol each, None where there is no cell), `palette` (symbol, name, class) and `mode`: `paint`
puts the chosen symbol, `swap` exchanges two. The text is `head`, then the symbols row by row with `between`; or with
`order` the cells of these numbers, one after the other.
"""

from __future__ import annotations

from typing import Any

__all__ = ["editor_of"]

_CELLS_MAX = 600

_SIGNS = (("#", "wall"), (" ", "floor"), ("@", "player"), ("$", "box"), (".", "goal"), ("*", "box on goal"),
          ("+", "player on goal"))  # fmt: skip
_COLOURS = {"U": "white", "R": "red", "F": "green", "D": "yellow", "L": "orange", "B": "blue"}


def editor_of(problem: Any) -> dict[str, Any] | None:
    """The editor of an instance, None if it is edited as text alone."""
    make = _EDITORS.get(problem.name)
    found = None if make is None else make(problem.instance)
    return None if found is None or len(found.get("cells", ())) > _CELLS_MAX else found


def _sliding_tile(one: Any) -> dict[str, Any]:
    cells = [str(tile) for tile in one.tiles]
    palette = [[tile, "blank" if tile == "0" else f"tile {tile}", "blank" if tile == "0" else "tile"] for tile in cells]
    return _cells(one, cells, palette, "swap", f"# goal: {one.goal}\n", " ")


def _lights_out(one: Any) -> dict[str, Any]:
    head = "" if one.pattern == "plus" else f"# pattern: {one.pattern}\n"
    cells = ["01"[on] for on in one.lights]
    return _cells(one, cells, [["1", "on", "on"], ["0", "off", "off"]], "paint", head, "")


def _sokoban(one: Any) -> dict[str, Any]:
    from matheur.problems.sokoban.formats import write_level

    rows = [row for row in write_level(one).splitlines() if row.strip() and not row.startswith(";")]
    wide = max(len(row) for row in rows)
    cells = [sign for row in rows for sign in row.ljust(wide)]
    palette = [[sign, name, name.replace(" ", "-")] for sign, name in _SIGNS]
    editor = _cells(one, [" " if sign in "-_" else sign for sign in cells], palette, "paint", "", "")
    return {**editor, "rows": len(rows), "columns": wide}


def _rubik(one: Any) -> dict[str, Any]:
    from matheur.problems.rubik.picture.scene import NET

    cells: list[str | None] = [None] * 108
    order = [12 * row + column for row, column in NET]
    for cell, letter in zip(order, one.facelets, strict=True):
        cells[cell] = letter
    head = "" if one.metric == "quarter" else f"# metric: {one.metric}\n"
    palette = [[letter, f"{colour} ({letter})", f"face{letter}"] for letter, colour in _COLOURS.items()]
    return {
        "kind": "cells", "rows": 9, "columns": 12, "cells": cells, "palette": palette, "mode": "paint", "head": head,
        "between": "", "order": order,
    }  # fmt: skip


def _edge_matching(one: Any) -> dict[str, Any]:
    return {"kind": "hints", "rows": one.rows, "columns": one.columns}


def _party(one: Any) -> dict[str, Any]:
    return {"kind": "formation", "slots": list(one.slots)}


def _cells(one: Any, cells: list[str], palette: list[list[str]], mode: str, head: str, between: str) -> dict[str, Any]:
    return {
        "kind": "cells", "rows": one.rows, "columns": one.columns, "cells": cells, "palette": palette, "mode": mode,
        "head": head, "between": between,
    }  # fmt: skip


_EDITORS = {
    "edge-matching": _edge_matching,
    "lights-out": _lights_out,
    "party": _party,
    "rubik": _rubik,
    "sliding-tile": _sliding_tile,
    "sokoban": _sokoban,
}
