"""The evolutionary planners: the paper's distributions, valid plans, limits, and other domains than the cube."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from contracts.domains import Pancakes
from hypothesis import given, settings
from hypothesis import strategies as st
from methods.statespace.naive_graphs import Case, GraphDomain, cases

from matheur.engine.budget import Budget
from matheur.methods.statespace.answer import SearchAnswer
from matheur.methods.statespace.planners import evolution_kernels as kernels
from matheur.methods.statespace.planners.evolution import VARIANTS, evolution, zipf_probabilities
from matheur.problems.cubical.domain import CubicalDomain
from matheur.problems.cubical.domain_by_face import CubicalByFace

EASY = (3, 2, [6, 1, 4, 5], [4, 1, 5, 6])  # optimum 6
HARD = (4, 3, [4, 1, 5, 13, 7], [13, 7, 5, 4, 1])  # optimum 11


def cube(puzzle: tuple[int, int, list[int], list[int]] = EASY) -> CubicalDomain:
    """A cubical puzzle."""
    return CubicalDomain(*puzzle)


def rng(seed: int = 0) -> np.random.Generator:
    """A generator."""
    return np.random.default_rng(seed)


def figures(answer: SearchAnswer) -> tuple[object, ...]:
    """Everything but the time."""
    plan = None if answer.plan is None else tuple(answer.plan.tolist())
    return plan, answer.cost, answer.bound, answer.limit, answer.expanded, answer.generated, answer.stored


def solves(domain: CubicalDomain, answer: SearchAnswer) -> bool:
    """Whether the plan ends in the goal and costs what it says."""
    assert answer.plan is not None
    return bool((domain.apply(domain.start, answer.plan)[-1] == domain.goal).all()) and len(answer.plan) == answer.cost


def test_zipf_numbers_of_moves() -> None:
    """The numbers of moves follow n ** -c, on 1 to the number of components."""
    expected = zipf_probabilities(1.8, 5)
    assert expected == pytest.approx(np.array([1, 2**-1.8, 3**-1.8, 4**-1.8, 5**-1.8]) / 1.5628, rel=1e-3)
    drawn = kernels.zipf(np.cumsum(expected), np.array([7], dtype=np.uint64), 200_000)
    shares = np.bincount(drawn, minlength=6)[1:] / len(drawn)
    assert shares == pytest.approx(expected, abs=0.004)


def test_selection_force_is_equation_5() -> None:
    """The cumulative forces are sums of alpha / (1 + e) + (1 - alpha) / (1 + moves), moves counted as one at least."""
    values, lengths = np.array([0, 2, 5], dtype=np.int32), np.array([4, 0, 1], dtype=np.int32)
    out = np.empty(3)
    kernels.selection_forces(values, lengths, 0.2, out)
    single = [0.2 / 1 + 0.8 / 5, 0.2 / 3 + 0.8 / 2, 0.2 / 6 + 0.8 / 2]
    assert out == pytest.approx(np.cumsum(single))


def one_generation(size: int, elite: int, seed: int) -> tuple[np.ndarray, ...]:
    """A hand-made population of EASY and what one generation makes of it: (values before, after, lengths after)."""
    domain = cube()
    assert domain.expander is not None
    values = np.zeros((2, size), dtype=np.int32)
    values[0] = np.arange(size)[::-1] % 7
    lengths = np.full((2, size), 3, dtype=np.int32)
    lengths[0] = np.arange(size)
    start = domain.packing.pack(domain.start[None])
    keys = np.tile(start.ravel(), 2 * size).reshape(2, size)
    places = np.array([[0, 7 << 3 * i] for i in range(4)], dtype=np.uint64)
    goal = np.array([np.iinfo(np.uint64).max], dtype=np.uint64)  # never met
    numbers = np.zeros(kernels.NUMBERS, dtype=np.int64)
    buffers = [np.empty(domain.branching, dtype=kind) for kind in (np.uint64, np.int32, np.int32, np.int32)]
    before = values[0].copy()
    status = kernels.evolve(
        domain.expander.address, domain.expander.data, 0, domain.expander.data, goal, np.zeros(1, dtype=np.uint64),
        places, np.ones(4, dtype=np.bool_), True, keys, values, lengths, np.full((2, size), -1, dtype=np.int32),
        np.empty(99_000, dtype=np.int32), np.empty(99_000, dtype=np.int32), np.empty(size, dtype=np.int64),
        np.empty(size), np.cumsum(zipf_probabilities(1.8, 4)), 0.2, elite, 1, numbers,
        np.array([seed], dtype=np.uint64), *buffers, 1 << 40, 1 << 40,
    )  # fmt: skip
    assert status == kernels.DONE
    return before, values[1], lengths[1]


def test_the_elite_is_copied() -> None:
    """The fittest tenth stands unchanged at the end of the next generation, of equals the first."""
    before, after, lengths = one_generation(100, 10, 3)
    best = np.argsort(before, kind="stable")[:10]
    assert after[90:].tolist() == before[best].tolist()
    assert lengths[90:].tolist() == best.tolist()


def test_parents_are_drawn_by_their_force() -> None:
    """Plans of few moves are selected in proportion to the forces (a mutation only makes a plan longer by 1 to 4)."""
    size = 20_000
    before, _, lengths = one_generation(size, 0, 5)
    forces = 0.2 / (1 + before) + 0.8 / (1 + np.maximum(np.arange(size), 1))
    share = forces[:8].sum() / forces.sum()
    certain, possible = (lengths < 8).mean(), (lengths < 12).mean()
    assert certain <= share + 0.02
    assert share - 0.02 <= possible


def test_same_seed_same_plan() -> None:
    """A seed fixes everything, whatever the slices; another seed gives another run."""
    for variant in VARIANTS:
        one, two = (evolution(cube(), variant=variant, population=50, rng=rng(4)) for _ in range(2))
        assert figures(one) == figures(two)
    third = evolution(cube(), variant="paper", population=50, rng=rng(5))
    fourth = evolution(cube(), variant="paper", population=50, rng=rng(4))
    assert figures(third) != figures(fourth)


@pytest.mark.parametrize("variant", VARIANTS)
def test_the_cube_is_solved(variant: str) -> None:
    """The plan is valid, and handed out with its cost."""
    seen = []
    answer = evolution(cube(), variant=variant, rng=rng(1), on_plan=lambda plan, cost: seen.append((plan, cost)))
    assert solves(cube(), answer)
    assert answer.limit is None
    costs = [cost for _, cost in seen]
    assert costs == sorted(costs, reverse=True)
    assert (costs[-1], seen[-1][0].tolist()) == (answer.cost, answer.plan.tolist())
    if variant == "improved":
        assert answer.cost == 6


@pytest.mark.parametrize("seed", range(5))
def test_the_improved_variant_reaches_the_optimum(seed: int) -> None:
    """Where the paper's variant hardly ever arrives, the improved one finds an optimal plan with every seed."""
    answer = evolution(cube(HARD), rng=rng(seed))
    assert solves(cube(HARD), answer)
    assert answer.cost == 11
    assert answer.bound <= 11


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_every_published_instance(data: Path, seed: int) -> None:
    """The improved variant is optimal on every instance of dimension 3 and 4, and once on those of dimension 5."""
    rows = list(csv.DictReader((data / "state_space" / "cubic_instances.csv").read_text().splitlines()))
    assert len(rows) > 30
    for row in rows:
        if row["d"] == "5" and seed:
            continue
        places = [[int(vertex) for vertex in row[end].split()] for end in ("start", "target")]
        domain = CubicalDomain(int(row["d"]), int(row["k"]), *places)
        answer = evolution(domain, ball=100_000 if row["d"] == "5" else 1000, rng=rng(seed))
        if row["exact_optimal_len"] == "unreachable":
            assert answer.unreachable
            continue
        assert solves(domain, answer)
        assert answer.cost == int(row["exact_optimal_len"])


@settings(max_examples=60)
@given(cases(), st.sampled_from(VARIANTS), st.integers(1, 2), st.integers(0, 9))
def test_any_graph(case: Case, variant: str, words: int, seed: int) -> None:
    """On arbitrary directed graphs plans are valid and claims are true."""
    domain = case.domain(words=words)
    budget = Budget(work=3000)
    answer = evolution(domain, variant=variant, population=20, generations=50, rng=rng(seed), budget=budget)
    assert budget.spent_work == answer.expanded <= 3000
    assert not answer.unreachable or case.optimum is None
    assert case.optimum is None or answer.bound <= case.optimum
    if answer.plan is not None:
        assert domain.cost_of(answer.plan) == answer.cost
        assert case.optimum is not None
        assert answer.cost >= case.optimum
        if variant == "improved" and answer.limit is None:
            assert answer.cost == case.optimum  # a dozen states are all visited


@settings(max_examples=40)
@given(cases(), st.integers(0, 9))
def test_any_estimate(case: Case, seed: int) -> None:
    """An admissible estimate, even an inconsistent one, never costs the best plan on a small graph."""
    domain = case.domain()
    fitness = domain.heuristic(case.estimates, admissible=True)
    answer = evolution(domain, population=20, generations=100, fitness=fitness, rng=rng(seed))
    assert answer.cost == case.optimum
    assert case.optimum is None or answer.bound <= case.optimum


def test_moves_by_component() -> None:
    """On the cube a mutation first draws a ring; in a graph whose moves change anything it does not."""
    plan = evolution(cube(), variant="paper", rng=rng(0)).plan
    assert plan is not None
    line = GraphDomain([(i, i + 1, 1) for i in range(9)], 0, 9)
    answer = evolution(line, variant="paper", population=10, generations=100, rng=rng(0))
    assert answer.plan is not None
    assert answer.plan.tolist() == list(range(9))


def test_faces_make_near_vertices_likelier() -> None:
    """Face by face a vertex is listed once for each free face that it shares with the ring."""
    by_face, plain = CubicalByFace(*HARD), cube(HARD)
    keys = plain.packing.pack(plain.start[None])
    listed, once = by_face.expand(keys), plain.expand(keys)
    assert sorted(set(listed.moves.tolist())) == sorted(once.moves.tolist())
    lone = CubicalByFace(3, 2, [0], [7])
    moves = lone.expand(lone.packing.pack(lone.start[None])).moves.tolist()
    assert [moves.count(vertex) for vertex in range(1, 7)] == [2, 2, 1, 2, 1, 1]
    assert solves(plain, evolution(by_face.between(plain.start, plain.goal), rng=rng(0)))
    with pytest.raises(ValueError, match="one word"):
        CubicalByFace(6, 3, list(range(12)), list(range(12)))


def test_start_at_the_goal() -> None:
    """The empty plan, without work."""
    domain = CubicalDomain(3, 2, [6, 1], [6, 1])
    for variant in VARIANTS:
        answer = evolution(domain, variant=variant, rng=rng())
        assert (answer.cost, answer.plan.tolist(), answer.expanded) == (0, [], 0)


def test_start_beside_the_goal() -> None:
    """Inside the ball the plan is known before the first generation, and proved."""
    answer = evolution(CubicalDomain(3, 2, [6, 1], [4, 1]), rng=rng())
    assert (answer.cost, answer.proved) == (1, True)


def test_no_plan_no_claim() -> None:
    """Without a way the generations pass; only a ball that holds all that reaches the goal proves it."""
    stuck = CubicalDomain(3, 2, [5, 1, 4, 6], [4, 1, 5, 6])
    answer = evolution(stuck, variant="paper", population=20, generations=30, rng=rng())
    assert (answer.plan, answer.unreachable, answer.limit) == (None, False, None)
    assert evolution(stuck, ball=50, population=20, rng=rng()).unreachable is False
    assert evolution(stuck, ball=1000, population=20, rng=rng()).unreachable is True


@pytest.mark.parametrize("variant", VARIANTS)
def test_limits(variant: str) -> None:
    """Work ends exactly at its limit, an interrupt and a deadline at once, memory and target are respected."""
    for work in (1, 77, 1234):
        budget = Budget(work=work)
        answer = evolution(cube(HARD), variant=variant, ball=100, rng=rng(), budget=budget)
        assert (answer.limit, answer.expanded, budget.spent_work) == ("work", work, work)
    assert evolution(cube(HARD), variant=variant, rng=rng(), budget=Budget(interrupt=lambda: True)).limit == "interrupt"
    assert evolution(cube(HARD), variant=variant, rng=rng(), budget=Budget(seconds=0.0)).limit == "time"
    small = evolution(cube(HARD), variant=variant, rng=rng(), memory=20_000)
    assert (small.limit, small.plan) == ("memory", None)
    target = evolution(cube(HARD), rng=rng(), budget=Budget(target=20))
    assert target.limit == "target"
    assert 11 <= target.cost <= 20


def test_memory_bounds_the_history() -> None:
    """What no plan needs is forgotten, so that long runs fit into little memory, and give the same answer."""
    runs = [
        evolution(cube(HARD), variant="paper", population=100, generations=2000, rng=rng(2), memory=memory)
        for memory in (2 << 20, 2 << 30)
    ]
    assert figures(runs[0]) == figures(runs[1])
    assert runs[0].memory <= 2 << 20


def test_wrong_arguments() -> None:
    """Domains that are not compiled, unknown variants and senseless sizes are refused."""
    with pytest.raises(ValueError, match="not"):
        evolution(Pancakes(5), rng=rng())
    with pytest.raises(ValueError, match="paper"):
        evolution(cube(), variant="papers", rng=rng())
    with pytest.raises(ValueError, match="population 0"):
        evolution(cube(), population=0, rng=rng())
