"""The command `matheur clique`."""

from __future__ import annotations

import gzip
import json
import sys
from itertools import combinations
from pathlib import Path

import pytest
from cli.conftest import Command


@pytest.fixture
def graph(tmp_path: Path) -> Path:
    """Write a graph of 8 vertices whose largest clique is 2, 4, 6, 8."""
    path = tmp_path / "g.clq"
    edges = [*combinations((2, 4, 6, 8), 2), (1, 2), (1, 3), (3, 5), (5, 7), (1, 7)]
    path.write_text(f"p edge 8 {len(edges)}\n" + "".join(f"e {a} {b}\n" for a, b in edges))
    return path


@pytest.fixture
def solver(tmp_path: Path) -> Path:
    """Write an external solver that prints the answer."""
    path = tmp_path / "solver.py"
    path.write_text("print('size 4: 2 4 6 8')\n")
    return path


def test_local_search(matheur: Command, graph: Path, tmp_path: Path) -> None:
    """The heuristic finds the clique, and the file contains it; a target ends the run."""
    out = tmp_path / "out.json"
    answer = matheur("clique", graph, "--work", 500, "--seed", 2, "--out", out, "--json")
    assert answer.code == 0
    assert answer.json["solution"] == [2, 4, 6, 8]
    assert (answer.json["score"], answer.json["objective"], answer.json["vertices"]) == (4, -4, 8)
    assert json.loads(out.read_text())["solution"] == [2, 4, 6, 8]
    assert matheur("clique", graph, "--target", 4, "--json").json["solution"] == [2, 4, 6, 8]


def test_exact(matheur: Command, graph: Path) -> None:
    """The exact search finds the clique and proves that it is maximum."""
    result = matheur("clique", graph, "--method", "exact", "--json").json
    assert (result["status"], result["bound"], result["solution"]) == ("optimal", -4, [2, 4, 6, 8])
    assert "clique of 4 vertices (optimal)" in matheur("clique", graph, "--method", "exact").out


def test_external(matheur: Command, graph: Path, solver: Path) -> None:
    """The answer of an external solver is checked."""
    command = f"{sys.executable} {solver} {{file}}"
    result = matheur("clique", graph, "--method", "external", "--command", command, "--json").json
    assert result["solution"] == [2, 4, 6, 8]
    assert result["status"] == "feasible"


def test_external_solvers_that_fail_are_one_line(matheur: Command, graph: Path, solver: Path) -> None:
    """A wrong answer, a crash and a missing program are errors."""
    external = ("clique", graph, "--method", "external")
    solver.write_text("print('1 2 3')\n")
    assert matheur(*external, "--command", f"{sys.executable} {solver} {{file}}").error
    solver.write_text("import sys; sys.exit('out of luck')\n")
    assert matheur(*external, "--command", f"{sys.executable} {solver} {{file}}").error
    assert matheur(*external, "--command", "no-such-program {file}").error
    assert "needs a command" in matheur(*external).error
    exact = ("clique", graph, "--method", "exact", "--command", "x {file}")
    assert "goes with --method external" in matheur(*exact).error


@pytest.mark.parametrize("seconds", ["nan", "inf"])
def test_a_time_limit_is_a_number(matheur: Command, graph: Path, solver: Path, seconds: str) -> None:
    """An infinite one ended with a traceback of an external solver."""
    for more in ((), ("--command", f"{sys.executable} {solver} {{file}} {{time}}")):
        answer = matheur("clique", graph, "--seconds", seconds, *more)
        assert answer.code == 2
        assert "--seconds" in answer.error


def test_no_edges_and_no_vertices(matheur: Command, tmp_path: Path) -> None:
    """Very small graphs have answers, too."""
    path = tmp_path / "small.clq"
    for text, size in (("p edge 3 0\n", 1), ("p edge 1 0\n", 1), ("p edge 2 1\ne 1 2\n", 2)):
        path.write_text(text)
        for method in ("local-search", "exact"):
            assert matheur("clique", path, "--method", method, "--work", 100, "--json").json["score"] == size


@pytest.mark.parametrize("method", ["phased", "vertex-cover", "partition", "hubs", "portfolio"])
def test_every_search_has_a_name(matheur: Command, graph: Path, method: str) -> None:
    """Each method finds the small clique with limited work, reproducibly; the portfolio proves it."""
    runs = [
        matheur("clique", graph, "--method", method, "--work", 3000, "--target", 4, "--json").json for _ in range(2)
    ]
    assert runs[0]["solution"] == runs[1]["solution"] == [2, 4, 6, 8]
    proved = matheur("clique", graph, "--method", "portfolio", "--work", 5000, "--json").json
    assert (proved["status"], proved["bound"]) == ("optimal", -4)


def test_built_in_graphs_and_adapters(matheur: Command, graph: Path, solver: Path, tmp_path: Path) -> None:
    """Graphs have names, and solvers have adapter files; an adapter and a command exclude each other."""
    assert matheur("clique", "max-clique/johnson8-4-4", "--target", 14, "--json").json["score"] == 14
    table = tmp_path / "mine.toml"
    table.write_text(f"[mine]\ncommand = '{sys.executable} {solver} {{file}}'\nbase = 1\nexact = true\n")
    external = ("clique", graph, "--adapter", f"{table}#mine")
    assert matheur(*external, "--json").json["status"] == "optimal"
    assert "needs a command" in matheur(*external, "--command", "x {file}").error
    assert "--adapter goes with" in matheur("clique", graph, "--method", "exact", "--adapter", "cliquer").error


def test_the_problem_as_a_whole(matheur: Command, tmp_path: Path) -> None:
    """A generated graph is solved, verified and shown; the hidden clique is found and proved."""
    graph, answer = tmp_path / "g.clq", tmp_path / "a.json"
    assert matheur("generate", "max-clique", "--size", 60, "--out", graph).code == 0
    result = matheur("solve", graph, "--work", 300_000, "--out", answer, "--json").json
    assert (result["problem"], result["status"]) == ("max-clique", "optimal")
    assert matheur("verify", graph, answer).code == 0
    assert matheur("verify", graph, f"{graph}.solution.json").code == 0
    assert matheur("show", answer, "--out", tmp_path / "a.svg").code == 0
    answer.write_text("1 2 3 4 5 6 7 8 9")
    assert "not joined" in matheur("verify", graph, answer).out


def test_the_default_is_that_of_solve(matheur: Command, graph: Path) -> None:
    """The default portfolio is that of `solve` and ends with a proof; `--delta` selects local search."""
    found = matheur("clique", graph, "--json").json
    assert (found["method"], found["status"], found["bound"]) == ("portfolio", "optimal", -4)
    assert 0 <= found["reached_at"] <= found["work"]
    solved = matheur("solve", graph, "--json").json
    assert solved["configuration"]["construction"]["name"] == found["method"]
    assert (solved["status"], solved["score"]) == (found["status"], found["score"])
    chosen = matheur("clique", graph, "--delta", 2, "--work", 500, "--json").json
    assert (chosen["method"], chosen["score"]) == ("local-search", 4)
    for method in ("portfolio", "exact", "hubs"):
        refused = matheur("clique", graph, "--delta", 2, "--method", method)
        assert (refused.code, f"local-search or phased (not {method})" in refused.err) == (2, True)
    for option in ("--delta", "--work"):
        assert f"{option} has no effect" in matheur("clique", graph, option, 2, "--command", "cat {file}").err


def test_the_default_proves_what_one_search_cannot(matheur: Command) -> None:
    """The portfolio proves Hamming graphs by a colouring, which a single local search cannot do."""
    found = matheur("clique", "max-clique/hamming6-4", "--work", 100000, "--json").json
    assert (found["score"], found["status"]) == (4, "optimal")


def test_weights_of_vertices(matheur: Command, graph: Path, tmp_path: Path) -> None:
    """The heaviest clique is found with weights from a file or a rule; the result also has the size."""
    weights = tmp_path / "w.csv"
    weights.write_text("vertex,weight\n1,10\n3,1.5\n7,2\n")
    for method in ("portfolio", "exact"):
        found = matheur("clique", graph, "--weights", weights, "--method", method, "--work", 9000, "--json").json
        assert (found["score"], found["size"], found["status"]) == (12, 2, "optimal")
        assert found["solution"] == [1, 7]
        assert found["objective"] == -120
    assert "weight 12 (optimal)" in matheur("clique", graph, "--weights", weights, "--work", 9000).out
    assert matheur("clique", graph, "--weights", "modulo-2", "--work", 9000, "--json").json["score"] == 4
    over = ("--weights", "none", "--set", "instance.weights=modulo-2", "--work", 9000)
    assert matheur("clique", graph, *over, "--json").json["score"] == 4
    found = matheur("solve", graph, *over, "--out", tmp_path / "r.json", "--json").json
    assert (found["score"], found["configuration"]["instance"]) == (4, {"weights": "modulo-2"})
    assert matheur("verify", tmp_path / "r.json").code == 0
    assert (
        matheur("clique", graph, "--weights", weights, "--target", 11.5, "--seconds", 9, "--json").json["score"] == 12
    )
    assert "looks for many vertices" in matheur("clique", graph, "--weights", weights, "--method", "hubs").err
    assert "--delta is for graphs without" in matheur("clique", graph, "--weights", weights, "--delta", 2, "--method",
                                                      "local-search").err  # fmt: skip


def test_every_command_reads_graphs_in_the_same_way(matheur: Command, tmp_path: Path) -> None:
    """solve, verify, show and export accept the options of graphs, which make --problem unnecessary."""
    conflicts, weights = tmp_path / "g.txt", tmp_path / "w.txt"
    conflicts.write_text("1 2\n1 3\n4 5\n")  # cliques: 2, 3 and one of 4 and 5; or 1 and one of 4 and 5
    weights.write_text("1 9\n2 1\n3 1\n4 2\n5 1\n")
    reading = ("--format", "edge-list", "--complement", "--weights", weights)
    out = tmp_path / "s.json"
    found = matheur("solve", conflicts, *reading, "--work", 2000, "--out", out, "--json").json
    assert (found["score"], found["solution"], found["size"]) == (11, [1, 4], 2)
    assert found["configuration"]["instance"] == {"format": "edge-list", "complement": True, "weights": str(weights)}
    assert matheur("verify", out).code == 0  # the result records how the graph was read
    assert matheur("verify", conflicts, out, *reading).code == 0
    plain = tmp_path / "plain.json"
    plain.write_text("[1, 4]")
    assert "score 11" in matheur("verify", conflicts, plain, *reading).out
    assert matheur("verify", conflicts, plain, "--format", "edge-list").code == 1
    assert "5 vertices, 7 edges" in matheur("show", conflicts, *reading).out
    assert "2 vertices and weight 11" in matheur("show", out).out
    model, graph = tmp_path / "m.lp", tmp_path / "g.clq"
    assert matheur("export", "model", conflicts, *reading, "--out", model).code == 0
    assert "-9.0 x(0)" in model.read_text()
    exported = matheur(
        "export", "clique", conflicts, "--read-format", "edge-list", "--weights", weights, "--out", graph
    )
    assert exported.code == 0
    assert matheur("clique", graph, "--complement", "--work", 2000, "--json").json["solution"] == [1, 4]


def test_all_best_cliques_are_listed(matheur: Command, tmp_path: Path) -> None:
    """--all counts and lists the best cliques in the names of the file; --list and --work set limits."""
    square = tmp_path / "g.csv"
    square.write_text("source,target\nann,bob\nbob,cy\ncy,dan\ndan,ann\nann,eve\n")
    found = matheur("clique", square, "--all", "--json").json
    assert (found["count"], found["complete"], found["score"], found["status"]) == (5, True, 2, "optimal")
    assert found["cliques"] == [["ann", "bob"], ["ann", "dan"], ["ann", "eve"], ["bob", "cy"], ["cy", "dan"]]
    weights = tmp_path / "w.csv"
    weights.write_text("ann 3\nbob 1\ncy 3\ndan 2\neve 2\n")
    heavy = matheur("clique", square, "--all", "--weights", weights, "--json").json
    assert (heavy["count"], heavy["cliques"]) == (3, [["ann", "dan"], ["ann", "eve"], ["cy", "dan"]])
    short = matheur("clique", square, "--all", "--list", 2)
    assert "5 of this size, 2 of them listed\nann bob\n" in short.out
    assert "cy dan" not in short.out
    cut = matheur("clique", square, "--all", "--work", 0)
    assert "at least 1 of this size" in cut.out
    for wrong in (("--list", 3), ("--all", "--method", "phased"), ("--all", "--target", 3), ("--all", "--delta", 3)):
        assert matheur("clique", square, *wrong).code == 2


def test_a_sparse_file_is_solved_verified_and_shown_in_its_own_numbers(matheur: Command, tmp_path: Path) -> None:
    """A compressed edge list with thousands of vertices needs no options, with any method."""
    path, out = tmp_path / "net.txt.gz", tmp_path / "out.json"
    planted = [100_007, 90_001, 70_003, 50_021, 30_011]
    edges = [*((17 * a, 17 * a + 17) for a in range(3_000)), *combinations(planted, 2), (0, planted[0])]
    path.write_bytes(gzip.compress(("# FromNodeId\tToNodeId\n" + "".join(f"{a}\t{b}\n" for a, b in edges)).encode()))
    for method in ("portfolio", "exact", "local-search", "hubs"):
        answer = matheur("clique", path, "--method", method, "--work", 100_000, "--json").json
        assert answer["solution"] == sorted(planted)
        assert (answer["status"], answer["bound"], answer["vertices"]) == ("optimal", -5, 3_006)
    kind = ("--problem", "max-clique")
    solved = matheur("solve", path, *kind, "--work", 100_000, "--certify", "--out", out, "--json")
    assert (solved.json["status"], solved.json["solution"]) == ("optimal", sorted(planted))
    assert matheur("verify", path, out, *kind).code == 0
    out.write_text(json.dumps([*planted, 17]))
    wrong = matheur("verify", path, out, *kind)
    assert wrong.code == 1
    assert "17 and 30011 are not joined" in wrong.out + wrong.err
    assert "3,006 vertices" in matheur("show", path, *kind).out
    assert matheur("export", "clique", path, *kind, "--out", tmp_path / "g.mtx", "--format", "matrix-market").code == 0
    assert matheur("clique", tmp_path / "g.mtx", "--json", "--work", 1_000).json["score"] == 5
