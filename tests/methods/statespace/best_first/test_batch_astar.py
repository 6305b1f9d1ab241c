"""Batch weighted A*: sound bounds for any weight and batch, optimal plans where it says so, compiled or not."""

from __future__ import annotations

import csv
from itertools import count, pairwise
from pathlib import Path

import numpy as np
import pytest
from contracts.domains import Pancakes, flips
from hypothesis import example, given, settings
from hypothesis import strategies as st
from methods.statespace.naive_graphs import Case, GraphDomain, cases, costs_to_goal
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.methods.statespace.best_first.batch_astar import batch_astar
from matheur.methods.statespace.domain import Successors
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics.base import INFINITE, Heuristic, zero
from matheur.problems.cubical import Cubical, Instance
from matheur.problems.cubical.domain import CubicalDomain

WEIGHTS = st.sampled_from([0.0, 0.2, 0.6, 0.8, 1.0])
BATCHES = st.sampled_from([1, 2, 3, 50])

REACHED_TWICE = Case(
    arcs=((1, 0, 0), (2, 0, 2), (2, 1, 1)), start=2, goal=3, goal_bits=63,
    to_goal=tuple(0 if state == 3 else None for state in range(64)), estimates=(0,) * 64,
)  # fmt: skip
"""A state of a batch is reached again, at a lower cost, from another one of the same batch."""


@given(cases(), WEIGHTS, BATCHES, st.integers(1, 2), st.booleans(), st.booleans(), st.booleans())
@settings(max_examples=400)
def test_bounds_hold_and_proofs_are_proofs(
    case: Case, weight: float, batch: int, words: int, domain_compiled: bool, heuristic_compiled: bool, to_the_end: bool
) -> None:
    """On any graph, with zero costs, dead ends and an inconsistent heuristic, against Dijkstra's algorithm."""
    domain = case.domain(words=words, compiled=domain_compiled)
    heuristic = domain.heuristic(case.estimates, admissible=True, compiled=heuristic_compiled)
    costs: list[int] = []
    answer = batch_astar(
        domain, heuristic, weight=weight, batch=batch, until="proved" if to_the_end else "first",
        on_plan=lambda plan, cost: costs.append(cost),
    )  # fmt: skip
    assert answer.limit is None
    assert answer.unreachable == (case.optimum is None)
    assert all(later < earlier for earlier, later in pairwise(costs))
    if case.optimum is not None:
        assert answer.plan is not None
        assert answer.cost == domain.cost_of(answer.plan) == costs[-1]
        assert answer.bound <= case.optimum <= answer.cost
        assert answer.proved or not (to_the_end or (weight == 1 and batch == 1))


@given(cases(), st.data(), BATCHES, st.booleans())
@settings(max_examples=200)
def test_a_heuristic_that_may_be_wrong(case: Case, data: st.DataObject, batch: int, compiled: bool) -> None:
    """Inadmissible estimates: valid plans, and only bounds that do not rest on them."""
    values = data.draw(st.lists(st.sampled_from([0, 1, 2, 50, INFINITE]), min_size=64, max_size=64))
    domain = case.domain(compiled=compiled)
    answer = batch_astar(domain, domain.heuristic(values, admissible=False), batch=batch, until="proved")
    if answer.plan is not None:
        assert case.optimum is not None
        assert answer.bound <= case.optimum <= domain.cost_of(answer.plan) == answer.cost
        assert answer.proved or max(values) == INFINITE
    assert not answer.unreachable or case.optimum is None


@example(REACHED_TWICE, 0.0, 2, 3, True)
@given(cases(), WEIGHTS, BATCHES, st.integers(0, 30), st.booleans())
@settings(max_examples=150)
def test_work_is_limited_exactly_and_the_same_in_any_slices(
    case: Case, weight: float, batch: int, work: int, compiled: bool
) -> None:
    """A limit of work is never passed, the bound holds there, and short slices change nothing."""
    domain = case.domain(compiled=compiled)
    heuristic = domain.heuristic(case.estimates, admissible=True)
    seconds = count()
    budgets = [Budget(work=work), Budget(work=work, clock=lambda: float(next(seconds)))]
    one, two = (
        batch_astar(domain, heuristic, weight=weight, batch=batch, until="proved", budget=budget) for budget in budgets
    )
    assert [budget.spent_work for budget in budgets] == [one.expanded, two.expanded]
    assert one.expanded <= work
    assert one.limit is None or one.expanded == work
    assert case.optimum is None or one.bound <= case.optimum
    assert (one.cost, one.bound, one.unreachable, one.limit, one.generated, one.stored) == (
        two.cost, two.bound, two.unreachable, two.limit, two.generated, two.stored,
    )  # fmt: skip


@given(cases(), WEIGHTS, BATCHES)
@settings(max_examples=100)
def test_compiled_or_not_is_the_same_search(case: Case, weight: float, batch: int) -> None:
    """Whether a kernel or Python drives the batches, the same states are expanded in the same order."""
    answers = []
    for compiled in (True, False):
        domain = case.domain(compiled=compiled)
        heuristic = domain.heuristic(case.estimates, admissible=True, compiled=compiled)
        answers.append(batch_astar(domain, heuristic, weight=weight, batch=batch))
    one, two = answers
    assert (one.cost, one.bound, one.expanded, one.stored) == (two.cost, two.bound, two.expanded, two.stored)
    assert one.plan is None or two.plan is None or (one.plan == two.plan).all()


def test_the_published_cubical_puzzles(data: Path) -> None:
    """Weight 1 proves the exact optimum of every instance, a small weight finds plans, one puzzle has none."""
    with (data / "state_space" / "cubic_instances.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 36
    for row in rows:
        start, target = (tuple(map(int, row[name].split())) for name in ("start", "target"))
        problem = Cubical(Instance(int(row["d"]), int(row["k"]), tuple(row["colours"].split()), start, target))
        domain = domain_of(problem)
        heuristic = domain.heuristics()["hamming"]()
        exact = batch_astar(domain, heuristic, batch=100, until="proved")
        if row["exact_optimal_len"] == "unreachable":
            assert exact.unreachable
            continue
        optimum = int(row["exact_optimal_len"])
        assert exact.cost == exact.bound == optimum
        assert batch_astar(domain, heuristic, batch=1).bound == optimum
        greedy = batch_astar(domain, heuristic, weight=0.2, batch=100)
        assert greedy.plan is not None
        assert greedy.bound <= optimum <= len(greedy.plan) == greedy.cost
        assert problem.evaluate(greedy.plan).feasible


def stacks(size: int) -> tuple[Pancakes, dict[tuple[int, ...], int]]:
    """A stack of pancakes and the exact cost from every order to the sorted one."""
    domain = Pancakes(size)
    orders = [tuple(range(size))]
    number = {orders[0]: 0}
    for order in orders:
        for after, _, _ in sorted(flips(order)):
            if after not in number:
                number[after] = len(orders)
                orders.append(after)
    assert len(orders) <= 64
    arcs = [(number[order], number[after], cost) for order in orders for after, _, cost in flips(order)]
    exact = costs_to_goal(arcs, 0, 63)
    return domain, {order: cost for order, cost in zip(orders, exact, strict=False) if cost is not None}


def test_a_domain_in_numpy_with_a_heuristic_in_numpy() -> None:
    """A user's own domain; the heuristic sees each state once, at most one call a batch."""
    domain, exact = stacks(4)
    calls: list[NDArray[np.uint64]] = []

    def gaps(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        calls.append(keys)
        states = domain.packing.unpack(keys).astype(np.int64)
        return (np.abs(np.diff(states, axis=1)) > 1).sum(axis=1).astype(np.int32)

    heuristic = Heuristic("gap", True, True, batch=gaps)
    for order, cost in exact.items():
        calls.clear()
        one = domain.between(np.array(order), domain.goal)
        answer = batch_astar(one, heuristic, batch=5, until="proved")
        assert answer.cost == answer.bound == cost
        assert answer.plan is not None
        assert answer.plan.sum() == cost
        assert (one.apply(one.start, answer.plan)[-1] == domain.goal).all()
        if calls:
            seen = np.concatenate(calls)
            assert len(np.unique(seen)) == len(seen) == answer.stored


def test_the_memory_is_never_passed() -> None:
    """Where it ends the search says so, keeps a bound that holds, and used no more."""
    domain = CubicalDomain(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1])
    heuristic = domain.hamming()
    batched = Heuristic("batch", True, True, batch=heuristic.estimate)
    for some in (heuristic, batched):
        answer = batch_astar(domain, some, batch=20, memory=3_500_000)
        assert answer.limit == "memory"
        assert 1_000_000 < answer.memory <= 3_500_000
        assert 4 <= answer.bound <= 13
        assert answer.stored > 1000
    tiny = batch_astar(domain, heuristic, memory=1000)
    assert (tiny.limit, tiny.plan, tiny.memory) == ("memory", None, 0)


class DearPancakes(Pancakes):
    """Flips whose cost depends on the state, so that almost every state has a cost of its own."""

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """As in `Pancakes`, at other costs."""
        found = super().expand(keys)
        costs = found.keys[:, 0] * np.uint64(2654435761) % np.uint64(100_003)
        return found._replace(costs=costs.astype(np.int32) + 1)


def test_many_costs_make_many_buckets_within_the_memory() -> None:
    """Where almost every state has a cost of its own, buckets grow with the states, and memory ends as it should."""
    stack = DearPancakes(7, [1, 3, 5, 0, 2, 6, 4])
    full = batch_astar(stack, zero(), batch=10, until="proved")
    assert full.proved
    assert full.stored > 1500
    assert full.cost is not None
    plain = batch_astar(stack, zero(), batch=1)
    assert plain.cost == plain.bound == full.cost
    small = batch_astar(stack, zero(), batch=10, memory=full.memory // 4)
    assert small.limit == "memory"
    assert 0 < small.memory <= full.memory // 4
    assert 0 < small.bound <= full.cost


def test_a_target_an_interrupt_and_a_deadline_end_the_search() -> None:
    """All three are seen between slices and batches, and the bound holds."""
    domain = CubicalDomain(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1])
    heuristic = domain.hamming()
    for some in (heuristic, Heuristic("batch", True, True, batch=heuristic.estimate)):
        found = batch_astar(domain, some, weight=0.2, batch=500, until="proved", budget=Budget(target=25))
        assert found.limit == "target"
        assert found.cost is not None
        assert 13 <= found.cost <= 25
        calls = count()
        stopped = batch_astar(domain, some, budget=Budget(interrupt=lambda calls=calls: next(calls) > 5))
        assert stopped.limit == "interrupt"
        seconds = count()
        late = batch_astar(domain, some, budget=Budget(seconds=30, clock=lambda s=seconds: float(next(s))))
        assert late.limit == "time"
        assert 4 <= late.bound <= 13
        assert stopped.expanded > 0
        assert late.expanded > 0


def test_the_start_may_be_the_goal() -> None:
    """The empty plan, even with nothing to spend."""
    plans: list[int] = []
    domain = CubicalDomain(3, 1, [0, 1], [0, 1])
    answer = batch_astar(domain, zero(), budget=Budget(work=0), on_plan=lambda plan, cost: plans.append(cost))
    assert answer.cost == answer.bound == 0
    assert plans == [0]


def test_costs_that_are_too_large_are_an_error() -> None:
    """Costs are kept in 32 bits."""
    arcs = [(i, i + 1, 2**30) for i in range(10)]
    for compiled in (True, False):
        domain = GraphDomain(arcs, 0, 10, compiled=compiled)
        with pytest.raises(ValueError, match="Maybe"):
            batch_astar(domain, zero())


@pytest.mark.parametrize("wrong", [{"weight": 1.5}, {"weight": -0.1}, {"batch": 0}])
def test_wrong_options_are_named(wrong: dict[str, float]) -> None:
    """Out of range."""
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        batch_astar(CubicalDomain(3, 1, [0], [1]), zero(), **wrong)  # type: ignore[arg-type]
