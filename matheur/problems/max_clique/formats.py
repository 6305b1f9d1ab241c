"""Files of graphs: which format it is, reading, and writing without ever leaving half a file."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Literal, get_args

from matheur.engine.files import write_atomic
from matheur.engine.inputs import read_bytes
from matheur.errors import ConfigurationError, InputError, nearest
from matheur.problems.max_clique import dimacs_ascii, dimacs_binary, metis, pairs
from matheur.problems.max_clique.graph import Graph
from matheur.problems.port import Source

__all__ = ["ENDINGS", "FORMATS", "Format", "format_of", "load_graph", "looks_like_graph", "parse_graph", "save_graph"]

Format = Literal["ascii", "binary", "metis", "matrix-market", "edge-list", "pace"]

FORMATS: tuple[str, ...] = get_args(Format)

ENDINGS: Mapping[str, Format] = MappingProxyType(
    {
        ".clq": "ascii",
        ".col": "ascii",
        ".dimacs": "ascii",
        ".mis": "ascii",
        ".b": "binary",
        ".bin": "binary",
        ".graph": "metis",
        ".metis": "metis",
        ".mtx": "matrix-market",
        ".edges": "edge-list",
        ".edgelist": "edge-list",
        ".el": "edge-list",
        ".gr": "pace",
    }
)
"""Formats by the endings of file names."""

_PARSERS: Mapping[str, Callable[..., Graph]] = {
    "ascii": dimacs_ascii.parse,
    "metis": metis.parse_metis,
    "matrix-market": pairs.parse_matrix_market,
    "edge-list": pairs.parse_edge_list,
    "pace": pairs.parse_pace,
}
_WRITERS: Mapping[str, Callable[..., Iterator[bytes]]] = {
    "ascii": dimacs_ascii.chunks,
    "binary": dimacs_binary.chunks,
    "metis": metis.metis_chunks,
    "matrix-market": pairs.matrix_market_chunks,
    "edge-list": pairs.edge_list_chunks,
    "pace": pairs.pace_chunks,
}
_COMPLEMENTED = (".mis", ".mis.b", ".gr")
_PROBLEM_LINE = re.compile(rb"^p[ \t]+([A-Za-z]+)[ \t]+[0-9]+[ \t]+[0-9]+[ \t\r]*$", re.MULTILINE)


def format_of(source: Source) -> Format:
    """The format of a file: by its content where that tells, else by its name, else an edge list."""
    data = source.data
    if dimacs_binary.looks_binary(data):
        return "binary"
    if data[:14].lower() == b"%%matrixmarket":
        return "matrix-market"
    word = _PROBLEM_LINE.search(data[:1_000_000])
    if word is not None:
        return "pace" if word[1] in (b"td", b"ds", b"vc") else "ascii"
    name = ENDINGS.get(Path(source.name).suffix.lower())
    if name is not None and name != "binary":
        return name
    first = data.lstrip()[:2]
    return "ascii" if first[:1] in (b"p", b"e", b"c") and (first[1:].isspace() or not first[1:]) else "edge-list"


def looks_like_graph(source: Source) -> bool:
    """Whether the content is plainly a graph, or the name ends like that of one; never raises."""
    data = source.data
    if dimacs_binary.looks_binary(data) or data[:14].lower() == b"%%matrixmarket":
        return True
    word = _PROBLEM_LINE.search(data[:1_000_000])
    if word is not None:
        return True
    ending = Path(source.name.partition("\0")[0]).suffix.lower()
    return ENDINGS.get(ending, "binary") != "binary"


def parse_graph(source: Source, *, complement: bool | None = None, format: Format | None = None) -> Graph:  # noqa: A002
    """The graph in a file of any format.

    Parameters
    ----------
    complement
        Whether the file holds the conflicts (an independent set or vertex cover problem); by default, whether its
        name ends in `.mis` or it is a PACE file.
    format
        Of the file; as the content and the name say by default, see `format_of`.

    Raises
    ------
    InputError
        If it is malformed, with file and line.
    """
    form = format_of(source) if format is None else format
    if complement is None:
        complement = source.name.lower().endswith(_COMPLEMENTED) or form == "pace"
    try:
        if form == "binary":
            graph = dimacs_binary.parse(source.data)
            return graph.complement() if complement else graph
        return _PARSERS[form](source.data, complement=complement)
    except InputError as error:
        raise error.located(source.name) from None


def load_graph(path: str | os.PathLike[str], *, complement: bool | None = None) -> Graph:
    """`parse_graph` of a file; a file that cannot be read is an `InputError` too."""
    try:
        data = read_bytes(Path(path))
    except OSError as error:
        raise InputError(f"cannot be read ({error.strerror})", source=str(path)) from None
    except ValueError as error:  # a NUL in the name
        raise InputError(f"cannot be read ({error})", source=repr(str(path))) from None
    return parse_graph(Source(str(path), data), complement=complement)


def save_graph(
    path: Path | str,
    graph: Graph,
    format: Format = "ascii",  # noqa: A002 - the word of the command line
    *,
    comment: str = "",
    complement: bool | None = None,
) -> None:
    """Write a graph, or its complement for independent set solvers; the file appears whole or not at all.

    Parameters
    ----------
    complement
        Whether the conflicts are written; by default only to PACE files.

    Raises
    ------
    ConfigurationError
        If the format is unknown.
    InputError
        If the file cannot be written.
    """
    if format not in _WRITERS:
        raise ConfigurationError(f"unknown graph format '{format}'. {nearest(format, _WRITERS)}")
    inverted = format == "pace" if complement is None else complement
    write_atomic(path, _WRITERS[format](graph, comment, complement=inverted))
