"""What clique solvers print."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.methods.clique import read_answer
from matheur.problems.edge_matching.clique_nodes import NodeTable
from matheur.problems.max_clique import Graph

# 0-based cliques {1, 2, 4} and {0, 1}; counted from 1 as 2 3 5 and 1 2.
GRAPH = Graph.from_edges(6, [1, 1, 2, 0, 3], [2, 4, 4, 1, 5])


def read(text: str | bytes, **options: object) -> list[int]:
    data = text.encode() if isinstance(text, str) else text
    return read_answer(Source("answer", data), **(options or {"graph": GRAPH})).vertices.tolist()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "text",
    [
        "size=3, weight=3:   2 3 5\n",
        "size=2, weight=2:   1 2\nsize=3, weight=3:   2 3 5\n",
        "2 3 5",
        "5\n3\n2\n",
        "2,3,5",
        "[2, 3, 5]",
        '{"size": 3, "vertices": [2, 3, 5]}',
        '{"clique": [5, 2, 3]}',
        "c comment 9 9\nv 2\nv 3\nv 5\n",
        "s OPTIMAL\nv 2 3 5\n",
        "# 3 found\n2 3 5\n",
        "Reading graph...\nMaximum clique: 2 3 5\nTime 0.1 s\n",
        "1 2\n2 3 5\n1 2\n",
        "s vc 6 3\n1\n4\n6\n",
        "1 2 4",
        "0 1\n[1, 2, 4]",
        "size=3, weight=3:   1 2 4\r\n",
        "3\n2\n3\n5\n",
        "3\n2 3 5\n",
        "v 2 3\nv 2 3 5\n",
        "Clique size: 3\nClique = {2, 3, 5}\nTime: 1\n",
    ],
)
def test_answers_in_many_forms_are_understood(text: str) -> None:
    """Lists, lines, JSON, cliquer's and vertex cover solvers' forms, from 0 or 1, give the largest clique."""
    assert read(text) == [1, 2, 4]


def test_counting_from_one_is_preferred() -> None:
    """Where both ways of counting give a clique, vertices count from 1; a zero decides for 0."""
    complete = Graph.from_complement(4, [], [])
    assert read("1 2 3", graph=complete) == [0, 1, 2]
    assert read("0 1 2", graph=complete) == [0, 1, 2]
    assert read("1 2 3", size=4) == [0, 1, 2]
    assert read("0 3", size=4) == [0, 3]


def test_a_node_table_decides_where_the_graph_is_not_known() -> None:
    """Vertices that share a piece or a cell counted from 1 are counted from 0."""
    table = NodeTable(
        *(np.array(values, dtype=np.int32) for values in ([0, 1, 0, 2], [0, 0, 1, 1], [0, 1, 0, 1], [0] * 4))
    )
    assert read("1 2", nodes=table) == [0, 1]
    assert read("1 3", nodes=table) == [1, 3]
    assert read("1 2 3", nodes=table) == [1, 2, 3]
    with pytest.raises(InputError, match="not a clique"):
        read("1 3 4", nodes=table)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "no clique found",
        "1 6",
        "7 8",
        "2 2 3",
        "size=3, weight=3:  2 3",
        "[1, 6",
        "[1.5, 2]",
        '{"x": [1]}',
        "1 2 x",
        "v",
        "Clique size: 3\nTime: 1\n",
        "Vertices: 6\nEdges: 5\n",
        "3",
        "1: 2\n2: 3\n3: 5\n",
    ],
)
def test_what_is_no_clique_is_an_input_error(text: str) -> None:
    """Empty output, other text, vertices that are not joined, cut lines and broken JSON are refused."""
    with pytest.raises(InputError, match=r"answer: (not a clique|no list)"):
        read(text)


def test_a_number_alone_is_a_vertex_only_where_it_may_be_a_best_clique() -> None:
    """Without edges, or with weights, one vertex may be the answer; a size or a time is none."""
    assert read("size=1, weight=1:   2", graph=Graph.from_edges(3, [], [])) == [1]
    weights = np.array([1, 1, 1, 7, 1, 1])
    for text in ("size=1, weight=7:   4", "Maximum clique (size 1): 4", "v 4", "[4]"):
        assert read(text, graph=GRAPH, weights=weights) == [3]
    for text in ("size=1, weight=1:   4", "Maximum clique (size 1): 4", "v 4", "[4]"):  # a poor answer, but a clique
        assert read(text, graph=GRAPH) == [3]
    with pytest.raises(InputError, match="no list of vertices"):
        read("Weight: 4\n", graph=GRAPH, weights=weights)
    with pytest.raises(InputError, match="no list of vertices"):
        read("4\n", graph=GRAPH)


PIECES = st.sampled_from(
    ["1", "2 3", "v", "s vc 6 3", "size=2, weight=2: ", "[", "]", "{", "clique:", "\n", ",", "99999999999", "0"]
)


@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=60), st.lists(PIECES, max_size=12).map(" ".join).map(str.encode)))
def test_any_bytes_are_a_clique_or_an_input_error(data: bytes) -> None:
    """Whatever a solver prints, the reader returns a clique of the graph or an input error."""
    try:
        vertices = read(data)
    except InputError:
        return
    assert GRAPH.is_clique(vertices)


def test_a_large_answer_is_read() -> None:
    """An answer of hundreds of vertices, one a line, is checked and read."""
    graph = Graph.from_networkx(nx.complete_graph(500))
    assert len(read("\n".join(map(str, range(500))), graph=graph)) == 500


def test_the_answer_of_the_clique_command_is_read() -> None:
    """The JSON of `matheur clique --json` holds the number of vertices as well as the solution; the list counts."""
    text = b'{"problem": "max-clique", "vertices": 4, "solution": [1, 3]}'
    assert read_answer(Source("answer", text), size=4).vertices.tolist() == [0, 2]
