"""Construction of a search from a configuration: operators, schedule and acceptance by name."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from matheur.engine import LocalSearch, Named, Observer, acceptance_criteria, schedules
from matheur.engine.checkpoint import Checkpointer
from matheur.engine.events import plain
from matheur.engine.operators import Kind, check_method, operator_class
from matheur.engine.options import configure, deep_merge
from matheur.engine.protocols import Checking
from matheur.engine.registry import Registry
from matheur.engine.schedules import ListSchedule
from matheur.errors import ConfigurationError, SolverError
from matheur.pyomo_turn import pyomo_turn
from matheur.running.configuration import Configuration
from matheur.solvers import check_backend, get_backend

__all__ = ["CALL_OPTIONS", "build_operator", "build_search", "check_members", "check_search"]

CALL_OPTIONS = ("call_seconds", "call_work")  # options of every operator that the engine itself reads

_PARTS = {"schedule": ("choose", "record", "state", "restore"), "acceptance": ("accepts", "state", "restore")}
"""Required methods of the parts of a search that are not operators."""


def build_operator(problem: str, kind: Kind, name: str, options: Mapping[str, Any], solver: Mapping[str, Any]) -> Any:
    """An operator with its options; the run's MILP solver is the default for operators that use one.

    Parameters
    ----------
    name
        Operator name, or `NAME:LABEL` for a second instance of it.
    """
    with pyomo_turn():  # its module may load Pyomo
        cls: Any = operator_class(problem, kind, name.partition(":")[0])
    where = kind if kind == "construction" else f"{kind}.{name}"
    if not dataclasses.is_dataclass(cls):
        if options:
            raise ConfigurationError(f"'{name}' has no options ({', '.join(options)})")
        try:
            made = cls()
        except TypeError as error:
            raise ConfigurationError(f"the {kind} '{name}' cannot be made without arguments: {error}") from error
        check_method(made, kind, name)
        return made
    if any(field.name == "solver" for field in dataclasses.fields(cls)):
        options = deep_merge({"solver": solver}, options)
    make: Any = cls  # is_dataclass narrows Any
    operator: Any = configure(make, options, where)
    check_method(operator, kind, name)
    if "solver" in options:
        _check_solver(operator.solver)
    return operator


def _check_solver(solver: Any) -> None:
    """Raise an error before the search if a solver is unknown or not installed, or does not accept an option."""
    if not solver.options:
        get_backend(solver.name)
        return
    from matheur.solvers.trial import check_options

    check_options(solver.name, solver.options)


def _named(problem: Any, kind: Kind, name: str, options: Mapping[str, Any], solver: Mapping[str, Any]) -> Named[Any]:
    own = {key: value for key, value in options.items() if key not in CALL_OPTIONS}
    limits: dict[str, Any] = {key.removeprefix("call_"): value for key, value in options.items() if key in CALL_OPTIONS}
    for key, value in limits.items():
        if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < math.inf:
            raise ConfigurationError(f"'{kind}.{name}.call_{key}' must be a positive number ({value!r})")
        if key == "work" and value != int(value):
            raise ConfigurationError(f"'{kind}.{name}.call_work' must be a whole number ({value!r})")
        limits[key] = int(value) if key == "work" else float(value)
    operator = build_operator(problem.name, kind, name, own, solver)
    if isinstance(operator, Checking):
        operator.check(problem)
    return Named(name, operator, **limits)


def _by_name(registry: Registry, table: Mapping[str, Any], where: str) -> Any:
    options = dict(table)
    name = options.pop("name")
    cls = registry.get(name)
    if not (isinstance(cls, type) and dataclasses.is_dataclass(cls)):
        raise ConfigurationError(f"the {registry.what} '{name}' is not a dataclass")
    made: Any = configure(cls, options, where)
    for method in _PARTS[where]:
        if not callable(getattr(made, method, None)):
            raise ConfigurationError(f"the {registry.what} '{name}' has no method '{method}'")
    if not _is_table(state := made.state()):
        hint = ". Maybe 'return {}'?" if state is None else ""
        raise ConfigurationError(f"the state of the {registry.what} '{name}' is not a table of plain values{hint}")
    return made


def _is_table(state: Any) -> bool:
    """Whether a state can be stored in a checkpoint and restored."""
    try:
        return isinstance(state, Mapping) and bool(json.dumps(plain(state)))
    except (TypeError, ValueError):
        return False


def build_search(
    problem: Any,
    configuration: Configuration,
    *,
    observers: Sequence[Observer] = (),
    on_best: Callable[[Any, int | float], None] | None = None,
    checkpointer: Checkpointer | None = None,
) -> LocalSearch[Any]:
    """The search that a configuration describes.

    Raises
    ------
    ConfigurationError
        If a name or an option is unknown, or an option does not suit the instance.
    SolverError
        If the MILP solver is not installed, or does not accept an option.
    """
    c = configuration
    check_backend(c.solver["name"])  # operators that use it load it
    options = dict(c.construction)
    construction = _named(problem, "construction", options.pop("name"), options, c.solver)
    schedule = _by_name(schedules, c.schedule, "schedule")
    if isinstance(schedule, ListSchedule):
        schedule.check(len(c.neighbourhoods))
    return LocalSearch(
        problem,
        dataclasses.replace(construction, share=1.0 - c.neighbourhood_share if c.neighbourhoods else 1.0),
        [_named(problem, "neighbourhood", n, c.neighbourhood.get(n, {}), c.solver) for n in c.neighbourhoods],
        schedule=schedule,
        acceptance=_by_name(acceptance_criteria, c.acceptance, "acceptance"),
        observers=list(observers),
        on_best=on_best,
        checkpointer=checkpointer,
        restart_after=c.restart_after,
        guides=c.guides,
        guide_calls=c.guide_calls,
    )


def check_search(problem: Any, configuration: Configuration) -> None:
    """Raise the errors that a run of the configuration on the instance would raise before its search.

    Raises
    ------
    ConfigurationError, SolverError
        As in `build_search`; also for the settings of each job and all options of the solver.
    """
    from matheur.methods.milp import SolverOptions

    configure(SolverOptions, configuration.solver, "solver")
    build_search(problem, configuration)
    check_members(problem, configuration)


def check_members(problem: Any, configuration: Configuration) -> None:
    """Check `portfolio.members` only, including unused ones; the message names the wrong one."""
    count = len(configuration.portfolio.members)
    several = dataclasses.replace(configuration, jobs=max(2, count))
    for number in range(count):
        try:
            build_search(problem, several.of_job(number))
        except (ConfigurationError, SolverError) as error:
            raise ConfigurationError(f"portfolio.members[{number}]: {error}") from None
