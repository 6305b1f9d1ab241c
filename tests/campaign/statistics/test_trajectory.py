"""Courses of runs from their events."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import matheur
from matheur.campaign.statistics import Trajectory, course_of, operator_statistics, read_course, sum_operators

EVENTS: list[dict[str, Any]] = [
    {"event": "start", "seconds": 0.0, "work": 0},
    {"event": "incumbent", "seconds": 0.5, "work": 3, "objective": 10, "score": 14, "operator": "random"},
    {"event": "proof", "seconds": 0.6, "work": 4, "operator": "window", "key": "00"},
    {
        "event": "operator", "seconds": 0.75, "work": 5, "operator": "window", "status": "improved", "objective": 8,
        "gain": 2, "call_seconds": 0.25, "call_work": 2,
    },
    {"event": "incumbent", "seconds": 0.75, "work": 5, "objective": 8, "score": 16, "operator": "window"},
    {
        "event": "operator", "seconds": 1.0, "work": 9, "operator": "window", "status": "local-optimum", "objective": 8,
        "gain": 0, "call_seconds": 0.25, "call_work": 4,
    },
    {"event": "end", "seconds": 2.0, "work": 9, "stopped": "budget", "objective": 8},
]  # fmt: skip


def written(path: Path, events: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(event) + "\n" for event in events))
    return path


def test_a_course_is_read_from_events() -> None:
    """Incumbents become a falling step function of the score, operator events figures."""
    course = course_of(EVENTS, score_sense="max")
    assert course.trajectory.times.tolist() == [0.5, 0.75]
    assert course.trajectory.values.tolist() == [-14.0, -16.0]
    assert course.trajectory.end == 2.0
    assert course.operators is not None
    window = course.operators["window"]
    assert (window.calls, window.seconds, window.work, window.successes, window.gain, window.proofs) == (
        2, 0.5, 6, 1, 2, 1,
    )  # fmt: skip
    assert course_of(EVENTS).trajectory.values.tolist() == [14.0]  # where small scores are good, 16 is no better


def test_a_file_gives_the_same_course(tmp_path: Path) -> None:
    """Read from its file, whole or as a long stream; a half-written last line is left out."""
    path = written(tmp_path / "events.jsonl", EVENTS)
    with path.open("a") as file:
        file.write('{"event": "incumbent", "sec')
    course, direct = read_course(path, score_sense="max"), course_of(EVENTS, score_sense="max")
    assert course.trajectory.values.tolist() == direct.trajectory.values.tolist()
    assert course.operators == direct.operators
    long = read_course(path, score_sense="max", long=10)
    assert long.trajectory.times.tolist() == [0.5, 0.75]
    assert long.trajectory.end == 2.0
    assert long.operators is None
    assert read_course(None).trajectory.last == np.inf


def test_operators_of_a_real_run_are_those_of_its_result() -> None:
    """What the events say of the operators is what the result says."""
    events: list[Any] = []
    result = matheur.solve(
        "edge-matching/4x4", construction="random", neighbourhoods=["swap-rotate"], iterations=4,
        observers=[events.append],
    )  # fmt: skip
    told = course_of(events, score_sense="max").operators
    assert told is not None
    table = operator_statistics(result.to_dict()["operators"])
    assert told.keys() == table.keys() == {"random", "swap-rotate"}
    for name, figures in table.items():
        assert (told[name].calls, told[name].gain, told[name].work) == (figures.calls, figures.gain, figures.work)
        assert told[name].seconds == pytest.approx(figures.seconds, abs=1e-5)


def test_figures_of_runs_add_up() -> None:
    """Operators are summed by name and sorted by their seconds."""
    one = course_of(EVENTS).operators
    assert one is not None
    other = operator_statistics(
        {"swap": {"calls": 1, "seconds": 9.0, "work": 1, "successes": 1, "gain": 3, "proofs": 0, "gain_per_second": 1}}
    )
    total = sum_operators([one, other, one])
    assert list(total) == ["swap", "window"]
    assert (total["window"].calls, total["window"].seconds) == (4, 1.0)
    assert one["window"].calls == 2  # nothing is changed by adding


def test_a_trajectory_only_falls() -> None:
    """Incumbents out of order or no better than before are left out; ends are at least the last incumbent."""
    run = Trajectory.of([2.0, 1.0, 3.0, 3.5], [5.0, 7.0, 5.0, 4.0], 0.0)
    assert run.times.tolist() == [1.0, 2.0, 3.5]
    assert run.values.tolist() == [7.0, 5.0, 4.0]
    assert run.end == 3.5
    assert run.at(np.array([0.5, 1.0, 1.9, 2.0, 99.0])).tolist() == [np.inf, 7.0, 7.0, 5.0, 4.0]
    assert (run.time_to(7), run.time_to(6), run.time_to(4), run.time_to(3)) == (1.0, 2.0, 3.5, np.inf)
    assert Trajectory.of([], []).last == np.inf


def test_thinning_keeps_both_ends() -> None:
    """A thinned trajectory begins and ends as the whole one and is no longer than asked for."""
    run = Trajectory.of(np.arange(1.0, 1001.0), np.arange(1000.0, 0.0, -1.0), 1234.0)
    thin = run.thinned(50)
    assert len(thin.times) == 50
    assert (thin.times[0], thin.values[0], thin.times[-1], thin.last, thin.end) == (1.0, 1000.0, 1000.0, 1.0, 1234.0)
    assert run.thinned(1000) is run
