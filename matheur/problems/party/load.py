"""One call from a file name to a problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matheur.problems.party.formats import ReadOptions, read_instance
from matheur.problems.party.problem import Party
from matheur.problems.source import Source, open_source

__all__ = ["load"]


def load(origin: str | Path | Source, **options: Any) -> Party:
    """The puzzle in a JSON file or a `Source`.

    Parameters
    ----------
    origin
        A path, or bytes with a name: the table of items is looked for in its folder.
    **options
        As in `ReadOptions`: `cards`, `synergy`.

    Raises
    ------
    InputError
        If the puzzle or its table cannot be read or understood.
    """
    if not isinstance(origin, Source):
        origin = open_source(origin)
    return Party(read_instance(origin, ReadOptions.from_mapping(options)))
