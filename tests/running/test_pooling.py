"""How a run joins a pool of elites on disk, and what its searches begin with."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine import toy

from matheur.engine import Budget, SharedElites
from matheur.engine.elites import Elite
from matheur.running.configuration import Configuration, PoolOptions
from matheur.running.pooling import PoolRun, from_outside, join_pool, sharing

PROBLEM = toy.SmallSum(3)


def configuration(folder: Path | None, **options: Any) -> Configuration:
    return Configuration(
        {"name": "nines"}, pool=PoolOptions(None if folder is None else str(folder), **options), seed=5
    )


def joined(folder: Path, **options: Any) -> PoolRun:
    run = join_pool(PROBLEM, "small", configuration(folder, **options))
    assert run is not None
    return run


def put(folder: Path, *digits: int, by: str = "lower0") -> None:
    with SharedElites(PROBLEM, folder, found_by=lambda: by) as pool:
        solution = np.array(digits, dtype=np.int64)
        pool.add(PROBLEM.digest(solution), solution, int(solution.sum()))


def state(best: int | None, current: list[int] | None = None) -> dict[str, Any]:
    return {"best_objective": best, "best": None, "current": current, "proved": [0], "idle": 3, "seed": 1}


def test_without_a_folder_there_is_no_pool() -> None:
    """Nothing is joined, and a budget gets no more than its interrupt."""
    assert join_pool(PROBLEM, "small", configuration(None)) is None
    stop: Callable[[], bool] = lambda: True  # noqa: E731
    with sharing(None, PROBLEM, stop, lambda: "") as arguments:
        assert arguments == {"interrupt": stop}
    assert from_outside(None, PROBLEM)() is None


def test_each_run_has_a_number_and_draws_its_own(tmp_path: Path) -> None:
    """The first one draws from its seed, later ones from others, the same ones for the same number."""
    folder, other = tmp_path / "a" / "pool", tmp_path / "other"
    runs = [joined(folder) for _ in range(3)]
    assert [run.number for run in runs] == [0, 1, 2]
    assert runs[0].seed == 5
    assert len({run.seed for run in runs}) == 3
    assert [joined(other).seed for _ in range(3)] == [run.seed for run in runs]
    assert [run.facts["seed"] for run in runs] == [5, 5, 5]


def test_a_run_begins_with_the_best(tmp_path: Path) -> None:
    """The best elite of the folder when it joins, with what its file says."""
    assert joined(tmp_path).best is None
    put(tmp_path, 1, 1, 1, by="merge")
    put(tmp_path, 1, 1, 0, by="region")
    run = joined(tmp_path)
    assert run.best is not None
    assert (run.best.objective, run.best_facts["found_by"]) == (2, "region")


def with_best(*digits: int) -> PoolRun:
    solution = np.array(digits, dtype=np.int64)
    best = Elite(b"key", solution, int(solution.sum()))
    return PoolRun(Path(), 1, 9, 24, 2.0, {}, best, {"found_by": "merge"})


@pytest.mark.parametrize(
    ("objectives", "chosen"), [([None, None], 0), ([4, None], 1), ([4, 7], 1), ([7, 7], 0), ([2, 1], None)]
)
def test_who_is_farthest_behind_gets_it(objectives: list[int | None], chosen: int | None) -> None:
    """A search without a solution before others; none if it is no better; all draw by their new seeds from now on."""
    states = [None if objective is None else state(objective, [9, 9, 9]) for objective in objectives]
    begun = with_best(1, 1, 0).begin(PROBLEM, states, [11, 12], start=None, improving=True)
    for index, (one, before) in enumerate(zip(begun, states, strict=True)):
        if index == chosen:
            assert one is not None
            assert (one["best"], one["current"], one["best_operator"]) == ([1, 1, 0], [1, 1, 0], "merge")
            assert (one["proved"], one["idle"]) == ([], 0)
        elif before is not None:
            assert one == {**before, "seed": 11 + index}
        else:
            assert one is None
        assert one is None or one["seed"] == 11 + index
    assert states == [None if objective is None else state(objective, [9, 9, 9]) for objective in objectives]


@pytest.mark.parametrize(("start", "improving"), [(None, False), ([9, 9, 9], True), ([9, 9, 9], False)])
def test_an_elite_may_be_known_and_no_more(start: Any, improving: bool) -> None:
    """Where there is nothing to improve it with, or the user names a start, the search does not continue from it."""
    [one] = with_best(1, 1, 0).begin(PROBLEM, [None], [11], start=start, improving=improving)
    assert one is not None
    assert (one["best"], one["current"]) == ([1, 1, 0], None)


def test_what_a_run_begins_with_can_be_searched_from() -> None:
    """The state is one that the engine accepts: the best is known from the beginning, and improved."""
    [one] = with_best(1, 1, 0).begin(PROBLEM, [None], [11], start=None, improving=True)
    result = toy.search(PROBLEM, toy.Lower()).run(Budget(iterations=30), state=one)
    assert result.objective == 0
    assert "nines" not in result.operators
    [known] = with_best(1, 1, 0).begin(PROBLEM, [None], [11], start=None, improving=False)
    result = toy.search(PROBLEM).run(Budget(iterations=30), state=known)
    assert (result.objective, result.found_by) == (2, "merge")
    assert result.operators["nines"].calls == 1


def test_nothing_is_known_of_claims(tmp_path: Path) -> None:
    """What a file says of its finder is a text or nothing."""
    for claim in (None, 7, "", ["x"]):
        run = replace(with_best(1, 1, 0), best_facts={"found_by": claim})
        [one] = run.begin(PROBLEM, [None], [11], start=None, improving=True)
        assert one is not None
        assert one["best_operator"] == "pool"


def test_the_best_from_outside(tmp_path: Path) -> None:
    """A portfolio sees what other runs put into the folder while it works."""
    outside = from_outside(joined(tmp_path, every=0.0), PROBLEM)
    assert outside() is None
    put(tmp_path, 1, 1, 1)
    assert outside() == {"best": [1, 1, 1], "best_objective": 3, "best_operator": "lower0"}
    put(tmp_path, 1, 0, 1, by="merge")
    assert outside() == {"best": [1, 0, 1], "best_objective": 2, "best_operator": "merge"}
