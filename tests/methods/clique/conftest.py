"""Commands that are stopped late."""

from __future__ import annotations

from matheur.errors import SolverError
from matheur.methods.clique import Adapter, ExternalResult, solve_external
from matheur.methods.clique.graph import Graph


def stopped_late(command: str | Adapter, graph: Graph) -> ExternalResult:
    """What a command that prints its answer at its start, and then sleeps, had said at a deadline.

    The deadlines grow until the command has begun before one of them: a busy machine may need seconds for that.
    """
    for seconds in (0.5, 2.0, 8.0, 32.0):
        try:
            found = solve_external(command, graph, seconds=seconds)
        except SolverError:
            continue
        assert found.seconds < 500
        return found
    raise AssertionError("the command has never begun")
