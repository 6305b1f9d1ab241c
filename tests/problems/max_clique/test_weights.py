"""Weights of vertices: where they come from, and what becomes of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import matheur
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError, MatheurError
from matheur.problems.max_clique import Graph, MaxClique, load, save_graph

EDGES = "e 1 2\ne 1 3\ne 2 3\ne 4 5\n"
HEAD = "p edge 5 4\n"


def of(text: str, name: str = "g.clq", **options: object) -> MaxClique:
    """The problem in a file of this content."""
    return load(Source(name, text.encode()), **options)


def test_n_lines_are_weights() -> None:
    """Vertices without an n line have weight 1; the note says how to look for most vertices instead."""
    problem = of(HEAD + "n 4 7\nn 5 2\n" + EDGES)
    assert problem.weights is not None
    assert problem.weights.tolist() == [1, 1, 1, 7, 2]
    assert any("instance.weights=none" in said for said in problem.assumptions)
    assert problem.evaluate(np.array([3, 4], dtype=np.int32)).objective == -9
    assert of(HEAD + "n 4 7\n" + EDGES, weights="none").weights is None
    assert of(HEAD + "n 4 7\n" + EDGES, weights=False).weights is None


def test_v_lines_of_all_vertices_are_weights() -> None:
    """As in instances of minimum weight vertex cover; next to `d` lines or `n` lines they mean something else."""
    lines = [f"v {vertex} {10 - vertex}\n" for vertex in range(1, 6)]
    problem = of(HEAD + "".join(lines) + EDGES)
    assert problem.weights is not None
    assert problem.weights.tolist() == [9, 8, 7, 6, 5]
    assert of(HEAD + "".join(lines[:-1]) + EDGES).weights is None
    assert of(HEAD + "d 2\n" + "".join(lines) + EDGES).weights is None
    assert of(HEAD + "".join(lines) + lines[0] + EDGES).weights is None
    with_n = of(HEAD + "".join(lines) + "n 4 7\n" + EDGES)
    assert with_n.weights is not None
    assert with_n.weights.tolist() == [1, 1, 1, 7, 1]


@pytest.mark.parametrize(
    "table",
    [",node,weight\n0,3,7\n1,1,5\n2,2,6\n", "weight,size,vertex\n7,0,3\n5,0,1\n6,0,2\n", "3 7\n1 5\n2 6\n",
     ",weight\n3,7\n1,5\n2,6\n", "w;name\n7;3\n5;1\n6;2\n"],
)  # fmt: skip
def test_the_column_of_vertices(table: str, tmp_path: Path) -> None:
    """An index without a name is one only if there is no other column."""
    (tmp_path / "w.csv").write_text(table)
    problem = of("p edge 3 2\ne 1 2\ne 2 3\n", weights=str(tmp_path / "w.csv"))
    assert problem.weights is not None
    assert problem.weights.tolist() == [5, 6, 7]


def test_weights_of_one_are_none() -> None:
    """A file whose weights are all 1 is the problem without weights, down to its fingerprint."""
    plain, ones = of(HEAD + EDGES), of(HEAD + "n 1 1\nn 4 1.0\n" + EDGES)
    assert ones.weights is None
    assert ones.fingerprint == plain.fingerprint != of(HEAD + "n 1 2\n" + EDGES).fingerprint
    asked = of(HEAD + "n 1 1\n" + EDGES, weights="file")
    assert asked.weights is not None
    assert asked.weights.tolist() == [1] * 5


def test_other_n_lines_mean_nothing() -> None:
    """Lines that begin with n and name no vertex with a number are read over, all of them, with a note."""
    for line in ("n\n", "n 1\n", "n 9 3\n", "n x 3\n", "n 1 x\n", "n 1 2 3\n"):
        problem = of(HEAD + "n 2 5\n" + line + "n\n" + EDGES)
        assert problem.weights is None
        assert problem.assumptions == (
            f"the n lines are ignored, since line 3 is no weight of a vertex ({line.strip()!r})",
        )
    preamble = b"p edge 1 0\nn 1 2\nn 2 3\n"
    binary = load(Source("g.clq.b", b"%d\n" % len(preamble) + preamble + b"\0"))
    assert "since line 4 is no weight of a vertex ('n 2 3')" in binary.assumptions[0]


def test_numbers_of_colours_are_no_weights() -> None:
    """In colouring files whose edges have distances, n lines are read over with a note, unless they are asked for."""
    text = "p edge 3 2\nn 1 4\nn 2 2\nn 3 2\ne 1 2 5\ne 2 3 1\n"
    assert of(text, "g.col").weights is None
    assert any("instance.weights=file" in said for said in of(text, "g.col").assumptions)
    asked = of(text, "g.col", weights="file")
    assert asked.weights is not None
    assert asked.weights.tolist() == [4, 2, 2]


def test_decimals_are_scaled_exactly() -> None:
    """The objective counts in the smallest unit, the score in units of the file."""
    problem = of(HEAD + "n 1 0.1\nn 2 0.2\nn 3 1e-3\nn 4 2\nn 5 -1\n" + EDGES)
    assert problem.weights is not None
    assert problem.weights.tolist() == [100, 200, 1, 2000, -1000]
    assert problem.score(problem.evaluate(np.array([0, 1, 2], dtype=np.int32)).objective) == 0.301
    assert problem.score(-3000) == 3
    assert any("1/1000" in said for said in problem.assumptions)


def test_metis_weights() -> None:
    """FORMAT 10 has a weight before the neighbours, 110 a size before that; of two weights none is taken."""
    for text, weights in (
        ("3 2 10\n5 2\n6 1 3\n7 2\n", [5, 6, 7]),
        ("3 2 110\n9 5 2\n9 6 1 3\n9 7 2\n", [5, 6, 7]),
        ("3 2 11\n5 2 1\n6 1 1 3 1\n7 2 1\n", [5, 6, 7]),
        ("3 2 010 2\n5 5 2\n6 6 1 3\n7 7 2\n", None),
        ("3 2 100\n5 2\n6 1 3\n7 2\n", None),
    ):
        found = of(text, "g.graph").weights
        assert (None if found is None else found.tolist()) == weights


def test_a_file_of_weights(tmp_path: Path) -> None:
    """Rows of a vertex and its weight, with a header or without, in any order of columns; or a weight on each row."""
    graph = tmp_path / "g.csv"
    graph.write_text("source,target\nann,bob\nbob,cy\ncy,ann\ncy,dan\n")
    given = tmp_path / "w.csv"
    for text in (
        "name,weight\ndan,9\nann,2\nbob,3\ncy,4\n",
        "ann 2\nbob 3\ncy 4\ndan 9\n",
        "weight;name\n9;dan\n2;ann\n3;bob\n4;cy\n",
        "id,colour,weight\ndan,red,9\nann,blue,2\nbob,red,3\ncy,red,4\n",
        "2\n3\n4\n9\n",
        "weight\n2\n3\n4\n9\n",
    ):
        given.write_text(text)
        problem = load(graph, weights=str(given))
        assert problem.weights is not None
        assert problem.weights.tolist() == [2, 3, 4, 9], text
    assert load(graph, weights="w.csv").fingerprint == load(graph, weights=str(given)).fingerprint  # next to the graph
    given.write_text("dan 9\n")
    assert any("3 vertices without a weight" in said for said in load(graph, weights=str(given)).assumptions)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("ann 2\nann 3\n", "second weight of vertex 'ann'"),
        ("ann 2\nbob x\n", "w.csv:2: not a weight ('x')"),
        ("2\n3\n", "2 weights for 4 vertices"),
        ("2\n3\nbob 4\n", "w.csv:3: 2 words on a line, 1 on the first one ('bob 4')"),
        ("weight\nann 4\n", "w.csv:2: 2 words on a line, 1 on the first one ('ann 4')"),
        ("a,b,c\nann,2,3\n", "none is headed 'weight'"),
        ("", "no weight in it"),
        ("ann 99999999999999999999\n", "not a weight"),
        ("ann 999999999999999999\nbob 1e-18\n", "too many|does not fit"),
    ],
)
def test_a_wrong_file_of_weights_is_an_error_with_its_line(tmp_path: Path, text: str, words: str) -> None:
    """Each says the value and where it stands."""
    (tmp_path / "g.csv").write_text("source,target\nann,bob\nbob,cy\ncy,ann\ncy,dan\n")
    (tmp_path / "w.csv").write_text(text)
    with pytest.raises(MatheurError) as error:
        load(tmp_path / "g.csv", weights=str(tmp_path / "w.csv"))
    assert any(word in str(error.value) for word in words.split("|"))


def test_a_vertex_without_edges_is_named_by_the_weights(tmp_path: Path) -> None:
    """In edge lists it joins the graph: with no neighbour, or with all where edges are conflicts."""
    graph, given = tmp_path / "g.csv", tmp_path / "w.csv"
    for edges, rows, heaviest, independent in (
        (
            "source,target\nann,bob\nbob,cy\n",
            "eve 9\nann 1\nbob 2\ncy 3\nfay 1\n",
            ["eve"],
            ["ann", "cy", "eve", "fay"],
        ),
        ("source,target\n10,20\n20,40\n", "5 1\n10 1\n20 2\n30 7\n40 3\n", [30], [5, 10, 30, 40]),
    ):
        graph.write_text(edges)
        given.write_text(rows)
        problem = load(graph, weights=str(given))
        assert (problem.graph.n, problem.graph.edges) == (5, 2)
        assert any("2 vertices are named by the weights only" in said for said in problem.assumptions)
        assert matheur.solve(problem, work=2_000).named == heaviest
        assert sorted(matheur.solve(load(graph, weights=str(given), complement=True), work=2_000).named) == independent
    given.write_text("x 1\n")
    with pytest.raises(InputError, match="no such vertex"):
        load(graph, weights=str(given))
    graph.write_text("source,target\n1,2\n2,3\n")  # names that are 1 to n stay so
    for rows, names in (("4 9\n", [1, 2, 3, 4]), ("6 9\n", [1, 2, 3, 6])):
        given.write_text(rows)
        problem = load(graph, weights=str(given))
        assert [problem.name_of(vertex) for vertex in range(problem.graph.n)] == names
        assert (problem.names is None) == (names[-1] == 4)
        assert matheur.solve(problem, work=2_000).named == [names[-1]]
    given.write_text("0 9\n")
    with pytest.raises(InputError, match="no such vertex"):
        load(graph, weights=str(given))
    (tmp_path / "g.clq").write_text(HEAD + EDGES)
    given.write_text("6 1\n")
    with pytest.raises(InputError, match=r"w.csv:1: no such vertex"):
        load(tmp_path / "g.clq", weights=str(given))


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("g.g6", "Bw\n"),  # a triangle of 0, 1, 2
        ("g.net", '*Vertices 3\n1 "ann"\n2 "bob"\n3 "cy"\n*Edges\n1 2\n2 3\n1 3\n'),
        ("g.json", '{"nodes": [{"id": "a"}, {"id": "b"}], "links": [{"source": "a", "target": "b"}]}'),
        ("g.edges", "3 3\n0 1\n1 2\n0 2\n"),  # counts
        ("g.edges", "# vertices: 1 to 3\n1 2\n"),
    ],
)
def test_the_vertices_of_other_files_are_all_there(tmp_path: Path, name: str, text: str) -> None:
    """A weight of another vertex is an error: the vertex would be part of independent sets."""
    (tmp_path / name).write_text(text)
    given = tmp_path / "w.txt"
    given.write_text("3 5\n" if name in ("g.g6", "g.edges") and "vertices" not in text else "4 5\n")
    for complement in (False, True):
        with pytest.raises(InputError, match=r"w.txt:1: no such vertex"):
            load(tmp_path / name, weights=str(given), complement=complement)


def test_weights_by_rule_and_what_is_no_rule() -> None:
    """modulo-K gives vertex v (from 1) v mod K + 1; other words are files, other values are refused."""
    problem = of(HEAD + EDGES, weights="modulo-3")
    assert problem.weights is not None
    assert problem.weights.tolist() == [2, 3, 1, 2, 3]
    with pytest.raises(ConfigurationError, match="has no weights"):
        of(HEAD + EDGES, weights="file")
    with pytest.raises(ConfigurationError, match="'none' or 'modulo-200'"):
        of(HEAD + EDGES, weights=3)
    with pytest.raises(InputError, match=r"no such file|cannot|No such"):
        of(HEAD + EDGES, weights="modulo-0")
    with pytest.raises(InputError, match="second weight of vertex 1"):
        of(HEAD + "n 1 2\nn 1 3\n" + EDGES)
    preamble = b"p edge 1 0\nn 1 2\nn 1 3\n"
    with pytest.raises(InputError, match=r"g.clq.b:4: .*line 3 has '2'"):
        load(Source("g.clq.b", b"%d\n" % len(preamble) + preamble + b"\0"))


def test_weights_survive_writing(tmp_path: Path) -> None:
    """DIMACS (both), and METIS for whole numbers, keep the weights; other formats refuse them."""
    graph, weights = Graph.from_edges(3, [0, 1], [1, 2]), ["3", "1", "8"]
    for form, name in (("ascii", "g.clq"), ("binary", "g.clq.b"), ("metis", "g.graph")):
        save_graph(tmp_path / name, graph, form, weights=weights)  # type: ignore[arg-type]
        found = load(tmp_path / name)
        assert found.weights is not None
        assert (found.weights.tolist(), found.graph.edges) == ([3, 1, 8], 2)
    with pytest.raises(ConfigurationError, match="pace files have no weights"):
        save_graph(tmp_path / "g.gr", graph, "pace", weights=weights)
    with pytest.raises(ConfigurationError, match="whole numbers"):
        save_graph(tmp_path / "g.graph", graph, "metis", weights=["1", "2.5", "3"])


def test_a_run_says_weight_and_size() -> None:
    """The score is the weight in units of the file, the size stands next to it; the target is a weight."""
    problem = of(HEAD + "n 4 7.5\nn 5 2\n" + EDGES)
    result = matheur.solve(problem, work=3_000, seed=1)
    facts = result.to_dict()
    assert (facts["score"], facts["objective"], facts["size"], facts["solution"]) == (9.5, -95, 2, [4, 5])
    assert facts["status"] == "optimal"
    assert matheur.solve(problem, work=3_000, seed=1, target=9.5).objective == -95
