"""The problem and its operators keep the contracts of matheur; a written file is read back unchanged."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from matheur_gap.formats import read_gap, write_gap
from matheur_gap.greedy import Greedy
from matheur_gap.problem import GeneralisedAssignment, Instance
from matheur_gap.problem_type import TYPE, generate
from matheur_gap.shift import Shift
from matheur_gap.workbench import WORKBENCH

import matheur
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.testing import check_operator, check_problem

INSTANCE, HIDDEN = generate(3, 7, seed=4)
PROBLEM = GeneralisedAssignment(INSTANCE)


def solutions() -> list[np.ndarray]:
    """All solutions, the best one first."""
    every = (np.array(agents, dtype=np.int32) for agents in product(range(3), repeat=7))
    return sorted((one for one in every if PROBLEM.evaluate(one).feasible), key=PROBLEM.objective)


def test_problem() -> None:
    """The problem keeps its contracts, with some solutions and three invalid arrays."""
    full = np.zeros(7, dtype=np.int32)
    check_problem(PROBLEM, [HIDDEN, *solutions()[:5]], invalid=[full, full[:3], full - 1])


@pytest.mark.parametrize("operator", [Greedy, Shift])
def test_operators(operator: type) -> None:
    """Each operator keeps its contract; the incumbent is the worst solution, the optimum is known by enumeration."""
    every = solutions()
    check_operator(PROBLEM, operator, incumbent=every[-1], optimum=PROBLEM.objective(every[0]))


def test_files() -> None:
    """A written file is read back as the same instance; a malformed file is an error with the line of the fault."""
    assert read_gap(Source("one.gap", write_gap(INSTANCE).encode())) == INSTANCE
    for wrong, words in {"": "begins with", "1 1 x": "not a whole number", "1 2 3": "have 7 numbers"}.items():
        with pytest.raises(InputError, match=words):
            read_gap(Source("one.gap", wrong.encode()))


def test_an_instance_without_room_is_infeasible() -> None:
    """An instance with a job that no agent has room for is reported as infeasible."""
    assert GeneralisedAssignment(Instance(((1,),), ((2,),), (1,))).infeasible_reason() == "no agent has room for job 1"


def test_generator_and_pictures() -> None:
    """A generated instance comes with a solution and its score; both can be drawn."""
    assert TYPE.generate({}, seed=2).instance.startswith("5 20\n")
    with pytest.raises(ConfigurationError, match="jobs must be from 1 to 999"):
        TYPE.generate({"jobs": 0}, seed=2)
    made = TYPE.generate({"agents": 4, "jobs": 9}, seed=2)
    problem = TYPE.read(Source("made.gap", made.instance.encode()))
    hidden = problem.decode(made.solution)
    assert problem.evaluate(hidden).objective == made.score
    assert b"agent 4: jobs" in TYPE.picture(problem, hidden, "text")
    assert TYPE.picture(problem, hidden, "svg").count(b"#345") == 9


def test_it_can_be_played() -> None:
    """Pressing the cells of the hidden solution one by one gives that solution."""
    moves = [str(agent * 7 + job) for job, agent in enumerate(HIDDEN.tolist())]
    assert WORKBENCH.position(PROBLEM, moves[:-1]).solution is None
    assert WORKBENCH.position(PROBLEM, moves).solution == HIDDEN.tolist()
    with pytest.raises(InputError, match="no such cell"):
        WORKBENCH.position(PROBLEM, ["21"])


def test_the_default_preset_finds_the_optimum() -> None:
    """The registration makes the preset and the operators available, and the preset finds the optimum."""
    result = matheur.solve(PROBLEM, iterations=50, seed=1)
    assert result.objective == PROBLEM.objective(solutions()[0])
    assert result.operators["shift"].calls > 0
