"""Constructions of Rubik's cube: two-phase search and guided beams."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.operators.rubik.two_phase import GuidedBeam, TwoPhase
from matheur.problems.rubik import Rubik, builtin

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


@pytest.mark.parametrize("wrong", [{"width": 0}, {"width": 8, "width_max": 4}, {"corners": 9}, {"share": 0.0}])
def test_options_are_checked(wrong: dict[str, Any]) -> None:
    """Impossible widths and weights, and an unknown end, are errors."""
    with pytest.raises(ConfigurationError):
        GuidedBeam(**wrong)
    with pytest.raises(ConfigurationError):
        TwoPhase(until="never")  # type: ignore[arg-type]
