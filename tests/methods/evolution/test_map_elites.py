"""MAP-Elites."""

from __future__ import annotations

import json

import numpy as np
import pytest
from methods.evolution.letters import Letters

from matheur.errors import ConfigurationError
from matheur.methods.evolution import Archive, Axis, GeneticParameters, Genomes, MapElites, Population

AXES = (
    Axis("first", (5, 10, 15), lambda genomes: genomes[:, 0]),
    Axis("odd letters", (2, 4), lambda genomes: (genomes % 2).sum(axis=1)),
)
SMALL = GeneticParameters(population=20, offspring=30)


def cell(genome: list[int]) -> int:
    """The cell of a genome, counted by hand."""
    return 3 * sum(genome[0] >= edge for edge in (5, 10, 15)) + sum(
        sum(letter % 2 for letter in genome) >= edge for edge in (2, 4)
    )


def test_every_cell_keeps_its_fittest() -> None:
    """After any insertions the archive is what a dictionary of the best per cell says."""
    species, rng = Letters(), np.random.default_rng(1)
    archive = Archive(AXES, species.genes)
    best: dict[int, int] = {}
    for _ in range(30):
        genomes = species.create(15, rng)
        fitness = species.fitness(genomes)
        before = dict(best)
        for genome, value in zip(genomes.tolist(), fitness.tolist(), strict=True):
            best[cell(genome)] = min(value, best.get(cell(genome), value))
        changed = archive.insert(Population(genomes, fitness))
        assert changed == sum(before.get(number) != value for number, value in best.items())
    assert dict(zip(archive.filled.tolist(), archive.elites.fitness.tolist(), strict=True)) == best
    assert (archive.cells(archive.elites.genomes) == archive.filled).all()
    assert archive.coverage == len(best) / 12
    assert archive.qd_score(100) == sum(max(0, 100 - value) for value in best.values())
    grid = archive.grid()
    assert grid.shape == (4, 3)
    assert np.nansum(grid) == sum(best.values())


def test_illumination_spreads_and_improves() -> None:
    """Elites, coverage and quality only grow; the same seed lights the same cells."""

    def lit(seed: int) -> tuple[dict[str, object], list[int]]:
        algorithm, rng = MapElites(Letters(), AXES, SMALL), np.random.default_rng(seed)
        scores, elites, best = [], 0, 10**9
        for number in range(1, 16):
            record = algorithm.step(rng)
            assert record.number == number
            assert record.elites >= elites
            assert record.best is not None
            assert record.best <= best
            elites, best = record.elites, record.best
            scores.append(algorithm.archive.qd_score(1000))
        return algorithm.state(), scores

    state, scores = lit(3)
    assert scores == sorted(scores)
    assert scores[-1] > scores[0]
    assert (state, scores) == lit(3)


def test_a_stopped_illumination_goes_on() -> None:
    """A state that went through JSON continues alike."""
    one, two = MapElites(Letters(), AXES, SMALL), MapElites(Letters(), AXES, SMALL)
    one.step(np.random.default_rng(1))
    two.restore(json.loads(json.dumps(one.state())))
    assert one.step(np.random.default_rng(2)) == two.step(np.random.default_rng(2))
    assert one.state() == two.state()


def test_nobody_fills_nothing() -> None:
    """An empty archive has no best, no coverage, and lets nobody settle nowhere."""
    archive = Archive(AXES, 6)
    assert archive.insert(Population.empty(6)) == 0
    assert archive.coverage == archive.qd_score(5) == 0


def test_axes_are_checked() -> None:
    """Edges ascend, and there is an axis."""

    def values(genomes: Genomes) -> Genomes:
        return genomes[:, 0]

    with pytest.raises(ConfigurationError, match=r"edges of x must ascend \(1, 1\)"):
        Axis("x", (1, 1), values)
    with pytest.raises(ConfigurationError, match="axis"):
        Archive((), 3)
    assert Axis("x", (), values).bins == 1
