"""Maximum clique on the command line: recognise, read, generate and draw."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.problem_type import Generated
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, nearest, shown
from matheur.methods.clique.formats import READ_FORMATS, looks_like_graph, read_graph
from matheur.methods.clique.formats.dimacs_ascii import chunks
from matheur.methods.clique.formats.names import GraphFile, Names
from matheur.methods.clique.graph import Graph
from matheur.problems.max_clique import generator
from matheur.problems.max_clique.builtin import builtin
from matheur.problems.max_clique.picture import picture
from matheur.problems.max_clique.problem import MaxClique
from matheur.problems.max_clique.weights import weights_of
from matheur.problems.simple_type import SimpleType
from matheur.problems.type_options import check_known, check_seed

__all__ = ["TYPE", "MaxCliqueType"]

_SOLUTION_BYTES_MAX = 50_000_000
_ANNOUNCED = re.compile(r"(?:size=([0-9]{1,9})(?:,\s*weight=[^:]*)?|(?:max(?:imum)?[ -])?clique):(.*)", re.IGNORECASE)
_READ_OPTIONS = ("complement", "counts", "format", "names", "weights")
_OPTIONS: Mapping[str, Mapping[str, int | float]] = {
    "hidden": {"size": 300, "density": 0.7, "clique": 0},
    "gnp": {"size": 200, "density": 0.9},
    "rb": {"size": 30, "domain": 0, "tightness": 0.25},
    "hamming": {"size": 8, "distance": 4},
    "johnson": {"size": 16, "weight": 2, "distance": 4},
    "keller": {"size": 4},
}


class MaxCliqueType(SimpleType[MaxClique]):
    """Implements `matheur.engine.problem_type.ProblemType` for maximum clique."""

    name = "max-clique"
    summary = "find a largest set of pairwise adjacent vertices of a graph (DIMACS, BHOSLIB)"
    problem = MaxClique
    instances = builtin
    pictures = picture

    def recognises(self, source: Source) -> Recognition:
        """Confidence that the content or the name belongs to a graph file. Never raises."""
        return looks_like_graph(source)

    def read(self, source: Source, options: Mapping[str, Any] = MappingProxyType({})) -> MaxClique:
        """The graph in a file.

        Options are `format`, `complement` (whether edges in the file are conflicts), `weights` (see
        `matheur.problems.max_clique.weights`), and for edge lists `counts` (whether the first row gives the numbers of
        vertices and edges) and `names` (whether vertices are always read as words).
        """
        check_known(options, _READ_OPTIONS, "graph files")
        form = options.get("format")
        if form is not None and form not in READ_FORMATS:
            raise ConfigurationError(f"unknown graph format {form!r}. {nearest(str(form), READ_FORMATS)}")
        said: dict[str, bool | None] = {key: options.get(key) for key in ("complement", "counts", "names")}
        for key, value in said.items():
            if value is not None and not isinstance(value, bool):
                raise ConfigurationError(f"{key} is true or false ({value!r})")
        found = read_graph(source, format=form, **said)
        return _weighted(found, _title(source), options, source)

    def builtin(self, name: str, options: Mapping[str, Any] = MappingProxyType({})) -> MaxClique:
        """A built-in graph by name; its only option is `weights`."""
        check_known(options, ("weights",), "built-in graphs")
        return _weighted(GraphFile(builtin(name)), name, options, Source("<built-in>", b""))

    def read_solution(self, problem: MaxClique, source: Source) -> NDArray[np.int32]:
        """Vertices by their names in the file, as a JSON list or as text.

        Text has names separated by white space or commas, lines `v 3 7`, or an output line of cliquer such as
        `size=2, weight=2:   3 7`. Names are numbers from 1, unless the file has other names.

        Raises
        ------
        InputError
            If the file is not such a list. The evaluator checks whether the vertices are a clique.
        """
        source.limited(_SOLUTION_BYTES_MAX, "a clique")
        text = source.text.strip()
        try:
            if text[:1] in ("[", "{"):
                data = source.json
            elif problem.names is not None and problem.names.words:
                data = _named(_bare(source.lines, problem.names), problem.names)
            else:
                data = _plain(_bare(source.lines))
            if isinstance(data, dict):
                data = next((data[key] for key in ("solution", "vertices", "clique") if key in data), None)
            return problem.decode(data)
        except InputError as error:
            raise error.located(source.name) from None
        except (ValueError, RecursionError) as error:
            raise InputError(f"not a list of vertices ({str(error)[:60]})", source=source.name) from None

    def generate(self, options: Mapping[str, Any], seed: int) -> Generated:
        """A graph as a DIMACS file; its solution is the hidden clique, or a greedy clique by degree.

        Files whose names end in `.mis` or `.gr` hold the conflicts, as `read` expects.

        Options are `kind` (see `matheur.problems.max_clique.generator`; default `hidden`), `size` (number of vertices;
        of variables for `rb`, of letters for `hamming`, of elements for `johnson`, the dimension for `keller`), and
        depending on the kind, `density`, `clique`, `domain`, `tightness`, `distance` and `weight`.

        Raises
        ------
        ConfigurationError
            If an option is unknown or its value is invalid.
        """
        check_seed(seed)
        kind = options.get("kind", next(iter(_OPTIONS)))
        if kind not in _OPTIONS:
            raise ConfigurationError(f"unknown kind of graph {kind!r}. {nearest(str(kind), _OPTIONS)}")
        values = dict(_OPTIONS[kind])
        for key, value in options.items():
            if key == "kind":
                continue
            if key not in values:
                raise ConfigurationError(f"graphs of kind '{kind}' have no option {key!r}. {nearest(str(key), values)}")
            values[key] = _number(key, value, values[key])
        graph, clique = _MAKERS[kind](values, np.random.default_rng(seed))
        problem = MaxClique(graph)
        said = ", ".join(f"{key} {value}" for key, value in values.items() if value)
        comment = f"{kind}: {said}, seed {seed}"

        def conflicts() -> str:
            return b"".join(chunks(graph, comment, complement=True)).decode()

        text = b"".join(chunks(graph, comment)).decode()
        return Generated(text, problem.encode(clique), len(clique), forms={".mis": conflicts, ".gr": conflicts})


TYPE = MaxCliqueType()

_Values = dict[str, int | float]


def _title(source: Source) -> str:
    return PurePath(source.name).name if not source.name.startswith("<") else ""


def _bare(rows: list[str], names: Names | None = None) -> list[str]:
    """The rows without the label of a clique; a size in the label is checked, to detect a truncated row."""
    found, first = list(rows), 0
    for line, row in enumerate(map(str.strip, rows), 1):
        label = _ANNOUNCED.fullmatch(row)
        if label is None or (names is not None and names.vertex(row) is not None):
            continue
        if first:
            raise InputError(f"a second clique, the first is in line {first}", line=line)
        first, found[line - 1] = line, label[2]
        many = len(label[2].replace(",", " ").split())
        if names is None and label[1] is not None and int(label[1]) != many:
            raise InputError(f"{many} vertices after size={label[1]}", line=line)
    return found


def _plain(rows: list[str]) -> list[int]:
    numbers: list[int] = []
    for line, words in enumerate((row.replace(",", " ").split() for row in rows), 1):
        if not words or words[0].startswith(("c", "#", "%")):
            continue
        for word in words[1:] if words[0] == "v" else words:
            if not re.fullmatch(r"-?[0-9]{1,18}", word):
                raise InputError(f"not a vertex ({shown(word)})", line=line)
            numbers.append(int(word))
    return numbers


def _named(rows: list[str], names: Names) -> list[str]:
    """The names on the rows; blanks and commas need quotes, unless it is alone on its row."""
    found: list[str] = []
    for line, row in enumerate(map(str.strip, rows), 1):
        if not row:
            continue
        if names.vertex(row) is not None:
            found.append(row)
            continue
        if row[0] in "#%":
            continue
        parts = [part.strip().strip('"') for part in row.split(",")]
        if not all(names.vertex(part) is not None for part in parts):
            words = [one.replace('""', '"') or two for one, two in re.findall(r'"((?:[^"]|"")*)"|([^\s,;]+)', row)]
            parts = words[1:] if words[:1] == ["v"] and names.vertex("v") is None else words
        for part in parts:
            if names.vertex(part) is None:
                raise InputError(f"no such vertex ({shown(part)}); {names.hint(part)}", line=line)
        found += parts
    return found


def _weighted(found: GraphFile, title: str, options: Mapping[str, Any], source: Source) -> MaxClique:
    """The problem with the selected weights, and with the assumptions recorded in `source`."""
    found, weights = weights_of(options.get("weights"), found, source)
    values, decimals = (None, 0) if weights is None else (weights.values, weights.decimals)
    return MaxClique(found.graph, title, tuple(source.assumed), found.names, values, decimals)


def _number(key: str, value: Any, default: int | float) -> int | float:
    wanted = (int, float) if isinstance(default, float) else (int,)
    if isinstance(value, str) and value.strip().isdecimal() and len(value) < 9:
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, wanted) or not 0 <= value < 10**9:
        raise ConfigurationError(
            f"{key} must be a {'number' if len(wanted) > 1 else 'whole number'} from 0 ({value!r})"
        )
    return value


def _vertices(count: int | float, what: str = "vertices") -> int:
    if not 1 <= count <= generator.VERTICES_MAX:
        raise ConfigurationError(f"a generated graph has 1 to {generator.VERTICES_MAX} {what} ({count})")
    return int(count)


def _share(value: int | float) -> float:
    if not 0 <= value <= 1:
        raise ConfigurationError(f"density must be between 0 and 1 ({value})")
    return float(value)


def _hidden(o: _Values, rng: np.random.Generator) -> tuple[Graph, NDArray[np.int32]]:
    n, density = _vertices(o["size"]), _share(o["density"])
    return generator.hidden(n, density, int(o["clique"]) or generator.hidden_size(n, density), rng)


def _gnp(o: _Values, rng: np.random.Generator) -> tuple[Graph, NDArray[np.int32]]:
    return generator.gnp(_vertices(o["size"]), _share(o["density"]), rng)


def _rb(o: _Values, rng: np.random.Generator) -> tuple[Graph, NDArray[np.int32]]:
    variables = int(o["size"])
    domain = int(o["domain"]) or max(2, round(max(variables, 2) ** 0.8))
    _vertices(variables * domain)
    return generator.model_rb(variables, domain, rng, tightness=float(o["tightness"]))


def _hamming(o: _Values, _: np.random.Generator) -> tuple[Graph, NDArray[np.int32]]:
    _vertices(generator.sizes("hamming", min(64, int(o["size"]))))
    return generator.hamming(int(o["size"]), int(o["distance"]))


def _johnson(o: _Values, _: np.random.Generator) -> tuple[Graph, NDArray[np.int32]]:
    if o["size"] > 62:
        raise ConfigurationError(f"johnson graphs are made of up to 62 elements ({o['size']})")
    _vertices(generator.sizes("johnson", int(o["size"]), int(o["weight"])))
    return generator.johnson(int(o["size"]), int(o["weight"]), int(o["distance"]))


def _keller(o: _Values, _: np.random.Generator) -> tuple[Graph, NDArray[np.int32]]:
    if not 2 <= o["size"] <= 6:
        raise ConfigurationError(f"keller graphs have dimension 2 to 6 ({o['size']})")
    return generator.keller(int(o["size"]))


_MAKERS: Mapping[str, Callable[[_Values, np.random.Generator], tuple[Graph, NDArray[np.int32]]]] = {
    "hidden": _hidden,
    "gnp": _gnp,
    "rb": _rb,
    "hamming": _hamming,
    "johnson": _johnson,
    "keller": _keller,
}
