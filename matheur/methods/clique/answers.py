"""Parsing of the output of clique solvers.

Supported forms: JSON (a list, or an object with `vertices`, `clique` or `solution`), cliquer's `size=S, weight=W:  v1
v2`, labelled lists (`Maximum clique: 3 7 9`, `clique = {3, 7, 9}`), lines `v 12`, the answers of vertex cover solvers
(`s vc N K`, then the cover: the other vertices are the clique), and plain numbers, also below their count.
Checking the clique shows whether vertices count from 0 or from 1. A number alone may be a size, a time or a count, so
it is a vertex only where that is certain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.methods.clique.sparse_graph import AnyGraph

__all__ = ["Answer", "Vertices", "read_answer"]

_NUMBERS = re.compile(r"[\s,;\[\](){}]*\d+(?:[\s,;\[\](){}]+\d+)*[\s,;\[\](){}]*", re.ASCII)
_KEYS = ("vertices", "clique", "solution")
_DIGITS = 9
_ALONE = re.compile(r"\bsize *= *1\b|(?:clique|solution)(?: *\([^()]*\))? *$", re.ASCII | re.IGNORECASE)
"""Labels after which one number is a vertex."""


@dataclass(frozen=True, eq=False, slots=True)
class Answer:
    """A clique in a solver's output.

    Attributes
    ----------
    vertices
        0-based, ascending, int32.
    base
        Number of the solver's first vertex, 0 or 1.
    """

    vertices: NDArray[np.int32]
    base: int


class Vertices(Protocol):
    """Objects that the vertices of a graph represent, such as placements on a board."""

    def __len__(self) -> int:
        """Number of vertices."""
        ...

    def compatible(self, vertices: NDArray[np.int64]) -> bool:
        """Whether these vertices, counted from 0, are pairwise compatible."""
        ...


def read_answer(
    source: Source,
    *,
    graph: AnyGraph | None = None,
    nodes: Vertices | None = None,
    size: int | None = None,
    bases: tuple[int, ...] = (1, 0),
    weights: NDArray[np.int64] | None = None,
) -> Answer:
    """The largest clique in a solver's output, or the heaviest one if there are weights.

    Parameters
    ----------
    graph
        If given, cliques are checked against it.
    nodes
        Objects that the vertices represent, for problems that can check their compatibility.
    size
        Number of vertices of the graph, if neither `graph` nor `nodes` is given.
    bases
        Possible numbers of the first vertex, the more likely one first.
    weights
        Whole numbers by vertex, with `graph`.

    Raises
    ------
    InputError
        If no list of vertices is found, or none is a clique with either way of counting.

    Notes
    -----
    If both ways of counting pass the check, vertices count from 1, as in DIMACS files.
    """
    n = graph.n if graph is not None else len(nodes) if nodes is not None else size
    passes = _check(graph, nodes)
    best: Answer | None = None
    most = 0
    tried: list[int] = []
    # Where there are edges, a number alone on its line is something else, such as a size.
    alone = weights is not None or graph is None or not graph.edges
    for values in _lists(source, n, alone=alone):
        tried = max(tried, values, key=len)
        if best is not None and weights is None and len(values) <= most:
            continue
        for base in bases:
            found = np.array(sorted(values), dtype=np.int64) - base
            inside = not len(found) or (found[0] >= 0 and (n is None or found[-1] < n))
            if inside and (np.diff(found) > 0).all() and passes(found):
                value = len(found) if weights is None else int(weights[found].sum())
                if best is None or value > most:
                    best, most = Answer(found.astype(np.int32), base), value
                break
    if best is None:
        shown = " ".join(map(str, tried[:8])) + (" ..." if len(tried) > 8 else "")
        what = f"not a clique, counted from 1 or from 0 ({shown})" if tried else "no list of vertices in it"
        raise InputError(f"{what}. Maybe the answer to another graph?", source=source.name)
    return best


def _check(graph: AnyGraph | None, nodes: Vertices | None) -> Callable[[NDArray[np.int64]], bool]:
    def passes(vertices: NDArray[np.int64]) -> bool:
        return (nodes is None or nodes.compatible(vertices)) and (graph is None or graph.is_clique(vertices))

    return passes


def _lists(source: Source, n: int | None, *, alone: bool) -> Iterator[list[int]]:
    """All readings of the text as a list of vertices, the more likely ones first.

    `alone`: whether the only number that stands on a line without a label may be a vertex.
    """
    text = source.text.strip()
    if text[:1] in ("[", "{"):
        parsed = _json(text)
        if parsed is not None:
            if parsed:
                yield parsed
            return
    lines = source.lines
    prefixed: list[int] = []
    single: list[int] = []
    cover: int | None = None
    counted = False
    for line in lines:
        words = line.split()
        if not words or words[0] in ("c", "p", "%") or line.lstrip().startswith("#"):
            continue
        if words[0] == "s":
            if words[1:2] == ["vc"] and len(words) == 4:
                cover = next(iter(_numbers(words[2])), None)
            continue
        if words[0] == "v":
            values = _numbers(" ".join(words[1:]))
            prefixed += values
            if len(values) > 1:
                yield values  # each line may be a clique, better than the one before
            continue
        label, mark, rest = line.rpartition(":" if ":" in line else "=")
        values = _numbers(rest if mark else line)
        if not values:
            continue
        if mark:
            # The size that cliquer announces reveals a truncated line.
            announced = re.search(r"\bsize=(\d{1,9})\b", label, re.ASCII)
            known = len(values) > 1 or _ALONE.search(label) is not None
            if known and (announced is None or int(announced[1]) == len(values)):
                yield values
            continue
        counted = len(values) == 1 if not single else counted
        single += values
        if len(values) > 1:
            yield values
    if cover is not None:
        if cover == n or n is None:
            taken = set(single or prefixed)
            if cover <= 10_000_000 and all(1 <= vertex <= cover for vertex in taken):
                yield [vertex for vertex in range(1, cover + 1) if vertex not in taken]
        return
    if prefixed:
        yield prefixed
    if len(single) > 1 or (single and alone):
        if counted and single[0] == len(single) - 1:
            yield single[1:]
        yield single


def _numbers(text: str) -> list[int]:
    """All numbers of a text of nothing but numbers; an empty list for other texts and for numbers that are too long."""
    if not _NUMBERS.fullmatch(text):
        return []
    found = re.findall(r"\d+", text, re.ASCII)
    return [] if any(len(number) > _DIGITS for number in found) else [int(number) for number in found]


def _json(text: str) -> list[int] | None:
    """The vertices in a JSON text, an empty list if it holds none; None if it is not JSON."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if isinstance(data, dict):
        data = next((data[key] for key in _KEYS if isinstance(data.get(key), list)), None)
    if isinstance(data, list) and all(type(value) is int and 0 <= value < 10**_DIGITS for value in data):
        return data
    return []
