"""One call from a file name or URL to a problem."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matheur.problems.edge_matching.formats import ReadOptions, read_instance
from matheur.problems.edge_matching.problem import EdgeMatching
from matheur.problems.source import Source, open_source

__all__ = ["load"]


def load(origin: str | Path | Source, **options: Any) -> EdgeMatching:
    """The puzzle in a file, a bucas URL or a `Source`.

    Parameters
    ----------
    origin
        A path; a text that starts with `http` is a URL.
    **options
        As in `ReadOptions`: `sides`, `size_order`, `rows`, `columns`, `hints`.

    Raises
    ------
    InputError
        If it cannot be read or understood.

    Examples
    --------
    >>> from matheur.problems.port import Source
    >>> load(Source("two", b"1 2\\n0 5 0 0\\n0 0 0 5\\n")).score_max
    1
    """
    if isinstance(origin, str) and origin.startswith(("http:", "https:")):
        origin = Source("<url>", origin.encode("utf-8", "surrogatepass"))
    if not isinstance(origin, Source):
        origin = open_source(origin)
    return EdgeMatching(read_instance(origin, ReadOptions.from_mapping(options)))
