"""Weights of vertices: from the graph's file, from a separate file, or by a standard rule."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isfinite
from numbers import Rational
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source, open_source
from matheur.errors import ConfigurationError, InputError, MatheurError, shown
from matheur.methods.clique.formats.names import GraphFile, Names
from matheur.methods.clique.formats.tables import read_table
from matheur.methods.clique.graph import Graph
from matheur.methods.clique.sparse_graph import edge_pairs, graph_of_pairs
from matheur.methods.clique.weights import TOTAL_MAX, checked_weights
from matheur.problems.decimals import DECIMALS_MAX, decimal_parts, fraction_of

__all__ = ["Weights", "weights_of", "weights_of_numbers"]

_MODULO = re.compile(r"modulo-([1-9][0-9]{0,8})")
_NUMBER, _FROM_1 = re.compile(r"-?[0-9]{1,18}"), re.compile(r"[1-9][0-9]{0,17}")
_COLUMNS = ("weight", "weights", "w", "value", "score")
_VERTICES = ("vertex", "node")

Said = Mapping[int, tuple[str, int | None]]


@dataclass(frozen=True, eq=False, slots=True)
class Weights:
    """A weight for each vertex.

    Attributes
    ----------
    values
        Integer weights (int64), read-only.
    decimals
        Number of decimals by which the numbers of the file were scaled to integers: the weight of vertex v is
        `values[v] / 10**decimals`.
    """

    values: NDArray[np.int64]
    decimals: int = 0


def weights_of(option: Any, found: GraphFile, source: Source) -> tuple[GraphFile, Weights | None]:
    """The weights selected by an option; None to maximise the number of vertices.

    Parameters
    ----------
    option
        None: the weights in the graph's file, unless all are 1; `none` or false: no weights; `file` or true: the
        weights in the graph's file, which must have some; `modulo-K`: vertex v (from 1) has weight v mod K + 1, as in
        the weighted DIMACS graphs, where K is 200. Otherwise the name of a file, relative to the working directory or
        to the folder of the graph's file, with rows `VERTEX WEIGHT` or one weight per row.
    found
        Content of the graph's file.
    source
        The graph's file, which records assumptions.

    Returns
    -------
    tuple
        The graph and the weights. If the vertices are those named by edges, the graph also gets vertices that only the
        file of weights names.

    Raises
    ------
    ConfigurationError
        If the option has another form, or selects weights that do not exist.
    InputError
        If a weight is not a number, or a file is malformed.
    """
    n, held = found.graph.n, found.weights
    if option is None:
        return found, None if held is None else _by_itself(n, held, source, demands=found.demands)
    if option is True or option == "file":
        if held is None:
            raise ConfigurationError("the file of the graph has no weights of vertices. Maybe --weights FILE?")
        return found, _scaled(n, held, source)
    if option is False or option == "none":
        return found, None
    if not isinstance(option, str) or not option:
        raise ConfigurationError(f"weights is a file, 'file', 'none' or 'modulo-200' ({option!r})")
    modulo = _MODULO.fullmatch(option)
    if modulo is not None:
        return found, Weights(checked_weights(n, np.arange(1, n + 1, dtype=np.int64) % int(modulo[1]) + 1))
    given = source.companion(option) if source.confined or _is_companion(option, source) else open_source(option)
    try:
        rows = _rows(n, given, found.vertex)
        if found.by_edges:
            found = _with_others(found, [name for name, _, _ in rows if isinstance(name, str)], source)
        return found, _scaled(found.graph.n, _said(rows, found), given, source)
    except InputError as error:
        raise error.located(given.name) from None


def _is_companion(name: str, source: Source) -> bool:
    """Whether a file exists only relative to the graph's file, as in a campaign that runs in another folder."""
    return not _exists(name) and _exists(os.path.join(os.path.dirname(source.name), name))


def _exists(path: str) -> bool:
    return "\0" not in path and os.path.exists(path)


def _by_itself(n: int, held: Said, source: Source, *, demands: bool) -> Weights | None:
    """The weights of the graph's file without an option: None if all are 1, or if they are probably not weights."""
    ones = {"1"}.issuperset(word for word, _ in held.values())
    if demands and not ones:
        source.assume("vertex numbers are ignored, since edges have numbers too (instance.weights=file "
                      "reads them as weights)")  # fmt: skip
    if demands or ones:
        return None
    found = _scaled(n, held, source)
    if found.decimals == 0 and (found.values == 1).all():
        return None
    source.assume("vertices have the weights given in the file (instance.weights=none for a clique of most vertices)")
    return found


def _rows(n: int, given: Source, vertex_of: Callable[[str], int | None]) -> list[tuple[str | int, str, int]]:
    """The rows of a file of weights: name (the vertex itself if rows have weights only), weight and line."""
    table = read_table(given, words=True)
    if not len(table):
        raise InputError("no weight in it")
    first = table.row(0)
    headed = decimal_parts(first[-1]) is None and (len(first) == 1 or vertex_of(first[0]) is None)
    start = 1 if headed else 0
    if (table.widths == 1).all():
        if len(table) - start != n:
            raise InputError(f"{len(table) - start} weights for {n} vertices. Maybe rows 'VERTEX WEIGHT'?")
        return [(at, table.row(at + start)[0], table.line(at + start)) for at in range(n)]
    others = np.flatnonzero(table.widths != len(first))
    if len(others):
        at = int(others[0])
        row = table.row(at)
        raise InputError(f"{len(row)} words on a line, {len(first)} on the first one ({shown(' '.join(row))})",
                         line=table.line(at))  # fmt: skip
    name, weight = _columns(first, headed=headed)
    rows = ((table.row(at), table.line(at)) for at in range(start, len(table)))
    return [(row[name], row[weight], line) for row, line in rows]


def _with_others(found: GraphFile, words: Sequence[str], source: Source) -> GraphFile:
    """The graph with an isolated vertex (adjacent to all if edges are conflicts) for each word that no edge names."""
    others = list(dict.fromkeys(word for word in words if found.vertex(word) is None))
    graph, names = found.graph, found.names
    old = np.arange(1, graph.n + 1) if names is None else names.labels
    number = _FROM_1 if names is None else _NUMBER
    if not others or not (isinstance(old, tuple) or all(map(number.fullmatch, others))):
        return found
    if isinstance(old, tuple):
        n, names, place = len(old) + len(others), Names((*old, *others)), np.arange(graph.n)
    else:
        labels = np.unique(np.concatenate((old, np.array(list(map(int, others)), dtype=np.int64))))
        n, place = len(labels), np.searchsorted(labels, old)
        names = None if np.array_equal(labels, np.arange(1, n + 1)) else Names(labels)
    if found.conflicts and isinstance(graph, Graph):
        u, v = np.repeat(np.arange(graph.n), np.diff(graph.ptr)), graph.idx.astype(np.int64)
    else:
        u, v = edge_pairs(graph)
    source.assume(f"{len(others):,} vertices are named by the weights only")
    graph = graph_of_pairs(n, place[u], place[v], complement=found.conflicts)
    return replace(found, graph=graph, names=names)


def _said(rows: Sequence[tuple[str | int, str, int]], found: GraphFile) -> dict[int, tuple[str, int]]:
    """The rows by vertex."""
    said: dict[int, tuple[str, int]] = {}
    for name, weight, line in rows:
        vertex = name if isinstance(name, int) else found.vertex(name)
        if vertex is None:
            raise InputError(f"no such vertex ({shown(str(name))})", line=line)
        if vertex in said:
            raise InputError(f"a second weight of vertex {shown(str(name))}; line {said[vertex][1]} has the first one",
                             line=line)  # fmt: skip
        said[vertex] = (weight, line)
    return said


def _columns(first: list[str], *, headed: bool) -> tuple[int, int]:
    """Column numbers of vertex and weight, from the words of the first row."""
    heads = [word.lower() for word in first] if headed else []
    weight = next((heads.index(word) for word in _COLUMNS if word in heads), None)
    if weight is None and len(first) > 2:
        raise InputError(f"{len(first)} columns, of which none is headed 'weight'", line=1)
    weight = 1 if weight is None else weight
    named = [column for column, word in enumerate(heads) if word and column != weight]  # pandas names no index
    name = named[0] if named else int(weight == 0)
    return next((heads.index(word) for word in _VERTICES if word in heads), name), weight


def _scaled(n: int, said: Said, of: Source, notes: Source | None = None) -> Weights:
    """Integer weights from the rows of a file; vertices without a row have weight 1."""
    parts = {}
    for vertex, (word, line) in said.items():
        number = decimal_parts(word)
        if number is None:
            raise InputError(f"not a weight ({shown(word)})", line=line, source=of.name)
        parts[vertex] = number
    notes = of if notes is None else notes
    if len(parts) < n:
        notes.assume(f"{n - len(parts):,} vertices without a weight have weight 1")
    decimals = max((places for _, places in parts.values()), default=0)
    exact = [10**decimals] * n
    for vertex, (whole, places) in parts.items():
        exact[vertex] = whole * 10 ** (decimals - places)
    try:
        if any(abs(value) >= 1 << 63 for value in exact):
            raise MatheurError("a weight does not fit in 63 bits")
        values = checked_weights(n, np.array(exact, dtype=np.int64))
    except MatheurError as error:
        raise InputError(f"{error}{', or fewer decimals' if decimals else ''}", source=of.name) from None
    if decimals:
        notes.assume(f"decimals are scaled: the objective counts in 1/{10**decimals}, the score in units of the file")
    return Weights(values, decimals)


def weights_of_numbers(numbers: Sequence[Any], notes: list[str]) -> Weights:
    """The weights from numbers of any type; floating-point numbers count as they are printed.

    Numbers with so many decimals that their sum would not fit in 62 bits are rounded, which is recorded in `notes`.

    Raises
    ------
    InputError
        If an entry is not a finite number.
    MatheurError
        If the sum does not fit even after rounding to integers.
    """
    exact = [_fraction(number) for number in numbers]
    total = sum(map(abs, exact), Fraction(0))
    room = next((places for places in range(DECIMALS_MAX, -1, -1) if total * 10**places < TOTAL_MAX // 2), 0)
    decimals = 0
    while decimals < room and any((number * 10**decimals).denominator != 1 for number in exact):
        decimals += 1
    scaled = [round(number * 10**decimals) for number in exact]
    if any(Fraction(whole, 10**decimals) != number for whole, number in zip(scaled, exact, strict=True)):
        notes.append(f"weights are rounded to {decimals} decimals")
    if any(abs(whole) >= TOTAL_MAX for whole in scaled):
        raise MatheurError("the sum of the weights does not fit in 62 bits. Maybe smaller weights?")
    return Weights(checked_weights(len(scaled), np.array(scaled, dtype=np.int64)), decimals)


def _fraction(number: Any) -> Fraction:
    """The number as it is printed."""
    if isinstance(number, np.floating) and np.isfinite(number):
        return Fraction(str(number))
    if isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, Rational):
        return Fraction(number)
    if isinstance(number, float) and isfinite(number):
        return Fraction(repr(number))
    found = None if isinstance(number, float) else fraction_of(str(number))
    if found is None:
        raise InputError(f"not a weight ({shown(str(number), 40)})")
    return found
