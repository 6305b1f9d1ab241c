"""Evolution assisted by reinforcement learning: a population of plans whose moves are drawn by learnt weights.

The hybrid that Merleau et al. 2024 suggest in their outlook (after Song et al., Reinforcement learning-assisted
evolutionary algorithm: a survey, 2024). From the evolution (section 3.3) it takes the population, the selection force,
the elite, and mutations that append a Zipf-distributed number of moves. From Q-learning (section 3.2) it takes a weight
for each state: states around the goal have an initial weight, a mutation draws each successor in proportion to its
weight, plans that reach the goal more cheaply than the best one raise the weights of their states, and others lower
them.

A few walks of Q-learning (`repository`) come first: they continue until they reach the goal, at any distance, and leave
weights and a plan. The population then evolves with these weights, and its selection abandons plans that lead nowhere
long before they are as long as the best one.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics.base import Heuristic
from matheur.methods.statespace.packed_goal import packed_start
from matheur.methods.statespace.planners import assisted_evolution_kernels as kernels
from matheur.methods.statespace.planners import q_learning_kernels as walk_kernels
from matheur.methods.statespace.planners.evolution import component_places, zipf_probabilities
from matheur.methods.statespace.planners.goal_ball import GoalBall, ball_of, goal_ball
from matheur.methods.statespace.planners.learner import UNKNOWN, Learner, OnPlan
from matheur.methods.statespace.planners.q_learning import WeightLearner

__all__ = ["assisted_evolution"]

_LEAST = 1e-12
_NEVER = 1 << 60
_ENDLESS = 1 << 60


def assisted_evolution(
    domain: Domain,
    *,
    population: int = 1000,
    generations: int = 1000,
    exponent: float = 1.8,
    force: float = 0.7,
    elite: float = 0.1,
    learning_rate: float = 0.05,
    discount: float = 0.95,
    ball: int | None = None,
    walks: int = 1000,
    longest: int = 1000,
    fitness: Heuristic | None = None,
    rng: np.random.Generator,
    budget: Budget | None = None,
    memory: int = 2 << 30,
    on_plan: OnPlan | None = None,
) -> SearchAnswer:
    """Evolve plans, and learn from those that end; the best plan is improved until all generations are made.

    Parameters
    ----------
    domain
        Compiled (`expander`).
    population, generations, exponent, force, elite
        As for `evolution`, variant `paper`.
    learning_rate, discount
        As for `q_learning`, variant `repository`.
    ball
        Number of states around the goal with initial weights; None for `ball_of`. There are no such states if the
        domain is not reversible or its goal leaves components free.
    walks
        Number of walks of Q-learning before the first generation.
    longest
        Most moves of a plan of the population.
    fitness
        Compiled estimate e of the distance to the goal; the fitness is 1 / (1 + e). None: e is the number of components
        that differ from the goal.
    rng
        Random generator; only a seed is drawn.
    budget
        Limits; a unit of work is a state expanded (a move of a mutation, or a state of the ball).
    memory
        Memory limit of the tables in bytes.
    on_plan
        Called with every better plan and its cost.

    Returns
    -------
    SearchAnswer
        `bound` is proved by the ball or by an admissible `fitness`.

    Raises
    ------
    ValueError
        If the domain or the estimate is not compiled, or a parameter is out of its range.
    """
    if domain.expander is None:
        raise ValueError(
            f"assisted-evolution needs a compiled domain, '{domain.name}' is not. Maybe use batch_astar or beam."
        )
    if fitness is not None and fitness.estimator is None:
        raise ValueError(f"'{fitness.name}' is not compiled, which assisted-evolution needs")
    if population < 1 or longest < 1 or not 0 <= elite < 1 or not 0 <= force <= 1:
        raise ValueError(f"population {population}, longest {longest}, elite {elite}, force {force}: out of range")
    budget = Budget() if budget is None else budget
    if bool(domain.is_goal(packed_start(domain))[0]):
        return SearchAnswer(plan=np.empty(0, dtype=np.int32), cost=0, seconds=budget.elapsed)
    near = goal_ball(domain, ball_of(domain) if ball is None else ball, budget=budget, memory=memory)
    walker = WeightLearner(domain, near, rng, memory, walks, False, learning_rate, discount)
    walked = walker.run(budget, on_plan)
    if walked.limit is not None or walked.proved or walked.unreachable:
        return walked
    learner = _Population(domain, near, rng, memory, population, longest, fitness)
    learner.generations, learner.force, learner.elite = generations, force, int(elite * population)
    learner.rate, learner.discount = learning_rate, discount
    learner.cumulative = np.cumsum(zipf_probabilities(exponent, domain.packing.size))
    learner.learn_from(walker)
    return learner.run(budget, on_plan)


class _Population(Learner):
    """Individuals, and the weights of the states that they visit."""

    kernels = kernels
    kinds = (np.float64,)
    generations: int
    force: float
    elite: int
    rate: float
    discount: float
    cumulative: NDArray[np.float64]

    def __init__(
        self, domain: Domain, near: GoalBall, rng: np.random.Generator, memory: int, size: int, longest: int,
        fitness: Heuristic | None,
    ) -> None:  # fmt: skip
        needed = 2 * size * (8 * (longest + 1) + 4 * longest + 3 * 4 + 8) + 4 * longest
        super().__init__(domain, near, rng, memory, needed)
        self.fitness = fitness
        self.numbers[kernels.BEST] = _NEVER
        self.ready = self.fixed < memory
        if not self.ready:
            return
        self.places = component_places(domain)
        self.paths = np.zeros((2, size, longest + 1), dtype=np.int64)
        self.paths[:, :, 0] = self.start
        self.steps = np.zeros((2, size, longest), dtype=np.int32)
        self.lengths, self.paid, self.values = (np.zeros((2, size), dtype=np.int32) for _ in range(3))
        self.order, self.forces = np.empty(size, dtype=np.int64), np.empty(size)
        self.best_steps = np.zeros(longest, dtype=np.int32)
        self.chances = np.empty(domain.branching)
        self.values[:] = self.estimate if fitness else int((domain.start != domain.goal)[domain.goal_mask].sum())

    def learn_from(self, walker: WeightLearner) -> None:
        """Take the table of states, the plan and the counts from Q-learning."""
        walker.table.memory = self.table.memory
        self.table, self.plan, self.cost = walker.table, walker.plan, walker.cost
        for mine, its in ((kernels.COUNT, walk_kernels.COUNT), (kernels.EXPANDED, walk_kernels.EXPANDED),
                          (kernels.GENERATED, walk_kernels.GENERATED)):  # fmt: skip
            self.numbers[mine] = walker.numbers[its]
        if self.cost is not None:
            self.numbers[kernels.BEST] = self.cost
        self.ready = self.ready and walker.table.peak <= self.table.memory

    @property
    def estimate(self) -> int:
        """Estimate for the start."""
        return 0 if self.fitness is None else int(self.fitness.estimate(packed_start(self.domain))[0])

    @property
    def bound(self) -> int:
        """Lower bound from the ball, or from an admissible estimate."""
        admissible = self.fitness is not None and self.fitness.admissible
        return max(super().bound, self.estimate if admissible else 0)

    def slice(self, allowance: int, left: int | None) -> int:
        """Make mutations."""
        estimator = None if self.fitness is None else self.fitness.estimator
        estimate = (0, self.expander.data) if estimator is None else (estimator.address, estimator.data)
        return int(
            kernels.evolve(
                self.expander.address, self.expander.data, *estimate, *self.goal, self.places,
                self.domain.goal_mask.copy(), self.table.slots, self.table.keys, self.table.columns[0], self.paths,
                self.steps, self.lengths, self.paid, self.values, self.order, self.forces, self.cumulative, self.force,
                self.elite, self.generations, self.numbers, self.random, self.best_steps, self.successors, self.moves,
                self.costs, self.chances, UNKNOWN, _LEAST, self.rate, self.discount, allowance,
                _ENDLESS if left is None else left,
            )
        )  # fmt: skip

    def improve(self, on_plan: OnPlan | None) -> None:
        """Report the plan; the evolution ends if it is proved optimal."""
        length, cost = int(self.numbers[kernels.PLAN]), int(self.numbers[kernels.BEST])
        self.offer(self.best_steps[:length].copy(), cost, on_plan)
        if cost <= self.bound:
            self.generations = 0

    def answer(self, budget: Budget, limit: str | None) -> SearchAnswer:
        """The result; if the plan is proved optimal, no limit is reported."""
        found = super().answer(budget, limit)
        return replace(found, limit=None) if found.proved and limit != "target" else found
