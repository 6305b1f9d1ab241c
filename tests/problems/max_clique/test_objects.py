"""Graphs of networkx and SciPy as problems, and back."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import networkx as nx
import numpy as np
import pytest
import scipy.sparse

import matheur
from matheur.errors import ConfigurationError, InputError, MatheurError
from matheur.methods.clique.sparse_graph import SparseGraph
from matheur.problems.max_clique import (
    all_max_cliques,
    max_clique,
    of_matrix,
    of_networkx,
    to_networkx,
    to_scipy,
)

KARATE = nx.karate_club_graph()


def named() -> nx.Graph:
    """A triangle of nodes of different kinds, and one more."""
    point, name, number = ("a", 1), "bob", 3.5
    return nx.Graph([(point, name), (name, number), (number, point), (number, "dan")], name="friends")


def test_a_networkx_graph_is_solved_in_its_own_nodes() -> None:
    """Nodes may be anything; the result names them, its JSON has words."""
    result = matheur.solve(named(), work=2_000, seed=1)
    assert result.named == [("a", 1), "bob", 3.5]
    assert result.instance == "friends"
    facts = result.to_dict()
    assert (facts["solution"], facts["status"]) == (["('a', 1)", "bob", "3.5"], "optimal")
    assert matheur.solve(KARATE, work=5_000).to_dict()["solution"] == [0, 1, 2, 3, 7]
    assert matheur.solve(KARATE, options={"complement": True}, work=9_000).score == 20


def test_node_weights_count() -> None:
    """The attribute weight is taken unless all are 1; another one, or none, by the option; a missing weight is 1."""
    graph = named()
    nx.set_node_attributes(graph, 1, "weight")
    assert of_networkx(graph).weights is None
    graph.nodes["dan"]["weight"] = 7.25
    result = matheur.solve(graph, work=2_000)
    assert (result.named, result.score, result.objective) == ([3.5, "dan"], 8.25, -825)
    assert any("weights=none" in said for said in result.to_dict()["assumptions"])
    assert matheur.solve(graph, work=2_000, options={"weights": "none"}).named == [("a", 1), "bob", 3.5]
    nx.set_node_attributes(graph, {"bob": 9}, "age")
    found = of_networkx(graph, weights="age")
    assert dict(zip(found.nodes or (), found.weights.tolist(), strict=True))["bob"] == 9  # type: ignore[union-attr]
    assert any("3 nodes without a weight" in said for said in found.assumptions)
    with pytest.raises(ConfigurationError, match=r"attribute 'wt'\. They have age, weight"):
        of_networkx(graph, weights="wt")


def test_one_call_for_a_clique() -> None:
    """max_clique and all_max_cliques agree with networkx, for graphs, matrices and files."""
    matrix = nx.to_scipy_sparse_array(KARATE)
    for graph in (KARATE, matrix, matrix.toarray()):
        found = max_clique(graph, work=5_000)
        assert (found.nodes, found.value, found.bound, found.optimal) == ([0, 1, 2, 3, 7], 5, 5, True)
        every = all_max_cliques(graph)
        assert every.cliques == [[0, 1, 2, 3, 7], [0, 1, 2, 3, 13]]
        assert (every.count, every.value, every.complete) == (2, 5, True)
    weights = {node: node % 7 + 1 for node in KARATE}
    reference = KARATE.copy()
    nx.set_node_attributes(reference, weights, "weight")
    best = nx.max_weight_clique(reference)[1]
    for given in (weights, [weights[node] for node in KARATE], np.array([weights[node] for node in KARATE])):
        assert max_clique(KARATE, weights=given, work=9_000).value == best
        assert all_max_cliques(matrix, weights=list(weights.values())).value == best
    assert max_clique(reference, work=9_000).value == best
    assert max_clique(reference, weights=False, work=9_000).value == 5
    assert max_clique(of_networkx(KARATE), work=5_000).value == 5
    assert max_clique(KARATE, complement=True, work=9_000).value == 20


def test_a_file_in_one_call(tmp_path: Path) -> None:
    """A path is read as by the command line."""
    path = tmp_path / "g.edges"
    path.write_text("7 8\n8 9\n9 7\n9 1\n")
    assert max_clique(path, work=2_000).nodes == [7, 8, 9]
    assert all_max_cliques(str(path), complement=True).count == 2


def test_graphs_by_name_as_for_solve(tmp_path: Path) -> None:
    """A part of a file, and a built-in graph."""
    path = tmp_path / "two.g6"
    path.write_text("D?{\nC~\n")
    assert [all_max_cliques(f"{path}#{number}").value for number in (1, 2)] == [2, 4]
    assert all_max_cliques("max-clique/demo", keep=1, work=5).value > 2


def test_numbers_of_any_kind_are_weights() -> None:
    """Integers, floats, decimals, fractions and numpy's numbers; what has too many digits is rounded, with a note."""
    graph = nx.path_graph(6)
    problem = of_networkx(graph, weights=[1, 0.5, Decimal("0.25"), Fraction(1, 8), np.float64(2.5), np.int8(3)])
    assert problem.weights is not None
    assert (problem.weights.tolist(), problem.decimals) == ([1000, 500, 250, 125, 2500, 3000], 3)
    assert problem.assumptions == ()
    short = of_networkx(nx.path_graph(2), weights=np.array([0.1, 2.5], dtype=np.float32))
    assert short.weights is not None
    assert (short.weights.tolist(), short.decimals) == ([1, 25], 1)
    rounded = of_networkx(graph, weights=[1 / 3, 2 / 3, 1e9, 1, 1, Fraction(1, 3)])
    assert rounded.decimals > 6
    assert any(f"rounded to {rounded.decimals} decimals" in said for said in rounded.assumptions)
    for wrong in (float("nan"), float("inf"), "x", None, Decimal("1e999999999")):
        with pytest.raises(InputError, match="not a weight"):
            of_networkx(graph, weights=[1, 1, 1, 1, 1, wrong])
    with pytest.raises(MatheurError, match="62 bits"):
        of_networkx(graph, weights=[1e30] * 6)


def test_options_of_any_kind_are_recorded() -> None:
    """Weights by node, in an array, or as decimals go into the resolved configuration as plain values."""
    graph = nx.Graph([((1, 2), (3, 4))])
    for weights, kept in (
        ({(1, 2): Decimal("0.5")}, {"(1, 2)": "0.5"}),
        (np.array([2, 3]), [2, 3]),
        ([Fraction(1, 2), 1.5], ["1/2", 1.5]),
    ):
        result = matheur.solve(graph, options={"weights": weights}, work=1_000)
        assert result.to_dict()["configuration"]["instance"] == {"weights": kept}
        assert result.named == [(1, 2), (3, 4)]


def test_a_matrix_may_be_a_triangle() -> None:
    """The other half may be empty, the diagonal and stored zeros mean nothing; vertices count from 0."""
    upper = scipy.sparse.triu(nx.to_scipy_sparse_array(KARATE))
    problem = of_matrix(upper)
    assert problem.graph.edges == KARATE.number_of_edges()
    assert any("upper triangle" in said for said in problem.assumptions)
    stored = scipy.sparse.coo_array((np.array([1, 0, 5]), (np.array([0, 1, 2]), np.array([1, 2, 2]))), shape=(3, 3))
    assert of_matrix(stored).graph.edges == 1
    assert matheur.solve(stored, work=1_000).named == [0, 1]


@pytest.mark.parametrize(
    ("graph", "words"),
    [
        (nx.DiGraph([(1, 2)]), "directed graph"),
        (scipy.sparse.csr_array([[0, 1, 1], [1, 0, 0], [0, 1, 0]]), "row 0, column 2 joins"),
        (scipy.sparse.csr_array((2, 3)), "square"),
        (object(), "not builtins.object"),
    ],
)
def test_what_is_no_graph_is_an_error(graph: Any, words: str) -> None:
    """Each says what is wrong."""
    with pytest.raises(MatheurError, match=words):
        max_clique(graph)


def test_wrong_weights_are_errors() -> None:
    """Of the wrong number, for a strange node, or an attribute of a matrix."""
    with pytest.raises(ConfigurationError, match="2 weights for 34"):
        max_clique(KARATE, weights=[1, 2])
    with pytest.raises(InputError, match="'nobody', which is not a node"):
        max_clique(KARATE, weights={"nobody": 3})
    with pytest.raises(ConfigurationError, match="no attribute 'weight'"):
        max_clique(nx.to_scipy_sparse_array(KARATE), weights="weight")
    with pytest.raises(ConfigurationError, match="unknown option 'sides'"):
        matheur.solve(KARATE, options={"sides": 3})


def test_graphs_go_back() -> None:
    """Nodes, weights and edges survive the way there and back; a matrix is symmetric; sparse graphs go, too."""
    graph = nx.relabel_nodes(named(), {"dan": "eve"})
    nx.set_node_attributes(graph, {node: place + 0.5 for place, node in enumerate(graph)}, "weight")
    back = to_networkx(of_networkx(graph))
    assert nx.utils.graphs_equal(nx.Graph(back.edges), nx.Graph(graph.edges))
    assert dict(back.nodes(data="weight")) == dict(graph.nodes(data="weight"))
    matrix = nx.to_scipy_sparse_array(KARATE, weight=None)
    assert (to_scipy(of_matrix(matrix)) != matrix).nnz == 0
    large = nx.path_graph(3_000)
    problem = of_networkx(large)
    assert isinstance(problem.graph, SparseGraph)
    assert nx.utils.edges_equal(to_networkx(problem).edges, large.edges)
    assert to_scipy(problem).nnz == 2 * 2_999


def test_a_mapping_weighs_the_places_of_a_matrix() -> None:
    """By its keys, as those of a graph's nodes; a place without a weight has weight 1, another key is an error."""
    path = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]])
    found = max_clique(path, weights={2: 1, 0: 5}, work=1_000)
    assert (found.nodes, found.value) == ([0, 1], 6)
    assert of_matrix(path, weights={2: 7}).assumptions == ("2 nodes without a weight have weight 1",)
    with pytest.raises(InputError, match="a weight of 3, which is not a node"):
        of_matrix(path, weights={3: 1})
    with pytest.raises(ConfigurationError, match="a number for each vertex"):
        of_matrix(path, weights={5, 6, 7})


@pytest.mark.parametrize(
    ("matrix", "words"),
    [
        (np.array([[0, np.nan], [np.nan, 0]]), r"not numbers \(nan\)"),
        (np.array([["a", "b"], ["c", "d"]]), "type <U1"),
        (np.array([[None, 1], [1, None]]), "type object"),
        (np.array(3), r"shape \(\)"),
    ],
)
def test_a_matrix_holds_numbers(matrix: Any, words: str) -> None:
    """What is none, and what has no rows and columns, is an error."""
    with pytest.raises(InputError, match=words):
        max_clique(matrix)


def test_wrong_options_of_calls_are_errors(tmp_path: Path) -> None:
    """Nothing is taken for something else without a word."""
    matrix, path = scipy.sparse.csr_array([[0, 1], [1, 0]]), tmp_path / "g.edges"
    path.write_text("1 2\n2 3\n")
    for graph in (KARATE, matrix, matrix.toarray(), path):
        with pytest.raises(ConfigurationError, match="complement is true or false"):
            max_clique(graph, complement="yes")  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match="complement is true or false"):
        matheur.solve(matrix, options={"complement": 1}, work=10)
    wrong: dict[str, Any]
    for wrong in ({"keep": -1}, {"seconds": -1}, {"seconds": float("nan")}, {"work": -1}, {"seed": -1}):
        with pytest.raises(ConfigurationError, match=next(iter(wrong))):
            all_max_cliques(matrix, **wrong)
    with pytest.raises(MatheurError, match="Maybe keep fewer"):
        all_max_cliques(matrix, keep=10**12)
    assert all_max_cliques(matrix, work=0).complete is False
