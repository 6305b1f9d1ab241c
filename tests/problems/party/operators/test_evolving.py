"""The constructions `genetic`, `islands` and `map-elites`."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from problems.party.brute_force import best_price, tiny_instance

from matheur.engine import Budget, Outcome, Status
from matheur.engine.options import configure
from matheur.errors import ConfigurationError
from matheur.problems.party import Instance, Party
from matheur.problems.party.operators.evolving import Breeding
from matheur.problems.party.operators.genetic import Genetic
from matheur.problems.party.operators.islands import Islands
from matheur.problems.party.operators.map_elites import MapElites, axis_of
from matheur.problems.party.operators.pareto import Pareto
from matheur.problems.party.operators.tables import Tables

SMALL: dict[type[Breeding], dict[str, Any]] = {
    Genetic: {"population": 6, "offspring": 8},
    Islands: {"population": 4, "offspring": 4, "islands": 3, "epoch": 2},
    MapElites: {"population": 6, "offspring": 8},
    Pareto: {"population": 6, "offspring": 8, "levels": 6, "steps": 20},
}
ALL = pytest.mark.parametrize("cls", SMALL, ids=lambda cls: cls.__name__)
SOLVABLE = (1, 6, 7, 12)
UNSOLVABLE = (0, 2, 4)


def run(cls: Any, problem: Party, budget: Budget, seed: int = 1, **options: Any) -> Outcome[Any]:
    """Build with a small population."""
    return cls(**(SMALL[cls] | options)).build(problem, budget, np.random.default_rng(seed))


@ALL
@pytest.mark.parametrize("seed", SOLVABLE)
def test_tiny_puzzles_are_solved(cls: Any, seed: int) -> None:
    """The best of all parties is found, within the work, and every offer on the way is true."""
    problem = Party(tiny_instance(seed))

    def check(genome: Any, price: Any) -> None:
        assert problem.evaluate(genome) == type(problem.evaluate(genome))(price, True)

    budget = Budget(work=1500, on_incumbent=check)
    outcome = run(cls, problem, budget, improve="none")
    assert outcome.status is Status.IMPROVED
    assert outcome.objective == best_price(problem) == problem.evaluate(outcome.solution).objective
    assert budget.spent_work <= 1500


@ALL
def test_a_seed_gives_one_answer(cls: Any) -> None:
    """Two runs of the same work agree; the target ends a run."""
    problem = Party(tiny_instance(SOLVABLE[0]))
    for improve in ("none", "descent", "annealing"):
        budgets = [Budget(work=1500 if cls is Pareto else 150) for _ in range(2)]  # a front is made before a party
        one, two = (run(cls, problem, budget, improve=improve) for budget in budgets)
        assert (one.solution == two.solution).all()
        assert one.objective == two.objective
        assert budgets[0].spent_work == budgets[1].spent_work
    best = best_price(problem)
    budget = Budget(work=10**6, target=best)
    assert run(cls, problem, budget).objective == best
    assert budget.spent_work < 10**5


@ALL
@pytest.mark.parametrize("seed", UNSOLVABLE)
def test_puzzles_without_a_party_end_with_the_work(cls: Any, seed: int) -> None:
    """Where nothing is feasible nothing is claimed."""
    problem, budget = Party(tiny_instance(seed)), Budget(work=500)
    assert best_price(problem) is None
    outcome = run(cls, problem, budget)
    assert (outcome.status, outcome.solution) == (Status.EXHAUSTED, None)
    assert budget.spent_work == 500


@ALL
def test_plainly_impossible_puzzles_are_infeasible(cls: Any) -> None:
    """A slot without items is an answer with a reason."""
    seed = next(number for number in range(300) if Tables.of(tiny_instance(number)).impossible)
    outcome = run(cls, Party(tiny_instance(seed)), Budget())
    assert outcome.status is Status.INFEASIBLE
    assert outcome.reason


@ALL
def test_generations_are_a_limit(cls: Any) -> None:
    """A run without any other limit ends after the generations asked for, or after some."""
    problem = Party(tiny_instance(SOLVABLE[0]))

    def spent(budget: Budget, **options: Any) -> int:
        run(cls, problem, budget, steps=20, **options)
        return budget.spent_work

    few, more = (spent(Budget(), generations=number) for number in (2, 6))
    assert 0 < few < more
    assert spent(Budget(iterations=2)) == few
    assert spent(Budget(iterations=2), generations=6) == few
    assert spent(Budget()) > more


@ALL
def test_an_interrupt_is_heard(cls: Any) -> None:
    """A budget that is interrupted at once spends next to nothing."""
    budget = Budget(interrupt=lambda: True)
    outcome = run(cls, Party(tiny_instance(SOLVABLE[0])), budget)
    assert outcome.status is Status.EXHAUSTED
    assert budget.spent_work == 0


@pytest.mark.parametrize("cls", [Genetic, Islands])
def test_a_stale_population_starts_anew(cls: Any) -> None:
    """With patience the search goes on from new populations, without it from the old one."""
    problem = Party(tiny_instance(SOLVABLE[0]))
    budgets = Budget(), Budget()
    patient, restless = (
        run(cls, problem, budget, generations=40, patience=limit, steps=20)
        for limit, budget in zip((None, 2), budgets, strict=True)
    )
    assert patient.objective == restless.objective
    assert budgets[0].spent_work != budgets[1].spent_work


@pytest.mark.slow
def test_processes_change_nothing() -> None:
    """Islands in two processes find, and spend, what they do in one."""
    problem = Party(tiny_instance(SOLVABLE[1]))
    budgets = {1: Budget(work=4000), 2: Budget(work=4000)}
    one, two = (run(Islands, problem, budget, steps=50, processes=number) for number, budget in budgets.items())
    assert (one.solution == two.solution).all()
    assert one.objective == two.objective
    assert budgets[1].spent_work == budgets[2].spent_work


def test_the_grid_holds_feasible_parties_of_each_kind() -> None:
    """Elites are feasible, stand in the cell that they belong to, and all kinds of axes work."""
    problem = Party(tiny_instance(SOLVABLE[1]))
    operator = MapElites(**SMALL[MapElites], axes=("price", "distinct:club", "synergy", "surplus:rating"), bins=4)
    archive = operator.illuminate(problem.instance, Budget(work=800), np.random.default_rng(1))
    assert len(archive.elites) > 1
    for genome, price in zip(archive.elites.genomes, archive.elites.fitness, strict=True):
        assert problem.evaluate(genome).feasible
        assert problem.evaluate(genome).objective == price
    assert (archive.cells(archive.elites.genomes) == archive.filled).all()


def test_axes_are_named_and_checked() -> None:
    """Unknown descriptors and columns are errors that help; a puzzle without columns has one bin."""
    with pytest.raises(ConfigurationError, match=r"unknown axis 'prize'\. Maybe 'price'"):
        MapElites(axes=("prize",))
    instance = tiny_instance(SOLVABLE[0])
    from matheur.methods.evolution import Population

    nobody = Population.empty(len(instance.slots))
    with pytest.raises(ConfigurationError, match=r"no such column\. Maybe 'club'"):
        axis_of("distinct:clubs", instance, nobody, 5)
    bare = Instance(
        type(instance.catalogue)(instance.catalogue.ids, instance.catalogue.prices), instance.slots, instance.fits,
        instance.edges,
    )  # fmt: skip
    for name in ("distinct", "surplus", "synergy"):
        assert axis_of(name, bare, nobody, 5).bin(np.zeros((3, len(bare.slots)), dtype=np.int32)).tolist() == [0, 0, 0]


def test_wrong_options_are_refused() -> None:
    """Values out of range are errors that show them; the paper's parameters are expressible."""
    for wrong in ({"generations": 0}, {"patience": 0}, {"mutation": 2.0}, {"attempts": 0}, {"population": 0}):
        for cls in SMALL:
            with pytest.raises(ConfigurationError, match=next(iter(wrong))):
                cls(**wrong)  # type: ignore[arg-type]
    for wrong in ({"processes": 0}, {"islands": 0}, {"migrants": 0.0}):
        with pytest.raises(ConfigurationError, match="0"):
            Islands(**wrong)  # type: ignore[arg-type]
    paper = {"generations": 100, "patience": "none", "guide": "match", "improve": "none", "mutation": 0.2}
    assert configure(Genetic, paper | {"population": 50, "offspring": 100}).genetic.offspring == 100
    islands = configure(Islands, paper | {"islands": 5, "population": 10, "offspring": 20, "topology": "redeal"})
    assert islands.archipelago.genetic.population * islands.islands == 50


def test_a_front_needs_objectives_of_the_puzzle() -> None:
    """No objective, and a column that is not there, are refused; sums are objectives, too."""
    with pytest.raises(ConfigurationError, match="against"):
        Pareto(against=())
    problem = Party(tiny_instance(SOLVABLE[0]))
    with pytest.raises(ConfigurationError, match="'ratings'"):
        run(Pareto, problem, Budget(work=9), against=("ratings",))
    outcome = run(Pareto, problem, Budget(work=3000), against=("synergy", "rating"), improve="none")
    assert outcome.objective == best_price(problem)
