"""The commands `matheur diverse`, `matheur sweep` and `matheur front`."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from types import SimpleNamespace

import pytest
from cli.conftest import Command

from matheur.cli import designing
from matheur.engine.source import Source, open_source
from matheur.problems.edge_matching.clique_nodes import NodeTable

FAST = (
    "--set", "construction=annealing", "--set", "neighbourhoods=[]", "--set", "construction.steps=2000",
    "--work", 60_000,
)  # fmt: skip


def test_different_parties_are_printed_and_written(matheur: Command, tmp_path: Path) -> None:
    """JSON and file agree; every solution is valid, different from the others and near the best."""
    out = tmp_path / "d.json"
    arguments = ("party/demo", "--count", 3, "--within", 60, "--distance", 2, "--out", out, *FAST)
    found = matheur("diverse", *arguments, "--json").json
    assert json.loads(out.read_text())["solutions"] == found["solutions"]
    assert found["status"] == "found"
    assert len(found["solutions"]) == 3
    for one in found["solutions"]:
        assert found["best"] <= one["objective"] <= found["cap"]
        assert one["nearest"] >= 2
        party = tmp_path / "party.json"
        party.write_text(json.dumps({"problem": "party", "objective": one["objective"], "solution": one["solution"]}))
        assert matheur("verify", "party/demo", party).code == 0
    answer = matheur("diverse", *arguments)
    assert answer.code == 0
    assert f"best {found['best']}" in answer.out
    assert "synergy 0.9" in answer.out


def test_a_small_puzzle_is_counted_with_proof(matheur: Command, tmp_path: Path) -> None:
    """The output states which counts are proved, also for each band."""
    (tmp_path / "cards.csv").write_text("id,price,club\na,10,X\nb,10,X\nc,11,X\nd,12,Y\ne,30,Y\n")
    puzzle = {
        "format": "matheur-party", "version": 1, "cards": "cards.csv", "slots": [{"name": "1"}, {"name": "2"}],
        "edges": [["1", "2"]], "synergy": {"terms": [{"column": "club"}], "min": 1},
    }  # fmt: skip
    path = tmp_path / "p.json"
    path.write_text(json.dumps(puzzle))
    answer = matheur("diverse", path, "--within", 10, "--exhaustive", "--bands", 2, *FAST)
    assert "best 20, up to 22; 3 different solutions known, and there are no more (proved)" in answer.out
    assert "no further solution is as far from all of these (proved)" in answer.out
    assert "to 21: 3" in answer.out
    assert "or more" not in answer.out
    answer = matheur("diverse", path, "--within", 10, "--by-slot", "--count", 100, *FAST)
    assert "6 different solutions known, and there are no more" in answer.out


def test_a_curve_in_all_forms(matheur: Command, tmp_path: Path) -> None:
    """A curve is written as JSON, CSV, a picture and a text table."""
    pytest.importorskip("matplotlib")
    table, picture = tmp_path / "c.csv", tmp_path / "c.svg"
    arguments = ("party/demo", "--demand", "level", "--values", "60,75, 99", "--per-slot", "--constructions", 20)
    curve = matheur("sweep", *arguments, "--out", table, "--out-plot", picture, "--json", *FAST).json
    assert [point["value"] for point in curve["points"]] == [60, 75, 99]
    assert curve["points"][2]["status"] == "infeasible"
    assert table.read_text().count("\n") == 4
    assert "<svg" in picture.read_text()
    answer = matheur("sweep", *arguments, *FAST)
    assert answer.code == 0
    assert "99: the demand 'sum of level" in answer.out


def test_a_front_in_all_forms(matheur: Command, tmp_path: Path) -> None:
    """A front is written as JSON, CSV, a picture and text; a small front is proved complete."""
    pytest.importorskip("matplotlib")
    (tmp_path / "cards.csv").write_text("id,price,club,level\na,10,X,3\nb,14,Y,3\nc,13,X,9\nd,12,Y,9\ne,30,X,20\n")
    puzzle = {
        "format": "matheur-party", "version": 1, "cards": "cards.csv", "slots": [{"name": "1"}, {"name": "2"}],
        "edges": [["1", "2"]], "synergy": {"terms": [{"column": "club"}], "min": 1},
        "constraints": [{"type": "sum", "column": "level", "op": ">=", "value": 6}],
    }  # fmt: skip
    path, table, picture = tmp_path / "p.json", tmp_path / "f.csv", tmp_path / "f.svg"
    path.write_text(json.dumps(puzzle))
    exact = ("front", path, "--objectives", "price,synergy", "--method", "constraint", "--points", 9, "--work", 100_000)
    found = matheur(*exact, "--out", table, "--out-plot", picture, "--json").json
    assert [(one["price"], one["synergy"], one["proved"]) for one in found["points"]] == [(22, 0, True), (23, 1, True)]
    assert (found["complete"], found["objectives"]) == (True, {"price": "min", "synergy": "max"})
    assert table.read_text() == "price,synergy,proved\n22,0,True\n23,1,True\n"
    assert "<svg" in picture.read_text()
    assert "2 points, and there are no others (proved)" in matheur(*exact).out
    answer = matheur(
        "front", path, "--objectives", "cost,synergy,level", "--points", 64, "--work", 40_000, "--json"
    ).json
    points = [(one["cost"], one["synergy"], one["level"]) for one in answer["points"]]
    assert points == [(22, 0, 12), (23, 1, 12), (25, 0, 18), (40, 1, 23), (42, 0, 29), (43, 1, 29)]
    for one in answer["points"]:
        party = tmp_path / "party.json"
        party.write_text(json.dumps(one["solution"]))
        assert matheur("verify", path, party).code == (0 if one["synergy"] == 1 else 1)


@pytest.mark.parametrize(
    ("minimum", "work", "said"),
    [(25, 100_000, "there are no solutions (proved)"), (6, 0, "none found. Maybe larger limits?")],
)
def test_an_empty_front_says_why(matheur: Command, tmp_path: Path, minimum: int, work: int, said: str) -> None:
    """An empty front is either proved, or nothing was found within the limits."""
    (tmp_path / "cards.csv").write_text("id,price,club,level\na,10,X,3\nb,14,Y,3\nc,13,X,9\n")
    puzzle = {
        "format": "matheur-party", "version": 1, "cards": "cards.csv", "slots": [{"name": "1"}, {"name": "2"}],
        "edges": [["1", "2"]], "synergy": {"terms": [{"column": "club"}], "min": 1},
        "constraints": [{"type": "sum", "column": "level", "op": ">=", "value": minimum}],
    }  # fmt: skip
    path = tmp_path / "p.json"
    path.write_text(json.dumps(puzzle))
    exact = ("front", path, "--objectives", "price,synergy", "--method", "constraint", "--work", work)
    assert matheur(*exact).out.strip() == said


def test_settings_that_a_front_does_not_use_are_errors(matheur: Command) -> None:
    """The evolution has no operators or solvers to set; the other method checks them as `solve` does."""
    way = ("front", "party/demo", "--objectives", "price,synergy", "--work", 1)
    unused = matheur(*way, "--set", "solver.threads=2")
    assert "'solver.threads' has no effect on the method 'evolution'" in unused.error
    other = matheur(*way, "--method", "constraint", "--set", "nope=2")
    assert "unknown option 'nope'" in other.error


def test_prices_with_decimals_are_printed_in_units_of_the_instance(matheur: Command, tmp_path: Path) -> None:
    """The objective is a multiple of the price; people see the price, also of the bands."""
    path = tmp_path / "q.dat"
    path.write_text("3\n0 0.5 1\n0.5 0 2\n1 2 0\n\n0 1 2\n1 0 1\n2 1 0\n")
    way = ("diverse", path, "--count", 2, "--within", 50, "--bands", 2, "--work", 20_000)
    best = matheur(*way, "--json").json["solutions"][0]["score"]
    lines = matheur(*way).out.splitlines()
    assert f"best {best:g}, up to {best * 1.5:g}; " in lines[-3]
    assert [float(line.split()[1].rstrip(":")) for line in lines[-2:]] == [best * 1.25, best * 1.5]


def test_quadratic_assignment_has_different_solutions_too(matheur: Command) -> None:
    """Different solutions of quadratic assignment are different permutations."""
    found = matheur(
        "diverse", "quadratic-assignment/tiny8", "--count", 2, "--within", 50, "--json", "--work", 20_000,
        "--set", "construction=random", "--set", "neighbourhoods=['swap']",
    ).json  # fmt: skip
    assert len({tuple(one["solution"]) for one in found["solutions"]}) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("diverse", "edge-matching/3x3"), "party and quadratic-assignment only (not 'edge-matching')"),
        (("diverse", "party/demo", "--distance", 7), "between 1 and 6"),
        (("diverse", "party/demo", "--count", 0), "--count"),
        (("diverse", "party/demo", "--out", "missing/d.json"), "folder"),
        (("sweep", "edge-matching/3x3", "--demand", "synergy", "--values", "1"), "only in party puzzles"),
        (("sweep", "party/demo", "--demand", "synergi", "--values", "1"), "Maybe 'synergy'"),
        (("sweep", "party/demo", "--demand", "synergy", "--values", "a"), "not a number ('a')"),
        (("sweep", "party/demo", "--demand", "synergy", "--values", "2"), "between 0 and 1"),
        (("sweep", "party/demo", "--demand", "synergy", "--values", ","), "needs values"),
        (("sweep", "party/demo", "--demand", "synergy", "--values", "1", "--out-plot", "c.pdf"), "'.pdf'"),
        (("sweep", "party/demo", "--values", "1"), "--demand"),
        (
            ("front", "edge-matching/3x3", "--objectives", "price,synergy"),
            "party puzzles only (not for 'edge-matching')",
        ),
        (("front", "party/demo", "--objectives", "price,synergi"), "Maybe 'synergy'"),
        (("front", "party/demo", "--objectives", "synergy"), "Maybe price,synergy?"),
        (("front", "party/demo", "--objectives", "price,synergy,synergy"), "twice"),
        (("front", "party/demo", "--objectives", "price,synergy", "--method", "nsga"), "unknown method 'nsga'"),
        (("front", "party/demo", "--objectives", "price,synergy,level", "--method", "constraint"), "two objectives"),
        (("front", "party/demo", "--objectives", "price,synergy", "--out-plot", "c.pdf"), "'.pdf'"),
    ],
)
def test_bad_questions_are_refused(matheur: Command, arguments: tuple[object, ...], message: str) -> None:
    """One line explains the error."""
    assert message in matheur(*arguments).error


def test_tables_are_compressed_if_their_name_asks_for_it(tmp_path: Path) -> None:
    """Curves, fronts, and tables of nodes, as results and graphs are."""
    curve = SimpleNamespace(to_csv=lambda: "value,price\n1,2\n")
    designing._deliver(curve, tmp_path / "curve.csv.gz", None, lambda: None)
    assert gzip.decompress((tmp_path / "curve.csv.gz").read_bytes()) == b"value,price\n1,2\n"
    table = NodeTable.parse(Source("n.csv", b"node,tile,row,column,rotation\n1,1,0,0,2\n"))
    table.save(tmp_path / "n.csv.gz")
    assert len(NodeTable.parse(open_source(tmp_path / "n.csv.gz"))) == 1
    assert (tmp_path / "n.csv.gz").read_bytes()[:2] == b"\x1f\x8b"
