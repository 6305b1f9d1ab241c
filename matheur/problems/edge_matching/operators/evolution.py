"""Construction and neighbourhood `evolution`: populations of complete boards that exchange regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.engine.limits import check_options, option
from matheur.engine.outcome import Outcome, Status
from matheur.methods.evolution.around import others
from matheur.methods.evolution.population import Population, pooled
from matheur.methods.evolution.selection import survivors, tournament_selection
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import Layout, count_mismatches, kernel_state
from matheur.problems.edge_matching.operators.evolution_kernels import breed, scatter
from matheur.problems.edge_matching.operators.random_board import RandomBoard

__all__ = ["BOARDS_PER_WORK", "Around", "Evolution"]

BOARDS_PER_WORK = 1_000

_SLICE = 2_000_000  # cells of boards made between two looks at the budget: some 30 milliseconds
_LARGEST = 100_000  # population
_MEMORY = 20_000_000  # cells of all boards of a population that has grown: with children and copies half a gigabyte
_NOBODY = np.empty((2, 0), dtype=np.intp)
_GENERATIONS = 1_000  # where neither an option nor the budget sets a limit
_AROUND = 20  # generations of a call of the neighbourhood


@dataclass(frozen=True, slots=True)
class Evolution:
    """A genetic algorithm on whole boards, in the way of Munoz, Gutierrez and Sanchis (2009): a baseline.

    Parents are chosen by tournament. A child takes a rectangle over from its second parent, all else from the first;
    the pieces that then lie twice give way to those that are missing. Mutations turn a piece, exchange two, turn a
    square, or exchange two rectangles. The best of parents and children survive, each board once. A population that no
    longer gets better is followed by a larger one. Pieces of the frame stay in the frame, hints where they are.
    Work: boards made / 1,000; some 300,000 boards a second. Iterations: generations.

    Selection and survival are those of `matheur.methods.evolution`. Its `GeneticAlgorithm` crosses gene by gene and
    heals gaps, which takes regions apart; here a generation is one call of a kernel.

    Attributes
    ----------
    population
        Boards of the first population, and children of a generation.
    growth
        How many times larger the next population is, up to 100,000 boards or 20 million cells.
    patience
        Generations without a better board after which a population ends; None for never.
    tournament
        Random boards that compete to be a parent; 1 is a uniform choice.
    crossover
        Probability of a crossover; else a child is a copy of its first parent.
    mutation
        Probability of a mutation, and after each of one more; at most 0.99.
    region
        Longest side of what is taken over, turned or exchanged, as a share of the longer side of the board.
    fitted
        Whether single pieces that change places take one of their best rotations, else any that fits the frame.
    generations
        End after this many; None to go on until the budget ends (1,000 where it never does).
    """

    population: int = option(500, minimum=2, maximum=_LARGEST)
    growth: float = option(2.0, minimum=1, maximum=1_000)
    patience: int | None = option(300, minimum=1)
    tournament: int = option(2, minimum=1, maximum=100)
    crossover: float = option(0.8, minimum=0, maximum=1)
    mutation: float = option(0.5, minimum=0, maximum=0.99)
    region: float = option(0.3, above=0, maximum=1)
    fitted: bool = True
    generations: int | None = option(None, minimum=1)

    def __post_init__(self) -> None:
        check_options(self)

    def build(self, problem: Any, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Evolve one population after the other until a perfect board, the target or the end of the budget."""
        begin = RandomBoard().build(problem, Budget(), rng)
        if begin.solution is None:
            budget.spend(work=1)
            return begin
        generations = self.generations
        if generations is None and not budget.timed and budget.work_left is None and budget.iterations_left is None:
            generations = _GENERATIONS
        limits = (limit for limit in (generations, budget.iterations_left) if limit is not None)
        inner = budget.child(iterations=min(limits, default=None))
        breeding = _Breeding(problem, self, begin.solution, inner, rng)
        size = self.population
        largest = max(size, min(_LARGEST, _MEMORY // problem.instance.cells))
        while not breeding.ended:
            breeding.evolve(size)
            size = min(round(self.growth * size), largest)
        breeding.book()
        return Outcome(Status.IMPROVED, breeding.best, breeding.objective)


@dataclass(frozen=True, slots=True)
class Around(Evolution):
    """A few generations around the incumbent and the elites of the run. Work: boards made / 1,000.

    The first population are these boards and mutants of them; children are made as in the construction, whose other
    options (`tournament`, `crossover`, `mutation`, `region`, `fitted`) hold here, too.

    Attributes
    ----------
    population
        Boards, and children of a generation.
    generations
        Generations of a call; None for 20.
    elites
        Elites that join the population, at most.
    growth, patience
        Not used: there is one population.
    """

    elites: int = option(8, minimum=0)

    def explore(self, problem: Any, incumbent: Board, budget: Budget, rng: Generator) -> Outcome[Board]:
        """Evolve; every board that is better than all before is handed out. A board with empty cells is left alone."""
        if (incumbent == EMPTY).any():
            budget.spend(work=1)
            return Outcome(Status.NO_IMPROVEMENT)
        inner = budget.child(iterations=_AROUND if self.generations is None else self.generations)
        breeding = _Breeding(problem, self, np.array(incumbent, dtype=np.int32), inner, rng)
        elites = others(budget, problem.orbit(incumbent), self.elites, rng)
        before = breeding.objective
        breeding.evolve_around([elite.solution for elite in elites], self.population)
        breeding.book()
        if breeding.objective < before:
            return Outcome(Status.IMPROVED, breeding.best, breeding.objective)
        return Outcome(Status.EXHAUSTED if budget.exhausted else Status.NO_IMPROVEMENT)


class _Breeding:
    """The populations of one call, and the best board of all."""

    def __init__(self, problem: Any, options: Evolution, begin: Board, budget: Budget, rng: Generator) -> None:
        instance: Instance = problem.instance
        self._problem, self._options, self._budget, self._rng = problem, options, budget, rng
        self._begin = begin
        self._longest = max(1, round(options.region * max(instance.rows, instance.columns)))
        layout = Layout.of(instance, begin)
        low, high = np.zeros((2, instance.cells), dtype=np.int32)
        order = np.empty(0, dtype=np.int32)
        for members in layout.members():
            low[members], high[members] = order.size, order.size + members.size
            order = np.concatenate([order, members])
        self._tables = (
            order, low, high, layout.neighbours, layout.kinds, layout.turns, layout.sides, kernel_state(rng),
        )  # fmt: skip
        self.best, self.objective = begin, count_mismatches(instance, begin)
        self._unbooked = 1
        budget.offer(begin, self.objective)

    @property
    def ended(self) -> bool:
        """Whether nothing better is asked for, or the budget has ended."""
        return self.objective == 0 or self._budget.exhausted or self._budget.reached(self.objective)

    def evolve_around(self, elites: list[Board], size: int) -> None:
        """One population that begins with the first board, some others that are complete, and children of them."""
        boards = np.array([self._begin, *(board for board in elites if (board != EMPTY).all())], dtype=np.int32)
        instance = self._problem.instance
        known = Population(boards, np.array([count_mismatches(instance, board) for board in boards], dtype=np.int64))
        parents = self._rng.integers(len(known), size=(2, max(0, size - len(known))))
        self.evolve(size, pooled([known, self._boards(parents.shape[1], known, parents)]))

    def evolve(self, size: int, population: Population | None = None) -> None:
        """One population, until it no longer gets better; its best board joins the elites."""
        options = self._options
        if population is None:
            population = self._boards(size)
        idle = 0
        while len(population) and not self.ended and (options.patience is None or idle < options.patience):
            before = population.fitness.min()
            parents = tournament_selection(2 * size, population.fitness, options.tournament, self._rng)
            children = self._boards(size, population, parents.reshape(2, size))
            population = survivors(population, children, size, distinct=True)
            self._budget.spend(iterations=1)
            idle = 0 if population.fitness.min() < before else idle + 1
        if len(population):
            best = population.best
            board = population.genomes[best]
            self._budget.elites.add(self._problem.orbit(board), board, int(population.fitness[best]))

    def _boards(self, size: int, of: Population | None = None, parents: NDArray[np.intp] = _NOBODY) -> Population:
        """Random boards, or children of pairs of parents (shape (2, size)); fewer if the budget ends."""
        options, columns = self._options, self._problem.instance.columns
        boards = np.empty((size, self._begin.size), dtype=np.int32)
        objectives = np.empty(size, dtype=np.int64)
        made, step = 0, max(1, _SLICE // self._begin.size)
        while made < size and not self._budget.exhausted:
            some = slice(made, made + min(step, size - made, self._left()))
            if of is None:
                scatter(boards[some], self._begin, *self._tables, objectives[some])
            else:
                breed(
                    of.genomes, *parents[:, some], options.crossover, options.mutation, self._longest, options.fitted,
                    columns, *self._tables, boards[some], objectives[some],
                )  # fmt: skip
            self._unbooked += some.stop - made
            self._budget.spend(work=self._unbooked // BOARDS_PER_WORK)
            self._unbooked %= BOARDS_PER_WORK
            made = some.stop
        population = Population(boards[:made], objectives[:made])
        if made and population.fitness.min() < self.objective:
            self.best, self.objective = population.genomes[population.best].copy(), int(population.fitness.min())
            self._budget.offer(self.best, self.objective)
        return population

    def _left(self) -> int:
        """Boards that the limit of work leaves."""
        left = self._budget.work_left
        return _LARGEST if left is None else left * BOARDS_PER_WORK - self._unbooked

    def book(self) -> None:
        """Book what has been made since the last full unit of work."""
        self._budget.spend(work=int(self._unbooked > 0))
        self._unbooked = 0
