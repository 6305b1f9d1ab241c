"""Pictures of graphs and cliques."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from html import escape

import networkx as nx
import numpy as np
import pytest

from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.methods.clique import SparseGraph
from matheur.problems.max_clique import TYPE, Graph, MaxClique, load
from matheur.problems.max_clique.builtin import builtin_solution
from matheur.problems.max_clique.picture.scene import CELLS_MAX, LEVELS, scene_of

SMALL = MaxClique(Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3]), "a <name> & more\x00")
CLIQUE = np.array([0, 1, 2], dtype=np.int32)


def test_the_clique_comes_first() -> None:
    """Its block is full, the diagonal aside; the rest follows by degree."""
    scene = scene_of(SMALL, CLIQUE)
    assert scene.members == 3
    assert scene.clique == (1, 2, 3)
    assert (scene.levels[:3, :3] == LEVELS * (1 - np.eye(3))).all()
    assert scene.degrees.tolist() == [1, 2, 2, 3]


def test_large_graphs_are_drawn_in_blocks() -> None:
    """No more cells than there is room for; levels are shares of edges."""
    problem = TYPE.builtin("random500")
    scene = scene_of(problem, None)
    assert len(scene.levels) <= CELLS_MAX
    assert 0.4 < (scene.levels / LEVELS).mean() < 0.6


@pytest.mark.parametrize("solution", [None, CLIQUE, np.array([0, 3], dtype=np.int32), np.array([], dtype=np.int32)])
def test_every_kind_of_picture(solution: np.ndarray | None) -> None:
    """SVG and HTML are well-formed and name what they show, the PNG is one, the text is short."""
    svg = TYPE.picture(SMALL, solution, "svg").decode()
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    html = TYPE.picture(SMALL, solution, "html").decode()
    assert "a &lt;name&gt; &amp; more" in html
    assert "<name>" not in html
    assert TYPE.picture(SMALL, solution, "png").startswith(b"\x89PNG")
    text = TYPE.picture(SMALL, solution, "text").decode()
    assert text.count("\n") < 60
    if solution is not None and len(solution) == 2:
        assert "✗ vertices 1 and 4 are not joined" in text


def test_vertices_have_the_names_of_the_file() -> None:
    """Numbers that begin with 0 or have gaps, and words, which may need quotes."""
    for text, names in ((b"0 5\n5 7\n0 7\n7 9\n", "0 5 7"), (b"a,b c\nb c,<d>\na,<d>\n<d>,e\n", 'a "b c" <d>')):
        problem = load(Source("g.edges", text))
        assert f"\n{names}\n" in TYPE.picture(problem, CLIQUE, "text").decode()
        assert f"<p>{escape(names)}</p>" in TYPE.picture(problem, CLIQUE, "html").decode()


def test_pictures_of_other_graphs() -> None:
    """A graph with a hidden clique, one without edges and one without vertices can be drawn."""
    demo = TYPE.builtin("demo")
    assert "clique of 22" in TYPE.picture(demo, builtin_solution("demo"), "text").decode()
    for n in (0, 1, 5):
        for kind in ("svg", "html", "text", "png"):
            assert TYPE.picture(MaxClique(Graph.from_edges(n, [], [])), None, kind)
    with pytest.raises(ConfigurationError, match="Maybe 'svg'"):
        TYPE.picture(SMALL, None, "svgg")


def test_both_forms_of_a_graph_have_one_picture() -> None:
    """A sparse graph is drawn by its edges, as the dense form is by what is not joined."""
    dense = Graph.from_networkx(nx.gnp_random_graph(150, 0.1, seed=1))
    sparse = SparseGraph(dense.complement().ptr, dense.complement().idx)
    chosen = np.array([3, 7], dtype=np.int32)
    for solution in (None, chosen):
        one, other = scene_of(MaxClique(sparse), solution), scene_of(MaxClique(dense), solution)
        assert np.array_equal(one.levels, other.levels)
        assert np.array_equal(one.degrees, other.degrees)
        assert one.violations == other.violations
