"""Formats of other graph programs: GraphML, GEXF, GML, Pajek, graph6, sparse6 and node-link JSON."""

from __future__ import annotations

import json
from collections.abc import Callable
from io import BytesIO
from typing import Any

import networkx as nx
import numpy as np
import pytest

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError, MatheurError
from matheur.methods.clique.formats import interchange, looks_like_graph, read_graph
from matheur.methods.clique.sparse_graph import edge_pairs
from matheur.problems.max_clique import MaxClique
from matheur.problems.max_clique.problem_type import TYPE
from matheur.running.loading import recognise

SIZES = (1, 2, 3, 4, 5, 8, 9, 16, 17, 33, 62, 63, 70)


def _packed(write: Callable[[nx.Graph, Any], None]) -> Callable[[nx.Graph], bytes]:
    def written(graph: nx.Graph) -> bytes:
        file = BytesIO()
        write(graph, file)
        return file.getvalue()

    return written


WRITERS: dict[str, Callable[[nx.Graph], bytes]] = {
    "g.graphml": _packed(nx.write_graphml),
    "g.gexf": _packed(nx.write_gexf),
    "g.gml": _packed(nx.write_gml),
    "g.net": _packed(nx.write_pajek),
    "g.g6": nx.to_graph6_bytes,
    "g.s6": nx.to_sparse6_bytes,
    "g.json": lambda graph: json.dumps(nx.node_link_data(graph)).encode(),
    "g.cyjs": lambda graph: json.dumps(nx.cytoscape_data(graph)).encode(),
}


def read(name: str, content: str | bytes, **options: Any) -> MaxClique:
    data = content.encode() if isinstance(content, str) else content
    return TYPE.read(Source(name, data), options)


def edges(problem: MaxClique) -> list[tuple[str, str]]:
    """Pairs of names, in order."""
    names = [str(name) for name in problem.encode(np.arange(problem.graph.n))]
    u, v = edge_pairs(problem.graph)
    return sorted(tuple(sorted((names[a], names[b]))) for a, b in zip(u.tolist(), v.tolist(), strict=True))  # type: ignore[misc]


@pytest.mark.parametrize("name", WRITERS)
def test_what_networkx_writes_is_read(name: str) -> None:
    """With all vertices, also those without an edge, and under any name if the format has a sign."""
    for seed, n in enumerate(SIZES):
        graph = nx.gnp_random_graph(n, (seed % 4) / 3, seed=seed)
        content = WRITERS[name](graph)
        wanted = sorted(tuple(sorted((str(a), str(b)))) for a, b in graph.edges)
        for called in (name, "g.txt"):
            problem = read(called, content)
            assert problem.graph.n == n
            assert edges(problem) == wanted
        assert looks_like_graph(Source(name, content)) is not Recognition.NO


def test_moves_of_a_cube_may_be_a_graph() -> None:
    """The ending of the name decides."""
    assert recognise(Source("g.g6", b"Bw\n")).name == "max-clique"
    assert recognise(Source("g.txt", b"U R\n")).name == "rubik"


def test_labels_and_weights() -> None:
    """Labels are the names if all differ; weights of vertices count."""
    graph = nx.Graph([(1, 2), (2, 3)])
    for node, label in ((1, "Ann"), (2, "Bob"), (3, "Cy")):
        graph.nodes[node].update(label=label, weight=node / 2)
    for name in ("g.graphml", "g.gexf", "g.json"):
        problem = read(name, WRITERS[name](graph))
        assert problem.encode(np.arange(3)) == ["Ann", "Bob", "Cy"]
        assert problem.weights is not None
        assert problem.weights.tolist() == [5, 10, 15]
        assert any("labels" in note for note in problem.assumptions)
    graph.nodes[3]["label"] = "Ann"
    assert read("g.graphml", WRITERS["g.graphml"](graph)).encode(np.arange(3)) == [1, 2, 3]
    text = 'graph [ node [ id 7 label "x y" ] node [ id 5 label "z" ] edge [ source 5 target 7 ] ]'
    assert edges(read("g.txt", text)) == [("x y", "z")]


def test_a_weight_that_is_no_number_is_another_attribute() -> None:
    """It is ignored, with a note, unless other vertices have numbers there."""
    graph = nx.Graph([(1, 2)])
    graph.nodes[1]["weight"] = "heavy"
    for name in ("g.graphml", "g.gml", "g.json"):
        problem = read(name, WRITERS[name](graph))
        assert problem.weights is None
        assert any("no number" in note for note in problem.assumptions)
    graph.nodes[2]["weight"] = "3"
    with pytest.raises(InputError, match=r"not a weight \('heavy'\)"):
        read("g.graphml", WRITERS["g.graphml"](graph))


@pytest.mark.parametrize(
    ("name", "content", "names", "found"),
    [
        ("g.net", '%c\n*Network n\n*vertices 3\n2 "b c" 0.1 0.2\n*Edges\n1 2 5\n\n*Arcs :1 "r"\n3 1\n', [1, 2, 3],
         [("1", "2"), ("1", "3")]),
        ("g.txt", "% a comment\r\n%\n*Vertices 2\n*Edges\n1 2\n", [1, 2], [("1", "2")]),
        ("g.txt", "*Vertices 3\n1 a\n2 b\n3 c\n*Edgeslist\n1 2 3\n", ["a", "b", "c"], [("a", "b"), ("a", "c")]),
        ("g.net", "*Vertices 3\n*Matrix\n0 1 0\n1 0 2\n0 0 0\n*Partition p\n", [1, 2, 3], [("1", "2"), ("2", "3")]),
        ("g.net", "*Vertices 2\n*Edges\n1 2\n*Vertices 9\n", [1, 2], [("1", "2")]),
        ("g.gml", 'Creator "me"\ngraph [ node [ id 1 ] node [ id 2 ] edge [ source 1 target 2 ] edge [ source 2 '
                  "target 1 ] ]", [1, 2], [("1", "2")]),
        ("g.json", '{"elements": {"nodes": [{"data": {"id": "a"}}, {"data": {"id": "b"}}], "edges": '
                   '[{"data": {"source": "a", "target": "b"}}]}}', ["a", "b"], [("a", "b")]),
        ("g.json", '{"nodes": [{"id": "7", "data": {"label": "a"}}, {"id": "8", "data": {}}], "edges": '
                   '[{"id": "e", "source": "7", "target": "8", "data": {}}]}', [7, 8], [("7", "8")]),
        ("g.json", '{"nodes": [{"name": "a"}, {"name": "b"}], "links": [{"source": 1, "target": 0}]}', ["a", "b"],
         [("a", "b")]),
        ("g.json", '{"nodes": ["a", "b"], "edges": [["a", "b"]]}', ["a", "b"], [("a", "b")]),
        ("g.txt", ">>graph6<<Bw\n", [0, 1, 2], [("0", "1"), ("0", "2"), ("1", "2")]),
        ("g.g6#2", "Bw\nA_\n", [0, 1], [("0", "1")]),
        ("g.gexf", '<?xml version="1.0"?><gexf xmlns="http://gexf.net/1.3" version="1.3"><graph><nodes><node id="0" '
                   'label="a"/><node id="1" label="b"/></nodes><edges><edge id="0" source="0" target="1"/></edges>'
                   "</graph></gexf>", ["a", "b"], [("a", "b")]),
    ],
)  # fmt: skip
def test_other_writers(name: str, content: str, names: list[Any], found: list[tuple[str, str]]) -> None:
    """Sections, lists and matrices of Pajek, doubled edges, JSON of D3 and Cytoscape, several graphs in a file."""
    path, _, part = name.partition("#")
    problem = TYPE.read(Source(path, content.encode(), int(part) if part else None))
    assert problem.encode(np.arange(problem.graph.n)) == names
    assert edges(problem) == found


def test_what_is_taken_for_granted_is_noted() -> None:
    """Arcs, the first graph of several, sections that are skipped."""
    assert "arcs are read as edges" in read("g.net", "*Vertices 2\n*Arcs\n1 2\n").assumptions
    assert "arcs are read as edges" in read("g.net", "*Vertices 2\n*Matrix\n0 1\n0 0\n").assumptions
    assert not read("g.net", "*Vertices 2\n*Arcs\n*Edges\n1 2\n").assumptions
    assert "arcs are read as edges" in read("g.graphml", WRITERS["g.graphml"](nx.DiGraph([(1, 2)]))).assumptions
    assert "graph #1 of 2" in read("g.g6", "Bw\nA_\n").assumptions
    assert any("'*Partition'" in note for note in read("g.net", "*Vertices 1\n*Partition p\n1\n").assumptions)
    assert any("another one" in note for note in read("g.net", "*Vertices 1\n*Network b\n").assumptions)


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("g.graphml", "<graphml><graph", "not a GraphML file that networkx reads"),
        ("g.gexf", "<gexf></gexf>", "not a GEXF file"),
        ("g.gexf", '<!DOCTYPE g [<!ENTITY a "aaaa">]><gexf>&a;</gexf>', "own definitions"),
        ("g.gml", "label [ graph [ ] ]", "not a GML file"),
        ("g.xml", "<?xml version='1.0'?><rows/>", "a file of XML, which is not read"),
        ("g.net", "*Vertices 2\n1 a\n2 b\n*Edges\n1 3\n", "g.net:5: no such vertex .'3'.; they are 1 to 2"),
        ("g.net", "*Vertices x\n", "g.net:1: no number of vertices"),
        ("g.net", "1 2\n", "g.net:1: a line before"),
        ("g.net", "*Edges\n1 2\n", "g.net:1: no '.Vertices' before"),
        ("g.net", "*Vertices 2\n*Edges\n1\n", "g.net:3: one vertex where an edge has two"),
        ("g.net", "*Vertices 2\n*Matrix\n0 1\n", "g.net:2: 1 rows of a matrix for 2 vertices"),
        ("g.net", "*Vertices 1\n*Matrix\nx\n", "g.net:3: not a number"),
        ("g.net", "*Vertices 99999999999\n", "vertices in a file of"),
        ("g.json", '{"nodes": [{"id": 1}, {"id": 1}], "links": []}', "two vertices have the same identifier"),
        ("g.json", '{"nodes": [{"id": 1}], "links": [{"source": 1, "target": 2}]}', "an unknown node .'2'."),
        ("g.json", '{"nodes": [{"id": [1]}], "links": []}', "an identifier of a node is"),
        ("g.json", '{"nodes": [{"id": 1}], "links": [3]}', "not a link with two ends"),
        ("g.json", '{"nodes": [1]}', "a file of JSON"),
        ("g.g6", "B\n", "g.g6:1: 0 characters for 3 vertices, not 1"),
        ("g.g6", "B w\n", "g.g6:1: a character"),
        ("g.g6", ":Bf\n", "Maybe --format sparse6"),
        ("g.g6", "", "no graph in it"),
        ("g.s6", "Bw\n", "Maybe --format graph6"),
        ("g.s6", ":~~~~~~~~\n", "g.s6:1: a graph of 68,719,476,735 vertices"),
        ("g.s6", ":~\n", "the number of vertices is missing"),
    ],
)
def test_faults(name: str, content: str, said: str) -> None:
    """One line, with the line of the file where the format has lines."""
    with pytest.raises(InputError, match=said) as caught:
        read(name, content)
    assert str(caught.value).isprintable()


def test_a_graph_that_is_not_there() -> None:
    """`FILE#3` of a file with two, and `FILE#2` of a format with one."""
    with pytest.raises(InputError, match="a file with 2 graphs, there is no number 3"):
        TYPE.read(Source("g.g6", b"Bw\nA_\n", 3))
    with pytest.raises(InputError, match="a file holds one graph, there is no number 2"):
        TYPE.read(Source("g.edges", b"1 2\n2 3\n", 2))


def test_damaged_files_are_one_clear_error() -> None:
    """Whatever is cut off, changed or put in."""
    rng = np.random.default_rng(3)
    graph = nx.gnp_random_graph(9, 0.5, seed=3)
    refused: list[str] = []
    for trial in range(700):
        name = list(WRITERS)[trial % len(WRITERS)]
        content = bytearray(WRITERS[name](graph))
        for _ in range(rng.integers(1, 4)):
            at = int(rng.integers(len(content)))
            match rng.integers(3):
                case 0:
                    del content[at : at + int(rng.integers(1, 20))]
                case 1:
                    content[at] = rng.integers(256)
                case _:
                    content[at:at] = [b"99999999999", b"-1", b'"', b"<", b"[", b"\n", b"~~~~"][rng.integers(7)]
            if not content:
                break
        try:
            read_graph(Source(name, bytes(content)))
        except MatheurError as error:
            refused.append(str(error))
    assert 100 < len(refused) < 700
    assert all(message.isprintable() for message in refused)


def test_a_recognised_json_file_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Recognition and reading share the value; another file is parsed for itself."""
    parsed: list[str] = []
    loads = json.loads
    monkeypatch.setattr(json, "loads", lambda text: (parsed.append(text), loads(text))[1])
    for ends in ((1, 2), (2, 3)):
        text = json.dumps(
            {"nodes": [{"id": 1}, {"id": 2}, {"id": 3}], "links": [{"source": ends[0], "target": ends[1]}]}
        )
        source = Source("g.json", text.encode())
        assert interchange.is_node_link(source)
        assert interchange.is_node_link(source)
        assert len(edge_pairs(interchange.parse_node_link(source).graph)[0]) == 1
        assert parsed.pop() == text
        assert not parsed
