"""`matheur diverse` and `matheur sweep`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from cli.conftest import Command

FAST = (
    "--set", "construction=annealing", "--set", "neighbourhoods=[]", "--set", "construction.steps=2000",
    "--work", 60_000,
)  # fmt: skip


def test_different_parties_are_printed_and_written(matheur: Command, tmp_path: Path) -> None:
    """The JSON is that of the file; every solution is valid by `verify`, and near the best."""
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
    """What is proved is said, in each band."""
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
    """JSON, CSV, a picture, and a table for people."""
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


def test_quadratic_assignment_has_different_solutions_too(matheur: Command) -> None:
    """Permutations, by places."""
    found = matheur(
        "diverse", "quadratic-assignment/tiny8", "--count", 2, "--within", 50, "--json", "--work", 20_000,
        "--set", "construction=random", "--set", "neighbourhoods=['swap']",
    ).json  # fmt: skip
    assert len({tuple(one["solution"]) for one in found["solutions"]}) == 2


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("diverse", "edge-matching/3x3"), "party and quadratic-assignment (not 'edge-matching')"),
        (("diverse", "party/demo", "--distance", 7), "between 1 and 6"),
        (("diverse", "party/demo", "--count", 0), "--count"),
        (("diverse", "party/demo", "--out", "missing/d.json"), "folder"),
        (("sweep", "edge-matching/3x3", "--demand", "synergy", "--values", "1"), "party puzzles only"),
        (("sweep", "party/demo", "--demand", "synergi", "--values", "1"), "Maybe 'synergy'"),
        (("sweep", "party/demo", "--demand", "synergy", "--values", "a"), "not a number ('a')"),
        (("sweep", "party/demo", "--demand", "synergy", "--values", "2"), "between 0 and 1"),
        (("sweep", "party/demo", "--demand", "synergy", "--values", ","), "needs values"),
        (("sweep", "party/demo", "--demand", "synergy", "--values", "1", "--out-plot", "c.pdf"), "'.pdf'"),
        (("sweep", "party/demo", "--values", "1"), "--demand"),
    ],
)
def test_bad_questions_are_refused(matheur: Command, arguments: tuple[object, ...], message: str) -> None:
    """One line that says what is wrong."""
    assert message in matheur(*arguments).error
