"""Graph files of users: the graph is read correctly, or a message names the assumption."""

from __future__ import annotations

import json
from itertools import combinations
from pathlib import Path

import pytest
from cli.conftest import Answer, Command, matheur

from matheur.running.loading import load_instance

DATA = Path(__file__).parent / "data" / "a"


__all__ = ["matheur"]  # the fixture


@pytest.fixture
def exact(matheur: Command) -> Command:
    """Run `matheur clique --method exact --json` and check its exit code."""

    def command(file: object, *options: object) -> Answer:
        answer = matheur("clique", file, "--method", "exact", "--json", *options)
        assert answer.code == 0, answer
        return answer

    return command


@pytest.mark.parametrize(
    ("name", "vertices", "edges", "size", "cliques"),
    [
        ("dimacs_p_without_word.mis", 4, 1, 2, [[3, 4]]),
        ("dimacs_p_without_word.clq", 6, 5, 3, [[1, 2, 3]]),
        ("dimacs_p_with_third_number.col", 5, 6, 3, [[1, 2, 3], [3, 4, 5]]),
        ("dimacs_weighted_edges.col", 5, 6, 3, [[1, 2, 3], [3, 4, 5]]),
        ("dimacs_with_bom.clq", 4, 4, 3, [[1, 2, 3]]),
        ("pace_treewidth.gr", 5, 5, 2, None),
        ("edges_count_line.edges", 6, 5, 2, [[1, other] for other in range(2, 7)]),
        ("adjacency_matrix.txt", 6, 8, 4, [[1, 2, 3, 4]]),
        ("metis_without_its_ending.txt", 5, 8, 4, [[1, 2, 3, 4]]),
        ("edges_from_zero.edges", 5, 5, 3, [[0, 1, 2]]),
        ("edges_large_numbers.edges", 4, 4, 3, [[1000007, 1000033, 1000099]]),
        ("edges_with_names.csv", 4, 4, 3, [["ann", "bob", "cy"]]),
        ("triangle.clq.gz", 4, 4, 3, [[1, 2, 3]]),
    ],
)
def test_graphs_are_read_as_they_are(
    name: str,
    vertices: int,
    edges: int,
    size: int,
    cliques: list[list[int | str]] | None,
    tmp_path: Path,
    matheur: Command,
    exact: Command,
) -> None:
    """The exact search finds the right size with the names of the file, and `verify` accepts the answer."""
    found = exact(DATA / name).json
    assert (found["vertices"], found["edges"], found["score"], found["status"]) == (vertices, edges, size, "optimal")
    assert cliques is None or found["solution"] in cliques
    result, plain = tmp_path / "result.json", tmp_path / "answer.txt"
    result.write_text(json.dumps(found))
    plain.write_text(" ".join(map(str, found["solution"])))
    for arguments in ((DATA / name, result), (result,), (DATA / name, plain, "--problem", "max-clique")):
        said = matheur("verify", *arguments)
        assert (said.code, "valid: score" in said.out) == (0, True), said
    problem = load_instance(str(DATA / name), "max-clique")[1]
    places = problem.decode(found["solution"]).tolist()
    assert all(problem.graph.adjacent(u, v) for u, v in combinations(places, 2))


def test_answers_are_checked_in_the_names_of_the_file(matheur: Command) -> None:
    """Answers use the vertices of the file, which counts from 0; the reason for a refusal uses them, too."""
    file = DATA / "edges_from_zero.edges"
    assert matheur("verify", file, DATA / "edges_from_zero.right.txt").code == 0
    wrong = matheur("verify", file, DATA / "edges_from_zero.wrong.txt")
    assert (wrong.code, "vertices 1 and 3 are not joined" in wrong.out) == (1, True)


def test_a_pace_file_says_that_its_edges_are_conflicts(exact: Command) -> None:
    """A PACE file is read as a conflict graph, with a note; an option selects the graph itself."""
    file = DATA / "pace_treewidth.gr"
    assert any("conflicts" in said for said in exact(file).json["assumptions"])
    itself = exact(file, "--no-complement").json
    assert (itself["score"], itself["solution"], "assumptions" in itself) == (3, [1, 2, 3], False)
    assert itself["configuration"] == {"instance": {"complement": False}}
    assert exact(file, "--set", "instance.complement=false").json["score"] == 3


def test_a_result_is_verified_with_the_options_it_names(tmp_path: Path, matheur: Command) -> None:
    """`verify` reads the graph with the options that the result names."""
    out = tmp_path / "r.json"
    assert matheur("clique", DATA / "pace_treewidth.gr", "--no-complement", "--work", 100, "--out", out).code == 0
    assert matheur("verify", DATA / "pace_treewidth.gr", out).code == 0
    assert matheur("clique", DATA / "edges_from_zero.edges", "--format", "edge-list", "--method", "exact").code == 0


def test_a_file_never_writes_to_the_terminal_as_it_likes(matheur: Command) -> None:
    """Messages show the control characters of a file in escaped form."""
    said = matheur("clique", DATA / "control_characters.edges").error
    assert "\x1b" not in said
    assert "\\x1b[31mRED" in said


def test_solving_goes_on_from_a_start_in_the_names_of_the_file(tmp_path: Path, matheur: Command) -> None:
    """`--start` and the result of `matheur solve` use the vertex names of the file."""
    start, out = tmp_path / "start.json", tmp_path / "out.json"
    start.write_text('["cy", "dee"]')
    file = DATA / "edges_with_names.csv"
    said = matheur("solve", file, "--problem", "max-clique", "--start", start, "--work", 2000, "--out", out)
    assert said.code == 0, said.out
    assert json.loads(out.read_text())["solution"] == ["ann", "bob", "cy"]
    assert matheur("verify", out).code == 0
    assert matheur("show", out).code == 0


def test_an_export_says_which_vertex_is_which(tmp_path: Path, matheur: Command) -> None:
    """An export to a format with numbered vertices lists the names of the file in comments."""
    out = tmp_path / "g.clq"
    assert matheur("export", "clique", DATA / "edges_with_names.csv", "--problem", "max-clique", "--out", out).code == 0
    assert "c vertex 1 is ann\n" in out.read_text()
    assert load_instance(str(out))[1].graph.edges == 4
