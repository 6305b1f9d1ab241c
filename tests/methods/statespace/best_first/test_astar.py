"""A* and anytime A* against Dijkstra on random graphs, and on the cubical puzzle."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from methods.graph_domain import Edge, GraphDomain, distances_to

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.best_first.anytime import anytime_astar
from matheur.methods.statespace.best_first.astar import astar
from matheur.methods.statespace.domain import BaseDomain
from matheur.methods.statespace.heuristics.base import UNREACHED, Heuristic, zero
from matheur.problems.cubical.domain import CubicalDomain

SEARCHES = [astar, anytime_astar]
both = pytest.mark.parametrize("search", SEARCHES)


@st.composite
def graphs(draw: st.DrawFn) -> tuple[GraphDomain, int, dict[int, int]]:
    """A random graph with its start and the true distances; costs may be 0, edges parallel, goals several.

    Half of the graphs have a costly way from the start to the goal and many detours that are cheaper.
    """
    nodes = draw(st.integers(1, 40))
    node = st.integers(0, nodes - 1)
    start, goal = draw(node), draw(node)
    if draw(st.booleans()):
        edges: list[Edge] = draw(st.lists(st.tuples(node, node, st.integers(0, 9)), max_size=120))
    else:
        start, goal = 0, nodes - 1
        rng = np.random.default_rng(draw(st.integers(0, 1 << 30)))
        steps = [(int(a), int(a + rng.integers(1, 6))) for a in rng.integers(0, nodes, 5 * nodes)]
        edges = [(a, b, int(rng.integers((b - a) ** 2 // 2, (b - a) ** 2 + 2))) for a, b in steps if b < nodes]
        edges += [(a, a + 1, 2) for a in range(nodes - 1)]
    words, several = draw(st.sampled_from([1, 2])), draw(st.booleans())
    domain = GraphDomain(nodes, edges, start, goal, words=words, several_goals=several)
    return domain, start, distances_to(nodes, edges, domain.goals())


def lowered(domain: GraphDomain, distances: dict[int, int], seed: int) -> Heuristic:
    """The true distances, lowered at random: admissible, far from consistent; some dead ends are known."""
    rng = np.random.default_rng(seed)
    values = []
    for node in range(domain.nodes):
        if node in distances:
            values.append(int(rng.choice([0, rng.integers(0, distances[node] + 1), distances[node]])))
        else:
            values.append(UNREACHED if rng.random() < 0.5 else int(rng.integers(0, 20)))
    return domain.heuristic(values)


def check(answer: SearchAnswer, domain: GraphDomain, start: int, distances: dict[int, int], factor: float = 1) -> None:
    """The plan leads to a goal at the cost stated, the bound is true, and the whole is a proof."""
    if start not in distances:
        assert answer.unreachable
        assert answer.plan is None
        assert answer.cost is None
        return
    assert answer.plan is not None
    assert answer.cost is not None
    assert not answer.unreachable
    end, cost = domain.cost_of(answer.plan, start)
    assert end in domain.goals()
    assert cost == answer.cost <= factor * distances[start]
    assert answer.bound <= distances[start]
    assert answer.proved or factor > 1


@pytest.mark.parametrize("ties", ["large-g", "small-g", "fifo"])
@given(graph=graphs(), seed=st.integers(0, 1 << 30))
@settings(max_examples=80)
def test_astar_is_optimal_with_inconsistent_estimates(ties: Any, graph: Any, seed: int) -> None:
    """Closed states are opened again where needed, whatever the ties; all optima and impossibilities are proved."""
    domain, start, distances = graph
    check(astar(domain, lowered(domain, distances, seed), ties=ties), domain, start, distances)


@given(graph=graphs(), seed=st.integers(0, 1 << 30), weight=st.sampled_from([1.25, 2, 7]))
@settings(max_examples=80)
def test_weighted_searches_keep_their_promises(graph: Any, seed: int, weight: float) -> None:
    """Weighted A* stays within its factor; the anytime search improves strictly, reports all, and ends with a proof."""
    domain, start, distances = graph
    heuristic = lowered(domain, distances, seed)
    check(astar(domain, heuristic, weight=weight), domain, start, distances, weight)
    plans: list[tuple[list[int], int]] = []
    answer = anytime_astar(
        domain, heuristic, weight=weight, on_plan=lambda plan, cost: plans.append((plan.tolist(), cost))
    )
    check(answer, domain, start, distances)
    costs = [cost for _, cost in plans]
    assert costs == sorted(set(costs), reverse=True)
    for plan, cost in plans:
        end, paid = domain.cost_of(plan, start)
        assert end in domain.goals()
        assert paid == cost
    if answer.plan is not None and len(answer.plan):
        assert plans[-1] == (answer.plan.tolist(), answer.cost)


@both
@given(graph=graphs(), seed=st.integers(0, 1 << 30))
@settings(max_examples=60)
def test_inadmissible_estimates_prove_nothing_false(search: Any, graph: Any, seed: int) -> None:
    """With arbitrary estimates, false dead ends included, plans are valid, and bounds and impossibilities are true."""
    domain, start, distances = graph
    rng = np.random.default_rng(seed)
    values = rng.integers(0, 30, domain.nodes)
    values[rng.random(domain.nodes) < 0.2] = UNREACHED
    answer = search(domain, domain.heuristic(values.tolist(), admissible=False))
    assert answer.bound <= distances.get(start, 10**9)
    assert not (answer.unreachable and start in distances)
    if answer.plan is not None:
        end, cost = domain.cost_of(answer.plan, start)
        assert end in domain.goals()
        assert cost == answer.cost >= distances[start]


@both
@given(graph=graphs(), seed=st.integers(0, 1 << 30), work=st.integers(0, 30))
@settings(max_examples=60)
def test_work_limits_are_kept_and_bounds_are_true(search: Any, graph: Any, seed: int, work: int) -> None:
    """The search expands exactly what it may unless it ends before, and what it then says is true and reproducible."""
    domain, start, distances = graph
    heuristic = lowered(domain, distances, seed)
    budgets = [Budget(work=work), Budget(work=work)]
    answers = [search(domain, heuristic, budget=budget) for budget in budgets]
    for budget, answer in zip(budgets, answers, strict=True):
        assert answer.expanded == budget.spent_work <= work
        assert answer.limit in (None, "work")
        assert answer.limit is None or answer.expanded == work
        assert answer.bound <= distances.get(start, 10**9)
        assert answer.cost is None or answer.cost >= distances[start]
        assert not (answer.unreachable and start in distances)
    first, second = answers
    assert (first.cost, first.bound, first.expanded, first.stored) == (
        second.cost,
        second.bound,
        second.expanded,
        second.stored,
    )


def test_states_are_opened_again() -> None:
    """More expansions than states: without them the answer would be wrong."""
    # The detour 0-1-2 is cheaper than the edge 0-2, but 1 looks bad until 2 has been expanded.
    edges = [(0, 1, 1), (1, 2, 1), (0, 2, 3), (2, 3, 10), (3, 4, 10)]
    domain = GraphDomain(5, edges, 0, 4)
    answer = astar(domain, domain.heuristic([0, 21, 0, 0, 0]))
    assert answer.cost == answer.bound == 22
    assert answer.expanded == 6


@both
def test_start_is_goal(search: Any) -> None:
    """Nothing is to be done: an empty plan, proved, without any work."""
    domain = GraphDomain(2, [(0, 1, 1)], 0, 0)
    answer = search(domain, zero())
    assert answer.plan is not None
    assert (len(answer.plan), answer.cost, answer.bound, answer.expanded, answer.limit) == (0, 0, 0, 0, None)
    assert answer.proved


@both
def test_large_costs(search: Any) -> None:
    """Costs of thousands need many rows of the open list; those that do not fit are refused in words."""
    edges = [(i, j, 997 * (j - i) + 13 * (i * j % 7)) for i in range(12) for j in range(i + 1, 12)]
    domain = GraphDomain(12, edges, 0, 11)
    answer = search(domain, zero())
    assert answer.cost == answer.bound == distances_to(12, edges, [11])[0]
    domain = GraphDomain(3, [(0, 1, 40_000), (1, 2, 40_000)], 0, 2)
    with pytest.raises(ValueError, match="65535"):
        search(domain, zero())


def hard() -> CubicalDomain:
    """A puzzle that takes A* some 80,000 expansions."""
    return CubicalDomain(5, 4, [30, 29, 0, 17, 4, 1], [17, 30, 0, 29, 4, 1])


@both
@pytest.mark.parametrize("memory", [10, 200_000, 1 << 20, 3 << 20])
def test_memory_is_kept(search: Any, memory: int) -> None:
    """The tables stay within their bytes and use most of them; the bound found until then is true."""
    domain = hard()
    answer = search(domain, domain.hamming(), memory=memory)
    assert answer.limit == "memory"
    assert answer.memory <= memory
    assert answer.memory > memory // 2 or memory < 1 << 20
    assert answer.bound <= 13
    assert answer.bound >= (8 if memory >= 1 << 20 else 0)
    assert not answer.unreachable


def test_a_state_takes_little_memory() -> None:
    """At most 32 bytes a state of one word, slots and open list included."""
    domain = hard()
    answer = astar(domain, domain.hamming(), memory=1 << 30)
    assert answer.proved
    assert answer.stored > 100_000
    assert answer.memory - 200_000 <= 32 * answer.stored


@both
def test_interrupts_time_and_targets_end_the_search(search: Any) -> None:
    """The search stops when asked, says why, and its bound is true."""
    domain = hard()
    calls = iter(range(10**9))
    stopped = search(domain, domain.hamming(), budget=Budget(interrupt=lambda: next(calls) > 3))
    assert stopped.limit == "interrupt"
    assert 0 < stopped.bound <= 13
    assert 0 < stopped.expanded < 50_000
    clock = iter(np.arange(0, 1000, 0.5).tolist())
    late = search(domain, domain.hamming(), budget=Budget(seconds=5, clock=lambda: next(clock)))
    assert late.limit == "time"
    assert late.bound <= 13
    reached = search(domain, domain.hamming(), budget=Budget(target=1000), weight=5)
    assert reached.limit == "target"
    assert reached.cost is not None
    assert reached.cost > reached.bound


def test_slices_do_not_change_the_result() -> None:
    """A clock that makes slices short or long leads to the same plan and the same numbers."""
    domain = hard()
    answers = []
    for step in (0.0, 1e9):
        ticks = iter(range(10**9))

        def clock(step: float = step, ticks: Any = ticks) -> float:
            return step * next(ticks)

        answers.append(astar(domain, domain.hamming(), budget=Budget(clock=clock)))
    one, other = answers
    assert one.plan is not None
    assert other.plan is not None
    assert one.plan.tolist() == other.plan.tolist()
    assert (one.expanded, one.generated, one.stored) == (other.expanded, other.generated, other.stored)


@both
def test_what_is_not_compiled_is_refused(search: Any) -> None:
    """A domain or a heuristic in plain Python is sent to the search that takes it."""
    domain = CubicalDomain(3, 1, [0], [7])
    slow = Heuristic("slow", True, True, batch=lambda keys: np.zeros(len(keys), dtype=np.int32))
    with pytest.raises(ValueError, match="batch_astar"):
        search(domain, slow)

    class Plain(BaseDomain):
        name = "plain"

    with pytest.raises(ValueError, match="batch_astar"):
        search(Plain(), zero())


@both
def test_arguments_out_of_range_are_refused(search: Any) -> None:
    """Weights below 1 and unknown ties are errors."""
    domain = CubicalDomain(3, 1, [0], [7])
    with pytest.raises(ValueError, match=r"0\.5"):
        search(domain, zero(), weight=0.5)
    with pytest.raises(ValueError, match="lifo"):
        search(domain, zero(), ties="lifo")


def instances(data: Path) -> list[dict[str, str]]:
    """The rows of the published puzzles with their optima."""
    with (data / "state_space" / "cubic_instances.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("ties", ["large-g", "small-g", "fifo"])
def test_long_queues_and_stacks(ties: Any) -> None:
    """With thousands of states of equal f no state is lost, whatever the ties: all 80,000 and more are expanded."""
    domain = hard()
    answer = astar(domain, domain.hamming(), ties=ties)
    assert answer.cost == answer.bound == 13
    assert answer.expanded > 80_000
    whole = CubicalDomain(4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])
    # A goal that cannot be reached: the whole component is expanded.
    none = whole.between(whole.start, np.array([13, 7, 5, 4, 13], dtype=np.uint8))
    everything = astar(none, zero(), ties=ties)
    assert everything.unreachable
    assert everything.expanded == everything.stored == 137_280


@both
def test_all_published_cubical_puzzles(search: Callable[..., SearchAnswer], data: Path) -> None:
    """Every optimum is proved with the paper's heuristic, and so is the one impossibility."""
    rows = instances(data)
    assert len(rows) == 36
    for row in rows:
        start, goal = ([int(vertex) for vertex in row[name].split()] for name in ("start", "target"))
        domain = CubicalDomain(int(row["d"]), int(row["k"]), start, goal)
        answer = search(domain, domain.hamming())
        if row["exact_optimal_len"] == "unreachable":
            assert answer.unreachable
        else:
            assert answer.plan is not None
            assert answer.cost == answer.bound == len(answer.plan) == int(row["exact_optimal_len"])
            assert (domain.apply(domain.start, answer.plan)[-1] == domain.goal).all()
