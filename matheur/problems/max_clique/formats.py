"""Files of graphs: which format it is, reading, and writing without ever leaving half a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from matheur.engine.files import write_atomic
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.problems.max_clique import dimacs_ascii, dimacs_binary
from matheur.problems.max_clique.graph import Graph
from matheur.problems.port import Source

__all__ = ["Format", "load_graph", "parse_graph", "save_graph"]

Format = Literal["ascii", "binary"]

_WRITERS = {"ascii": dimacs_ascii.chunks, "binary": dimacs_binary.chunks}


def parse_graph(source: Source, *, complement: bool | None = None) -> Graph:
    """The graph in a DIMACS file, ASCII or binary as the content says.

    Parameters
    ----------
    complement
        Whether the file holds the conflicts (an independent set problem); by default, whether its name ends in
        `.mis`.

    Raises
    ------
    InputError
        If it is malformed, with file and line.
    """
    if complement is None:
        complement = source.name.lower().endswith((".mis", ".mis.b"))
    try:
        if dimacs_binary.looks_binary(source.data):
            graph = dimacs_binary.parse(source.data)
            return graph.complement() if complement else graph
        return dimacs_ascii.parse(source.data, complement=complement)
    except InputError as error:
        raise error.located(source.name) from None


def load_graph(path: str | os.PathLike[str], *, complement: bool | None = None) -> Graph:
    """`parse_graph` of a file; a file that cannot be read is an `InputError` too."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None
    return parse_graph(Source(str(path), data), complement=complement)


def save_graph(
    path: Path | str,
    graph: Graph,
    format: Format = "ascii",  # noqa: A002 - the word of the command line
    *,
    comment: str = "",
    complement: bool = False,
) -> None:
    """Write a graph, or its complement for independent set solvers; the file appears whole or not at all.

    Raises
    ------
    ConfigurationError
        If the format is unknown.
    InputError
        If the file cannot be written.
    """
    if format not in _WRITERS:
        raise ConfigurationError(f"unknown graph format '{format}'. {nearest(format, _WRITERS)}")
    write_atomic(path, _WRITERS[format](graph, comment, complement=complement))
