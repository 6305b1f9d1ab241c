"""Presets and built-in puzzles against the parameters of Merleau et al. 2024."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from matheur.engine.budget import Budget
from matheur.errors import ConfigurationError
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.planners.goal_ball import ball_of
from matheur.problems import sliding_tile
from matheur.problems.cubical import Cubical, builtin, generate
from matheur.problems.plans.learning import Evolution, QLearning
from matheur.running.configuration import resolve

PARAMETERS: dict[str, dict[str, Any]] = {
    # Section 4.1, "Parameters analysis"; Algorithm 2 copies 10 %.
    "paper": {
        "name": "evolution", "variant": "paper", "population": 1000, "generations": 1000, "exponent": 1.8, "force": 0.2,
        "elite": 0.1,
    },
    # Section 4.1, "RL Performance"; the states around the goal follow from the dimension.
    "paper-q-learning": {
        "name": "q-learning", "variant": "paper", "learning_rate": 0.05, "discount": 0.95, "walks": 1000,
    },
    # Section 3.1: Definition 2.
    "paper-astar": {"name": "astar", "heuristic": "hamming"},
}  # fmt: skip


@pytest.mark.parametrize("preset", PARAMETERS)
def test_presets_have_the_paper_s_parameters(preset: str) -> None:
    """Nothing but the paper's construction runs, with its parameters, and an hour as in section 4.1."""
    values = resolve("cubical", preset=preset).to_dict()
    assert values["construction"] == PARAMETERS[preset]
    assert not values["neighbourhoods"]
    assert values["seconds"] == 3600


@pytest.mark.parametrize(
    ("name", "states"), [("d3-k2-level0", 1000), ("d4-k3-level4", 1000), ("d5-k4-level0", 100_000)]
)
def test_the_states_around_the_goal_follow_from_the_dimension(name: str, states: int) -> None:
    """P of section 3.2, unless the option `ball` says otherwise."""
    assert QLearning().ball is None
    assert Evolution().ball is None
    assert ball_of(domain_of(Cubical(builtin(name)))) == states


def test_the_operator_knows_as_many_states_as_the_dimension_asks_for() -> None:
    """Without the option the run is that with the paper's P, which proves more than one with P = 100."""
    problem = Cubical(builtin("d5-k1-level0"))
    bounds = []
    for ball in (None, 100_000, 100):
        operator = QLearning(variant="paper", ball=ball, walks=1)
        bounds.append(operator.build(problem, Budget(work=150_000), np.random.default_rng(1)).bound)
    assert bounds[0] == bounds[1] > bounds[2]


def test_definition_2_is_the_heuristic() -> None:
    """The sum over the rings of ceil(distance to the target / k)."""
    for name in ("d3-k2-level2", "d4-k3-level4", "d5-k4-level0"):
        one = builtin(name)
        domain = domain_of(Cubical(one))
        expected = sum(-(-bin(a ^ b).count("1") // one.k) for a, b in zip(one.start, one.target, strict=True))
        assert domain.hamming().estimate(domain.packing.pack(domain.start[None]))[0] == expected


def test_moves_can_be_drawn_by_face() -> None:
    """The option `by_face` is another drawing of the same moves; a puzzle without faces refuses it."""
    problem = Cubical(builtin("d4-k2-level0"))
    plans = []
    for by_face in (False, True):
        outcome = Evolution(variant="paper", by_face=by_face).build(problem, Budget(), np.random.default_rng(2))
        assert outcome.solution is not None
        assert problem.evaluate(outcome.solution).feasible
        plans.append(outcome.solution.tolist())
    assert plans[0] != plans[1]
    tiles = sliding_tile.SlidingTile(sliding_tile.builtin("3x3"))
    crowded = Cubical(generate(6, 2, 12, seed=1)[0])
    for other, words in ((tiles, "do not move over faces"), (crowded, "keys of one word")):
        with pytest.raises(ConfigurationError, match=words):
            Evolution(by_face=True).build(other, Budget(), np.random.default_rng(1))
