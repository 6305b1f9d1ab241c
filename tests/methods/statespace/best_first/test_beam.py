"""Beam search: valid plans, bounds only where layers were never cut, the same answer for the same seed."""

from __future__ import annotations

import csv
from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
from contracts.domains import Pancakes
from hypothesis import given, settings
from hypothesis import strategies as st
from methods.statespace.naive_graphs import Case, GraphDomain, cases
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.best_first.beam import Seen, anytime_beam, beam
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic, zero
from matheur.problems.cubical import Cubical, Instance
from matheur.problems.cubical.domain import CubicalDomain

SEEN = st.sampled_from(["last-two", "all"])


def rng(seed: int = 0) -> np.random.Generator:
    """A generator."""
    return np.random.default_rng(seed)


def same(one: SearchAnswer, two: SearchAnswer) -> bool:
    """Whether two answers agree in all but the time."""
    figures = [(a.cost, a.bound, a.limit, a.expanded, a.generated, a.stored, a.memory) for a in (one, two)]
    plans = [None if a.plan is None else a.plan.tolist() for a in (one, two)]
    return figures[0] == figures[1] and plans[0] == plans[1]


@given(cases(), st.integers(1, 8), st.integers(1, 2), st.booleans(), SEEN, st.integers(0, 9))
@settings(max_examples=150)
def test_plans_are_valid_and_bounds_hold(
    case: Case, width: int, words: int, compiled: bool, seen: Seen, seed: int
) -> None:
    """On any graph, against Dijkstra's algorithm; a layer that becomes empty uncut proves that there is no plan."""
    domain = case.domain(words=words, compiled=compiled)
    heuristic = domain.heuristic(case.estimates, admissible=True, compiled=compiled)
    answers = [
        beam(domain, heuristic, width=width, rng=rng(seed), seen=seen, depth_max=40, budget=Budget(work=500))
        for _ in range(2)
    ]
    assert same(*answers)
    answer = answers[0]
    if case.optimum is None:
        assert answer.plan is None
    else:
        assert answer.bound <= case.optimum
        assert not answer.unreachable
    if answer.plan is not None:
        assert case.optimum is not None
        assert case.optimum <= domain.cost_of(answer.plan) == answer.cost


@given(cases(), SEEN, st.booleans())
@settings(max_examples=200)
def test_a_beam_that_is_never_cut_is_breadth_first_search(case: Case, seen: Seen, admissible: bool) -> None:
    """Wider than the graph: every goal is found, optimally if all moves cost 1, and no plan is a proof."""
    domain = case.domain()
    values = case.estimates if admissible else [3] * 64
    heuristic = domain.heuristic(values, admissible=admissible)
    answer = beam(domain, heuristic, width=64, rng=rng(), seen=seen, budget=Budget(work=2000))
    if case.optimum is None:
        assert answer.unreachable or (seen == "last-two" and answer.limit == "work")
    else:
        assert answer.plan is not None
        assert not domain.unit_costs or answer.cost == answer.bound == case.optimum


@given(cases(), st.integers(0, 9), st.booleans())
@settings(max_examples=200)
def test_restarts_with_doubled_width_only_improve(case: Case, seed: int, compiled: bool) -> None:
    """Every plan is cheaper than the one before; with unit costs the last one is proved optimal."""
    domain = case.domain(compiled=compiled)
    heuristic = domain.heuristic(case.estimates, admissible=True)
    costs: list[int] = []
    answer = anytime_beam(
        domain,
        heuristic,
        width=1,
        rng=rng(seed),
        budget=Budget(work=5000),
        on_plan=lambda plan, cost: costs.append(cost),
    )
    assert answer.limit is None
    assert all(later < earlier for earlier, later in pairwise(costs))
    assert answer.unreachable == (case.optimum is None)
    if case.optimum is not None:
        assert answer.plan is not None
        assert answer.bound <= case.optimum <= domain.cost_of(answer.plan) == answer.cost == costs[-1]
        assert not domain.unit_costs or answer.proved


@given(cases(), st.integers(0, 30), st.integers(1, 8))
@settings(max_examples=100)
def test_work_is_limited_exactly(case: Case, work: int, width: int) -> None:
    """A limit of work is never passed, and reached if it ends the search."""
    domain = case.domain()
    for search in (beam, anytime_beam):
        budget = Budget(work=work)
        answer = search(domain, zero(), width=width, rng=rng(), budget=budget)
        assert budget.spent_work == answer.expanded <= work
        assert answer.limit is None or (answer.limit == "work" and answer.expanded == work)
        assert case.optimum is None or answer.bound <= case.optimum


def test_hopeless_states_prove_nothing_unless_the_heuristic_is_admissible() -> None:
    """An infinite estimate drops a state; only an admissible heuristic turns that into a proof."""
    domain = GraphDomain([(0, 1, 1), (1, 2, 1)], 0, 2)
    for values in ([0, INFINITE, 0], [INFINITE, 0, 0]):
        heuristic = domain.heuristic(values + [0] * 61, admissible=False)
        answer = beam(domain, heuristic, width=5, rng=rng())
        assert answer.plan is None
        assert not answer.unreachable
    unreachable = GraphDomain([(0, 1, 1)], 0, 2)
    for values in ([0, INFINITE, 0], [INFINITE, 0, 0]):
        heuristic = unreachable.heuristic(values + [0] * 61, admissible=True)
        answer = beam(unreachable, heuristic, width=5, rng=rng())
        assert answer.unreachable
        assert answer.bound < 5


def test_the_published_cubical_puzzles(data: Path) -> None:
    """A beam of 300 solves every instance that has a plan; restarts prove the smaller ones optimal."""
    with (data / "state_space" / "cubic_instances.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 36
    for row in rows:
        start, target = (tuple(map(int, row[name].split())) for name in ("start", "target"))
        problem = Cubical(Instance(int(row["d"]), int(row["k"]), tuple(row["colours"].split()), start, target))
        domain = domain_of(problem)
        heuristic = domain.heuristics()["hamming"]()
        answer = beam(domain, heuristic, width=300, rng=rng(1))
        if row["exact_optimal_len"] == "unreachable":
            assert answer.plan is None
            assert beam(domain, heuristic, width=700, rng=rng(1)).unreachable
            continue
        assert answer.plan is not None
        assert answer.bound <= int(row["exact_optimal_len"]) <= len(answer.plan) == answer.cost
        assert problem.evaluate(answer.plan).feasible
        if row["d"] == "3":
            best = anytime_beam(domain, heuristic, rng=rng(2))
            assert best.cost == best.bound == int(row["exact_optimal_len"])


def test_a_domain_in_numpy_with_a_heuristic_in_numpy() -> None:
    """A user's own domain with uneven costs, and estimates asked for in batches."""
    domain = Pancakes(7, [3, 0, 5, 1, 6, 2, 4])
    sizes: list[int] = []

    def gaps(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        sizes.append(len(keys))
        states = domain.packing.unpack(keys).astype(np.int64)
        return 2 * (np.abs(np.diff(states, axis=1)) > 1).sum(axis=1).astype(np.int32)

    answer = beam(domain, Heuristic("gap", True, True, batch=gaps), width=50, rng=rng())
    assert answer.plan is not None
    assert answer.cost == answer.plan.sum()
    assert (domain.apply(domain.start, answer.plan)[-1] == domain.goal).all()
    assert len(sizes) <= len(answer.plan) + 1
    assert max(sizes) > 50


def test_ties_are_broken_by_the_generator() -> None:
    """Seeds give different beams, and the order of the moves none of them an advantage."""
    domain = CubicalDomain(4, 3, [4, 0, 13, 8, 11], [8, 0, 13, 11, 4])
    answers = [beam(domain, domain.hamming(), width=20, rng=rng(seed)) for seed in range(10)]
    assert len({answer.expanded for answer in answers}) > 3


def test_the_memory_is_never_passed() -> None:
    """Where it ends the search says so, and used no more."""
    domain = CubicalDomain(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1])
    answer = beam(domain, domain.hamming(), width=10**6, rng=rng(), memory=12_000_000)
    assert answer.limit == "memory"
    assert 1_000_000 < answer.memory <= 12_000_000
    assert 4 <= answer.bound <= 13
    best = anytime_beam(domain, domain.hamming(), rng=rng(), memory=6_000_000)
    assert best.limit == "memory"
    assert best.cost is not None
    assert best.memory <= 6_000_000
    assert beam(domain, domain.hamming(), width=10, rng=rng(), memory=1000).limit == "memory"


def test_a_target_an_interrupt_and_a_deadline_end_the_search() -> None:
    """All are seen between the parts of a layer."""
    domain = CubicalDomain(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1])
    heuristic = domain.hamming()
    found = anytime_beam(domain, heuristic, rng=rng(), width=1000, budget=Budget(target=100))
    assert found.limit == "target"
    assert found.cost is not None
    assert found.cost <= 100
    calls = count()
    stopped = beam(domain, heuristic, width=10, rng=rng(), budget=Budget(interrupt=lambda: next(calls) > 3))
    assert (stopped.limit, stopped.expanded) == ("interrupt", 31)
    seconds = count()
    late = anytime_beam(domain, heuristic, rng=rng(), budget=Budget(seconds=30, clock=lambda: float(next(seconds))))
    assert late.limit == "time"


def test_limits_of_depth_and_cost() -> None:
    """No plan of more moves or cost is returned, and an uncut search for cheaper plans proves that there is none."""
    domain = CubicalDomain(3, 2, [6, 4, 5, 1], [4, 1, 5, 6])
    heuristic = domain.hamming()
    assert beam(domain, heuristic, width=1000, rng=rng(), depth_max=6).plan is None
    assert beam(domain, heuristic, width=1000, rng=rng(), depth_max=7).cost == 7
    none = beam(domain, heuristic, width=1000, rng=rng(), cost_max=6)
    assert (none.plan, none.bound, none.unreachable) == (None, 7, False)
    assert beam(domain, heuristic, width=1000, rng=rng(), cost_max=7).cost == 7


def test_the_start_may_be_the_goal_and_the_width_not_zero() -> None:
    """The empty plan, even with nothing to spend; a wrong width is named."""
    domain = CubicalDomain(3, 1, [0, 1], [0, 1])
    for search in (beam, anytime_beam):
        answer = search(domain, zero(), width=5, rng=rng(), budget=Budget(work=0))
        assert answer.cost == answer.bound == 0
        with pytest.raises(ValueError, match="0"):
            search(CubicalDomain(3, 1, [0], [1]), zero(), width=0, rng=rng())
