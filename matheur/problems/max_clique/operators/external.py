"""Construction `external`: another program, by a shipped adapter, a TOML file, or a command."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError, SolverError
from matheur.methods.clique.adapters import Adapter, adapter, adapters
from matheur.methods.clique.external import solve_external
from matheur.problems.max_clique.operators.driving import local_search
from matheur.problems.max_clique.operators.on_core import builds_on_core

__all__ = ["External"]

_START = 20_000


@dataclass(frozen=True, slots=True)
class External:
    """Runs another program once; its answer is checked before it is used.

    A short local search comes first. It provides a target for the program, and an answer if the program has none when
    the time is over. Work: selections of the local search, plus 1.

    Attributes
    ----------
    adapter
        Name of a shipped adapter (`matheur solvers` lists them), or `FILE.toml#NAME`; None for the first shipped
        adapter whose program is installed.
    command
        Command line to run instead of an adapter, with the placeholder `{file}` and optionally `{time}`, `{seed}` and
        `{target}`.
    selections
        Number of selections of the initial local search; 0 for no local search.
    """

    adapter: str | None = None
    command: str | None = None
    selections: int = option(_START, minimum=0)

    def __post_init__(self) -> None:
        check_options(self)
        if self.adapter is not None and self.command is not None:
            raise ConfigurationError("an external solver has an adapter or a command, not both")

    @builds_on_core
    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[NDArray[np.int32]]:
        """Run the program within the budget.

        Raises
        ------
        ConfigurationError
            If neither an adapter nor a command is given.
        SolverError
            If the program is missing or fails, or its answer is not a clique.
        """
        graph = problem.graph
        start = local_search(problem, rng)
        start.advance(budget.affordable(self.selections))
        budget.spend(work=1 + start.selections)
        best, bound = start.vertices, int(problem.trivial_bound)
        budget.offer(best, -problem.value(best))
        facts: dict[str, Any] = {"backend": "colouring"}
        name, program = self._program()
        finished = False
        if not budget.exhausted and -problem.value(best) > bound:
            try:
                found = solve_external(
                    program,
                    graph,
                    seconds=budget.seconds_left if budget.timed else None,
                    seed=int(rng.integers(1 << 30)),
                    target=None if budget.target is None else -int(budget.target),
                    weights=problem.weights,
                    interrupt=budget.interrupt,
                )
            except SolverError:
                if not budget.exhausted:
                    raise
            else:
                finished = found.finished
                value = problem.value(found.vertices)
                best = found.vertices if value > problem.value(best) else best
                if found.proved and -value > bound:
                    bound = -value
                    facts = {"backend": f"external: {name}", "command": program.command}
        return Outcome(
            Status.IMPROVED if finished else Status.EXHAUSTED,
            best,
            -problem.value(best),
            bound=bound,
            certificate=facts,
        )

    def _program(self) -> tuple[str, Adapter]:
        if self.command is not None:
            return "command", Adapter(self.command, weights=True)
        if self.adapter is not None:
            return self.adapter, adapter(self.adapter)
        for name, one in adapters().items():
            if one.available:
                return name, one
        raise ConfigurationError(
            f"none of the known external solvers is installed ({', '.join(adapters())}). "
            "Maybe --set construction.command='PROGRAM {file}'?"
        )
