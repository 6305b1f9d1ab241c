"""Workbench support for generalised assignment: show the instance as text, and assign jobs by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from matheur.errors import InputError
from matheur.problems.workbench import Cell, Position, Workbench
from matheur_gap.formats import write_gap

__all__ = ["WORKBENCH"]


class _GapWorkbench(Workbench):
    plays = True

    def text(self, problem: Any) -> str:
        return write_gap(problem.instance)

    def position(self, problem: Any, moves: Sequence[str]) -> Position:
        """A row for each agent, a column for each job: press a cell to give the job to the agent."""
        costs, needs, capacities = problem.instance.arrays
        rows, columns = costs.shape
        agents = np.full(columns, -1, dtype=np.int32)
        for move in moves:
            if not (move.isascii() and move.isdigit() and len(move) < 8 and int(move) < costs.size):
                raise InputError(f"no such cell ({move[:20]!r})")
            agent, job = divmod(int(move), columns)
            agents[job] = agent
        given = np.flatnonzero(agents >= 0)
        room = capacities - np.bincount(agents[given], needs[agents[given], given], rows).astype(int)
        cells = tuple(
            Cell(str(costs[agent, job]), "chosen" if agents[job] == agent else "tile", str(agent * columns + job),
                 f"job {job + 1} by agent {agent + 1}: cost {costs[agent, job]}, needs {needs[agent, job]}")
            for agent in range(rows)
            for job in range(columns)
        )  # fmt: skip
        words = f"Rows are agents, columns jobs, cells costs. Room left: {', '.join(map(str, room))}."
        solution = problem.encode(agents) if problem.evaluate(agents).feasible else None
        return Position(solution, words, columns=columns, cells=cells)


WORKBENCH = _GapWorkbench()
