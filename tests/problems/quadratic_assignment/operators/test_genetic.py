"""The memetic construction and its crossovers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.quadratic_assignment.operators.assignments import SHAPES, check, optimum, problem, problems

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.quadratic_assignment import load
from matheur.problems.quadratic_assignment.operators.exchange_state import kernel_state
from matheur.problems.quadratic_assignment.operators.genetic import Genetic
from matheur.problems.quadratic_assignment.operators.genetic_kernels import cross_block, cross_uniform, scramble


@settings(max_examples=100)
@given(st.integers(1, 20), st.integers(0, 10**6), st.sampled_from([0.0, 0.3, 1.0]))
def test_crossovers_keep_what_the_parents_share(n: int, seed: int, density: float) -> None:
    """Children are permutations; a gene that both parents have is in them; nothing else is touched."""
    rng = np.random.default_rng(seed)
    first = rng.permutation(n).astype(np.int32)
    second = first.copy()
    cycle = rng.permutation(n)[: rng.integers(n + 1)]
    second[cycle] = second[np.roll(cycle, 1)]
    ties = np.where(rng.random((n, n)) < density, rng.random((n, n)), 0.0)
    ties += ties.T
    before = first.copy(), second.copy()
    child = np.empty_like(first)
    state = kernel_state(rng)
    for cross in (
        lambda: cross_uniform(first, second, state, child),
        lambda: cross_block(first, second, ties, state, child),
    ):
        cross()
        assert sorted(child.tolist()) == list(range(n))
        assert (child == first)[first == second].all()
        assert np.array_equal(first, before[0])
        assert np.array_equal(second, before[1])


def test_a_block_comes_from_the_first_parent() -> None:
    """Where two halves are tied only among themselves, the first parent's genes are one half or most of it."""
    ties = np.kron(np.eye(2), np.ones((10, 10)))
    first, second = np.arange(20, dtype=np.int32), np.roll(np.arange(20, dtype=np.int32), 7)
    child = np.empty_like(first)
    state = kernel_state(np.random.default_rng(1))
    for _ in range(50):
        cross_block(first, second, ties, state, child)
        taken = child == first
        halves = sorted((np.count_nonzero(taken[:10]), np.count_nonzero(taken[10:])))
        assert sum(halves) >= 5
        assert halves[0] == 0 or halves[1] == 10


@given(st.integers(1, 12), st.integers(0, 12), st.integers(0, 1000))
def test_scrambling_moves_as_many_genes_as_asked(n: int, count: int, seed: int) -> None:
    """The result is a permutation that differs in that many places."""
    count = min(n, count)
    rng = np.random.default_rng(seed)
    one = rng.permutation(n).astype(np.int32)
    changed = one.copy()
    scramble(changed, count, kernel_state(rng))
    assert sorted(changed.tolist()) == list(range(n))
    assert np.count_nonzero(changed != one) == (count if count > 1 else 0)


@pytest.mark.parametrize("symmetric", SHAPES)
def test_it_finds_the_optimum_of_small_problems(symmetric: str) -> None:
    """As exhaustive enumeration says, with dense and with sparse flows."""
    for seed, zeros in ((0, 0.0), (1, 0.7)):
        one = problem(7, symmetric, seed, zeros=zeros)
        outcome = Genetic().build(one, Budget(work=20_000), np.random.default_rng(seed))
        assert outcome.status is Status.IMPROVED
        assert check(one, outcome) == optimum(one)


@settings(max_examples=25)
@given(problems(), st.integers(0, 1000), st.integers(1, 5000))
def test_answers_are_true_and_reproducible(one, seed: int, work: int) -> None:  # type: ignore[no-untyped-def]
    """Any problem, also of one facility: claims and offers are exact, work is kept, and the seed decides."""
    offers: list[tuple[int, int]] = []
    budget = Budget(work=work, on_incumbent=lambda s, claimed: offers.append((claimed, int(one.evaluate(s).objective))))
    first = Genetic().build(one, budget, np.random.default_rng(seed))
    second = Genetic().build(one, Budget(work=work), np.random.default_rng(seed))
    assert np.array_equal(first.solution, second.solution)
    assert check(one, first) == offers[-1][0]
    assert all(claimed == true for claimed, true in offers)
    assert [claimed for claimed, _ in offers] == sorted({claimed for claimed, _ in offers}, reverse=True)
    assert budget.spent_work == work


def test_it_ends_by_itself() -> None:
    """After as many populations without a gain as were asked for; without any limit, too."""
    one = problem(4, seed=1)
    short, long, endless = Budget(work=10**9), Budget(work=10**9), Budget()
    for stagnation, budget in ((1, short), (3, long), (None, endless)):
        found = Genetic(stagnation=stagnation).build(one, budget, np.random.default_rng(0))
        assert check(one, found) == optimum(one)
    assert 0 < short.spent_work < long.spent_work < endless.spent_work < 10**7


def test_it_stops_when_asked() -> None:
    """An interrupt, a spent budget or a target ends it at once, with a permutation all the same."""
    one = problem(30, seed=1)
    for budget in (Budget(interrupt=lambda: True), Budget(work=0), Budget(seconds=0.0), Budget(target=10**9)):
        outcome = Genetic().build(one, budget, np.random.default_rng(0))
        check(one, outcome)
        assert budget.spent_work == 0
    good = Genetic().build(one, Budget(work=50_000), np.random.default_rng(0))
    budget = Budget(work=10**9, target=good.objective)
    aimed = Genetic().build(one, budget, np.random.default_rng(0))
    assert check(one, aimed) <= check(one, good)
    assert budget.spent_work <= 50_000


def test_options_are_checked() -> None:
    """Wrong numbers are refused with their values."""
    wrong: list[dict[str, float]] = [
        {"population": 1},
        {"effort": 0.0},
        {"growth": 0.5},
        {"patience": float("nan")},
        {"tournament": 0},
        {"share": 0.0},
        {"tenure": 0.0},
        {"stagnation": 0},
    ]
    for options in wrong:
        with pytest.raises(ConfigurationError, match=r"Genetic\."):
            Genetic(**options)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["nug30", "kra30a", "ste36a", "tai27e01", "chr18b", "tai20b", "bur26a", "esc32a"])
def test_it_reaches_published_values(data: Path, name: str) -> None:
    """Optima of the public instances, structured and not, symmetric and not."""
    folder = data / "assignment" / "qaplib"
    known = dict(line.split(",")[0:3:2] for line in (folder / "best_known.csv").read_text().splitlines())
    one = load(folder / f"{name}.dat")
    budget = Budget(work=3_000_000, target=int(known[name]))
    outcome = Genetic().build(one, budget, np.random.default_rng(2))
    assert check(one, outcome) == int(known[name])
