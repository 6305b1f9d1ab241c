"""Compiles the kernels of a problem beforehand, by short runs of all its operators on built-in instances.

A kernel is compiled for types, not for sizes, so small instances do; those that are listed here differ in what decides
about types and methods. A run has its limit of time, on which no compilation counts (`matheur.compiling`). All runs are
repeated until none of them compiles any more: on a busy machine a run may end before it has come to its last kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from matheur.compiling import compilation
from matheur.engine.interrupt import heeds_ctrl_c
from matheur.engine.operators import operator_entries
from matheur.engine.options import configure
from matheur.engine.problem_types import problem_types, tool_of
from matheur.errors import MatheurError
from matheur.running.configuration import preset_names
from matheur.running.solving import solve

__all__ = ["Warmed", "warm"]

_SECONDS = 0.4  # of a run of one operator
_ROUNDS = 4  # at most
_WORK = 20_000  # limit of a construction that builds tables; they are no work
_FOREIGN = ("milp-", "external")
"""Operators whose name begins so have no kernels: solvers of others do their work."""


@dataclass(frozen=True, slots=True)
class _Runs:
    """What a problem says of its runs: the table `tools.warming` of its registration.

    Attributes
    ----------
    instances
        Built-in instances of all kinds: proved at once and not at all, symmetric or not, with narrow and with wide
        types. The first two built-in ones if none are named.
    settings
        Options of neighbourhoods that choose among kernels, `neighbourhood.NAME.OPTION=VALUE`, each for a run.
    seconds
        Limit of a run; larger where constructions first build tables, which are kept.
    """

    instances: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    seconds: float = _SECONDS


@dataclass(frozen=True, slots=True)
class Warmed:
    """What was done for a problem.

    Attributes
    ----------
    problem
        Its name.
    runs
        How many short runs.
    compiled, loaded
        Kernels that were compiled, and kernels that were found on the disk, each for one set of types.
    compile_seconds
        Seconds in which kernels were compiled.
    """

    problem: str
    runs: int
    compiled: int
    loaded: int
    compile_seconds: float


@heeds_ctrl_c
def warm(
    problem: str,
    *,
    interrupt: Callable[[], bool] = lambda: False,
    progress: Callable[[str], None] = lambda _: None,
) -> Warmed:
    """Compile what the default and the named operators of a problem need, so that no later run compiles.

    Parameters
    ----------
    problem
        Name of a kind of problem.
    interrupt
        Returns True to stop.
    progress
        Called with what is run next.

    Returns
    -------
    Warmed

    Raises
    ------
    ConfigurationError
        If there is no such problem.
    """
    kind = problem_types.get(problem)
    said = configure(_Runs, tool_of(problem, "warming") or {}, "warming")
    instances = {name: kind.builtin(name, {}) for name in said.instances or list(kind.builtins())[:2]}
    before, loaded, spent, runs = compilation.compiled, compilation.loaded, compilation.seconds, 0
    for _ in range(_ROUNDS):
        begun = compilation.compiled
        for name, instance in instances.items():
            runs += _run_all(problem, said, name, instance, interrupt, progress)
        if compilation.compiled == begun or interrupt():
            break
    return Warmed(
        problem, runs, compilation.compiled - before, compilation.loaded - loaded, compilation.seconds - spent
    )


def _run_all(
    problem: str,
    said: _Runs,
    name: str,
    instance: Any,
    interrupt: Callable[[], bool],
    progress: Callable[[str], None],
) -> int:
    """All runs on an instance; how many there were."""
    start: Any = None
    runs = 0
    for what, options in _runs(problem, said):
        improves = bool(options.get("neighbourhoods"))
        if interrupt() or (improves and start is None):
            continue
        progress(f"{problem}/{name}: {what}")
        try:
            result = solve(instance, seed=1, interrupt=interrupt, start=start if improves else None, **options)
        except MatheurError:
            continue  # not for this instance, or not installed
        runs += 1
        start = result.solution if start is None else start
    return runs


def _runs(problem: str, said: _Runs) -> Iterator[tuple[str, dict[str, Any]]]:
    """The runs on an instance, each with its name: constructions, neighbourhoods and their variants, presets."""
    short = {"seconds": _SECONDS}
    long = {"seconds": said.seconds, "work": _WORK} if said.seconds > _SECONDS else short
    for entry in operator_entries(problem, "construction"):
        if not entry.name.startswith(_FOREIGN):
            yield entry.name, {"construction": entry.name, "neighbourhoods": [], **long}
    for entry in operator_entries(problem, "neighbourhood"):
        if not entry.name.startswith(_FOREIGN):
            yield entry.name, {"neighbourhoods": [entry.name], "schedule": "cycle", **short}
    for setting in said.settings:
        name = setting.split(".")[1]
        yield setting, {"neighbourhoods": [name], "schedule": "cycle", "settings": [setting], **short}
    for name in preset_names(problem):
        yield f"preset {name}", {"preset": name, **short}
