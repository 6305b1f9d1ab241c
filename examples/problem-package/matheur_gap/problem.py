"""The instance and its evaluator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from matheur.engine import ArrayProblem

__all__ = ["GeneralisedAssignment", "Instance"]

Rows = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class Instance:
    """Costs and needs [agent][job], capacities [agent]."""

    costs: Rows
    needs: Rows
    capacities: tuple[int, ...]

    @cached_property
    def arrays(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Costs, needs and capacities as arrays."""
        return np.array(self.costs), np.array(self.needs), np.array(self.capacities)

    def loads(self, agents: Any) -> np.ndarray:
        """Load of each agent: the sum of the needs of its jobs."""
        _, needs, capacities = self.arrays
        return np.bincount(agents, needs[agents, np.arange(len(agents))], len(capacities)).astype(np.int64)


@dataclass(frozen=True)
class GeneralisedAssignment(ArrayProblem):
    """The problem of an instance. A solution is an array with the agent of each job, counted from 0."""

    instance: Instance
    name = "generalised-assignment"
    noun = "an assignment"

    def objective(self, agents: Any) -> int:
        """Sum of the costs."""
        costs, _, _ = self.instance.arrays
        return int(costs[agents, np.arange(len(agents))].sum())

    def violations(self, agents: Any) -> Iterator[str]:
        """Jobs without an agent, and agents whose jobs exceed their capacity."""
        _, needs, capacities = self.instance.arrays
        if len(agents) != needs.shape[1] or not ((agents >= 0) & (agents < len(capacities))).all():
            yield f"an assignment needs one of {len(capacities)} agents for each of {needs.shape[1]} jobs"
            return
        loads = self.instance.loads(agents)
        for agent in np.flatnonzero(loads > capacities):
            yield f"agent {agent + 1} has a capacity of {capacities[agent]}, but its jobs need {loads[agent]}"

    @property
    def trivial_bound(self) -> int:
        """Sum of the least costs of all jobs."""
        return int(self.instance.arrays[0].min(axis=0).sum())

    def infeasible_reason(self) -> str | None:
        """Name a job that no agent has room for, or return None."""
        _, needs, capacities = self.instance.arrays
        hopeless = np.flatnonzero((needs > capacities[:, None]).all(axis=0))
        return f"no agent has room for job {hopeless[0] + 1}" if hopeless.size else None
