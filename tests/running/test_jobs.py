"""A search in several processes, seen from the parent."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

import matheur
from matheur.engine.checkpoint import Checkpointer
from matheur.problems.edge_matching import EdgeMatching
from matheur.problems.edge_matching.builtin import builtin, builtin_solution
from matheur.running.configuration import resolve
from matheur.running.identity import search_identity
from matheur.running.jobs import _Jobs, _Kept

PROBLEM = EdgeMatching(builtin("4x4"))
WAY: dict[str, Any] = {"construction": "random", "neighbourhoods": ["swap-rotate"], "jobs": 2, "seed": 3}


class Pool:
    """Workers that report what they are told to."""

    def __init__(self) -> None:
        self.told: list[Any] = []

    def reports(self) -> Iterator[Any]:
        told, self.told = self.told, []
        return iter(told)

    def stop(self) -> None:
        return None


def followed(folder: Path, every: float) -> tuple[_Jobs, Pool, list[str]]:
    """The parent of two jobs that have not returned yet, its workers, and its events."""
    identity = search_identity(PROBLEM, resolve("edge-matching", overrides=WAY, instance=PROBLEM))
    keeper, pool, events = Checkpointer(folder, identity, every=every), Pool(), list[str]()
    kept = _Kept(PROBLEM, keeper, 3, [11, 12], [None, None])
    observers = [lambda event: events.append(event["event"])]
    return _Jobs(PROBLEM, cast("Any", pool), observers, lambda *_: None, lambda: False, None, 5.0, kept), pool, events


def test_jobs_with_other_settings_of_their_own_are_another_search() -> None:
    """Settings of members belong to the search that a checkpoint continues; a single job does not use them."""

    def digest(jobs: int, *members: dict[str, Any]) -> str:
        told = {**WAY, "jobs": jobs, **({"portfolio": {"members": list(members)}} if members else {})}
        found = search_identity(PROBLEM, resolve("edge-matching", overrides=told, instance=PROBLEM))
        return str(found["search"])

    assert len({digest(2), digest(2, {"schedule": "descent"}), digest(2, {"schedule": "roulette"})}) == 3
    assert digest(1) == digest(1, {"schedule": "descent"})


def test_the_best_solution_of_jobs_in_long_calls_is_in_the_checkpoint(tmp_path: Path) -> None:
    """A run that is killed while all jobs are in their first call continues from the best solution."""
    jobs, pool, events = followed(tmp_path / "state", 0.0)
    jobs.poll()
    assert not (tmp_path / "state" / "checkpoint.json").exists()
    board = builtin_solution("4x4")
    pool.told.append((1, 0, "patient", PROBLEM.encode(board)))
    jobs.poll()
    jobs.poll()
    assert events == ["incumbent", "checkpoint"]
    first, second = json.loads((tmp_path / "state" / "checkpoint.json").read_text())["state"]["members"]
    assert first is None
    assert (second["best_objective"], second["best_operator"], second["seed"]) == (0, "patient", 12)
    assert second["current"] == second["best"]
    assert second["seconds"] >= 5
    result = matheur.solve("edge-matching/4x4", **WAY, seconds=60, checkpoint=tmp_path / "state", resume=True)
    assert (result.status, result.objective, result.found_by) == ("optimal", 0, "patient")
    assert result.seconds >= 5


@pytest.mark.parametrize("every", [0.0, 1e6])
def test_a_best_solution_is_not_written_twice_or_too_often(every: float, tmp_path: Path) -> None:
    """Between two writes, some seconds pass."""
    jobs, pool, events = followed(tmp_path / "state", every)
    boards = [matheur.solve(PROBLEM, construction="random", neighbourhoods=[], iterations=0, seed=n) for n in range(9)]
    for found in sorted(boards, key=lambda one: -(one.objective or 0)):
        pool.told.append((0, found.objective, "random", PROBLEM.encode(found.solution)))
        jobs.poll()
    distinct = len({found.objective for found in boards})
    assert distinct > 2
    assert events.count("incumbent") == distinct
    assert events.count("checkpoint") == (distinct if every == 0 else 1)
