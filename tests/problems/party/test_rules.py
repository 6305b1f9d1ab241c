"""Demands that are no sums: squad rating, at least k of the same, chemistry; scopes and totals."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import product
from time import monotonic

import numpy as np
import pytest
from problems.party.brute_force import all_parties, best_price, demands_met, ruled_instance

from matheur.engine.budget import Budget
from matheur.engine.outcome import Status
from matheur.errors import ConfigurationError
from matheur.problems.party import (
    Catalogue,
    ChemistryConstraint,
    Group,
    Instance,
    Party,
    Scope,
    SquadRatingConstraint,
    Trait,
)
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.branch_and_bound import BelowIncumbent, BranchAndBound
from matheur.problems.party.operators.constructive import Constructive
from matheur.problems.party.operators.explanation import explain
from matheur.problems.party.operators.milp_full import MilpFull
from matheur.problems.party.operators.portfolio import Portfolio
from matheur.problems.party.operators.region import Region
from matheur.problems.party.operators.replace import Replace
from matheur.problems.party.operators.swap import Swap
from matheur.problems.party.rules import rating_range, rating_total, squad_rating

SEEDS = range(60)


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def solvable(count: int, *, synergy: bool = False) -> list[tuple[Party, int]]:
    """Puzzles with parties, and their least objectives; if asked for, those whose objective is the synergy."""
    found = []
    for seed in range(400) if synergy else SEEDS:
        one = ruled_instance(seed)
        if synergy and one.synergy is None:
            continue
        problem = Party(replace(one, objective="synergy", maximised="") if synergy else one)
        best = best_price(problem)
        if best is not None:
            found.append((problem, best))
        if len(found) == count:
            break
    return found


def test_evaluation() -> None:
    """The evaluator judges every choice of items as the words of the page do."""
    judged = [0, 0]
    for seed in range(12):
        one = ruled_instance(seed)
        problem = Party(one)
        for items in product(range(len(one.catalogue)), repeat=len(one.slots)):
            if len(set(items)) < len(items) or any(one.costs[item] < 0 for item in items):
                continue
            feasible = problem.evaluate(np.array(items, dtype=np.int32)).feasible
            assert feasible == demands_met(one, list(items)), (seed, items)
            judged[feasible] += 1
    assert min(judged) > 100


def test_rating_in_words() -> None:
    """Ten of 84 and one of 90 are rated 85; S + E of 83.5 x 11 is enough only if it is rounded to the nearest first."""
    down = SquadRatingConstraint("rating", ">=", Fraction(84))
    nearest = SquadRatingConstraint("rating", ">=", Fraction(84), "nearest")
    assert squad_rating([84] * 10 + [90], 1, down) == 85
    numbers = [84] * 8 + [83] * 2 + [82]  # the sum is 920, the excess 2 10/11: 922.9 of 924
    assert squad_rating(numbers, 1, down) == 83 == squad_rating(numbers, 1, nearest)
    numbers = [84] * 9 + [83, 82]  # 921 and 2 5/11
    assert [squad_rating(numbers, 1, one) for one in (down, nearest)] == [83, 83]
    numbers = [88] + [84] * 6 + [83] * 4  # 924 and 4
    assert squad_rating(numbers, 1, down) == 84


def test_rating_ranges() -> None:
    """The total of a squad is within the range exactly if its rating meets the demand, for all operators."""
    draw = rng()
    for rounding, op, scale in product(("down", "nearest"), (">=", "<=", "=="), (1, 10)):
        for _ in range(60):
            amounts = draw.integers(78 * scale, 86 * scale, int(draw.integers(1, 6))).tolist()
            value = Fraction(int(draw.integers(156, 172)), 2)
            demand = SquadRatingConstraint("rating", op, value, rounding)
            low, high = rating_range(demand, len(amounts), scale)
            total, rating = rating_total(amounts), squad_rating(amounts, scale, demand)
            within = (low is None or low <= total) and (high is None or total <= high)
            assert within == {">=": rating >= value, "<=": rating <= value, "==": rating == value}[op]


def test_searches_find_the_best() -> None:
    """Annealing, the MILP and the portfolio end with the least objective of tiny puzzles; the MILP proves it."""
    for problem, best in solvable(14):
        for operator in (Annealing(patience=2, steps=2000), MilpFull(), Portfolio(steps=2000)):
            found = operator.build(problem, Budget(), rng())
            assert found.objective == best, (problem.instance.name, operator)
            assert found.solution is not None
            assert problem.evaluate(found.solution).objective == best
            if isinstance(operator, MilpFull):
                assert found.bound == best


def test_puzzles_without_party() -> None:
    """The MILP proves that there is none, with a reason, and annealing finds none."""
    seen = 0
    for seed in SEEDS:
        problem = Party(ruled_instance(seed))
        if best_price(problem) is not None or any(not len(items) for items in problem.instance.candidates):
            assert problem.infeasible_reason() is None or best_price(problem) is None
            continue
        found = MilpFull().build(problem, Budget(), rng())
        assert found.status is Status.INFEASIBLE
        assert found.reason
        assert Annealing(patience=1, steps=300).build(problem, Budget(), rng()).solution is None
        seen += 1
        if seen == 6:
            break
    assert seen == 6
    assert explain(problem, Budget(), rng())


def test_neighbourhoods_are_right() -> None:
    """Moves and MILPs from the worst party lead to feasible ones, and what they claim as a bound is none too high."""
    for problem, best in (*solvable(7), *solvable(3, synergy=True)):
        worst = max(all_parties(problem), key=lambda party: problem.evaluate(party).objective)
        start = problem.evaluate(worst).objective
        for operator in (Replace(), Swap(), Region(size=2), BelowIncumbent()):
            found = operator.explore(problem, worst, Budget(), rng())
            assert found.bound is None or found.bound <= best
            if found.solution is not None:
                evaluation = problem.evaluate(found.solution)
                assert evaluation.feasible, (problem.instance.name, operator, evaluation.violations)
                assert evaluation.objective == found.objective <= start
            if isinstance(operator, BelowIncumbent):
                assert (found.objective if found.solution is not None else start) == best


def test_parts_of_many_slots_are_not_listed() -> None:
    """Slots without edges have more parts than fit in memory: then some are drawn, and the time limit holds."""
    count = 300
    one = Instance(
        Catalogue([str(item) for item in range(count + 3)], np.arange(count + 3)[::-1].astype(np.int64)),
        tuple(f"slot {slot}" for slot in range(count)),
        np.ones((count, count + 3), dtype=np.bool_),
        np.zeros((0, 2), dtype=np.int32),
    )
    worst = np.arange(count, dtype=np.int32)
    began = monotonic()
    found = Region(size=4, iterations=1).explore(Party(one), worst, Budget(), rng())
    assert monotonic() - began < 30
    assert found.status is Status.IMPROVED
    assert found.solution is not None
    assert Party(one).evaluate(found.solution).feasible
    assert np.count_nonzero(found.solution != worst) <= 4


def test_annealing_of_many_squads_ends_in_time() -> None:
    """Rules make a step slower than sums do: the clock is looked at after fewer of them."""
    count, squads = 400, 24
    codes = np.arange(count, dtype=np.int32) % 40
    catalogue = Catalogue(
        [str(item) for item in range(count)],
        np.arange(count, dtype=np.int64) * 37 % 991,
        {"club": Trait(tuple(f"{code:02}" for code in range(40)), codes)},
    )
    slots = 11 * squads
    demands = [
        ChemistryConstraint(
            (Group("club", (2, 4, 7)),) * 3, ">=", Fraction(30), scope=Scope("", tuple(range(k, k + 11)))
        )
        for k in range(0, slots, 11)
    ]
    one = Instance(
        catalogue,
        tuple(f"slot {slot}" for slot in range(slots)),
        np.ones((slots, count), dtype=np.bool_),
        np.zeros((0, 2), dtype=np.int32),
        constraints=tuple(demands),
    )
    Annealing(steps=1, patience=1).build(Party(ruled_instance(1)), Budget(), rng())  # compiles the kernels
    began = monotonic()
    Annealing(steps=100_000).build(Party(one), Budget(seconds=1.0), rng())
    assert monotonic() - began < 5


def test_the_greatest_chemistry() -> None:
    """As the objective, its points are proved by the MILP, found by annealing, and raised by the moves."""
    seen = 0
    for seed in range(400):
        one = ruled_instance(seed)
        if sum(isinstance(demand, ChemistryConstraint) for demand in one.constraints) != 1:
            continue
        problem = Party(replace(one, objective="chemistry", maximised=""))
        parties = sorted(all_parties(problem), key=lambda party: problem.evaluate(party).objective)
        if len(parties) < 2:
            continue
        best, worst = parties[0], parties[-1]
        least = problem.evaluate(best).objective
        assert problem.score(least) == problem.report(best)["chemistry"]
        found = MilpFull().build(problem, Budget(), rng())
        assert (found.objective, found.bound) == (least, least), seed
        annealed = Annealing(patience=2, steps=1000).build(problem, Budget(), rng())
        assert annealed.solution is not None
        assert problem.evaluate(annealed.solution).feasible
        for operator in (Replace(), Swap(), Region(size=2), BelowIncumbent()):
            moved = operator.explore(problem, worst, Budget(), rng())
            if moved.solution is not None:
                evaluation = problem.evaluate(moved.solution)
                assert evaluation.feasible
                assert least <= evaluation.objective == moved.objective < problem.evaluate(worst).objective
            assert moved.bound is None or moved.bound <= least
        seen += 1
        if seen == 6:
            break
    assert seen == 6


def test_others_refuse_in_a_line() -> None:
    """Searches that know sums and counts only say which demand they do not know."""
    problem, _ = next(row for row in solvable(20) if not row[0].instance.plain)
    for operator in (Constructive(), BranchAndBound()):
        with pytest.raises(ConfigurationError, match="this operator knows sums, counts") as caught:
            operator.build(problem, Budget(), rng())
        assert "\n" not in str(caught.value)


def test_total_is_scored() -> None:
    """Where a total is wanted, the score is the total and the objective what is missing to the best item everywhere."""
    totals: list[Instance] = [one for seed in SEEDS if (one := ruled_instance(seed)).objective == "total"]
    for one in totals[:6]:
        problem = Party(one)
        measure = one.catalogue.measures["speed"]
        for party in list(all_parties(problem))[:20]:
            objective = problem.evaluate(party).objective
            assert problem.score(objective) == float(sum((measure.number(int(item)) for item in party), Fraction(0)))
            assert problem.report(party)["price"] == problem.price(party)
