"""The presets of party building against the parameters that the paper prints."""

from __future__ import annotations

import csv
import importlib.util
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import matheur
from matheur.problems.party import builtin
from matheur.problems.party.problem import Party
from matheur.running.configuration import resolve

SCRIPTS = Path(__file__).parents[2] / "experiments" / "party_building"
PAPER = SCRIPTS / "paper"


def _table() -> dict[str, tuple[str, str]]:
    with (PAPER / "table1.csv").open(newline="") as file:
        return {row["parameter"]: (row["vanilla GA"], row["multi-island GA"]) for row in csv.DictReader(file)}


def _construction(preset: str) -> dict[str, Any]:
    return dict(resolve("party", preset=preset).to_dict()["construction"])


def test_the_presets_have_the_parameters_of_table_1() -> None:
    """Every line of Table I is a value of the two presets, and neither does anything after the construction."""
    table, single, islands = _table(), _construction("paper-single"), _construction("paper")
    assert (single["name"], islands["name"]) == ("genetic", "islands")
    for line, key in (("mutation rate", "mutation"), ("crossover rate", "crossover"), ("population size", "population"),
                      ("offspring", "offspring"), ("generations", "generations")):  # fmt: skip
        one, many = (text.removesuffix(" per island") for text in table.pop(line))
        assert (single[key], islands[key]) == (float(one), float(many)), line
    assert table.pop("migration type")[1] == "similarity based"
    assert (islands["topology"], islands["partition"]) == ("redeal", True)
    assert table.pop("similarity measure")[1] == islands["similarity"] == "fitness"
    assert int(table.pop("migration frequency")[1]) == islands["epoch"]
    assert int(table.pop("islands epochs")[1]) == islands["generations"] // islands["epoch"]
    assert not table
    assert islands["islands"] * islands["population"] == single["population"]
    assert islands["islands"] * islands["offspring"] == single["offspring"]


def test_both_presets_make_and_mend_parties_as_the_paper_does() -> None:
    """Algorithm 1 by matches alone, mutants filled at random, a third replaced, and nothing of ours."""
    for preset in ("paper", "paper-single"):
        one = _construction(preset)
        assert (one["guide"], one["improve"], one["random_filling"], one["distinct"]) == ("match", "none", True, False)
        assert "mutation_growth" not in one
        assert round(one["refresh_share"] * 3, 9) == 1
        assert not resolve("party", preset=preset).to_dict()["neighbourhoods"]


def test_the_preset_finds_parties_of_the_third_type() -> None:
    """A high level and many elves on 10,000 heroes: the first populations of the islands are feasible at once."""
    problem = Party(builtin("type3"))
    result = matheur.solve(problem, preset="paper", settings=["construction.generations=1"], work=20_000, seed=1)
    assert result.feasible
    assert problem.evaluate(result.solution).feasible


@pytest.mark.skipif(importlib.util.find_spec("ortools") is None, reason="CP-SAT is not installed")
@pytest.mark.parametrize(
    ("more", "named"),
    [
        ({"constraints": [{"type": "min_same", "column": "kind", "value": 2}]}, "min_same"),
        ({"constraints": [{"type": "max_same", "column": "kind", "value": 1, "slots": ["a"]}]}, "on some slots"),
        ({"maximise": "level"}, "maximise"),
    ],
)
def test_the_peer_refuses_what_it_does_not_model(more: dict[str, Any], named: str, tmp_path: Path) -> None:
    """A demand that is left out without a word would make a wrong comparison."""
    (tmp_path / "items.csv").write_text("id,price,kind,level\n1,5,x,1\n2,3,y,2\n3,4,x,3\n")
    puzzle = {"format": "matheur-party", "version": 1, "cards": "items.csv", "slots": [{"name": "a"}, {"name": "b"}]}
    (tmp_path / "puzzle.json").write_text(json.dumps(puzzle | more))
    command = [sys.executable, str(SCRIPTS / "peer_cp_sat.py"), str(tmp_path / "puzzle.json"), "--seconds", "5"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert done.stderr.startswith("error: not modelled here: ")
    assert named in done.stderr
