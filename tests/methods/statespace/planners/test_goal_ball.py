"""The states near the goal, against a search in plain Python."""

from __future__ import annotations

import numpy as np
import pytest
from contracts.domains import BENCHES

from matheur.engine.budget import Budget
from matheur.methods.statespace.paths import plan_along
from matheur.methods.statespace.planners.goal_ball import goal_ball

MEMORY = 1 << 26


def distances(bench: str, most: int) -> dict[tuple[int, ...], int]:
    """Costs from the goal of all states up to `most` away, by relaxation."""
    one = BENCHES[bench]
    best = {tuple(one.domain.goal.tolist()): 0}
    queue = list(best)
    while queue:
        state = queue.pop()
        for other, _, cost in one.successors(state):
            if best[state] + cost <= most and best[state] + cost < best.get(other, most + 1):
                best[other] = best[state] + cost
                queue.append(other)
    return best


@pytest.mark.parametrize(("bench", "size"), [("cubical-d3", 100), ("cubical-d4", 30), ("pancakes", 60)])
def test_whole_levels_with_exact_distances(bench: str, size: int) -> None:
    """The ball holds exactly the states within its radius, each with its distance and a way."""
    domain = BENCHES[bench].domain
    ball = goal_ball(domain, size, budget=Budget(), memory=MEMORY)
    states = [tuple(state) for state in domain.packing.unpack(ball.keys).tolist()]
    assert len(states) >= size
    assert dict(zip(states, ball.distance.tolist(), strict=True)) == distances(bench, ball.radius)
    assert not ball.closed
    for i in range(1, len(ball)):
        way = [i]
        while ball.toward[way[-1]] >= 0:
            way.append(int(ball.toward[way[-1]]))
        plan, cost = plan_along(domain, ball.keys[way])
        assert cost == ball.distance[i]
        assert len(plan) == len(way) - 1


def test_a_ball_may_hold_the_whole_component() -> None:
    """With more states asked for than there are, the ball is closed."""
    domain = BENCHES["cubical-d3"].domain
    ball = goal_ball(domain, 10_000, budget=Budget(), memory=MEMORY)
    assert (len(ball), ball.closed, ball.radius) == (672, True, 10)


def test_the_limits_leave_a_smaller_ball() -> None:
    """Work is never exceeded, memory neither, and what is there is right."""
    domain = BENCHES["cubical-d4"].domain
    budget = Budget(work=20)
    ball = goal_ball(domain, 1000, budget=budget, memory=MEMORY)
    assert budget.spent_work == ball.expanded == 20
    assert (len(ball), ball.radius) == (29, 1)
    small = goal_ball(domain, 100_000, budget=Budget(), memory=100_000)
    assert 100 < len(small) < 100_000
    assert small.peak <= 100_000
    assert not small.closed
    assert len(goal_ball(domain, 1000, budget=Budget(), memory=10)) == 0
    assert np.unique(small.keys).size == len(small)
