"""Random graphs in the formats of many fields, written here and not by the package, and read again by it.

A graph is a set of names and a set of pairs. What the reader makes of a file is compared name by name and edge by edge,
and the largest clique with that of networkx.
"""

from __future__ import annotations

import gzip
import random
import tempfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from pathlib import Path
from typing import Any

import networkx as nx

from matheur.errors import InputError
from matheur.methods.clique import solve_exact
from matheur.problems.max_clique import MaxClique
from matheur.running.loading import load_instance

__all__ = ["VARIANTS", "Drawn", "File", "draw", "section", "wrong"]

Name = int | str
Edges = frozenset[frozenset[Name]]


@dataclass(frozen=True)
class Drawn:
    """A graph of vertices 1 to n and its edges as pairs, the smaller vertex first."""

    seed: int
    n: int
    edges: tuple[tuple[int, int], ...]

    @property
    def roll(self) -> random.Random:
        """A source of chance for the writer of a file."""
        return random.Random(self.seed)


@dataclass(frozen=True)
class File:
    """A file, what it holds, the options that its reader needs, and the name of its variant."""

    name: str
    data: bytes
    vertices: frozenset[Name]
    edges: Edges
    options: Mapping[str, Any] = field(default_factory=dict)
    said: str = ""


def draw(seed: int) -> Drawn:
    """A graph of up to 30 vertices."""
    roll = random.Random(seed)
    n = roll.choice((0, 1, 2, 3, 4, 5, 6, 8, 12, 20, 30))
    density = roll.choice((0.0, 0.1, 0.3, 0.5, 0.8, 1.0))
    return Drawn(seed, n, tuple(pair for pair in combinations(range(1, n + 1), 2) if roll.random() < density))


def _shuffled(one: Drawn, edges: tuple[tuple[int, int], ...] | None = None) -> list[tuple[int, int]]:
    roll = one.roll
    pairs = [pair if roll.random() < 0.5 else pair[::-1] for pair in (one.edges if edges is None else edges)]
    roll.shuffle(pairs)
    return pairs


def _conflicts(one: Drawn) -> tuple[tuple[int, int], ...]:
    there = set(one.edges)
    return tuple(pair for pair in combinations(range(1, one.n + 1), 2) if pair not in there)


def _whole(one: Drawn, name: str, text: str | bytes, **options: Any) -> File:
    """A file of all vertices, which are 1 to n."""
    data = text.encode() if isinstance(text, str) else text
    edges: Edges = frozenset(map(frozenset, one.edges))
    return File(name, data, frozenset(range(1, one.n + 1)), edges, options)


def _dimacs(one: Drawn, name: str, head: str, line: str = "e {} {}\n", conflicts: bool = False) -> File:
    pairs = _shuffled(one, _conflicts(one) if conflicts else None)
    return _whole(one, name, head.format(one.n, len(pairs)) + "".join(line.format(*pair) for pair in pairs))


def _weighted(one: Drawn) -> File:
    roll = one.roll
    text = f"c distances\np col {one.n} {len(one.edges)}\n" + "".join(f"n {v} {v % 3}\n" for v in range(1, one.n + 1))
    return _whole(one, "g.col", text + "".join(f"e {u} {v} {roll.randint(1, 9)}\n" for u, v in _shuffled(one)))


def _binary(one: Drawn) -> File:
    preamble = f"c by hand\np col {one.n} {len(one.edges)}\n".encode()
    there, rows = set(one.edges), []
    for i in range(one.n):
        bits = [(j + 1, i + 1) in there for j in range(i)] + [False] * (8 - i % 8)
        rows.append(bytes(sum(bit << (7 - k) for k, bit in enumerate(bits[at : at + 8])) for at in range(0, i + 1, 8)))
    return _whole(one, "g.clq.b", b"%d\n" % len(preamble) + preamble + b"".join(rows))


def _neighbours(one: Drawn) -> list[list[int]]:
    around: list[list[int]] = [[] for _ in range(one.n)]
    for u, v in _shuffled(one):
        around[u - 1].append(v)
        around[v - 1].append(u)
    return around


def _metis(one: Drawn, name: str = "g.graph", pattern: str = "") -> File:
    rows = _neighbours(one)
    lines = [" ".join(f"{v} 7" if pattern else f"{v}" for v in row) for row in rows]
    if pattern:
        lines = [f"5 {row}" for row in lines]
    head = f"{one.n} {len(one.edges)} {pattern}".strip()
    return _whole(one, name, "% a comment\n" * bool(one.seed % 2) + "\n".join([head, *lines]) + "\n")


def _market(one: Drawn, kind: str) -> File:
    pairs, n = _shuffled(one), one.n
    head = f"%%MatrixMarket matrix {kind}\n% made by hand\n"
    if kind.startswith("array"):
        there = {*one.edges, *((v, u) for u, v in one.edges)}
        values = "".join(f"{float((i, j) in there)}\n" for j in range(1, n + 1) for i in range(1, n + 1))
        return _whole(one, "g.mtx", f"{head}{n} {n}\n{values}")
    if kind.endswith("general"):
        pairs += [(v, u) for u, v in pairs]
        rows = "".join(f"{u} {v} {1.5 + u}\n" for u, v in pairs)
    else:
        rows = "".join(f"{max(pair)} {min(pair)}\n" for pair in pairs)
    return _whole(one, "g.mtx", f"{head}{n} {n} {len(pairs)}\n{rows}")


def _pace(one: Drawn, word: str, conflicts: bool) -> File:
    pairs = _shuffled(one, _conflicts(one) if conflicts else None)
    text = f"c pace\np {word} {one.n} {len(pairs)}\n" + "".join(f"{u} {v}\n" for u, v in pairs)
    return _whole(one, "g.gr", text, **({} if conflicts else {"complement": False}))


def _named(one: Drawn, name: str, names: Callable[[int], Name], line: str, head: str = "", **options: Any) -> File:
    """An edge list: its vertices are those that an edge names."""
    pairs = [(names(u), names(v)) for u, v in _shuffled(one)]
    text = head.format(one.n, len(pairs)) + "".join(line.format(*pair) for pair in pairs)
    return File(name, text.encode(), frozenset(end for pair in pairs for end in pair),
                frozenset(map(frozenset, pairs)), options)  # fmt: skip


def _counted(one: Drawn, first: int, head: str = "{} {}\n") -> File:
    made = _named(one, "g.edges", lambda v: v - 1 + first, "{} {}\n", head)
    least = 0 if 0 in made.vertices else 1  # without vertex 0, nothing says that it is there
    return File(made.name, made.data, frozenset(range(least, one.n + least)), made.edges)


def _matrix(one: Drawn, between: str) -> File:
    there = {*one.edges, *((v, u) for u, v in one.edges)}
    rows = [between.join(str(int((i, j) in there)) for j in range(1, one.n + 1)) for i in range(1, one.n + 1)]
    return _whole(one, "g.txt", "".join(f"{row}\n" for row in rows))


def _lists(one: Drawn, colon: str) -> File:
    rows = [f"{v}{colon} {' '.join(map(str, row))}".strip() for v, row in enumerate(_neighbours(one), 1)]
    return _whole(one, "g.txt", "".join(f"{row}\n" for row in rows), format="adjacency-list")


def _changed(
    of: Callable[[Drawn], File], change: Callable[[bytes], bytes], ending: str = ""
) -> Callable[[Drawn], File]:
    def made(one: Drawn) -> File:
        plain = of(one)
        return File(plain.name + ending, change(plain.data), plain.vertices, plain.edges, plain.options)

    return made


_WORDS = ("ann", "bob", "cy", "dee", "Éva", "o'neil", "c", "e", "p", "x-1")
_LETTERS = "c e p a b x y".split()  # noqa: SIM905


def _word(v: int) -> str:
    return _WORDS[v % len(_WORDS)] + ("" if v < len(_WORDS) else str(v))


def _ascii(one: Drawn) -> File:
    return _dimacs(one, "g.clq", "c a\np edge {} {}\n")


def _from_one(one: Drawn) -> File:
    return _named(one, "g.edges", lambda v: v, "{} {}\n")


def _csv(one: Drawn) -> File:
    return _named(one, "g.csv", _word, "{},{}\n", "source,target\n")


VARIANTS: Mapping[str, Callable[[Drawn], File]] = {
    "dimacs": _ascii,
    "dimacs without word": lambda one: _dimacs(one, "g.clq", "p {} {}\n"),
    "dimacs in a txt": lambda one: _dimacs(one, "g.txt", "c\np col {} {}\n"),
    "dimacs with a third number": lambda one: _dimacs(one, "g.col", "P\tedges  {} {} 7 \n", "\te  {}\t{} \n"),
    "dimacs in capitals": lambda one: _dimacs(one, "G.CLQ", "P EDGE {} {}\n", "E {} {}\n"),
    "dimacs, each edge twice": lambda one: _dimacs(one, "g.clq", "p edge {} {}\n", "e {0} {1}\ne {1} {0}\n"),
    "dimacs with weights": _weighted,
    "dimacs binary": _binary,
    "mis": lambda one: _dimacs(one, "g.mis", "p edge {} {}\n", conflicts=True),
    "mis without word": lambda one: _dimacs(one, "g.mis", "p {} {}\n", conflicts=True),
    "metis": _metis,
    "metis with weights": lambda one: _metis(one, pattern="011"),
    "metis without its ending": lambda one: _metis(one, "g.txt"),
    "matrix market pattern": lambda one: _market(one, "coordinate pattern symmetric"),
    "matrix market real": lambda one: _market(one, "coordinate real general"),
    "matrix market array": lambda one: _market(one, "array real general"),
    "pace vertex cover": lambda one: _pace(one, "td", True),
    "pace treewidth": lambda one: _pace(one, "tw", False),
    "edges from 1": _from_one,
    "edges from 1 in a txt": lambda one: _named(one, "g.txt", lambda v: v, "{} {}\n"),
    "edges from 0": lambda one: _named(one, "g.el", lambda v: v - 1, "{}\t{}\n", "# nodes {} edges {}\n"),
    "edges with gaps": lambda one: _named(one, "g.edges", lambda v: 3 * v + v * v, "{} {}\n", "% gaps\n"),
    "edges with large numbers": lambda one: _named(one, "g.edges", lambda v: 10**15 + 7 * v, "{};{}\n"),
    "edges with negative numbers": lambda one: _named(one, "g.edges", lambda v: 3 - v, "{} {}\n"),
    "edges with weights": lambda one: _named(one, "g.edges", lambda v: v + 4, "{} {} 0.5\n"),
    "edges with weight and time": lambda one: _named(one, "g.txt", lambda v: v + 4, "{}\t{}\t1\t1082008561\n"),
    "edges of networkx": lambda one: _named(one, "g.edgelist", lambda v: v, "{} {} {{}}\n"),
    "edges of words": lambda one: _named(one, "g.edges", _word, "{} {}\n", "# words\n"),
    "edges of letters": lambda one: _named(one, "g.edges", lambda v: _LETTERS[v % 7] * (v // 7 + 1), "{} {}\n"),
    "csv": _csv,
    "csv with quotes": lambda one: _named(one, "g.csv", lambda v: f"no {v}, late", '"{}";"{}";5\n', "from;to;w\n"),
    "csv of numbers": lambda one: _named(one, "g.csv", lambda v: v * 10, "{},{}\n", "node1,node2\n"),
    "counted from 1": lambda one: _counted(one, 1),
    "counted from 0": lambda one: _counted(one, 0),
    "counted on two lines": lambda one: _counted(one, 1, "{}\n{}\n"),
    "adjacency matrix": lambda one: _matrix(one, " "),
    "adjacency matrix with commas": lambda one: _matrix(one, ","),
    "adjacency matrix of digits": lambda one: _matrix(one, ""),
    "adjacency lists": lambda one: _lists(one, ":"),
    "adjacency lists of networkx": lambda one: _lists(one, ""),
    "dimacs, gzip": _changed(_ascii, gzip.compress, ".gz"),
    "csv, gzip": _changed(_csv, gzip.compress, ".gz"),
    "dimacs binary, gzip": _changed(_binary, gzip.compress, ".gz"),
    "dimacs with a mark": _changed(_ascii, lambda data: b"\xef\xbb\xbf" + data),
    "metis with a mark": _changed(_metis, lambda data: b"\xef\xbb\xbf" + data),
    "dimacs in UTF-16": _changed(_ascii, lambda data: data.decode().encode("utf-16")),
    "csv in UTF-16": _changed(_csv, lambda data: data.decode().encode("utf-16")),
    "csv in Windows-1252": _changed(_csv, lambda data: data.decode().encode("cp1252")),
    "dimacs, CR LF": _changed(_ascii, lambda data: data.replace(b"\n", b"\r\n")),
    "metis, CR": _changed(_metis, lambda data: data.replace(b"\n", b"\r")),
    "edges, CR LF and an end of file": _changed(_from_one, lambda data: data.replace(b"\n", b"\r\n") + b"\x1a"),
}  # fmt: skip
"""Writers by the name of the variant."""


def wrong(one: Drawn, variant: str, folder: Path) -> str | None:
    """What the package reads wrongly; None if it is right, or says that the file is ambiguous and how to decide."""
    file = replace(VARIANTS[variant](one), said=variant)
    path = folder / file.name
    path.write_bytes(file.data)
    fault = None
    for options in _tries(file):
        try:
            found: MaxClique = load_instance(str(path), "max-clique", options)[1]
        except InputError as error:
            said = str(error)
            if file.edges and not any(words in said for words in ("may be", "no graph format", "instance.names")):
                return f"{variant}: {said}"
        else:
            said = _difference(file, found) or ""
            if not said:
                return None
            if not any(" gives " in one for one in found.assumptions):
                return f"{variant}: {said}"
        fault = fault or said
    return f"{variant}: {fault}" if file.edges else None


def _tries(file: File) -> Iterator[Mapping[str, Any]]:
    """Options to read it with: none at first, then those that messages name."""
    yield file.options
    if "metis" in file.said:
        yield {"format": "metis"}
    elif "matrix" in file.said:
        yield {"format": "adjacency-matrix"}
    elif "words" in file.said or "letters" in file.said:
        yield {"names": True}
        yield {"names": True, "counts": False}
    elif not file.options:
        yield {"format": "edge-list", "counts": "counted" in file.said}


def _difference(file: File, found: MaxClique) -> str | None:
    names = [found.name_of(vertex) for vertex in range(found.graph.n)]
    if frozenset(names) != file.vertices or len(set(names)) != len(names):
        return f"vertices {sorted(map(str, names))}, not {sorted(map(str, file.vertices))}"
    pairs = combinations(range(len(names)), 2)
    edges = frozenset(frozenset((names[u], names[v])) for u, v in pairs if found.graph.adjacent(u, v))
    if edges != file.edges:
        return f"{len(edges)} edges, not {len(file.edges)}"
    graph: Any = nx.Graph()
    graph.add_nodes_from(file.vertices)
    graph.add_edges_from(map(tuple, file.edges))
    right = nx.max_weight_clique(graph, weight=None)[1] if file.vertices else 0
    answer = solve_exact(found.graph).vertices
    said = found.encode(answer)
    if len(said) != right or any(frozenset(pair) not in file.edges for pair in combinations(said, 2)):
        return f"clique {said}, not one of {right}"
    if sorted(found.decode(said)) != sorted(answer):
        return f"clique {said} is not read again"
    return None


def section(seed: int, count: int) -> list[str]:
    """Disagreements, a line each: `count` graphs, each in all variants."""
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for at in range(seed, seed + count):
            one = draw(at)
            for variant in VARIANTS:
                fault = wrong(one, variant, Path(folder))
                if fault is not None:
                    found.append(f"graph {at} (n {one.n}, {len(one.edges)} edges), {fault}")
    return found
