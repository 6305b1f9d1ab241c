"""What the scripts of the cube count."""

from __future__ import annotations

import csv
import importlib
import sys
from collections.abc import Iterator
from pathlib import Path
from statistics import fmean
from typing import Any

import numpy as np
import pytest

from matheur.problems.rubik import Rubik, generate, parse_moves

FOLDER = Path(__file__).resolve().parents[2] / "experiments" / "deepcubea"


@pytest.fixture
def patterns(monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """The script that counts patterns of moves."""
    names = {path.stem for path in FOLDER.glob("*.py")}
    before = set(sys.modules)
    monkeypatch.syspath_prepend(str(FOLDER))
    yield importlib.import_module("patterns")
    for name in names - before:
        sys.modules.pop(name, None)


def test_triplets_are_counted(patterns: Any) -> None:
    """Conjugates and the three other patterns; moves of one face with its inverse are none of them."""
    shares, many = patterns.triplets([parse_moves("R U R' U' U'"), parse_moves("F F D D F"), parse_moves("L")])
    # R U R', U R' U', R' U' U'; F F D, F D D, D D F
    assert many == 6
    assert shares == pytest.approx([200 / 6, 0, 200 / 6, 200 / 6])
    assert patterns.triplets([parse_moves("R L R"), parse_moves("B B' B")]) == ([0, 50, 0, 0], 2)


def test_mirrored_plans_solve_mirrored_cubes(patterns: Any) -> None:
    """The mirror exchanges left and right and the sense of turns; twice mirrored is the cube itself."""
    cube, plan = generate(seed=3, moves=30)
    image = patterns.mirrored(cube)
    assert Rubik(image).evaluate(np.array(patterns.mirrored_plan(plan), dtype=np.int32)).feasible
    assert image.facelets != cube.facelets
    assert patterns.mirrored(image).facelets == cube.facelets
    assert patterns.mirrored_plan(parse_moves("U R F' L2")) == parse_moves("U' L' F R2")
    one, other = parse_moves("R U"), parse_moves("L' U'")
    assert patterns.symmetric([(one, other)]) == (100, None)
    assert patterns.symmetric([(parse_moves("F R L D"), parse_moves("F' R' L' D'"))]) == (100, None)
    assert patterns.symmetric([(one, other), (one, one), (one, one[:1])]) == pytest.approx((100 / 3, 50))


def test_stored_results_are_those_of_the_files(data: Path) -> None:
    """Number, mean length, optimal plans, mean nodes and seconds of DeepCubeA, as computed from its stored results."""
    with (FOLDER / "paper" / "stored.csv").open() as file:
        said = {row["puzzle"]: row for row in csv.DictReader(file)}
    assert len(said) == 7
    for puzzle, row in said.items():
        name = "boxoban_unfiltered_test_reference" if puzzle == "sokoban" else f"deepcubea_{puzzle}_test"
        length = "deepcubea_moves" if puzzle == "sokoban" else "deepcubea_len"
        with (data / "state_space" / f"{name}.csv").open() as file:
            states = list(csv.DictReader(file))
        best = next((key for key in ("optimal_len_qtm", "optimal_len", "optimal_moves") if states[0].get(key)), None)
        assert int(row["states"]) == len(states)
        assert float(row["mean length"]) == pytest.approx(fmean(int(one[length]) for one in states), abs=5e-4)
        assert row["optimal"] == ("" if best is None else str(sum(one[length] == one[best] for one in states)))
        assert int(row["mean nodes"]) == round(fmean(float(one["deepcubea_nodes"]) for one in states))
        assert float(row["mean seconds"]) == pytest.approx(
            fmean(float(one["deepcubea_time_s"]) for one in states), abs=6e-3
        )


def test_shares_of_the_article_are_whole() -> None:
    """The plans of the cube are optimal, two moves longer, or four moves longer."""
    with (FOLDER / "paper" / "text.csv").open() as file:
        said = {row["what"]: float(row["value"]) for row in csv.DictReader(file) if row["puzzle"] == "cube3"}
    kinds = ("that are optimal", "two moves longer than optimal", "four moves longer than optimal")
    assert sum(said[f"plans {kind} (per cent)"] for kind in kinds) == pytest.approx(100)


def test_the_patterns_of_the_script_are_those_of_the_article(patterns: Any) -> None:
    """What `patterns.py` prints of the article stands in `paper/text.csv`."""
    with (FOLDER / "paper" / "text.csv").open() as file:
        said = [(row["what"], float(row["value"])) for row in csv.DictReader(file)]
    for name, values in patterns.PAPER.items():
        own = [value for what, value in said if ("optimal solver" in what) == name.startswith("optimal")]
        assert {value for value in values if value is not None} <= set(own)
