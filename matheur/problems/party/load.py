"""One call from a file name to a problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matheur.engine.inputs import read_bytes
from matheur.errors import InputError
from matheur.problems.party.formats import ReadOptions, read_instance
from matheur.problems.party.problem import Party
from matheur.problems.port import Source

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
        try:
            origin = Source(str(origin), read_bytes(origin))
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise InputError(f"cannot be read: {reason}", source=str(origin)) from None
    return Party(read_instance(origin, ReadOptions.from_mapping(options)))
