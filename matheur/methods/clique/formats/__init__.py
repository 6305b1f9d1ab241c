"""Files of graphs: format detection, reading, and atomic writing.

A format is recognised by a magic word, a p line, the ending of the name, or consistent rows. If no format fits, or
several formats fit and give different graphs, the reader raises an error that names the option to set.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

import numpy as np

from matheur.engine.compression import ending_of, without_ending
from matheur.engine.files import write_packed
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source, open_source
from matheur.errors import ConfigurationError, InputError, nearest, printable, shown
from matheur.methods.clique.formats import (
    adjacency,
    dimacs_ascii,
    dimacs_binary,
    edge_list,
    graph6,
    interchange,
    matrix_market,
    metis,
    pace,
    pajek,
)
from matheur.methods.clique.formats.headers import header_columns
from matheur.methods.clique.formats.names import GraphFile
from matheur.methods.clique.formats.problem_line import OTHERS, PACE_WORDS, first_problem_line
from matheur.methods.clique.formats.tables import Table, read_table
from matheur.methods.clique.formats.whole_numbers import plain_text
from matheur.methods.clique.graph import check_size
from matheur.methods.clique.sparse_graph import AnyGraph, SparseGraph

__all__ = ["ENDINGS", "FORMATS", "READ_FORMATS", "WEIGHTED", "Format", "ReadFormat", "format_of", "holds_conflicts",
           "load_graph", "looks_like_graph", "parse_graph", "read_graph", "save_graph"]  # fmt: skip

Format = Literal["ascii", "binary", "metis", "matrix-market", "edge-list", "pace"]
ReadFormat = Literal[
    "ascii",
    "binary",
    "metis",
    "matrix-market",
    "edge-list",
    "pace",
    "adjacency-matrix",
    "adjacency-list",
    "graphml",
    "gexf",
    "gml",
    "pajek",
    "graph6",
    "sparse6",
    "node-link",
]

FORMATS: tuple[str, ...] = get_args(Format)
"""Formats that are read and written."""

READ_FORMATS: tuple[str, ...] = get_args(ReadFormat)
"""Formats that are read."""

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
"""Formats that are written, by the endings of file names."""

_READ_ENDINGS: Mapping[str, ReadFormat] = {
    **ENDINGS,
    ".graphml": "graphml",
    ".gexf": "gexf",
    ".gml": "gml",
    ".net": "pajek",
    ".g6": "graph6",
    ".graph6": "graph6",
    ".s6": "sparse6",
    ".sparse6": "sparse6",
}
_WHOLE: Mapping[str, Callable[..., AnyGraph | GraphFile]] = {
    "ascii": dimacs_ascii.parse,
    "metis": metis.parse_metis,
    "matrix-market": matrix_market.parse_matrix_market,
    "pace": pace.parse_pace,
    "graphml": interchange.parse_graphml,
    "gexf": interchange.parse_gexf,
    "gml": interchange.parse_gml,
    "pajek": pajek.parse_pajek,
    "graph6": graph6.parse_graph6,
    "sparse6": graph6.parse_sparse6,
    "node-link": interchange.parse_node_link,
}
_WRITERS: Mapping[str, Callable[..., Iterator[bytes]]] = {
    "ascii": dimacs_ascii.chunks,
    "binary": dimacs_binary.chunks,
    "metis": metis.metis_chunks,
    "matrix-market": matrix_market.matrix_market_chunks,
    "edge-list": edge_list.edge_list_chunks,
    "pace": pace.pace_chunks,
}
WEIGHTED: tuple[str, ...] = ("ascii", "binary", "metis")
"""Formats whose files may have vertex weights."""

_SEVERAL = ("graph6", "sparse6")  # formats with several graphs in a file
_SAMPLE = 100_000  # bytes that are searched for lines of a kind
_TABLES = ("edge-list", "adjacency-matrix", "adjacency-list")
_SAID = "Maybe say which with --set instance.format={}?"
_UNREAD = {
    "<?xml": "XML", ">>digraph6<<": "digraph6", "33d32945": "SteinLib", "{": "JSON", "[": "lists in brackets",
    "(": "pairs in brackets",
}  # fmt: skip
_MAGIC: Mapping[bytes, ReadFormat] = {b">>graph6<<": "graph6", b">>sparse6<<": "sparse6"}
_PAJEK = re.compile(rb"(?:\s|%[^\r\n]*[\r\n])*\*(?:vertices|network)", re.IGNORECASE)
_XML = re.compile(rb"<(?:\w+:)?(graphml|gexf)\b")
_FRONT = rb"(?:\s|(?:#|//)[^\n]*\n|/\*[^*]*\*+(?:[^/*][^*]*\*+)*/)*+"
_DOT = re.compile(
    _FRONT + rb"(?:strict\s+)?(?:di)?graph\b\s*(?:\"(?:[^\"\\]|\\.)*\"|[\w.-]+|<[^>]*>)?\s*\{",
    re.IGNORECASE | re.DOTALL,
)
_GML = re.compile(
    _FRONT + rb"(?:(?:creator|version|comment)\s+(?:\"[^\"]*\"|\S+)\s+)*graph\s*\[", re.IGNORECASE | re.DOTALL
)
_BRACED = (".dot", ".gv")
_ENDS = (  # each form can be read in one way only, which takes linear time
    rb"[0-9]+[ \t]+[0-9]+", rb"[^\s,;]+[ \t]+-[->][ \t]*[^\s,;]+", rb"[^\s,;]+-[->][ \t]+[^\s,;]+",
    rb"[^\s,;]+?-[->][^\s,;]+",
)  # fmt: skip
_EDGE = rb"[ \t]*(?>" + b"|".join(_ENDS) + rb")[ \t]*"
_JOINED = re.compile(_FRONT + _EDGE + rb"(?:[;,]" + _EDGE + rb")+[;,]?[ \t]*(?:\n|\Z)")
_UNREAD_WORDS = {"graph": "DOT", "digraph": "DOT", "strict": "DOT"}


def format_of(source: Source) -> ReadFormat:
    """The format of a file: by its content if that is conclusive, else by its name.

    Raises
    ------
    InputError
        If no format fits, or several do.
    """
    return _format_and_table(source)[0]


def _format_and_table(source: Source, *, words: bool = False) -> tuple[ReadFormat, Table | None]:
    """The format, and the rows if they were read."""
    form = _by_content(source)
    if form is not None:
        return form, None
    named = _READ_ENDINGS.get(source.suffix)
    if named is not None and named not in ("binary", "edge-list"):
        return named, None
    _refuse_unread(source)
    table = read_table(source, words=words)
    return _format_of_table(source, table, edges=named == "edge-list"), table


def _refuse_unread(source: Source) -> None:
    """Reject DOT, by the first words or the ending of the name and a brace, and several edges on a line."""
    text = plain_text(source)[:_SAMPLE]
    if _DOT.match(text) or (source.suffix in _BRACED and b"{" in text):
        raise _unread("DOT")
    joined = _JOINED.match(text)
    if joined is not None:
        line = 1 + text[: joined.end()].rstrip().count(b"\n")
        raise InputError("several edges on one line. Maybe a line for each edge?", line=line)


def _unread(kind: str) -> InputError:
    return InputError(f"a file of {kind}, which is not read. Maybe convert it to DIMACS or to an edge list?")


def _by_content(source: Source) -> ReadFormat | None:
    """The format shown by magic words or a p line; None if there are none."""
    if dimacs_binary.looks_binary(source.data):
        return "binary"
    start = source.plain[:200]
    if matrix_market.names_matrix_market(start):
        return "matrix-market"
    interchanged = _interchange(source)
    if interchanged is not None:
        return interchanged
    first = start.split(None, 1)[:1]
    if not first or not first[0].lower().startswith((b"c", b"p", b"e", b"a")):
        return None
    text = plain_text(source)
    head = first_problem_line(text)
    if head is None:
        return _malformed(source, text)
    named = ENDINGS.get(source.suffix)
    if head.next_word[:1].isdigit():
        return "pace"
    if head.next_word or named in ("ascii", "pace"):
        return "ascii" if head.next_word or named is None else named
    return "pace" if head.word in PACE_WORDS else "ascii"


def _interchange(source: Source) -> ReadFormat | None:
    """The interchange format that the first words prove."""
    text = source.plain[:_SAMPLE].lstrip()
    for magic, form in _MAGIC.items():
        if text[: len(magic)].lower() == magic:
            return form
    if _PAJEK.match(text):
        return "pajek"
    if text.startswith(b"<"):
        root = _XML.search(text)
        return None if root is None else "graphml" if root[1] == b"graphml" else "gexf"
    if text.startswith(b"{"):
        return "node-link" if interchange.is_node_link(source) else None
    return "gml" if _GML.match(text) else None


def _malformed(source: Source, text: bytes) -> Format | None:
    """The format of a text whose p line is malformed, or has edges before it; None for other texts."""
    words = next(
        (row.split() for row in text.split(b"\n", 10_000)[:10_000] if row.split() and row.split()[0] != b"c"), []
    )
    said = b" ".join(words[1:3]).lower().split()
    if words[:1] in ([b"p"], [b"P"]) and len(words) > 1:
        known = said[0].decode("ascii", "replace")
        if known in OTHERS or known in PACE_WORDS or known in ("edge", "edges", "col", "clq", "max", "sp"):
            return "ascii"
        return None
    # Edges or arcs without a p line, or before it: as an edge list, all of them would have the vertex 'e' or 'a'.
    lines = [row.split() for row in text[:_SAMPLE].split(b"\n")[:1_000]]
    edges = [row for row in lines if row[:1] == words[:1] and len(row) > 2 and row[1].isdigit() and row[2].isdigit()]
    others = [row for row in lines[:-1] if row and row[0] not in (*words[:1], b"c", b"n", b"p")]
    return "ascii" if words[:1] in ([b"e"], [b"a"]) and edges and not others else None


def _format_of_table(source: Source, table: Table, *, edges: bool) -> ReadFormat:
    """The format of a table, among the formats that have no distinctive mark.

    Parameters
    ----------
    edges
        Whether the name indicates an edge list; then only clear evidence of another format counts.
    """
    if not len(table) and edges:
        return "edge-list"
    if not len(table):
        raise InputError("no pair of vertices in it. Maybe not a graph?")
    first = table.row(0)[0].lower()
    unread = next((name for start, name in _UNREAD.items() if first.startswith(start)), None)
    if unread is None and (table.widths != table.widths[0]).any():
        unread = _UNREAD_WORDS.get(first)
    if unread is not None:
        raise _unread(unread)
    found, fault = _candidates(source, table, edges)
    if len(found) == 1 or (found and _same(source, table, found)):
        return found[0]
    if found:
        raise InputError(f"may be {', '.join(found[:-1])} or {found[-1]}. {_SAID.format(found[0])}")
    assert fault is not None
    if edges:
        raise fault
    raise InputError(
        f"no graph format is certain (as edges: {fault.message}). Maybe name one with --set instance.format="
        f"{'adjacency-matrix' if _square(table) else 'NAME'}, of {', '.join(READ_FORMATS)}?", line=fault.line
    )  # fmt: skip


def _candidates(source: Source, table: Table, edges: bool) -> tuple[list[ReadFormat], InputError | None]:
    """The formats that fit, and the error that excludes an edge list."""
    found: list[ReadFormat] = []
    fault = None
    try:
        edge_list.check_edge_list(table)
        found.append("edge-list")
    except edge_list.MisfitError as error:
        fault = error
    except InputError:
        found.append("edge-list")  # with an error that the reader reports
    if adjacency.looks_like_matrix(table):
        # As edges, more than two such rows would only join 0 and 1 repeatedly, or each with itself.
        if not edges and len(table) > 2:
            found.clear()
        if not edges or len(table) > 2:
            found.append("adjacency-matrix")
    elif adjacency.has_labels(table):
        found.clear()
        fault = edge_list.MisfitError("a matrix with labels, but not a symmetric one of 0 and 1")
    elif found and adjacency.looks_like_weights(table):
        found.append("adjacency-matrix")
    if adjacency.looks_like_lists(table):
        found = ["adjacency-list"] if adjacency.has_colons(table) else [*found, "adjacency-list"]
    if not edges and metis.looks_like_metis(source, table):
        found.append("metis")
    return found, fault


def _square(table: Table) -> bool:
    if adjacency.has_labels(table):
        return True
    return table.numbers is not None and len(table) > 1 and bool((table.widths == len(table)).all())


def _same(source: Source, table: Table, found: list[ReadFormat]) -> bool:
    """Whether all fitting formats give the same graph."""
    graphs = []
    for form in found:
        try:
            graphs.append(_parsed(Source(source.name, source.data), form, table, complement=False, options={}))
        except InputError:
            return False
    one = graphs[0]
    return all(
        (other.names is None) == (one.names is None)
        and (one.names is None or other.names is None or one.names.digest() == other.names.digest())
        and type(one.graph) is type(other.graph)
        and np.array_equal(one.graph.arrays[0], other.graph.arrays[0])
        and np.array_equal(one.graph.arrays[1], other.graph.arrays[1])
        for other in graphs[1:]
    )


def looks_like_graph(source: Source) -> Recognition:
    """How certain it is that a file holds a graph: proved by magic words, a p line or the file ending; never raises."""
    try:
        named = _READ_ENDINGS.get(source.suffix, "binary") != "binary"
        form = _by_content(source)
        if named or form not in (None, "ascii", "pace", "node-link"):
            return Recognition.PROVED
        if form == "node-link":
            return Recognition.FITS
        if form is not None:
            head = first_problem_line(plain_text(source))
            if head is not None:
                return Recognition.PROVED if head.word and head.edges is not None else Recognition.FITS
            return Recognition.NO
        if source.suffix in (".csv", ".tsv"):
            table = read_table(source)
            if len(table) > 1 and (table.title is not None or header_columns(table.row(0)) is not None):
                return Recognition.FITS
    except InputError:
        pass
    return Recognition.NO


def holds_conflicts(source: Source, form: ReadFormat) -> bool:
    """Whether the edges of a file are conflicts, by the ending of its name or by the word of its p line.

    Raises
    ------
    InputError
        If the p line of a file of pairs has an unknown word, so that this is undecided.
    """
    if _named_conflicts(source.file):
        return True
    if form != "pace" and source.suffix != ".gr":
        return False
    head = first_problem_line(plain_text(source))
    word = "" if head is None else head.word
    if source.suffix == ".gr" or word in PACE_WORDS:
        said = f" 'p {word}'" if word else ""
        source.assume(f"the edges of the file{said} are conflicts, so the clique is one of the complement "
                      "(instance.complement=false for the graph itself)")  # fmt: skip
        return True
    if source.suffix in (".clq", ".col", ".dimacs") or word in ("edge", "edges", "col", "clq") or head is None:
        return False
    raise InputError(
        f"the p line's word {shown(word)} does not say whether the edges are those of the graph or conflicts. "
        "Maybe say it with --set instance.complement=true or instance.complement=false?", line=head.line
    )  # fmt: skip


def _named_conflicts(name: str) -> bool:
    """Whether the ending of a file's name says that its edges are conflicts."""
    return without_ending(name.lower()).endswith((".mis", ".mis.b"))


def read_graph(
    source: Source,
    *,
    complement: bool | None = None,
    format: ReadFormat | None = None,  # noqa: A002 - the word of the command line
    counts: bool | None = None,
    names: bool | None = None,
) -> GraphFile:
    """The graph in a file of any format, and the names of its vertices.

    Parameters
    ----------
    complement
        Whether the file holds the conflicts (an independent set or vertex cover problem); by default, whether its
        name ends in `.mis` or `.gr` or it is a PACE file.
    format
        Format of the file; by default detected from the content and the name, see `format_of`.
    counts
        Whether the first row of an edge list gives the numbers of vertices and edges; by default, derived from the
        rows.
    names
        Whether the vertices of an edge list are words even if they look like numbers.

    Raises
    ------
    InputError
        If the file is malformed, with file and line; or if format, counts or conflicts are ambiguous.
    ConfigurationError
        If `counts` or `names` is given, and the file is not an edge list.
    """
    try:
        form, table = _format_and_table(source, words=names is True) if format is None else (format, None)
        if form not in _SEVERAL:
            source.single("one graph")
        if form != "edge-list" and (counts is not None or names is not None):
            option = "names" if counts is None else "counts"
            raise ConfigurationError(f"instance.{option} is an option of edge lists (this is {form})")
        if complement is None:
            complement = holds_conflicts(source, form)
        table = read_table(source, words=names is True) if table is None and form in _TABLES else table
        options: dict[str, Any] = {"counts": counts, "words": names, "strict": format is None}
        found = _parsed(source, form, table, complement=complement, options=options)
        return replace(found, conflicts=complement)
    except InputError as error:
        raise error.located(source.name) from None


def _parsed(
    source: Source, form: ReadFormat, table: Table | None, *, complement: bool, options: Mapping[str, Any]
) -> GraphFile:
    if form == "binary":
        read = dimacs_binary.parse(source)
        return replace(read, graph=read.graph.complement()) if complement else read
    if table is None or form not in _TABLES:
        found = _WHOLE[form](source, complement=complement)
        return found if isinstance(found, GraphFile) else GraphFile(found)
    if form == "edge-list":
        return edge_list.parse_edge_list(source, table, complement=complement, **options)
    if form == "adjacency-matrix":
        return adjacency.parse_matrix(source, table, complement=complement)
    return adjacency.parse_lists(source, table, complement=complement)


def parse_graph(
    source: Source,
    *,
    complement: bool | None = None,
    format: ReadFormat | None = None,  # noqa: A002
) -> AnyGraph:
    """The graph of `read_graph` without the names of its vertices, which are numbered in their order."""
    return read_graph(source, complement=complement, format=format).graph


def load_graph(path: str | os.PathLike[str], *, complement: bool | None = None) -> AnyGraph:
    """`parse_graph` of a file; a file that cannot be read is an `InputError` too."""
    return read_graph(open_source(path), complement=complement).graph


def save_graph(
    path: Path | str,
    graph: AnyGraph,
    format: Format = "ascii",  # noqa: A002 - the word of the command line
    *,
    comment: str = "",
    complement: bool | None = None,
    weights: Sequence[str] | None = None,
) -> None:
    """Write a graph, or its complement for independent set solvers, atomically.

    Parameters
    ----------
    complement
        Whether the conflicts are written; by default only to PACE files and to names that end in `.mis` or `.gr`, in
        which `read_graph` expects them.
    weights
        Weight of each vertex, as written to the file; only for the formats of `WEIGHTED`.

    Raises
    ------
    ConfigurationError
        If the format is unknown, or cannot store weights.
    InputError
        If the file cannot be written.
    MatheurError
        If the complement of a sparse graph is requested, and has too many edges.
    """
    if format not in _WRITERS:
        raise ConfigurationError(f"unknown graph format '{format}'. {nearest(format, _WRITERS)}")
    inverted = complement
    if inverted is None:
        inverted = format == "pace" or _named_conflicts(str(path)) or ending_of(path) == ".gr"
    if inverted and isinstance(graph, SparseGraph):
        check_size(graph.n, graph.n * (graph.n - 1) - 2 * graph.edges)
    said = {}
    if weights is not None:
        if format not in WEIGHTED:
            raise ConfigurationError(f"{format} files have no weights of vertices. Maybe {' or '.join(WEIGHTED)}?")
        if format == "metis" and not all(weight.isdigit() for weight in weights):
            raise ConfigurationError("weights in metis files are whole numbers from 0. Maybe ascii?")
        said["weights"] = weights
    lines = "\n".join(map(printable, comment.splitlines()))  # names of files may be no UTF-8
    write_packed(path, _WRITERS[format](graph, lines, complement=inverted, **said))
