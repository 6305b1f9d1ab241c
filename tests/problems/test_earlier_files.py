"""Results, checkpoints and pools that an earlier version wrote (folder `earlier_files`, seed 4)."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from matheur.engine.elite_files import list_elites, read_elite
from matheur.running.earlier_words import of_today
from matheur.running.loading import load_instance, load_solution, problem_type
from matheur.running.solving import solve

FOLDER = Path(__file__).parent / "earlier_files"
FILES = [
    ("edge_matching", "board.txt", "edge-matching"),
    ("quadratic_assignment", "plant.dat", "quadratic-assignment"),
    ("sliding_tile", "tiles.txt", "sliding-tile"),
]


@pytest.mark.parametrize(("folder", "file", "name"), FILES)
def test_a_result_is_read_with_its_score(folder: str, file: str, name: str) -> None:
    """The solution in it is feasible, and has the score and the encoding that the file says."""
    _, problem = load_instance(str(FOLDER / folder / file))
    assert problem.name == name
    result = json.loads((FOLDER / folder / "result.json").read_text())
    solution = load_solution(problem_type(name), problem, str(FOLDER / folder / "result.json"))
    evaluation = problem.evaluate(solution)
    assert evaluation.feasible
    assert problem.score(evaluation.objective) == result["score"]
    assert problem.encode(solution) == result["solution"]


@pytest.mark.parametrize(("folder", "file", "name"), FILES)
def test_a_checkpoint_is_continued(folder: str, file: str, name: str, tmp_path: Path) -> None:
    """With one iteration more, from the best solution in it."""
    checkpoint = shutil.copytree(FOLDER / folder / "checkpoint", tmp_path / "checkpoint")
    before = json.loads((checkpoint / "checkpoint.json").read_text())
    result = json.loads((FOLDER / folder / "result.json").read_text())
    configuration = of_today(result["configuration"], None)
    found = solve(
        str(FOLDER / folder / file),
        construction=configuration["construction"],
        neighbourhoods=configuration["neighbourhoods"],
        seed=configuration["seed"],
        iterations=configuration["iterations"] + 1,
        checkpoint=checkpoint,
        pool=shutil.copytree(FOLDER / folder / "pool", tmp_path / "pool"),
        resume=True,
    )
    assert before["identity"]["problem"] == name
    assert found.iterations == before["state"]["iteration"] + 1
    assert found.objective is not None
    assert found.objective <= before["state"]["best_objective"]


@pytest.mark.parametrize(("folder", "file", "name"), FILES)
def test_a_pool_is_read(folder: str, file: str, name: str) -> None:
    """Every elite in it belongs to the instance, and its file is named by what it holds."""
    _, problem = load_instance(str(FOLDER / folder / file))
    files = list_elites(FOLDER / folder / "pool")
    assert files
    for one in files:
        assert problem.evaluate(read_elite(problem, one).elite.solution).feasible
