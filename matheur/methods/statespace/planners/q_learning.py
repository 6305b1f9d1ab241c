"""Reinforcement learning of plans (Merleau et al. 2024, section 3.2, Algorithm 4), and a planner that learns values.

In `paper`, `text` and `repository` a state has a weight. A walk from the start chooses among the successors of a
state in proportion to their weights; one that improves on the best plan raises the weights of its states, any other
lowers them. The states around the goal get weights at the beginning, 1 for the goal and half as much with each level.

They differ because Algorithm 4, the text, and the authors' published code (github.com/lemerleau/CubicPuzzle) differ. As
printed in Algorithm 4 (`paper`), the states of a walk are numbered from the start: the first moves are rewarded most
and, after a long walk, the weights near the goal vanish. In the text (`text`; section 3.2, step 3) the weight of a
state that a successful walk visits after s steps grows by r (1 + lambda)^s, so later states are rewarded most; other
walks are punished as in Algorithm 4, since the text has no formula for them. In the published code (`repository`),
states are numbered from the goal, no weight falls below 1e-12, a goal counts as soon as it is generated, and a plan of
equal length is a failure.

Algorithm 4 has misprints that are corrected here: the walk continues while it is shorter than the best plan (printed:
c < 0), and the weights of the walk that has just ended change (printed: the weights of the best plan M).

`improved` keeps the walks, the ball and the learning from complete walks, and replaces the weights by two bounds on the
cost to the goal for each visited state: a lower bound, the temporal difference learning of Korf's LRTA* and of
real-time dynamic programming (Barto, Bradtke, Singh 1995), and an upper bound (bounded RTDP, McMahan et al. 2005). In a
deterministic space the right learning rate is 1, without a discount. A walk stops when the lower bound shows that no
better plan leads through its state; when both bounds of the start are equal, the plan is proved optimal.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import Heuristic
from matheur.methods.statespace.packed_goal import packed_start
from matheur.methods.statespace.paths import plan_along
from matheur.methods.statespace.planners import q_learning_kernels as weights_kernels
from matheur.methods.statespace.planners import value_learning_kernels as value_kernels
from matheur.methods.statespace.planners.goal_ball import GoalBall, ball_of, goal_ball
from matheur.methods.statespace.planners.learner import UNKNOWN, Learner, OnPlan

__all__ = ["COST_MAX", "UNKNOWN", "VARIANTS", "WeightLearner", "q_learning"]

VARIANTS = ("improved", "paper", "text", "repository")

COST_MAX = int(value_kernels.NONE) - 1
"""Values of `improved` are told apart up to this cost."""

_LEAST = 1e-12
_ITERATIONS = {"improved": 100_000, "paper": 1000, "text": 1000, "repository": 1000}
_NEVER = 1 << 60
_NO_GROWTH = -1.0
_WALK_MAX = 10_000
_PATH = 1 << 12
_STEP_BYTES = 8 + 4 + 4


def q_learning(
    domain: Domain,
    *,
    ball: int | None = None,
    learning_rate: float = 0.05,
    discount: float = 0.95,
    growth: float = 0.05,
    iterations: int | None = None,
    variant: str = "improved",
    heuristic: Heuristic | None = None,
    curiosity: float = 0.1,
    rng: np.random.Generator,
    budget: Budget | None = None,
    memory: int = 2 << 30,
    on_plan: OnPlan | None = None,
) -> SearchAnswer:
    """Walks from the start that learn from their ends.

    Parameters
    ----------
    domain
        Domain with a compiled `expander`.
    ball
        Number of states around the goal with known distances, P of the paper; None for `ball_of`. There are no such
        states if the domain is not reversible or its goal leaves components free.
    learning_rate, discount
        Parameters of all variants except `improved`; the rate is also r of `text`.
    growth
        lambda of `text`; the paper does not give its value.
    iterations
        Number of walks; the default is 100,000 for `improved` and 1000 for the others.
    variant
        Variant of the method, see the module.
    heuristic
        Admissible, compiled heuristic that gives the initial lower bounds of `improved`. None: just above the radius of
        the ball.
    curiosity
        Probability with which a walk of `improved` does not follow its lower bounds.
    rng
        Random generator; only a seed is drawn.
    budget
        Limits; a unit of work is a state expanded (one step of a walk, or one state of the ball).
    memory
        Memory limit of the tables in bytes.
    on_plan
        Called with every better plan and its cost.

    Returns
    -------
    SearchAnswer
        `bound` is proved: the lower bound of the start, or the bound from the ball.

    Raises
    ------
    ValueError
        If the domain or the heuristic is not compiled, the heuristic is not admissible, or the variant is unknown.
    """
    _check(domain, heuristic, variant)
    budget = Budget() if budget is None else budget
    if bool(domain.is_goal(packed_start(domain))[0]):
        return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0, seconds=budget.elapsed)
    near = goal_ball(domain, ball_of(domain) if ball is None else ball, budget=budget, memory=memory)
    walks = _ITERATIONS[variant] if iterations is None else iterations
    learner: Learner
    if variant == "improved":
        learner = _Values(domain, near, rng, memory, walks, curiosity, heuristic)
    else:
        printed, grows = variant != "repository", growth if variant == "text" else _NO_GROWTH
        learner = WeightLearner(domain, near, rng, memory, walks, printed, learning_rate, discount, grows)
    return learner.run(budget, on_plan)


def _check(domain: Domain, heuristic: Heuristic | None, variant: str) -> None:
    if variant not in VARIANTS:
        raise ValueError(f"unknown variant '{variant}'. Maybe one of {', '.join(VARIANTS)}.")
    if domain.expander is None:
        raise ValueError(f"q-learning needs a compiled domain, '{domain.name}' is not. Maybe use batch_astar or beam.")
    if heuristic is not None and (heuristic.estimator is None or not heuristic.admissible):
        raise ValueError(f"q-learning needs a compiled admissible heuristic ('{heuristic.name}')")


class WeightLearner(Learner):
    """`paper`, `text` and `repository`."""

    kernels = weights_kernels
    kinds = (np.float64,)

    def __init__(
        self, domain: Domain, near: GoalBall, rng: np.random.Generator, memory: int, walks: int, printed: bool,
        rate: float, discount: float, growth: float = _NO_GROWTH,
    ) -> None:  # fmt: skip
        self.path_memory = memory // 4
        super().__init__(domain, near, rng, memory - self.path_memory, 0)
        self.walks, self.printed, self.rate, self.discount, self.growth = walks, printed, rate, discount, growth
        self.chances = np.empty(domain.branching)
        self.path = np.zeros(_PATH, dtype=np.int64)
        self.steps, self.best_steps = (np.zeros(_PATH, dtype=np.int32) for _ in range(2))
        self.numbers[weights_kernels.BEST] = _NEVER
        self.ready = self.path_memory >= _PATH * _STEP_BYTES and self.enter([0.5**near.level], [UNKNOWN])
        self.path[0] = self.start

    def slice(self, allowance: int, left: int | None) -> int:
        """Make this many steps of walks."""
        del left  # the allowance is never more
        return int(
            weights_kernels.walk(
                self.expander.address, self.expander.data, *self.goal, self.table.slots, self.table.keys,
                self.table.columns[0], self.path, self.steps, self.best_steps, self.numbers, self.random,
                self.successors, self.moves, self.costs, self.chances, UNKNOWN, 0.0 if self.printed else _LEAST,
                self.rate, self.discount, self.printed, self.growth, self.walks, allowance,
            )
        )  # fmt: skip

    def improve(self, on_plan: OnPlan | None) -> None:
        """Report the moves of the walk."""
        length = int(self.numbers[weights_kernels.PLAN])
        self.offer(self.best_steps[:length].copy(), int(self.numbers[weights_kernels.BEST]), on_plan)

    def answer(self, budget: Budget, limit: str | None) -> SearchAnswer:
        """The result, including the memory of the longest walk."""
        found = super().answer(budget, limit)
        return replace(found, memory=found.memory + (len(self.path) * _STEP_BYTES if self.ready else 0))

    def make_room(self, status: int) -> bool:
        """Enlarge the table or the arrays of the walk."""
        if status == weights_kernels.FULL:
            return self.table.grow(self.count)
        # During the copy, the longest of the three arrays exists twice.
        if len(self.path) * (2 * _STEP_BYTES + 8) > self.path_memory:
            return False
        self.path, self.steps, self.best_steps = (
            np.concatenate([array, np.zeros_like(array)]) for array in (self.path, self.steps, self.best_steps)
        )
        return True


class _Values(Learner):
    """`improved`."""

    kernels = value_kernels
    kinds = (np.int32, np.int32, np.int32)

    def __init__(
        self, domain: Domain, near: GoalBall, rng: np.random.Generator, memory: int, walks: int, curiosity: float,
        heuristic: Heuristic | None,
    ) -> None:  # fmt: skip
        super().__init__(domain, near, rng, memory, _WALK_MAX * (8 + 4))
        self.walks, self.curiosity = walks, curiosity
        self.estimator = None if heuristic is None else heuristic.estimator
        self.path, self.prices = np.zeros(_WALK_MAX, dtype=np.int64), np.zeros(_WALK_MAX, dtype=np.int32)
        self.lows, self.entries = (np.zeros(domain.branching, dtype=np.int32) for _ in range(2))
        self.floor = near.radius + 1
        low = self.floor
        if heuristic is not None:
            low = max(low, int(heuristic.estimate(packed_start(domain))[0]))
        distances = [near.distance, near.distance, near.toward]
        self.ready = self.enter(distances, [min(low, value_kernels.NONE), value_kernels.NONE, -1])
        self.path[0] = self.start
        self.fresh = True

    def slice(self, allowance: int, left: int | None) -> int:
        """Make this many visits; a start inside the ball has a plan before the first visit."""
        del left  # the allowance is never more
        low, high, toward = self.table.columns
        if self.fresh:
            self.fresh = False
            if high[self.start] < value_kernels.NONE:
                return value_kernels.IMPROVED
        heuristic = (0, self.expander.data) if self.estimator is None else (self.estimator.address, self.estimator.data)
        return int(
            value_kernels.walk(
                self.expander.address, self.expander.data, *heuristic, *self.goal, self.table.slots, self.table.keys,
                low, high, toward, self.path, self.prices, self.numbers, self.random, self.successors, self.moves,
                self.costs, self.lows, self.entries, self.floor, self.curiosity, self.walks, allowance,
            )
        )  # fmt: skip

    def improve(self, on_plan: OnPlan | None) -> None:
        """Report the path from the start given by the upper bounds."""
        toward, entry, ways = self.table.columns[2], self.start, []
        while entry >= 0:
            ways.append(entry)
            entry = int(toward[entry])
        keys = self.table.keys.reshape(-1, self.words)[ways]
        self.offer(*plan_along(self.domain, keys), on_plan)

    @property
    def bound(self) -> int:
        """The lower bound of the start."""
        return int(self.table.columns[0][self.start]) if self.ready else super().bound
