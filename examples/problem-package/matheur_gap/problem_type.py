"""Generalised assignment on the command line: recognise, read, generate and draw instances."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from matheur.engine.problem_type import Generated
from matheur.engine.recognition import Recognition
from matheur.errors import ConfigurationError
from matheur.problems.builtin_instances import Builtins
from matheur.problems.pictures import Pictures
from matheur.problems.simple_type import Format, SimpleType
from matheur.problems.type_options import whole
from matheur_gap.formats import read_gap, write_gap
from matheur_gap.problem import GeneralisedAssignment, Instance

__all__ = ["TYPE", "generate"]

_SIDE = 22  # width of a cell in a picture


def generate(agents: int, jobs: int, seed: int) -> tuple[Instance, np.ndarray]:
    """Generate random costs, needs and capacities, and a random assignment that fits the capacities."""
    rng = np.random.default_rng(seed)
    needs = rng.integers(5, 26, (agents, jobs))
    costs = 40 - needs + rng.integers(0, 11, (agents, jobs))
    hidden = rng.integers(agents, size=jobs).astype(np.int32)
    loads = np.bincount(hidden, needs[hidden, np.arange(jobs)], agents).astype(int)
    rows = [tuple(tuple(row) for row in table.tolist()) for table in (costs, needs)]
    return Instance(rows[0], rows[1], tuple((loads + 10).tolist())), hidden


def _size(options: Mapping[str, Any], key: str, default: int) -> int:
    size = whole(options, key)
    if size is not None and not 1 <= size < 1000:
        raise ConfigurationError(f"{key} must be from 1 to 999 ({size})")
    return default if size is None else size


def _text(scene: tuple[GeneralisedAssignment, Any]) -> str:
    problem, agents = scene
    if agents is None:
        return write_gap(problem.instance)
    lines = (f"agent {agent + 1}: jobs {_jobs(agents, agent)}" for agent in range(len(problem.instance.costs)))
    return "\n".join(lines) + "\n"


def _jobs(agents: Any, agent: int) -> str:
    return " ".join(str(job + 1) for job in np.flatnonzero(agents == agent))


def _svg(scene: tuple[GeneralisedAssignment, Any]) -> str:
    """A row for each agent, a column for each job; the cell of a job and its agent is dark."""
    problem, agents = scene
    rows, columns = len(problem.instance.costs), len(problem.instance.costs[0])
    cells = (
        f'<rect x="{_SIDE * job}" y="{_SIDE * agent}" width="{_SIDE - 2}" height="{_SIDE - 2}" '
        f'fill="{"#345" if agents is not None and agents[job] == agent else "#dde"}"/>'
        for agent in range(rows)
        for job in range(columns)
    )
    size = f'width="{_SIDE * columns}" height="{_SIDE * rows}"'
    return f'<svg xmlns="http://www.w3.org/2000/svg" {size}>{"".join(cells)}</svg>\n'


class GeneralisedAssignmentType(SimpleType[GeneralisedAssignment]):
    """Implements `matheur.engine.problem_type.ProblemType`."""

    name = "generalised-assignment"
    summary = "assign jobs to agents with limited capacities at the least cost"
    problem = GeneralisedAssignment
    formats = (Format(lambda source: Recognition.PROVED if source.suffix == ".gap" else Recognition.NO, read_gap),)
    instances = Builtins("generalised-assignment", {"demo": "5 agents, 20 jobs"}, lambda _: generate(5, 20, seed=1)[0])
    generator_options = ("agents", "jobs")
    pictures = Pictures(lambda problem, solution: (problem, solution), text=_text, svg=_svg)

    def make(self, options: Mapping[str, Any], seed: int) -> Generated:
        """Generate a random feasible instance; `agents` (default 5) and `jobs` (default 20) set its size."""
        instance, hidden = generate(_size(options, "agents", 5), _size(options, "jobs", 20), seed)
        one = GeneralisedAssignment(instance)
        return Generated(write_gap(instance), one.encode(hidden), one.objective(hidden))


TYPE = GeneralisedAssignmentType()
