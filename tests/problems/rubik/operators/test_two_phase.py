"""Constructions of Rubik's cube: two-phase search and guided beams."""

from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError, InputError
from matheur.methods.learning import TrainingOptions, train, write_model
from matheur.methods.statespace.slices import Builds
from matheur.problems.rubik import METRICS, Rubik, builtin, generate, uniform
from matheur.problems.rubik.domain import rubik_domain
from matheur.problems.rubik.operators import guided_beam
from matheur.problems.rubik.operators import two_phase as operators_two_phase
from matheur.problems.rubik.operators.guided_beam import GuidedBeam
from matheur.problems.rubik.operators.two_phase import TwoPhase
from matheur.problems.rubik.search import tables
from matheur.problems.rubik.search.perimeter import perimeter
from matheur.problems.rubik.search.pieces import state_of

RNG = np.random.default_rng(0)


@pytest.mark.parametrize("operator", [TwoPhase(), GuidedBeam(width=256, width_max=1024)])
def test_constructions_solve_and_offer(operator: Any) -> None:
    """Feasible plans, offered as they shrink, with an admissible bound, the same for the same work."""
    problem = Rubik(builtin("demo"))
    offered: list[int] = []
    outcome = operator.build(problem, Budget(work=600_000, on_incumbent=lambda _, cost: offered.append(int(cost))), RNG)
    assert outcome.status is Status.IMPROVED
    check = problem.evaluate(outcome.solution)
    assert (check.feasible, check.objective) == (True, outcome.objective)
    assert offered[-1] == outcome.objective
    assert offered == sorted(set(offered), reverse=True)
    assert outcome.bound is not None
    assert outcome.bound <= outcome.objective
    again = operator.build(problem, Budget(work=600_000), RNG)
    assert (again.solution == outcome.solution).all()


@pytest.mark.parametrize("operator", [TwoPhase(), GuidedBeam()])
def test_constructions_refuse_and_stop(operator: Any) -> None:
    """A twisted corner is proved impossible; a target ends the search; an interrupt gives nothing."""
    outcome = operator.build(Rubik(builtin("twisted")), Budget(), RNG)
    assert outcome.status is Status.INFEASIBLE
    assert "twisted" in (outcome.reason or "")
    problem = Rubik(builtin("demo"))
    reached = operator.build(problem, Budget(target=60), RNG)
    assert reached.objective <= 60
    stopped = operator.build(problem, Budget(interrupt=lambda: True), RNG)
    assert stopped.status is Status.EXHAUSTED
    assert stopped.solution is None


def test_short_cubes_are_solved_optimally() -> None:
    """Nine scramble moves: the two-phase search alone ends with a plan that is not longer."""
    problem = Rubik(builtin("short"))
    outcome = TwoPhase().build(problem, Budget(work=3_000_000), RNG)
    assert outcome.objective <= 9


@pytest.fixture
def without_tables(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An empty cache, and nothing left in memory by other tests."""
    monkeypatch.setenv("MATHEUR_CACHE", str(tmp_path))
    monkeypatch.setattr(tables, "_kept", {})
    monkeypatch.setattr(tables, "_builds", Builds())


@pytest.mark.usefixtures("without_tables")
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("operator", [TwoPhase(), TwoPhase(until="first"), GuidedBeam()])
def test_there_is_a_plan_whatever_time_is_left(operator: Any, metric: Any) -> None:
    """With no table on the disk and the time over before the operator has begun."""
    problem, offered, ticks = Rubik(uniform(np.random.default_rng(1), metric=metric)), [], count()
    budget = Budget(seconds=0.5, clock=lambda: next(ticks), on_incumbent=lambda _, cost: offered.append(cost))
    outcome = operator.build(problem, budget, RNG)
    check = problem.evaluate(outcome.solution)
    assert check.feasible
    assert check.objective == outcome.objective == offered[-1]
    assert check.objective <= (26 if metric == "half" else 36)


@pytest.mark.usefixtures("without_tables")
@pytest.mark.parametrize("metric", METRICS)
def test_near_cubes_need_no_large_tables(metric: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A few turns from the solved cube a shortest plan is found and proved before any large table."""
    monkeypatch.setattr(guided_beam, "cube_tables", pytest.fail)
    monkeypatch.setattr(operators_two_phase, "cube_tables", pytest.fail)
    near = perimeter(metric, 6)
    assert near is not None
    for number, cube in enumerate(generate(seed=seed, moves=6, metric=metric)[0] for seed in range(4)):
        problem = Rubik(cube)
        operator = (GuidedBeam(), TwoPhase())[number % 2]
        outcome = operator.build(problem, Budget(seconds=1, clock=lambda: 0.0), RNG)
        assert problem.evaluate(outcome.solution).objective == outcome.objective == outcome.bound
        assert outcome.objective == near.distances(state_of(problem.instance.cubies)[None])[0]


@pytest.mark.usefixtures("without_tables")
def test_the_first_plan_needs_no_large_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that ends at the first plan has it from the small tables, however much time is left."""
    monkeypatch.setattr(operators_two_phase, "cube_tables", pytest.fail)
    problem = Rubik(uniform(np.random.default_rng(1)))
    outcome = TwoPhase(until="first").build(problem, Budget(seconds=1000), RNG)
    assert problem.evaluate(outcome.solution).objective == outcome.objective


def trained(path: Path, cube: str = "demo", **options: Any) -> Path:
    """The file of a network that has hardly begun to learn."""
    domain = rubik_domain(Rubik(builtin(cube)))
    chosen = TrainingOptions(**{"method": "walks", "longest": 10, "known": 100, "batch": 100, **options})
    write_model(path, train(domain, chosen, Budget(iterations=5), 0))
    return path


def test_a_network_chooses_states(tmp_path: Path) -> None:
    """Plans work whatever it says, and the same comes of the same work; other states are kept than without it."""
    problem = Rubik(builtin("demo"))
    narrow: dict[str, Any] = {"width": 256, "width_max": 512}
    learnt = GuidedBeam(values=str(trained(tmp_path / "net.npz")), shortlist=2, tables=0.1, **narrow)
    budgets = [Budget(work=400_000) for _ in range(3)]
    operators = learnt, learnt, GuidedBeam(**narrow)
    outcomes = [one.build(problem, budget, RNG) for one, budget in zip(operators, budgets, strict=True)]
    assert problem.evaluate(outcomes[0].solution).objective == outcomes[0].objective
    assert outcomes[0].solution.tolist() == outcomes[1].solution.tolist()
    assert budgets[0].spent_work != budgets[2].spent_work


def test_networks_that_do_not_fit(tmp_path: Path) -> None:
    """Of moves instead of distances, of another metric, no file: an error before any table is built."""
    policy = trained(tmp_path / "policy.npz", method="policy")
    for values, kind in ((policy, ConfigurationError), (tmp_path / "none.npz", InputError)):
        with pytest.raises(kind):
            GuidedBeam(values=str(values)).build(Rubik(builtin("demo")), Budget(), RNG)
    half = Rubik(replace(builtin("demo"), metric="half"))
    with pytest.raises(ConfigurationError, match="trained for"):
        GuidedBeam(values=str(trained(tmp_path / "net.npz"))).build(half, Budget(), RNG)


@pytest.mark.parametrize(
    "wrong",
    [
        {"width": 0},
        {"width": 8, "width_max": 4},
        {"corners": 9},
        {"share": 0.0},
        {"shortlist": 0},
        {"tables": -1},
        {"threads": 0},
    ],
)
def test_options_are_checked(wrong: dict[str, Any]) -> None:
    """Impossible widths and weights, and an unknown end, are errors."""
    with pytest.raises(ConfigurationError):
        GuidedBeam(**wrong)
    with pytest.raises(ConfigurationError):
        TwoPhase(until="never")  # type: ignore[arg-type]
