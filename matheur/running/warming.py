"""Ahead-of-time compilation of a problem's kernels, by short runs of all its operators on built-in instances.

A kernel is compiled for types, not for sizes, so small instances suffice; the listed instances differ in the properties
that determine types and methods. Each run has a time limit, which excludes compilation (`matheur.compiling`). All runs
are repeated until none compiles a kernel: on a busy machine a run may end before it reaches its last kernel.
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

_SECONDS = 0.4  # time limit of a run of one operator
_ROUNDS = 4  # maximum number of repetitions
_WORK = 20_000  # work limit of a construction that builds tables, which do not count as work
_FOREIGN = ("milp-", "external")
"""Prefixes of the names of operators without kernels, which call external solvers."""


@dataclass(frozen=True, slots=True)
class _Runs:
    """A problem's settings for these runs: the table `tools.warming` of its registration.

    Attributes
    ----------
    instances
        Built-in instances of all kinds: proved optimal at once or never, symmetric or not, with narrow or wide types.
        If empty, the first two built-in instances.
    settings
        Options of neighbourhoods that select kernels, `neighbourhood.NAME.OPTION=VALUE`, each used in its own run.
    seconds
        Time limit of a run; longer if constructions first build tables, which are kept.
    """

    instances: tuple[str, ...] = ()
    settings: tuple[str, ...] = ()
    seconds: float = _SECONDS


@dataclass(frozen=True, slots=True)
class Warmed:
    """Summary of the compilation for a problem.

    Attributes
    ----------
    problem
        Name of the problem.
    runs
        Number of short runs.
    compiled, loaded
        Numbers of kernels compiled and of kernels loaded from disk, each for one set of types.
    compile_seconds
        Seconds spent compiling kernels.
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
    """Compile the kernels of a problem's operators and presets, so that no later run needs to.

    Parameters
    ----------
    problem
        Name of a kind of problem.
    interrupt
        Function that returns True to stop.
    progress
        Function called with the name of each run before it starts.

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
    """Make all runs on an instance; return their number."""
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
            continue  # does not apply to this instance, or is not installed
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
