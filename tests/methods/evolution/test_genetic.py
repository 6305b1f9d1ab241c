"""The genetic algorithm."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from methods.evolution.letters import Letters

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.evolution import GeneticAlgorithm, GeneticParameters, Genomes

SMALL = GeneticParameters(population=12, offspring=24)


def run(parameters: GeneticParameters = SMALL, seed: int = 1, generations: int = 15) -> GeneticAlgorithm:
    """Evolve letters."""
    algorithm = GeneticAlgorithm(Letters(), parameters)
    rng = np.random.default_rng(seed)
    for _ in range(generations):
        algorithm.step(rng)
    return algorithm


def check(genomes: Genomes) -> None:
    """Genomes are feasible letters."""
    assert all(len(set(row)) == len(row) for row in genomes.tolist())
    assert (genomes.sum(axis=1) % 2 == 0).all()


def test_the_best_never_gets_worse() -> None:
    """Every generation has as good a best as the one before, a full feasible population and true records."""
    algorithm, rng = GeneticAlgorithm(Letters(), SMALL), np.random.default_rng(5)
    best = algorithm.fill(rng).best
    first = best
    assert best is not None
    for number in range(1, 20):
        record = algorithm.step(rng)
        assert record.number == number
        assert record.best == algorithm.population.fitness.min() <= best
        assert record.mean == pytest.approx(algorithm.population.fitness.mean())
        assert len(algorithm.population) == SMALL.population
        check(algorithm.population.genomes)
        assert (Letters().fitness(algorithm.population.genomes) == algorithm.population.fitness).all()
        best = record.best
    assert best < first


def test_same_seed_same_evolution() -> None:
    """A run is reproducible from its seed, and another seed is another run."""
    one, two, other = run(), run(), run(seed=2)
    assert one.state() == two.state()
    assert one.state() != other.state()


def test_a_stopped_evolution_goes_on() -> None:
    """A state that went through JSON continues as if nothing had happened."""
    rng = np.random.default_rng(9)
    algorithm = GeneticAlgorithm(Letters(), SMALL)
    for _ in range(3):
        algorithm.step(rng)
    again = GeneticAlgorithm.restore(Letters(), SMALL, json.loads(json.dumps(algorithm.state())))
    same = np.random.default_rng(4), np.random.default_rng(4)
    assert [algorithm.step(same[0]) for _ in range(3)] == [again.step(same[1]) for _ in range(3)]
    assert algorithm.state() == again.state()


def test_a_uniform_population_is_refreshed() -> None:
    """Under the threshold a third is replaced, and not the fittest; above it nobody is."""
    eager = replace(SMALL, refresh_below=10.0)
    algorithm, rng = GeneticAlgorithm(Letters(), eager), np.random.default_rng(1)
    best = algorithm.fill(rng).best
    for _ in range(5):
        record = algorithm.step(rng)
        assert record.refreshed == 4
        assert record.best is not None
        assert best is not None
        assert record.best <= best
        best = record.best
        assert len(algorithm.population) == eager.population
    assert GeneticAlgorithm(Letters(), replace(SMALL, refresh_below=0.0)).step(rng).refreshed == 0


def test_barred_genes_do_not_come_back() -> None:
    """Where everything is dropped and barred, a child has nothing of its parents in common."""
    seen: list[tuple[Genomes, Genomes | None]] = []

    class Watched(Letters):
        def heal(self, partial, rng, barred=None):  # type: ignore[no-untyped-def]
            seen.append((partial, barred))
            return super().heal(partial, rng, barred)

    everything = replace(SMALL, mutation=1.0)
    GeneticAlgorithm(Watched(alphabet=40), everything).step(np.random.default_rng(1))
    partial, barred = seen[-1]
    assert (partial == -1).all()
    assert barred is not None
    healed, feasible = Letters(alphabet=40).heal(partial, np.random.default_rng(1), barred)
    assert not any(set(one) & set(two) for one, two in zip(healed[feasible].tolist(), barred.tolist(), strict=False))
    GeneticAlgorithm(Watched(), replace(everything, bar_dropped=False)).step(np.random.default_rng(1))
    assert seen[-1][1] is None


def test_a_species_that_runs_dry_ends_nothing() -> None:
    """A budget that ends in the first population, or before it, leaves what there is."""
    for work in (0, 1, 5, 30):
        budget = Budget(work=work)
        algorithm = GeneticAlgorithm(Letters(budget=budget), SMALL)
        rng = np.random.default_rng(1)
        records = [algorithm.step(rng) for _ in range(3)]
        assert len(algorithm.population) <= min(work, SMALL.population)
        assert (records[-1].best is None) == (len(algorithm.population) == 0)
        assert budget.spent_work == work


@pytest.mark.parametrize(
    "wrong", [{"population": 0}, {"offspring": 0}, {"mutation": 1.5}, {"crossover": -1}, {"pressure": 0.5}]
)
def test_wrong_parameters_are_refused(wrong: dict[str, float]) -> None:
    """A value out of its range is an error that shows it."""
    with pytest.raises(ConfigurationError, match=str(next(iter(wrong.values())))):
        GeneticParameters(**wrong)  # type: ignore[arg-type]


def test_the_mutation_rate_rises_while_the_population_is_uniform() -> None:
    """It grows by its factor in every uniform generation up to its end, and falls back when the population differs."""
    growing = replace(SMALL, mutation_growth=1.5, mutation_max=0.5, refresh_below=10.0, refresh_share=0.0)
    algorithm, rng = GeneticAlgorithm(Letters(), growing), np.random.default_rng(1)
    rates = []
    for _ in range(4):
        algorithm.step(rng)
        rates.append(algorithm.mutation)
    assert rates == pytest.approx([0.3, 0.45, 0.5, 0.5])
    again = GeneticAlgorithm.restore(Letters(), growing, algorithm.state())
    assert again.mutation == algorithm.mutation
    algorithm.parameters = replace(growing, refresh_below=0.0)
    algorithm.step(rng)
    assert algorithm.mutation == 0.2
    assert GeneticAlgorithm(Letters(), replace(growing, mutation_growth=1.0), uniform=3).mutation == 0.2


def test_children_filled_at_random_are_healed_where_they_must_be() -> None:
    """With random filling all individuals are feasible, only the infeasible children are healed, from their gaps."""
    healed: list[np.ndarray] = []

    class Watched(Letters):
        def heal(self, partial, rng, barred=None):  # type: ignore[no-untyped-def]
            healed.append(partial)
            return super().heal(partial, rng, barred)

    algorithm = GeneticAlgorithm(Watched(), replace(SMALL, random_filling=True))
    rng = np.random.default_rng(1)
    algorithm.fill(rng)
    healed.clear()
    algorithm.step(rng)
    check(algorithm.population.genomes)
    assert 0 < len(healed[0]) < SMALL.offspring
    assert (healed[0] == -1).any()


def test_a_species_that_cannot_fill_is_refused() -> None:
    """Random filling is asked of a species that has it only."""

    class Plain:
        genes = 6
        create, heal, fitness = Letters.create, Letters.heal, Letters.fitness
        alphabet, budget = 20, Budget()

    algorithm = GeneticAlgorithm(Plain(), replace(SMALL, random_filling=True))  # type: ignore[arg-type]
    with pytest.raises(ConfigurationError, match=r"Plain.*random_filling"):
        algorithm.step(np.random.default_rng(1))
    with pytest.raises(ConfigurationError, match="mutation_growth"):
        replace(SMALL, mutation_growth=0.5)
