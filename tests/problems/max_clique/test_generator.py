"""Generated and built-in graphs."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.max_clique import BUILTINS, KINDS, TYPE, Graph, MaxClique, builtin, colour_classes, load
from matheur.problems.max_clique.builtin import builtin_solution
from matheur.problems.max_clique.generator import hamming, hidden, johnson, keller, model_rb


@pytest.mark.parametrize("name", [name for name in BUILTINS if name not in ("keller6", "hamming10-4")])
def test_built_in_graphs_have_a_clique(name: str) -> None:
    """Every built-in graph is made, twice the same, and its clique is one."""
    problem = TYPE.builtin(name)
    clique = builtin_solution(name)
    assert problem.evaluate(clique).feasible
    assert problem.trivial_bound <= -len(clique)
    assert problem.fingerprint == TYPE.builtin(name).fingerprint


def test_algebraic_graphs_are_those_of_the_challenge() -> None:
    """Vertices and edges agree with the DIMACS files of the same names."""
    for graph, n, edges in (
        (keller(4)[0], 171, 9435),
        (keller(5)[0], 776, 225_990),
        (hamming(6, 4)[0], 64, 704),
        (hamming(8, 4)[0], 256, 20_864),
        (johnson(8, 4, 4)[0], 70, 1855),
        (johnson(16, 2, 4)[0], 120, 5460),
    ):
        assert (graph.n, graph.edges) == (n, edges)


def test_hidden_cliques_do_not_stand_out() -> None:
    """Members of the hidden clique have about the degrees of the others."""
    graph, clique = hidden(400, 0.7, 24, np.random.default_rng(1))
    assert graph.is_clique(clique)
    assert len(clique) == 24
    inside = np.zeros(400, dtype=bool)
    inside[clique] = True
    assert abs(graph.degrees[inside].mean() - graph.degrees[~inside].mean()) < 8
    assert abs(graph.density - 0.7) < 0.02


def test_model_rb_hides_a_solution() -> None:
    """One vertex of every variable is a clique, the classes are the variables, and the bound is their number."""
    graph, solution = model_rb(20, 11, np.random.default_rng(2))
    assert graph.is_clique(solution)
    assert np.array_equal(solution // 11, np.arange(20))
    assert MaxClique(graph).trivial_bound == -20
    assert (colour_classes(graph)[solution] == np.arange(20)).all()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_can_be_generated(kind: str) -> None:
    """The text is a DIMACS file, the solution a clique of it, the score its size."""
    made = TYPE.generate({"kind": kind} | ({"size": 12} if kind in ("rb", "gnp") else {}), seed=3)
    problem = TYPE.read(Source("made.clq", made.instance.encode()), {})
    clique = problem.decode(made.solution)
    assert problem.evaluate(clique).feasible
    assert made.score == len(clique) > 1


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"kind": "hiden"}, "unknown kind of graph 'hiden'. Maybe 'hidden'"),
        ({"densty": 0.5}, "no option 'densty'. Maybe 'density'"),
        ({"size": 10**6}, "1 to 8192"),
        ({"size": "many"}, "whole number"),
        ({"kind": "gnp", "density": 2}, "between 0 and 1"),
        ({"size": 100, "density": 0.2, "clique": 60}, "cannot hide"),
        ({"kind": "keller", "size": 9}, "dimension 2 to 6"),
        ({"kind": "hamming", "size": 40}, "1 to 8192"),
        ({"kind": "johnson", "size": 99}, "up to 62"),
        ({"kind": "rb", "size": 1}, "two variables"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, object], words: str) -> None:
    """Errors carry the value and help."""
    with pytest.raises(ConfigurationError, match=words):
        TYPE.generate(options, seed=1)
    with pytest.raises(ConfigurationError, match="seed"):
        TYPE.generate({}, seed=-1)


def test_names_and_options_of_the_reader(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """Unknown built-in graphs and reader options are errors; the complement can be asked for."""
    with pytest.raises(InputError, match="Maybe 'keller4'"):
        builtin("keler4")
    source = Source("g.clq", b"p edge 3 1\ne 1 2\n")
    assert TYPE.read(source, {"complement": True}).graph.edges == 2
    for options in ({"complment": True}, {"complement": "yes"}, {"format": "asci"}):
        with pytest.raises(ConfigurationError):
            TYPE.read(source, options)
    path = tmp_path / "g.mis"
    path.write_bytes(source.data)
    assert load(path).graph.edges == 2
    assert load(path).title == "g.mis"


def test_solutions_in_the_forms_of_the_field() -> None:
    """Plain numbers, `v` lines and JSON are read; other things are errors with the file's name."""
    problem = MaxClique(Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3]))
    for text in ("1 2 3", "c found\nv 1 2\nv 3\n", "[1, 2, 3]", '{"clique": [3, 2, 1]}', "1,2,3\n",
                 "size=3, weight=3:   1 2 3\n", "c cliquer\nsize=3:1,2,3", "Maximum clique: 3 2 1"):  # fmt: skip
        assert sorted(TYPE.read_solution(problem, Source("s", text.encode())).tolist()) == [0, 1, 2]
    for text in ("1 2 x", "[1, 9]", "{}", "[1, [2]]", "0 1", "[" * 100_000, "-1"):
        with pytest.raises(InputError, match=r"^s"):
            TYPE.read_solution(problem, Source("s", text.encode()))
