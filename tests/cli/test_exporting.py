"""The commands `matheur export` and `matheur import`."""

from __future__ import annotations

import csv
import os
from itertools import permutations
from pathlib import Path

import highspy
import networkx as nx
import pytest
from cli.conftest import Answer, Command

from matheur.engine.compression import form_of
from matheur.problems.edge_matching import builtin
from matheur.problems.edge_matching.formats import write_piece_list
from matheur.running.loading import load_instance


def export(matheur: Command, folder: Path, *arguments: object) -> Answer:
    """Export the clique graph of the built-in 3x3 puzzle."""
    return matheur(
        "export", "clique", "edge-matching/3x3", "--out", folder / "g.clq", "--nodes", folder / "n.csv", *arguments
    )


def clique_of(path: Path) -> list[int]:
    """Return a maximum clique of an ASCII file, found by networkx, with vertices from 1."""
    graph = nx.Graph()
    for line in path.read_text().splitlines():
        if line.startswith("e "):
            graph.add_edge(*map(int, line.split()[1:3]))
    return sorted(max(nx.find_cliques(graph), key=len))


@pytest.mark.parametrize("base", [1, 0])
def test_there_and_back(matheur: Command, tmp_path: Path, base: int) -> None:
    """A clique of another program, with vertices from 0 or from 1, becomes a valid perfect board."""
    answer = export(matheur, tmp_path, "--json")
    assert answer.json["target"] == 9
    with (tmp_path / "n.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert list(rows[0]) == ["node", "tile", "row", "column", "rotation"]
    assert len(rows) == answer.json["vertices"]
    vertices = clique_of(tmp_path / "g.clq")
    assert len(vertices) == 9
    said = tmp_path / "answer.txt"
    said.write_text("clique: " + " ".join(str(vertex - 1 + base) for vertex in vertices) + "\n")
    out = tmp_path / "s.json"
    arguments = (tmp_path / "n.csv", said, "--out", out, "--graph", tmp_path / "g.clq")
    answer = matheur("import", "clique", *arguments, "--instance", "edge-matching/3x3", "--json")
    assert answer.code == 0
    assert (answer.json["base"], answer.json["score"], answer.json["feasible"]) == (base, 12, True)
    assert matheur("verify", "edge-matching/3x3", out).code == 0
    assert matheur("import", "clique", *arguments).code == 0


def test_an_imported_board_says_how_its_instance_was_read(matheur: Command, tmp_path: Path) -> None:
    """So `verify` reads the instance with the same options."""
    pieces, said, out = (tmp_path / name for name in ("pieces.txt", "answer.txt", "s.json"))
    sides = [line.split() for line in write_piece_list(builtin("3x3")).splitlines()[1:]]
    pieces.write_text("3 3\n" + "".join(f"{down} {left} {up} {right}\n" for up, right, down, left in sides))
    files = ("--out", tmp_path / "g.clq", "--nodes", tmp_path / "n.csv")
    options = ("--set", "instance.sides=dlur")
    assert matheur("export", "clique", pieces, *files, *options).code == 0
    said.write_text(" ".join(map(str, clique_of(tmp_path / "g.clq"))))
    assert matheur("import", "clique", tmp_path / "n.csv", said, "--out", out, "--instance", pieces, *options).code == 0
    for arguments in ([out], [pieces, out]):
        answer = matheur("verify", *arguments, "--json")
        assert (answer.code, answer.json["score"], answer.json["options"]) == (0, 12, {"sides": "dlur"})


def test_binary_and_ascii_are_the_same_graph(matheur: Command, tmp_path: Path) -> None:
    """`matheur clique` reads the same graph from both formats."""
    found = []
    for form in ("ascii", "binary"):
        assert export(matheur, tmp_path, "--format", form).code == 0
        result = matheur("clique", tmp_path / "g.clq", "--work", 2000, "--json").json
        found.append([result[key] for key in ("vertices", "edges", "objective")])
    assert found[0] == found[1]
    assert found[0][2] == -9


def test_hints_make_the_graph_smaller(matheur: Command, tmp_path: Path) -> None:
    """A hint removes the other placements of its piece and its cell."""
    whole = export(matheur, tmp_path, "--json").json
    hinted = export(matheur, tmp_path, "--set", "instance.hints=0,0=1", "--json").json
    assert 0 < hinted["vertices"] < whole["vertices"]


def test_a_region_there_and_back(matheur: Command, tmp_path: Path, perfect: Path) -> None:
    """The clique of a region is inserted into the board around it."""
    graph, nodes, out = tmp_path / "g.clq", tmp_path / "n.csv", tmp_path / "s.json"
    around = ("--region", "1,1,2,3", "--start", perfect)
    answer = matheur("export", "clique", "edge-matching/4x4", "--out", graph, "--nodes", nodes, *around, "--json")
    assert answer.json["target"] == 6
    result = matheur("clique", graph, "--work", 5000, "--out", tmp_path / "c.json", "--json").json
    assert result["score"] == 6
    said = tmp_path / "answer.txt"
    said.write_text(" ".join(map(str, result["solution"])))
    answer = matheur(
        "import", "clique", nodes, said, "--instance", "edge-matching/4x4", "--start", perfect, "--out", out, "--json"
    )
    assert answer.json["score"] == 24


def test_a_wrong_answer_is_refused(matheur: Command, tmp_path: Path) -> None:
    """Vertices that are not a clique, or not in the table, are bad input."""
    export(matheur, tmp_path)
    said, out = tmp_path / "answer.txt", tmp_path / "s.json"
    for text in ("1 2 3 4 5 6 7 8 9", "99999", "", "no clique here", "1 1 1"):
        said.write_text(text)
        arguments = (tmp_path / "n.csv", said, "--out", out, "--graph", tmp_path / "g.clq")
        assert "answer.txt" in matheur("import", "clique", *arguments).error
        assert not out.exists()


@pytest.mark.parametrize("formulation", ["gap", "match", "exact"])
@pytest.mark.parametrize("suffix", ["lp", "mps"])
def test_models_are_read_by_a_solver(matheur: Command, tmp_path: Path, formulation: str, suffix: str) -> None:
    """HiGHS reads each formulation in each format and finds a solution without mismatches."""
    path = tmp_path / f"m.{suffix}"
    facts = matheur("export", "model", "edge-matching/3x3", "--formulation", formulation, "--out", path, "--json").json
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    assert 0 <= solver.getNumCol() - facts["variables"] <= 1  # a constant needs its own column
    solver.run()
    assert solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    if formulation != "exact":
        assert solver.getObjectiveValue() + facts["constant"] == pytest.approx(0)


@pytest.mark.parametrize(
    "way",
    [("b.mps", "c.lp"), ("b.lp", "c.mps"), ("b.mps.gz", "c.lp.xz"), ("b.lp.bz2", "c.mps.GZ"), ("b.MPS", "c.LP")],
)
def test_linear_programs_are_converted(matheur: Command, tmp_path: Path, way: tuple[str, str]) -> None:
    """A conversion from LP to MPS and back keeps every digit and lists the assumptions."""
    path = tmp_path / "a.lp"
    path.write_text("max\n o: 0.12345678901234567891 x + 2 y\nst\n c: x + y <= 4.5\n x <= 3\ngeneral\n y\n")
    expected = load_instance(str(path))[1].model
    for name in way:
        answer = matheur("export", "model", path, "--out", tmp_path / name, "--json")
        assert (answer.json["variables"], answer.json["constraints"]) == (2, 2)
        path = tmp_path / name
        assert form_of(path.read_bytes()) == {".gz": "gzip", ".bz2": "bzip2", ".xz": "xz"}.get(path.suffix.lower(), "")
        found = load_instance(str(path))[1].model
        assert found.fingerprint == expected.fingerprint
        assert found.row_names == ("c", "R2")
    answer = matheur("export", "model", tmp_path / "a.lp", "--out", tmp_path / "d.mps")
    assert "assumed: the end of the file" in answer.err
    assert answer.out == f"2 variables, 2 constraints, written to {tmp_path / 'd.mps'}\n"


def test_names_that_an_lp_file_cannot_hold(matheur: Command, tmp_path: Path) -> None:
    """Such names are reported before anything is written."""
    path = tmp_path / "a.mps"
    path.write_text("NAME\nROWS\n N f\n L c\nCOLUMNS\n x-y f 1 c 1\nRHS\n RHS c 4\nENDATA\n")
    assert "no LP file can hold ('x-y')" in matheur("export", "model", path, "--out", tmp_path / "m.lp").error
    assert not (tmp_path / "m.lp").exists()


def test_a_region_model(matheur: Command, tmp_path: Path, perfect: Path) -> None:
    """The model of a region is much smaller than that of the board; `--all-variables` gives a larger one."""
    whole = matheur("export", "model", "edge-matching/4x4", "--out", tmp_path / "a.lp", "--json").json
    part = matheur(
        "export", "model", "edge-matching/4x4", "--out", tmp_path / "b.lp", "--region", "1,1,2,2", "--start", perfect,
        "--json",
    ).json  # fmt: skip
    assert 0 < part["variables"] < whole["variables"] / 2
    arguments = ("edge-matching/4x4", "--out", tmp_path / "c.lp", "--all-variables", "--json")
    everything = matheur("export", "model", *arguments)
    assert everything.json["variables"] > whole["variables"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--region", "0,0,1,1"), "needs --start"),
        (("--start", "S"), "goes with --region"),
        (("--region", "0,0,9,9", "--start", "S"), "does not lie on a 4 x 4 board"),
        (("--region", "1,1,0,0", "--start", "S"), "does not lie"),
        (("--region", "0,0,\u00b2,2", "--start", "S"), "not a region ('0,0,\u00b2,2')"),
        (("--region", "a", "--start", "S"), "not a region"),
        (("--region", "0,0,1", "--start", "S"), "not a region"),
        (("--set", "instance.hints=9,9=1"), "hint"),
        (("--format", "xml"), "--format"),
    ],
)
def test_wrong_regions_are_refused(
    matheur: Command, tmp_path: Path, perfect: Path, arguments: tuple[str, ...], message: str
) -> None:
    """Invalid regions are refused before anything is written."""
    given = [perfect if argument == "S" else argument for argument in arguments]
    answer = matheur(
        "export", "clique", "edge-matching/4x4", "--out", tmp_path / "g.clq", "--nodes", tmp_path / "n.csv", *given
    )
    assert message in answer.error
    assert not (tmp_path / "g.clq").exists()


@pytest.mark.parametrize("formulation", ["adams-johnson", "flow", "kaufman-broeckx"])
def test_models_of_quadratic_assignment(matheur: Command, tmp_path: Path, formulation: str) -> None:
    """HiGHS reads each formulation and finds the same optimum."""
    path, instance = tmp_path / "m.mps", tmp_path / "small.dat"
    instance.write_text("4\n0 3 0 2  3 0 1 0  0 1 0 4  2 0 4 0\n0 1 2 3  1 0 4 1  2 4 0 2  3 1 2 0\n")
    facts = matheur("export", "model", instance, "--formulation", formulation, "--out", path, "--json").json
    assert facts["formulation"] == formulation
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    assert solver.readModel(str(path)) == highspy.HighsStatus.kOk
    solver.run()
    flows = [[0, 3, 0, 2], [3, 0, 1, 0], [0, 1, 0, 4], [2, 0, 4, 0]]
    distances = [[0, 1, 2, 3], [1, 0, 4, 1], [2, 4, 0, 2], [3, 1, 2, 0]]
    best = min(
        sum(flows[i][j] * distances[p[i]][p[j]] for i in range(4) for j in range(4)) for p in permutations(range(4))
    )
    assert solver.getObjectiveValue() + facts["constant"] == pytest.approx(best)


def test_the_first_formulation_is_the_default(matheur: Command, tmp_path: Path) -> None:
    """Each problem has a default formulation."""
    for instance, formulation in (
        ("party/demo", "same-value"),
        ("quadratic-assignment/tiny8", "adams-johnson"),
        ("edge-matching/3x3", "gap"),
        ("lights-out/random-5x5", "modular"),
    ):
        facts = matheur("export", "model", instance, "--out", tmp_path / "m.mps", "--json").json
        assert facts["formulation"] == formulation
        assert facts["variables"] > 0
        assert (tmp_path / "m.mps").stat().st_size > 1000


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("party/demo", "--formulation", "gap"), "'party' has no model 'gap'. Maybe one of: same-value"),
        (("party/demo", "--region", "0,0,1,1"), "models of 'party' have no --region and --start"),
        (("quadratic-assignment/tiny8", "--all-variables"), "have no --all-variables"),
        (("edge-matching/4x4", "--all-variables", "--region", "0,0,1,1", "--start", "S"), "is for whole boards"),
        (
            ("milp/demo", "--formulation", "gap"),
            "an instance of 'milp' is a model itself, so there is no --formulation",
        ),
        (("milp/demo", "--region", "0,0,1,1"), "so there is no --region"),
        (("cubical/demo",), "no MILP of a whole instance of 'cubical'"),
    ],
)
def test_models_that_are_not_there(
    matheur: Command, tmp_path: Path, perfect: Path, arguments: tuple[str, ...], message: str
) -> None:
    """If a problem has no such model, the error lists the available ones."""
    given = [perfect if argument == "S" else argument for argument in arguments]
    assert message in matheur("export", "model", *given, "--out", tmp_path / "m.lp").error
    assert not (tmp_path / "m.lp").exists()


@pytest.mark.parametrize("instance", ["edge-matching/3x3", "milp/demo"])
@pytest.mark.parametrize("name", ["missing/m.lp", "m.xyz", ".", "m", "nul\0.lp"])
def test_unwritable_models_are_refused(matheur: Command, tmp_path: Path, name: str, instance: str) -> None:
    """A model needs a writable place and one of the known suffixes."""
    assert matheur("export", "model", instance, "--out", tmp_path / name).error
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("form", ["ascii", "binary", "metis", "matrix-market", "edge-list", "pace"])
def test_graphs_are_written_in_every_form(matheur: Command, tmp_path: Path, form: str) -> None:
    """Every format keeps the graph; options of boards are refused for graphs."""
    ending = {"ascii": "clq", "binary": "clq.b", "metis": "graph", "matrix-market": "mtx", "edge-list": "edges"}
    out = tmp_path / f"g.{ending.get(form, 'gr')}"
    facts = matheur("export", "clique", "max-clique/hamming6-4", "--format", form, "--out", out, "--json").json
    assert (facts["vertices"], facts["edges"], facts["target"]) == (64, 704, None)
    assert matheur("clique", out, "--method", "exact", "--json").json["score"] == 4
    assert (
        "not with a graph" in matheur("export", "clique", out, "--nodes", tmp_path / "n", "--out", tmp_path / "h").error
    )
    assert "needs --nodes" in matheur("export", "clique", "edge-matching/3x3", "--out", out).error


def test_the_conflicts_of_a_graph(matheur: Command, tmp_path: Path) -> None:
    """`--complement` writes the conflicts; a file that ends in `.mis` is read back as the graph."""
    out = tmp_path / "g.mis"
    assert matheur("export", "clique", "max-clique/johnson8-4-4", "--complement", "--out", out).code == 0
    assert matheur("clique", out, "--target", 14, "--json").json["edges"] == 1855


@pytest.mark.parametrize("ending", [".mis", ".gr", ".mis.gz"])
def test_files_that_hold_conflicts_by_name_get_them(matheur: Command, tmp_path: Path, ending: str) -> None:
    """Graphs that are generated or exported to `.mis` and `.gr` are read back as the same graphs."""
    made, out = tmp_path / f"made{ending}", tmp_path / f"out{ending}"
    assert matheur("generate", "max-clique", "--size", "20", "--out", made).code == 0
    hidden = f"{made}.solution.json"
    assert matheur("verify", made, hidden).code == 0
    assert matheur("export", "clique", made, "--out", out).code == 0
    assert matheur("verify", out, hidden).code == 0


def test_a_graph_whose_name_is_no_text(matheur: Command, tmp_path: Path) -> None:
    """The name of the file is a comment, in characters that any file can hold."""
    source = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.clq"))
    source.write_text("p edge 3 1\ne 1 2\n")
    for form in ("ascii", "metis", "edge-list"):
        out = tmp_path / form
        assert matheur("export", "clique", source, "--out", out, "--format", form).code == 0
        assert "caf\\udce9.clq" in out.read_text()
