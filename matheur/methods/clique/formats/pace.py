"""The `.gr` files of the PACE challenges: comments `c`, a line `p WORD N M`, then `U V` from 1.

They were first used here for vertex cover: the vertices outside a cover are a clique of the complement. Their edges are
therefore read as conflicts unless the caller chooses otherwise, and `formats` logs a note about this.
"""

from __future__ import annotations

from collections.abc import Iterator

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.methods.clique.formats.problem_line import read_problem_line
from matheur.methods.clique.formats.rows import edge_count, lower_rows
from matheur.methods.clique.formats.whole_numbers import count_agrees, make_graph, pairs_in, plain_text
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["pace_chunks", "parse_pace"]


def parse_pace(source: Source, *, complement: bool = True) -> AnyGraph:
    """The complement of the graph in a file (the graph itself if not `complement`).

    Raises
    ------
    InputError
        If the file is malformed, with the line.
    """
    text = plain_text(source)
    try:
        head = read_problem_line(text)
    except InputError as error:
        missing = error.line is None
        told = "no line 'p td N M'. Maybe not a PACE file?" if missing else f"not a line 'p td N M': {error.message}"
        raise InputError(told, line=error.line) from None
    u, v, _ = pairs_in(text[head.end :], head.line + 1, b"c", head.n)
    graph = make_graph(source, head.n, u - 1, v - 1, complement=complement, line=head.line)
    if head.edges is not None:
        count_agrees(source, f"line {head.line}", head.edges, len(u), graph, complement=complement)
    return graph


def pace_chunks(graph: AnyGraph, comment: str = "", *, complement: bool = True) -> Iterator[bytes]:
    """The complement of a graph, whose vertex covers leave its cliques (the graph itself if not `complement`)."""
    yield from (f"c {line}\n".encode() for line in comment.splitlines())
    yield f"p td {graph.n} {edge_count(graph, complement)}\n".encode()
    yield from lower_rows(graph, complement)
