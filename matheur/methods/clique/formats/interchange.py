"""Interchange formats of graph programs: GraphML, GEXF and GML, which networkx reads, and node-link JSON.

Vertices are named by their labels if all have one and all differ, else by their identifiers. Arcs are read as edges. A
number `weight` of a vertex is its weight; other attributes are ignored.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from io import BytesIO
from math import isfinite
from typing import Any

import numpy as np

from matheur.engine.source import Source
from matheur.errors import InputError, printable, shown
from matheur.methods.clique.formats.names import GraphFile, names_of
from matheur.methods.clique.formats.whole_numbers import make_graph

__all__ = ["is_node_link", "parse_gexf", "parse_gml", "parse_graphml", "parse_node_link"]

_BYTES_MAX = 200_000_000  # networkx takes some thirty times the size of the file
_Vertices = Sequence[tuple[Hashable, Mapping[str, Any]]]
_Pairs = Sequence[tuple[Any, Any]]


def parse_graphml(source: Source, *, complement: bool = False) -> GraphFile:
    """The graph of a GraphML file.

    Raises
    ------
    InputError
        If networkx does not read it, with its reason.
    """
    import networkx

    _check_entities(source)
    return _of_networkx(source, "GraphML", lambda: networkx.read_graphml(BytesIO(source.data)), complement)


def parse_gexf(source: Source, *, complement: bool = False) -> GraphFile:
    """The graph of a GEXF file; see `parse_graphml`."""
    import networkx

    _check_entities(source)
    return _of_networkx(source, "GEXF", lambda: networkx.read_gexf(BytesIO(source.data)), complement)


def parse_gml(source: Source, *, complement: bool = False) -> GraphFile:
    """The graph of a GML file, in which edges may be given several times; see `parse_graphml`."""
    import networkx

    def read() -> Any:
        lines = source.lines
        try:
            return networkx.parse_gml(lines, label="id")
        except networkx.NetworkXError as error:
            if "duplicated" not in str(error) or "edge" not in str(error):
                raise
        text = re.sub(r"(?i)\bgraph\s*\[", r"\g<0> multigraph 1 ", "\n".join(lines), count=1)
        return networkx.parse_gml(text.split("\n"), label="id")

    return _of_networkx(source, "GML", read, complement)


def _check_entities(source: Source) -> None:
    if b"<!ENTITY" in source.plain:  # it may unfold to any size
        raise InputError("an XML file with its own definitions (ENTITY) cannot be read")


def _of_networkx(source: Source, kind: str, read: Callable[[], Any], complement: bool) -> GraphFile:
    source.limited(_BYTES_MAX, f"a {kind} file")
    try:
        graph = read()
    except (InputError, MemoryError):
        raise
    except Exception as error:  # networkx raises what its parsers raise
        reason = printable(" ".join(str(error).split())) or type(error).__name__
        raise InputError(f"not a {kind} file that networkx reads ({reason[:120]})") from None
    vertices, pairs = list(graph.nodes(data=True)), list(graph.edges())
    return _graph(source, vertices, pairs, complement, directed=graph.is_directed())


def is_node_link(source: Source) -> bool:
    """Whether a file is JSON with a list of nodes and one of links or edges."""
    data = source.data
    if b'"nodes"' not in data or (b'"links"' not in data and b'"edges"' not in data):
        return False
    try:
        return _lists(source.json) is not None
    except InputError:
        return False


def parse_node_link(source: Source, *, complement: bool = False) -> GraphFile:
    """The graph of node-link JSON, as networkx, D3 and Cytoscape write it: nodes, and links with their ends.

    Ends are identifiers of nodes, or their positions from 0 if nodes have none.

    Raises
    ------
    InputError
        If it is not node-link JSON, an identifier is missing or given twice, or a link ends at no node.
    """
    source.limited(_BYTES_MAX, "node-link JSON")
    found = _lists(source.json)
    if found is None:
        raise InputError("no lists 'nodes' and 'links' (or 'edges') in it")
    nodes, links, directed = found
    bare = all(isinstance(node, dict) and "id" not in node for node in nodes)
    vertices = [_vertex(node, place if bare else None) for place, node in enumerate(nodes)]
    pairs = [_ends(link) for link in links]
    if isinstance(source.json.get("elements"), dict):
        # Identifiers are texts in Cytoscape; networkx writes numbers at the ends of links.
        known = {key for key, _ in vertices}
        pairs = [(u if u in known else str(u), v if v in known else str(v)) for u, v in pairs]
    return _graph(source, vertices, pairs, complement, directed=directed)


def _lists(value: Any) -> tuple[list[Any], list[Any], bool] | None:
    """Nodes, links, and whether these are arcs; None if there are no such lists."""
    if not isinstance(value, dict):
        return None
    held = value.get("elements", value)
    held = held if isinstance(held, dict) else value
    nodes = held.get("nodes")
    links = next((held[key] for key in ("links", "edges") if isinstance(held.get(key), list)), None)
    if not isinstance(nodes, list) or links is None:
        return None
    return [_inner(node) for node in nodes], [_inner(link) for link in links], value.get("directed") is True


def _inner(item: Any) -> Any:
    """What Cytoscape puts into `data`; elsewhere, an item with its own identifier or end may also have such a key."""
    wrapped = (
        isinstance(item, dict) and isinstance(item.get("data"), dict) and "id" not in item and "source" not in item
    )
    return item["data"] if wrapped else item


def _vertex(node: Any, place: int | None) -> tuple[Hashable, Mapping[str, Any]]:
    if not isinstance(node, dict):
        return _key(node), {}
    if place is None:
        return _key(node.get("id")), node
    return place, node if "label" in node else {**node, "label": node.get("name")}


def _ends(link: Any) -> tuple[Hashable, Hashable]:
    if isinstance(link, dict):
        link = [link.get("source"), link.get("target")]
    if not isinstance(link, list) or len(link) < 2:
        raise InputError(f"not a link with two ends ({shown(str(link))})")
    return _key(link[0]), _key(link[1])


def _is_number(word: str) -> bool:
    try:
        return isfinite(float(word))
    except ValueError:
        return False


def _key(value: Any) -> Hashable:
    """An identifier: a text or a whole number."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise InputError(f"an identifier of a node is a text or a whole number ({shown(str(value))})")
    return value


def _graph(source: Source, vertices: _Vertices, pairs: _Pairs, complement: bool, *, directed: bool) -> GraphFile:
    place = {key: vertex for vertex, (key, _) in enumerate(vertices)}
    if len(place) < len(vertices):
        raise InputError("two vertices have the same identifier")
    try:
        ends = np.array([place[end] for pair in pairs for end in pair], dtype=np.int64).reshape(-1, 2)
    except KeyError as error:
        raise InputError(f"an edge ends at an unknown node ({shown(str(error.args[0]))})") from None
    if directed:
        source.assume("arcs are read as edges")
    rank, names = names_of(
        source, [key for key, _ in vertices], [attributes.get("label") for _, attributes in vertices]
    )
    weights = {
        int(rank[vertex]): (str(attributes["weight"]), None)
        for vertex, (_, attributes) in enumerate(vertices)
        if attributes.get("weight") is not None
    }
    if weights and not any(_is_number(word) for word, _ in weights.values()):
        source.assume("the attribute 'weight' of vertices is ignored, since it is no number")
        weights.clear()
    graph = make_graph(source, len(vertices), rank[ends[:, 0]], rank[ends[:, 1]], complement=complement, line=None)
    return GraphFile(graph, names, weights or None)
