"""Errors of kernels, searches and solvers, planted below an operator that believes them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np
from hardening.planted.stage import Bench
from pyomo.environ import Objective

from matheur.methods import milp
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.heuristics import Heuristic
from matheur.problems.edge_matching.operators.exact_kernels import UPPER
from matheur.problems.party.operators.move_kernels import BEST
from matheur.problems.quadratic_assignment.operators.tabu_kernels import CURRENT
from matheur.solvers import MilpSolution, MilpStatus, SolveRequest

__all__ = ["PARTS", "SOLVERS", "Part", "lying_backend"]

Wrapper = Callable[..., Any]


@dataclass(frozen=True)
class Part:
    """A part, what it gets wrong on which problem, how it is asked, and who sees it."""

    layer: str
    name: str
    problem: str
    plant: Callable[[Any, Bench], None]
    by: str
    words: str = ""
    construct: str | None = None
    neighbourhoods: str = "none"
    more: tuple[object, ...] = ()

    def __str__(self) -> str:
        return f"{self.problem}: {self.name}"


def _around(where: str, wrapper: Wrapper) -> Callable[[Any, Bench], None]:
    """Replace a function of a module or a method of a class by a wrapper that is given the true one."""
    place, _, name = where.rpartition(".")

    def plant(patch: Any, bench: Bench) -> None:
        module, _, cls = place.partition(":")
        owner = import_module(f"matheur.{module}")
        owner = getattr(owner, cls) if cls else owner
        true = getattr(owner, name)

        def planted(*arguments: Any, **named: Any) -> Any:
            return wrapper(bench, true, *arguments, **named)

        patch.setattr(owner, name, planted)

    return plant


def _facts(where: str, **values: Callable[[Any, Bench], Any]) -> Callable[[Any, Bench], None]:
    """Replace properties of a class."""

    def plant(patch: Any, bench: Bench) -> None:
        module, _, cls = where.partition(":")
        owner = getattr(import_module(f"matheur.{module}"), cls)
        for name, value in values.items():
            patch.setattr(owner, name, property(partial(lambda self, value: value(self, bench), value=value)))

    return plant


def _both(*plants: Callable[[Any, Bench], None]) -> Callable[[Any, Bench], None]:
    def plant(patch: Any, bench: Bench) -> None:
        for one in plants:
            one(patch, bench)

    return plant


def _weak(bench: Bench) -> int:
    return int(bench.problem.evaluate(bench.weak).objective)


# Kernels and searches


def _change_off_by_one(_: Bench, true: Wrapper, *arguments: Any) -> Any:
    change, moves, proved = true(*arguments)
    return change - 1, moves, proved


def _cost_off_by_one(_: Bench, true: Wrapper, *arguments: Any) -> Any:
    done = true(*arguments)
    if done:
        arguments[-1][UPPER] -= 1
    return done


def _value_off_by_one(_: Bench, true: Wrapper, *arguments: Any) -> Any:
    answer = true(*arguments)
    arguments[-1][CURRENT] -= 1
    return answer


def _best_off_by_one(_: Bench, true: Wrapper, *arguments: Any) -> Any:
    change, best = true(*arguments)
    return change, best - 1


def _price_off_by_one(_: Bench, true: Wrapper, *arguments: Any) -> Any:
    *others, kernel = arguments

    def cheaper(*inner: Any) -> Any:
        answer = kernel(*inner)
        inner[-2].sums[BEST] -= 1
        return answer

    return true(*others, cheaper)


def _all_there_is(_: Bench, true: Wrapper, *arguments: Any, **named: Any) -> Any:
    return replace(true(*arguments, **named), complete=True)


def _too_cheap(search: Any, bench: Bench) -> int:
    return int(bench.problem.evaluate(search.best).objective) - 1


def _nothing_shorter(_: Bench, __: Wrapper, ___: Any) -> None:
    return None


def _one_matched(_: Bench, true: Wrapper, *arguments: Any) -> int:
    return max(0, int(true(*arguments)) - 1)


def _bound_one_higher(_: Bench, true: Wrapper, *arguments: Any, **named: Any) -> Any:
    outcome = true(*arguments, **named)
    return replace(outcome, bound=outcome.objective + 1)


def _larger_root(bench: Bench, true: Wrapper, *arguments: Any, by: int | None = None, **named: Any) -> Any:
    found = true(*arguments, **named)
    return replace(found, bound=found.bound + (_weak(bench) if by is None else by))


def _forgetful(patch: Any, _: Bench) -> None:
    """Dual points of earlier searches are not known."""
    patch.setattr(import_module("matheur.problems.party.operators.cheapest"), "_roots", {})


def _weak_bound(_: Any, bench: Bench) -> int:
    return _weak(bench)


def _wrong_clique(search: Any, bench: Bench) -> Any:
    graph = bench.problem.graph
    return np.arange(min(graph.n, search.size + 1), dtype=np.int32)


def _two_classes(_: Bench, true: Wrapper, graph: Any) -> Any:
    return np.minimum(true(graph), 1)


def _proved_two(bench: Bench, _: Wrapper, *__: Any, **___: Any) -> Any:
    from matheur.methods.clique.external import ExternalResult

    return ExternalResult(np.array(bench.weak), seconds=0.0, finished=True, proved=True)


def _noisy_table(_: Bench, true: Wrapper, components: Any, table: Any, *rest: Any) -> Any:
    noise = np.random.default_rng(list(components)).integers(0, 60, len(table))
    high = np.where(table < 255, np.minimum(table + noise * (table > 0), 254), 255)
    return true(components, high.astype(np.uint8), *rest)


def _noisy_estimates(_: Bench, true: Wrapper, *arguments: Any, **named: Any) -> Heuristic:
    heuristic = true(*arguments, **named)

    def batch(keys: Any) -> Any:
        found = heuristic.estimate(keys)
        noise = (keys.sum(axis=1) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(58)).astype(np.int32)
        return (found + noise * (found > 0)).astype(np.int32)

    return Heuristic(heuristic.name, True, True, batch=batch)


def _proved_window(_: Bench, __: Wrapper, ___: Any, segment: Any, *____: Any) -> Any:
    from matheur.problems.plans.segments import Replanned

    return Replanned(plan=None, bound=segment.cost, hard=False, certificate={"backend": "astar"})


def _nowhere(_: Bench, __: Wrapper, *___: Any, **____: Any) -> SearchAnswer:
    return SearchAnswer(unreachable=True, expanded=1)


def _cheaper(_: Bench, true: Wrapper, *arguments: Any, **named: Any) -> SearchAnswer:
    answer: SearchAnswer = true(*arguments, **named)
    assert answer.cost is not None
    return replace(answer, cost=answer.cost - 1)


def _weak_plan(bench: Bench, _: Wrapper, *__: Any, **___: Any) -> SearchAnswer:
    return SearchAnswer(np.array(bench.weak), _weak(bench), _weak(bench))


def _one_press_more(_: Bench, true: Wrapper, *arguments: Any) -> Any:
    found = true(*arguments)
    return np.append(found, np.int32(0)).astype(np.int32)


def _one_move_less(_: Bench, true: Wrapper, *arguments: Any, **named: Any) -> Any:
    return true(*arguments, **named)[:-1]


_E, _Q = "problems.edge_matching.operators.", "problems.quadratic_assignment.operators."
_P = "problems.party.operators."
_SEARCHES = {"astar": "methods.statespace.best_first.astar.astar", "bfs": "methods.statespace.breadth_first.bfs"}
_ANYTHING = 1_000_000
_SMALL = ("--set", "neighbourhood.region.rows=2", "--set", "neighbourhood.region.columns=2")
_WHOLE = ("--set", "neighbourhood.window.length=1000", "--set", "neighbourhood.window.longest=1000")
_PROVED = ("--set", "construction.weight=1", "--set", "construction.batch=1", "--set", "construction.until=proved")

PARTS = [
    Part(
        "kernel", "a swap that gains one more than it does", "edge-matching",
        _around(_E + "swap_rotate.descend", _change_off_by_one), "engine", "claims objective",
        neighbourhoods="swap-rotate",
    ),
    Part(
        "kernel", "a reassignment that gains one more than it does", "edge-matching",
        _around(_E + "assignment.reassign", _best_off_by_one), "engine", "claims objective",
        neighbourhoods="assignment",
    ),
    *(
        Part(
            "kernel", f"{moves}: a party that costs one less than it does", "party",
            _around(f"problems.party.operators.{moves}.descend", _price_off_by_one), "engine", "claims objective",
            neighbourhoods=moves,
        )
        for moves in ("replace", "swap")
    ),
    Part(
        "kernel", "a region that costs one less than it does", "edge-matching",
        _around(_E + "exact_region.search", _cost_off_by_one), "engine", "claims objective",
        neighbourhoods="region", more=_SMALL,
    ),
    Part(
        "kernel", "a region proved before it was searched", "edge-matching",
        _around(_E + "exact_region.search", lambda *_: 1), "harmless",
        neighbourhoods="region", more=_SMALL,
    ),
    Part(
        "kernel", "a backtracker that counts a broken edge as matched", "edge-matching",
        _around(_E + "best_board.count_mismatches", _one_matched), "engine", "claims objective",
        construct="backtracking",
    ),
    Part(
        "kernel", "a beam that counts a broken edge as matched", "edge-matching",
        _around(_E + "best_board.count_mismatches", _one_matched), "engine", "claims objective", construct="beam",
    ),
    Part(
        "kernel", "a backtracker that proves one mismatch too many", "edge-matching",
        _around(_E + "best_board:BestBoard.outcome", _bound_one_higher), "engine", "but a solution of objective",
        construct="backtracking",
    ),
    Part(
        "kernel", "a branch and bound with a bound that is far too tight", "party",
        _both(_forgetful, _around(_P + "lagrangian:Lagrangian.root", partial(_larger_root, by=_ANYTHING))),
        "verify", "claims that there is no solution", construct="branch-and-bound",
    ),
    Part(
        "kernel", "a branch and bound that cuts off what is cheaper than the incumbent", "party",
        _both(_forgetful, _around(_P + "lagrangian:Lagrangian.root", _larger_root)),
        "verify", "claims the optimum", neighbourhoods="branch-and-bound",
    ),
    Part(
        "kernel", "an exchange that costs one less than it does", "quadratic-assignment",
        _around(_Q + "swap.descend", _value_off_by_one), "engine", "claims objective", neighbourhoods="swap",
    ),
    Part(
        "kernel", "a tabu search that counts one less than it costs", "quadratic-assignment",
        _facts(_Q + "tabu_search:TabuSearch", objective=_too_cheap), "engine", "claims objective",
        neighbourhoods="robust-tabu",
    ),
    Part(
        "kernel", "a branch and bound that is done before it was begun", "quadratic-assignment",
        _facts(_Q + "tree:Tree", done=lambda *_: True, bound=lambda *_: 10**9),
        "verify", "claims the optimum", neighbourhoods="branch-and-bound",
    ),
    Part(
        "kernel", "a bound of Gilmore and Lawler that is too high", "quadratic-assignment",
        _facts("problems.quadratic_assignment.problem:QuadraticAssignment", trivial_bound=_weak_bound),
        "verify", "claims the optimum",
    ),
    Part(
        "kernel", "a branch and bound that is done before it was begun", "max-clique",
        _facts("methods.clique.exact:ExactSearch", done=lambda *_: True, bound=lambda self, _: self.size),
        "verify", "claims the optimum", neighbourhoods="exact",
    ),
    Part(
        "kernel", "a search that returns what is no clique", "max-clique",
        _facts("methods.clique.local_search:LocalSearch", vertices=_wrong_clique),
        "engine", "violates|claims objective",
        construct="local-search",
    ),
    Part(
        "kernel", "a colouring of two classes", "max-clique",
        _both(
            _facts("problems.max_clique.problem:MaxClique", trivial_bound=lambda *_: -2),
            _around("problems.max_clique.operators.certifier.colour_classes", _two_classes),
        ),
        "verify", "claims the optimum",
    ),
    Part(
        "program", "a program that proves less than was found", "max-clique",
        _around("problems.max_clique.operators.external.solve_external", _proved_two),
        "engine", "but a solution of objective",
        construct="external", more=("--set", "construction.command=program {file}"),
    ),
    Part(
        "table", "entries of a heuristic that are too high", "cubical",
        _around("methods.statespace.heuristics.base.Lookup", _noisy_table),
        "verify", "claims the optimum", construct="astar",
    ),
    Part(
        "table", "estimates that are too high", "sliding-tile",
        _around("problems.plans.anytime.heuristic_of", _noisy_estimates), "verify", "claims the optimum",
        construct="batch-astar", more=_PROVED,
    ),
    *(
        Part(
            "search", f"{search}: no goal can be reached", name, _around(where, _nowhere), "verify",
            "claims that there is no solution", construct=search,
        )
        for name in ("cubical", "sliding-tile", "lights-out", "rubik")
        for search, where in _SEARCHES.items()
    ),
    *(
        Part(
            "search", "astar: a weak plan is optimal", name, _around(_SEARCHES["astar"], _weak_plan), "verify",
            "claims the optimum", construct="astar",
        )
        for name in ("cubical", "sliding-tile", "lights-out", "rubik")
    ),
    *(
        Part(
            "search", "bfs: a plan that costs one less than it does", name, _around(_SEARCHES["bfs"], _cheaper),
            "engine", "claims objective", construct="bfs",
        )
        for name in ("cubical", "sliding-tile", "lights-out", "sokoban", "rubik")
    ),
    *(
        Part(
            "search", "a window of the whole plan proved before it was searched", name,
            _around("problems.plans.window:Window.replan", _proved_window), "verify", "claims the optimum",
            neighbourhoods="window", more=_WHOLE,
        )
        for name in ("cubical", "sliding-tile", "lights-out", "sokoban", "rubik")
    ),
    *(
        Part(
            "search", "a vicinity that is said to be all there is", name,
            _both(
                _around("problems.plans.vicinity:Vicinity.around", _all_there_is),
                _around("problems.plans.vicinity:Vicinity.shortest", _nothing_shorter),
            ),
            "verify", "claims the optimum", neighbourhoods="shortcut",
        )
        for name in ("cubical", "sliding-tile", "lights-out", "sokoban", "rubik")
    ),
    Part(
        "search", "presses that are one more than counted", "lights-out",
        _around("problems.lights_out.operators.linear_algebra._cells", _one_press_more), "engine",
        "violates|claims objective", construct="linear-algebra",
    ),
    Part(
        "search", "a search of pushes: a weak plan is optimal", "sokoban",
        _around("problems.sokoban.operators.push_astar:PushSearch.run", _weak_plan), "verify", "claims the optimum",
        construct="push-astar",
    ),
    Part(
        "search", "a search of pushes: the level has no solution", "sokoban",
        _around("problems.sokoban.operators.push_astar:PushSearch.run", _nowhere), "verify",
        "claims that there is no solution", construct="push-astar",
    ),
]  # fmt: skip


# Solvers

Answering = Callable[[Any, Any, SolveRequest], MilpSolution]


def _better_objective(backend: Any, model: Any, request: SolveRequest) -> MilpSolution:
    answer: MilpSolution = backend.solve(model, request)
    return replace(answer, objective=None if answer.objective is None else answer.objective - 1)


def _all_the_same(value: float) -> Answering:
    def solve(backend: Any, model: Any, request: SolveRequest) -> MilpSolution:
        answer: MilpSolution = backend.solve(model, request)
        for variable in answer.values:
            answer.values[variable] = value  # type: ignore[index]
        return answer

    return solve


def _weak_point(backend: Any, model: Any, request: SolveRequest) -> MilpSolution:
    """The worst point, as if it were the best."""
    goals = list(model.component_data_objects(Objective, active=True))
    for goal in goals:
        goal.set_sense(-goal.sense)
    try:
        answer: MilpSolution = backend.solve(model, replace(request, cutoff=None, target=None, on_incumbent=None))
    finally:
        for goal in goals:
            goal.set_sense(-goal.sense)
    return replace(answer, bound=answer.objective)


def _higher_bound(backend: Any, model: Any, request: SolveRequest) -> MilpSolution:
    answer: MilpSolution = backend.solve(model, request)
    return replace(answer, bound=None if answer.bound is None else answer.bound + 1000)


def _no_point(backend: Any, model: Any, request: SolveRequest) -> MilpSolution:
    return MilpSolution(MilpStatus.INFEASIBLE, {}, None, None, 1, 0.0, backend.name, backend.version())


def lying_backend(patch: Any, name: str, answering: Answering) -> None:
    """Let one solver lie, for every operator; the others do not."""
    true: Any = vars(milp)["get_backend"]

    class Lying:
        def __init__(self, backend: Any) -> None:
            self._backend = backend

        def __getattr__(self, attribute: str) -> Any:
            return getattr(self._backend, attribute)

        def solve(self, model: Any, request: SolveRequest) -> MilpSolution:
            return answering(self._backend, model, request)

    patch.setattr(milp, "get_backend", lambda wanted: Lying(true(wanted)) if wanted == name else true(wanted))


def _solver(answering: Answering) -> Callable[[Any, Bench], None]:
    return lambda patch, _: lying_backend(patch, "highs", answering)


_MODELS = ("edge-matching", "party", "quadratic-assignment", "max-clique")
_REFUSED = "violates|claims|values of the solver"


def _rows(name: str, answering: Answering, **found: tuple[str, str]) -> list[Part]:
    return [
        Part("solver", name, problem, _solver(answering), *found[problem.replace("-", "_")], construct="milp-full",
             more=("--set", "construction.starts=1", "--set", "construction.ascent=0") if problem[0] == "q" else ())
        for problem in _MODELS
    ]  # fmt: skip


_FINE = ("harmless", "")
_VERIFY, _NONE = ("verify", "claims the optimum"), ("verify", "claims that there is no solution")
_ENGINE = ("engine", "but a solution of objective")
SOLVERS = [
    *_rows("an objective better than its point", _better_objective, edge_matching=_FINE, party=_FINE,
           quadratic_assignment=_FINE, max_clique=_FINE),
    *_rows("a point of zeros", _all_the_same(0.0), edge_matching=_FINE, party=("engine", _REFUSED),
           quadratic_assignment=("engine", _REFUSED), max_clique=_FINE),
    *_rows("a point of ones", _all_the_same(1.0), edge_matching=("engine", _REFUSED), party=("engine", _REFUSED),
           quadratic_assignment=("engine", _REFUSED), max_clique=("engine", _REFUSED)),
    *_rows("a point of halves", _all_the_same(0.5), edge_matching=_FINE, party=("engine", _REFUSED),
           quadratic_assignment=("engine", _REFUSED), max_clique=_FINE),
    *_rows("optimal, of a weak point", _weak_point, edge_matching=_VERIFY, party=_VERIFY,
           quadratic_assignment=_ENGINE, max_clique=_ENGINE),
    *_rows("a bound beyond its point", _higher_bound, edge_matching=_ENGINE, party=_ENGINE,
           quadratic_assignment=_ENGINE, max_clique=_ENGINE),
    *_rows("that there is no point", _no_point, edge_matching=_NONE, party=_NONE, quadratic_assignment=_FINE,
           max_clique=_FINE),
]  # fmt: skip
