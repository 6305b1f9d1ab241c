"""Whatever an operator builds, it ends when time is over or the user wants to stop, with what it has."""

from __future__ import annotations

import signal
from collections.abc import Callable
from itertools import count
from typing import Any, NoReturn

import pytest

from matheur.engine import Budget
from matheur.running import building
from matheur.running.configuration import resolve
from matheur.running.loading import load_instance
from matheur.solvers import isolated

EDGE, QAP = "matheur.problems.edge_matching.operators", "matheur.problems.quadratic_assignment.operators"
METHOD = "neighbourhood.region.method"

# Instance, construction, neighbourhood (or none), what builds, further settings.
CASES = [
    ("edge-matching/4x4", "milp-full", None, f"{EDGE}.milp_full.full.build", ()),
    ("edge-matching/4x4", "milp-greedy", None, f"{EDGE}.milp_greedy.region.build", ()),
    ("edge-matching/4x4", "milp-backtracking", None, f"{EDGE}.milp_backtracking.region.build", ()),
    ("edge-matching/4x4", "clique", None, f"{EDGE}.clique_board.placements.build", ()),
    ("edge-matching/4x4", "structured-clique", None, f"{EDGE}.scanning.Scan._fill_tables", ()),
    ("edge-matching/4x4", "random", "border", "matheur.models.edge_matching.border.build", ()),
    ("edge-matching/4x4", "random", "region", f"{EDGE}.scanning.Scan._fill_tables", (f"{METHOD}=structured",)),
    ("edge-matching/4x4", "random", "region", f"{EDGE}.region_methods.placements.build", (f"{METHOD}=clique",)),
    ("edge-matching/4x4", "random", "region", "matheur.models.edge_matching.region.build", (f"{METHOD}=milp",)),
    ("edge-matching/4x4", "milp-full", None, "matheur.solvers.highs_pyomo._Translated.of", ()),
    ("max-clique/demo", "milp-full", None, "matheur.problems.max_clique.operators.milp_full.build", ()),
    ("party/demo", "milp-full", None, "matheur.models.party.build", ()),
    ("quadratic-assignment/demo", "milp-full", None, f"{QAP}.milp_full.build", ("construction.ascent=0",)),
    ("quadratic-assignment/demo", "genetic", None, f"{QAP}.tabu_search.ExchangeState", ()),
    ("quadratic-assignment/demo", "faq", None, f"{QAP}.faq.quadratic_assignment", ()),
    ("quadratic-assignment/demo", "random", "swap", f"{QAP}.swap.ExchangeState", ()),
    ("quadratic-assignment/demo", "random", "robust-tabu", f"{QAP}.tabu_search.ExchangeState", ()),
    (
        "cubical/demo", "beam", "milp-window", "matheur.problems.plans.milp_window.build",
        ("construction.width=1", "construction.width_max=1"),
    ),
]  # fmt: skip
WITH_SOLUTION = {"random", "clique", "faq", "genetic", "structured-clique", "milp-greedy", "milp-backtracking"}


def forever(*_: Any, **__: Any) -> NoReturn:
    """A builder that never asks."""
    while True:
        sum(range(100))


def after(looks: int) -> Callable[[], bool]:
    asked = count()
    return lambda: next(asked) >= looks


@pytest.mark.parametrize(("name", "construct", "neighbourhood", "builder", "settings"), CASES)
def test_a_builder_that_never_asks_is_stopped(
    name: str,
    construct: str,
    neighbourhood: str | None,
    builder: str,
    settings: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The run ends, and an operator that needs no builder to have some solution still has it."""
    _, problem = load_instance(name)
    configuration = resolve(
        problem.name,
        settings=settings,
        overrides={"construction": construct, "neighbourhoods": [] if neighbourhood is None else [neighbourhood]},
    )
    search = building.build_search(problem, configuration)
    reached: list[str] = []
    enough = after(3)
    monkeypatch.setattr(builder, lambda *_, **__: (reached.append(builder), forever()))
    result = search.run(Budget(interrupt=lambda: bool(reached) and enough()))
    assert reached, "the builder was not called"
    assert result.stopped == "interrupt"
    assert result.infeasible is None
    assert result.solution is not None or construct not in WITH_SOLUTION


def test_the_solver_is_left_alone_once_it_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The watch ends where the solver's process begins: an incumbent that it has sent is not lost."""
    timers: list[float] = []
    real = isolated.IsolatedSolve.run

    def run(*arguments: Any) -> Any:
        timers.append(signal.getitimer(signal.ITIMER_REAL)[0])
        return real(*arguments)

    monkeypatch.setattr(isolated.IsolatedSolve, "run", run)
    _, problem = load_instance("edge-matching/3x3")
    configuration = resolve(problem.name, overrides={"construction": "milp-full", "neighbourhoods": []})
    result = building.build_search(problem, configuration).run(Budget())
    assert result.solution is not None
    assert timers == [0.0]
