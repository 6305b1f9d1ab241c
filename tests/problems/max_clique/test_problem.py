"""Maximum clique as the engine sees it."""

from __future__ import annotations

import numpy as np
import pytest

from matheur.errors import InputError
from matheur.problems.max_clique import Graph, MaxClique

PROBLEM = MaxClique(Graph.from_edges(4, [0, 1, 2, 2], [1, 2, 0, 3]))


def test_a_clique_is_feasible_and_its_size_the_score() -> None:
    """A clique of three has objective -3 and score 3."""
    evaluation = PROBLEM.evaluate(np.array([2, 0, 1], dtype=np.int32))
    assert (evaluation.objective, evaluation.feasible) == (-3, True)
    assert PROBLEM.score(evaluation.objective) == 3


@pytest.mark.parametrize(
    ("solution", "words"),
    [([0, 3], "vertices 1 and 4 are not joined"), ([1, 1], "vertex 2 is named twice"), ([0, 9], "no vertex 10")],
)
def test_what_is_no_clique_is_infeasible_and_says_why(solution: list[int], words: str) -> None:
    """A missing edge, a repeated vertex and an unknown one are violations in words."""
    evaluation = PROBLEM.evaluate(np.array(solution, dtype=np.int32))
    assert not evaluation.feasible
    assert words in " ".join(evaluation.violations)


def test_solutions_survive_json() -> None:
    """Encoding gives 1-based vertices in order, decoding gives them back; order does not change the digest."""
    solution = np.array([2, 0], dtype=np.int32)
    assert PROBLEM.encode(solution) == [1, 3]
    assert sorted(PROBLEM.decode([1, 3]).tolist()) == [0, 2]
    assert PROBLEM.decode(list(np.array([3, 1]))).tolist() == [2, 0]  # numbers of NumPy
    assert PROBLEM.digest(solution) == PROBLEM.digest(solution[::-1])


@pytest.mark.parametrize("data", [None, "12", [0], [5], [1.0], [True], {"1": 2}, ["1"]])
def test_bad_solutions_are_input_errors(data: object) -> None:
    """Anything but a list of vertices is an input error."""
    with pytest.raises(InputError):
        PROBLEM.decode(data)


def test_degrees_and_a_colouring_bound_the_objective() -> None:
    """No clique is larger than the largest degree plus one, or than a colouring; the empty graph has bound 0."""
    assert PROBLEM.trivial_bound == -3
    star = Graph.from_edges(5, [0, 0, 0, 0], [1, 2, 3, 4])
    assert MaxClique(star).trivial_bound == -2
    assert MaxClique(Graph.from_edges(0, [], [])).trivial_bound == 0
    assert PROBLEM.infeasible_reason() is None


def test_equal_graphs_have_equal_fingerprints() -> None:
    """The fingerprint depends on the graph and not on the name."""
    other = MaxClique(Graph.from_edges(4, [2, 0, 3, 1], [0, 1, 2, 2]), title="other")
    assert other.fingerprint == PROBLEM.fingerprint
    assert MaxClique(Graph.from_edges(4, [0], [1])).fingerprint != PROBLEM.fingerprint


def test_cliques_differ_in_vertices() -> None:
    """What the larger one has and the other has not, whatever the order."""
    three, two = np.array([0, 1, 2], dtype=np.int32), np.array([3, 2], dtype=np.int32)
    assert PROBLEM.difference(three, three[::-1]) == 0
    assert PROBLEM.difference(three, two) == PROBLEM.difference(two, three) == 2


def test_a_clique_of_nearly_all_vertices_is_checked_by_the_conflicts() -> None:
    """The check looks at the rows of conflicts, of which there are few, and names the pairs in order."""
    n = 300_000
    problem = MaxClique(Graph.from_complement(n, [7, 7, 9], [5, 200_000, 8]))
    everything = np.arange(n, dtype=np.int32)
    assert problem.evaluate(everything).violations == (
        "vertices 6 and 8 are not joined",
        "vertices 8 and 200001 are not joined",
        "vertices 9 and 10 are not joined",
    )
    assert problem.evaluate(np.setdiff1d(everything, [7, 8])).feasible
