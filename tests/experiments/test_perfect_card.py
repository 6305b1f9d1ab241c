"""The program for graphics cards of the record hunt, made for a processor: the same boards as `count_boards`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from matheur.problems.edge_matching import EdgeMatching, Instance, generate
from matheur.problems.edge_matching.backtracking.perfect_search import count_boards
from matheur.problems.edge_matching.backtracking.quotas import exhaustion_curve, rare_sets

HUNT = Path(__file__).resolve().parents[2] / "experiments" / "eternity2" / "hunt"
SIZE = 5


@pytest.fixture(scope="module")
def card(monkeypatch_module: pytest.MonkeyPatch) -> Any:
    """The module that writes its plans."""
    monkeypatch_module.syspath_prepend(str(HUNT))
    import perfect_card

    return perfect_card


@pytest.fixture(scope="module")
def monkeypatch_module() -> Any:
    """Undone when the tests of this module are over."""
    with pytest.MonkeyPatch.context() as patch:
        yield patch


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The program, for boards of 5 x 5."""
    compiler = shutil.which("c++")
    if compiler is None:
        pytest.skip("there is no C++ compiler (c++)")
    path = tmp_path_factory.mktemp("card") / "perfect_boards"
    source = str(HUNT / "perfect_boards.cu")
    subprocess.run([compiler, "-O2", "-std=c++17", f"-DSIZE={SIZE}", "-x", "c++", "-o", str(path), source], check=True)
    return path


def tried(program: Path, card: Any, folder: Path, instance: Instance, tasks: list[dict[str, Any]]) -> list[Any]:
    """What the program makes of tasks: placements, and boards of the puzzle."""
    plan = folder / "plan"
    card.write_plan(plan, instance, tasks)
    done = subprocess.run([str(program), str(plan), "600"], check=True, capture_output=True, text=True)
    rows = [json.loads(line) for line in done.stdout.splitlines()]
    assert [row["task"] for row in rows] == list(range(len(tasks)))
    return [
        (row["placements"], {tuple(card.placed(instance, board, task["order"])) for board in row["boards"]})
        for row, task in zip(rows, tasks, strict=True)
    ]


@pytest.mark.parametrize("seed", [1, 2])
def test_all_boards_by_rows_and_by_columns(program: Path, card: Any, tmp_path: Path, seed: int) -> None:
    instance = generate(SIZE, SIZE, frame_colours=2, inner_colours=4, seed=seed)[0]
    known = list[Any]()
    boards, nodes = count_boards(instance, look=known.append)
    tasks = [{"order": order, "colours": [], "part": [], "strength": 0.0} for order in ("rows", "columns")]
    found = tried(program, card, tmp_path, instance, tasks)
    for placements, some in found:
        assert some == set(map(tuple, known))
        assert len(some) == boards > 0
        assert nodes / 2 < placements < 2 * nodes


@pytest.mark.parametrize(("order", "step"), [("rows", 1), ("columns", SIZE)])
def test_parts_make_the_whole(program: Path, card: Any, tmp_path: Path, order: str, step: int) -> None:
    instance = generate(SIZE, SIZE, frame_colours=2, inner_colours=4, seed=3)[0]
    every = card.parts(instance, 2, order)
    tasks = [{"order": order, "colours": [], "part": list(part), "strength": 0.0} for part in every]
    found = tried(program, card, tmp_path, instance, tasks)
    for part, (_, boards) in zip(every, found, strict=True):
        assert all(board[: 3 * step : step] == part for board in boards)
    assert 4 * sum(len(boards) for _, boards in found) == count_boards(instance)[0]


def test_a_quota_is_held(program: Path, card: Any, tmp_path: Path) -> None:
    instance = generate(SIZE, SIZE, frame_colours=2, inner_colours=4, seed=4)[0]
    known = list[Any]()
    count_boards(instance, look=known.append)
    tasks = [
        {"order": order, "colours": colours.tolist(), "part": [], "strength": strength}
        for colours in rare_sets(instance, 4)
        for order in ("rows", "columns")
        for strength in (0.5, 0.7)
    ]
    met = 0
    for task, (_, boards) in zip(tasks, tried(program, card, tmp_path, instance, tasks), strict=True):
        colours = np.array(task["colours"])
        quota = exhaustion_curve(instance, colours, instance.cells, task["strength"], card.CURVE)[:-1]
        scan = np.arange(instance.cells).reshape(SIZE, SIZE)
        scan = (scan if task["order"] == "rows" else scan.T).ravel()
        sides = np.isin(instance.pieces, colours).sum(axis=1)
        should = {tuple(board) for board in map(np.array, known) if (np.cumsum(sides[board[scan] // 4]) >= quota).all()}
        assert should <= boards <= set(map(tuple, known))
        met += len(should)
    assert met > 0


def test_boards_are_perfect(program: Path, card: Any, tmp_path: Path) -> None:
    instance, planted = generate(SIZE, SIZE, frame_colours=3, inner_colours=5, seed=5)
    task = {"order": "columns", "colours": [], "part": [], "strength": 0.0}
    ((_, boards),) = tried(program, card, tmp_path, instance, [task])
    assert tuple(planted) in boards
    assert all(EdgeMatching(instance).evaluate(np.array(board)).objective == 0 for board in boards)


def test_what_does_not_fit_is_refused(program: Path, card: Any, tmp_path: Path) -> None:
    instance = generate(SIZE, SIZE, frame_colours=2, inner_colours=4, seed=1)[0]
    first = card.parts(instance, 1, "rows")[0]
    wrong = {"order": "rows", "colours": [], "part": [first[0], first[0]], "strength": 0.0}
    with pytest.raises(subprocess.CalledProcessError) as caught:
        tried(program, card, tmp_path, instance, [wrong])
    assert "does not fit" in caught.value.stderr
