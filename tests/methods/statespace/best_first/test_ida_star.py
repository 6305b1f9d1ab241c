"""IDA* finds optimal plans, in slices of any size, and proves that there is none."""

from __future__ import annotations

import csv
from itertools import count
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from methods.statespace.naive_graphs import Case, GraphDomain, cases

from matheur.engine.budget import Budget
from matheur.methods.statespace.best_first.ida_star import ida_star
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics.base import INFINITE, zero
from matheur.problems.cubical import Cubical, Instance
from matheur.problems.cubical.domain import CubicalDomain

ENTRIES = st.sampled_from([0, 1, 4, 1 << 10])


def rows(data: Path) -> list[dict[str, str]]:
    """The cubical instances with their optima."""
    with (data / "state_space" / "cubic_instances.csv").open() as file:
        return list(csv.DictReader(file))


def puzzle(row: dict[str, str]) -> Cubical:
    """The puzzle of a row."""
    start, target = (tuple(map(int, row[name].split())) for name in ("start", "target"))
    return Cubical(Instance(int(row["d"]), int(row["k"]), tuple(row["colours"].split()), start, target))


@given(cases(), st.integers(1, 2), ENTRIES)
@settings(max_examples=300)
def test_plans_are_optimal(case: Case, words: int, entries: int) -> None:
    """On any graph, with zero costs, dead ends and an inconsistent heuristic, as Dijkstra's algorithm says."""
    domain = case.domain(words=words)
    bounds: list[int] = []
    heuristic = domain.heuristic(case.estimates, admissible=True)
    answer = ida_star(domain, heuristic, budget=Budget(work=20_000), table_entries=entries, on_bound=bounds.append)
    assert bounds == sorted(set(bounds))
    if case.optimum is None:
        # Without a table large enough the same cycles are walked again and again, ever more often.
        assert answer.unreachable or (answer.limit == "work" and entries <= 4)
    elif answer.limit is None:
        assert answer.plan is not None
        assert answer.cost == answer.bound == case.optimum == domain.cost_of(answer.plan)
        assert bounds == [] or bounds[-1] == case.optimum
    else:
        assert answer.limit == "work"
        assert entries <= 4
        assert answer.bound <= case.optimum


@given(cases(), st.data())
@settings(max_examples=200)
def test_a_heuristic_that_may_be_wrong_proves_nothing(case: Case, data: st.DataObject) -> None:
    """With inadmissible estimates the plan is valid, no bound is claimed, and no plan only after a full search."""
    values = data.draw(st.lists(st.sampled_from([0, 1, 2, 50, INFINITE]), min_size=64, max_size=64))
    domain = case.domain()
    answer = ida_star(domain, domain.heuristic(values, admissible=False), budget=Budget(work=50_000))
    assert answer.bound == 0
    if answer.plan is not None:
        assert case.optimum is not None
        assert case.optimum <= domain.cost_of(answer.plan) == answer.cost
    assert not answer.unreachable or case.optimum is None


@given(cases(), st.integers(0, 40), ENTRIES)
@settings(max_examples=100)
def test_work_is_limited_exactly_and_the_same_in_any_slices(case: Case, work: int, entries: int) -> None:
    """A limit of work is never passed, and a slow clock, which makes slices short, changes nothing."""
    domain = case.domain()
    heuristic = domain.heuristic(case.estimates, admissible=True)
    seconds = count()
    budgets = [Budget(work=work), Budget(work=work, clock=lambda: float(next(seconds)))]
    one, two = (ida_star(domain, heuristic, budget=budget, table_entries=entries) for budget in budgets)
    assert [budget.spent_work for budget in budgets] == [one.expanded, two.expanded]
    assert one.expanded <= work
    assert one.limit is None or one.expanded == work
    assert (one.cost, one.bound, one.unreachable, one.limit, one.generated) == (
        two.cost, two.bound, two.unreachable, two.limit, two.generated,
    )  # fmt: skip
    assert (one.plan is None) == (two.plan is None)
    assert one.plan is None or two.plan is None or (one.plan == two.plan).all()


def test_the_published_cubical_puzzles(data: Path) -> None:
    """The exact optimum of every instance, and the proof that one of them has no plan."""
    done = 0
    for row in rows(data):
        if row["d"] == "3" and row["exact_optimal_len"] == "unreachable":
            continue
        problem = puzzle(row)
        domain = domain_of(problem)
        answer = ida_star(domain, domain.heuristics()["hamming"]())
        assert answer.cost == answer.bound == int(row["exact_optimal_len"])
        assert answer.plan is not None
        assert problem.evaluate(answer.plan).feasible
        done += 1
    assert done == 35


def test_no_plan_is_proved_by_a_complete_iteration() -> None:
    """Two rings on a square cannot change places; states in a cycle are recognised."""
    domain = CubicalDomain(2, 1, [0, 1, 2], [1, 0, 2])
    answer = ida_star(domain, domain.hamming())
    assert answer.unreachable
    assert answer.limit is None
    assert answer.plan is None


def test_the_start_may_be_the_goal() -> None:
    """The empty plan, even with nothing to spend."""
    answer = ida_star(CubicalDomain(3, 1, [0, 1], [0, 1]), zero(), budget=Budget(work=0))
    assert answer.cost == answer.bound == 0
    assert answer.plan is not None
    assert len(answer.plan) == 0


def test_long_plans_let_the_stack_grow_within_the_memory() -> None:
    """A path of many words is followed to its end; with little memory the search says so and keeps its bound."""
    domain = CubicalDomain(6, 1, list(range(25)), list(range(25, 50)))
    heuristic = domain.hamming()
    bound = int(heuristic.estimate(domain.packing.pack(domain.start[None]))[0])
    answer = ida_star(domain, heuristic, memory=60_000, budget=Budget(work=2_000))
    assert answer.limit == "memory"
    assert answer.memory <= 60_000
    assert answer.bound == bound
    small = ida_star(domain, heuristic, memory=1_000)
    assert (small.limit, small.memory) == ("memory", 0)
    chain = GraphDomain([(i, i + 1, 1) for i in range(63)], 0, 63)
    long = ida_star(chain, chain.heuristic([0] * 64, admissible=True), memory=1 << 20)
    assert long.cost == 63


def test_an_interrupt_and_a_deadline_end_the_search() -> None:
    """Both are seen between slices, and the bound so far is kept."""
    domain = CubicalDomain(4, 3, [4, 0, 13, 8, 11], [8, 0, 13, 11, 4])
    calls = count()
    stopped = ida_star(domain, zero(), budget=Budget(interrupt=lambda: next(calls) > 20))
    assert stopped.limit == "interrupt"
    seconds = count()
    late = ida_star(domain, zero(), budget=Budget(seconds=50, clock=lambda: float(next(seconds))))
    assert late.limit == "time"
    assert 0 < late.bound <= 12
    assert late.expanded > 0


def test_a_domain_in_numpy_is_refused() -> None:
    """The search calls compiled functions one state at a time."""
    domain = GraphDomain([(0, 1, 1)], 0, 1, compiled=False)
    with pytest.raises(ValueError, match=r"'graph'.*Maybe"):
        ida_star(domain, zero())
    domain = GraphDomain([(0, 1, 1)], 0, 1)
    with pytest.raises(ValueError, match=r"'table'.*Maybe"):
        ida_star(domain, domain.heuristic(np.zeros(64, dtype=int).tolist(), admissible=True, compiled=False))
