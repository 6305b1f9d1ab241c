"""One call from a file name to a problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matheur.problems.cubical.formats import ReadOptions, read_instance
from matheur.problems.cubical.problem import Cubical
from matheur.problems.source import Source, open_source

__all__ = ["load"]


def load(origin: str | Path | Source, **options: Any) -> Cubical:
    """The puzzle in a TOML file or a `Source`.

    Parameters
    ----------
    origin
        A path, or bytes with a name.
    **options
        As in `ReadOptions`: `k`.

    Raises
    ------
    InputError
        If it cannot be read or understood.

    Examples
    --------
    >>> from matheur.problems.port import Source
    >>> load(Source("one", b"dimension = 2\\nk = 1\\nstart.a = 0\\ntarget.a = '11'\\n")).trivial_bound
    2
    """
    if not isinstance(origin, Source):
        origin = open_source(origin)
    return Cubical(read_instance(origin, ReadOptions.from_mapping(options)))
