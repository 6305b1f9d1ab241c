"""Parties in JSON or as a table of slots and items."""

from __future__ import annotations

import csv
import io
import re

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError, shown
from matheur.problems.party.formats.document import Document
from matheur.problems.party.problem import Party

__all__ = ["read_solution"]

_BYTES_MAX = 10_000_000
_HEADERS = ("item", "id", "card")
_SAID = re.compile(r"sep=([,;\t|])[ \t]*(?:\r\n|\n|\r)", re.IGNORECASE)


def read_solution(problem: Party, source: Source) -> NDArray[np.int32]:
    """Read a party: a JSON object slot name -> item id, or lines `slot,item` (CSV, with or without this header).

    Semicolons and tabs are also accepted as separators.

    Raises
    ------
    InputError
        If it is neither, lacks a slot or names one twice, or names an unknown slot or item.
    """
    text = source.limited(_BYTES_MAX, "a party").text
    content = Document(source).root.value if text.lstrip()[:1] in ("{", "[") else _rows(problem, text, source.name)
    try:
        return problem.decode(content)
    except InputError as error:
        raise error.located(source.name) from None


def _rows(problem: Party, text: str, name: str) -> dict[str, str]:
    slots = problem.instance.slots
    head = _SAID.match(text)
    if head is not None:
        text = "\n" + text[head.end() :]
    begin = next((line for line in text.splitlines() if line.strip()), "")
    separator = head[1] if head is not None else next((mark for mark in ",;\t" if mark in begin), ",")
    reader = csv.reader(io.StringIO(text, newline=""), strict=True, delimiter=separator)
    found: dict[str, str] = {}
    line, begun = 1, False
    try:
        for row in reader:
            cells = [cell.strip() for cell in row]
            header = not begun and len(cells) == 2 and cells[0] == "slot" and cells[1] in _HEADERS
            if any(cells):
                begun = True
                if not header or "slot" in slots:
                    if len(cells) != 2:
                        raise InputError(
                            f"a line of a party is 'slot,item' ({shown(','.join(row))})", source=name, line=line
                        )
                    slot = row[0] if row[0] in slots else cells[0]
                    if slot in found:
                        raise InputError(f"slot {shown(slot)} appears twice", source=name, line=line)
                    found[slot] = cells[1]
            line = reader.line_num + 1
    except csv.Error as error:
        said = str(error).partition(" - ")[0]
        raise InputError(f"not a party: {said}", source=name, line=max(1, reader.line_num)) from None
    return found
