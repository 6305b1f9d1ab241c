"""Branch and bound, MILPs over the whole puzzle and over parts of it, and the proofs of them all."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from itertools import count
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from problems.party.brute_force import all_parties, best_price, tiny_instance, tiny_instances

from matheur.engine import Budget
from matheur.engine.outcome import Outcome, Status
from matheur.errors import ConfigurationError, OperatorError
from matheur.methods.milp import SolverOptions
from matheur.problems.party import TYPE, Instance, MaxSameConstraint, Party, SumConstraint
from matheur.problems.party.operators import explanation
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.branch_and_bound import BelowIncumbent, BranchAndBound
from matheur.problems.party.operators.certifier import MilpCertifier
from matheur.problems.party.operators.cheapest import Found, SearchOptions, find
from matheur.problems.party.operators.explanation import demands_of, explain
from matheur.problems.party.operators.milp_full import MilpFull
from matheur.problems.party.operators.portfolio import Portfolio
from matheur.problems.party.operators.region import Region

FEASIBLE = (6, 7, 12, 17, 18, 19, 24, 25)  # seeds of tiny puzzles with several parties


def rng() -> np.random.Generator:
    """A generator for operators that hardly use it."""
    return np.random.default_rng(1)


def dearest(problem: Party) -> np.ndarray:
    """The dearest party."""
    return max(all_parties(problem), key=lambda party: problem.evaluate(party).objective)


@given(tiny_instances())
@settings(max_examples=40)
def test_find(instance: Instance) -> None:
    """The cheapest party is found with the proof that it is, or the proof that there is none."""
    problem = Party(instance)
    best = best_price(problem)
    found = find(problem, Budget(work=50_000), None, SearchOptions(enumeration=5))
    assert found.complete
    assert found.price == best
    assert found.bound == best
    if best is not None:
        assert found.party is not None
        assert problem.evaluate(found.party).objective == best
        below = find(problem, Budget(work=2_000), best)
        assert (below.party, below.bound, below.complete) == (None, best, True)


def test_find_by_splitting_alone() -> None:
    """Without a bound from the dual that helps, the subproblems still lead to the optimum."""
    for seed in FEASIBLE:
        problem = Party(tiny_instance(seed))
        found = find(problem, Budget(work=5_000), None, SearchOptions(enumeration=1, gap=1e-6, share=0.9))
        assert (found.price, found.complete) == (best_price(problem), True)


def test_find_offers_and_stops() -> None:
    """Every improvement is handed out as it comes, and one that reaches the target ends the search."""
    problem = Party(tiny_instance(FEASIBLE[2]))
    offered: list[int] = []
    budget = Budget(work=2_000, target=10**6, on_incumbent=lambda _, price: offered.append(int(price)))
    found = find(problem, budget, None)
    assert offered == [found.price]
    assert find(problem, Budget(work=0), None).bound in (None, problem.trivial_bound, found.bound)


def test_branch_and_bound() -> None:
    """The construction returns an optimum with bound and certificate, or says why there is none."""
    for seed in range(20):
        problem = Party(tiny_instance(seed))
        best = best_price(problem)
        outcome = BranchAndBound().build(problem, Budget(work=2_000), rng())
        assert outcome.certificate is not None
        if best is None:
            assert outcome.status is Status.INFEASIBLE
            assert outcome.reason
        else:
            assert (outcome.status, outcome.objective, outcome.bound) == (Status.IMPROVED, best, best)


def test_below_incumbent() -> None:
    """The neighbourhood finds a cheaper party, or proves the incumbent."""
    for seed in FEASIBLE:
        problem = Party(tiny_instance(seed))
        best = best_price(problem)
        worse = dearest(problem)
        outcome = BelowIncumbent().explore(problem, worse, Budget(work=2_000), rng())
        if problem.evaluate(worse).objective > best:
            assert (outcome.status, outcome.objective, outcome.bound) == (Status.IMPROVED, best, best)
            worse = outcome.solution
        proof = BelowIncumbent().explore(problem, worse, Budget(work=2_000), rng())
        assert (proof.status, proof.bound, proof.solution) == (Status.LOCAL_OPTIMUM, best, None)
        assert proof.certificate is not None


def test_options_of_the_search() -> None:
    """Options that make no sense are refused."""
    for wrong in ({"share": 1.0}, {"gap": 0.0}, {"memory": 0}, {"enumeration": 0}):
        with pytest.raises(ConfigurationError):
            BranchAndBound(**wrong)
    with pytest.raises(ConfigurationError, match="gap"):
        SearchOptions(gap=float("inf"))


@pytest.mark.parametrize("backend", ["highs", "scip"])
def test_milp_full(backend: str) -> None:
    """The MILP agrees with all parties, with and without dominated candidates, and proves what it says."""
    for seed in range(8):
        problem = Party(tiny_instance(seed))
        best = best_price(problem)
        operator = MilpFull(reduce=seed % 2 == 0, solver=SolverOptions(name=backend))
        outcome = operator.build(problem, Budget(work=1_000), rng())
        assert outcome.certificate is not None
        if best is None:
            assert outcome.status is Status.INFEASIBLE
        else:
            assert (outcome.status, outcome.objective, outcome.bound) == (Status.IMPROVED, best, best)


def test_certifier() -> None:
    """A second solver confirms an optimum, and refutes what is none."""
    problem = Party(tiny_instance(FEASIBLE[0]))
    best = best_price(problem)
    assert best is not None
    facts = MilpCertifier().certify(problem, best, first="highs", interrupt=lambda: False)
    assert facts["backend"] == "scip"
    assert MilpCertifier().certify(problem, best, first="any", interrupt=lambda: False)["backend"] == "highs"
    with pytest.raises(OperatorError, match=f"found {best}"):
        MilpCertifier().certify(problem, best + 1, first="scip", interrupt=lambda: False)


def test_region() -> None:
    """With all slots free one call is enough; parts never make a party dearer, and are proved once only."""
    for seed in FEASIBLE[:4]:
        problem = Party(tiny_instance(seed))
        start = dearest(problem)
        start.setflags(write=False)
        before = problem.evaluate(start).objective
        whole = Region(size=4, iterations=2).explore(problem, start, Budget(work=1_000), rng())
        assert whole.status is Status.LOCAL_OPTIMUM
        assert (before if whole.objective is None else whole.objective) == best_price(problem)
        budget = Budget(work=10_000)
        party, price = start, before
        for _ in range(20):
            part = Region(size=2, iterations=1).explore(problem, party, budget, rng())
            if part.solution is not None:
                assert part.objective == problem.evaluate(part.solution).objective
                assert part.objective < price
                party, price = part.solution, part.objective
            if part.status is Status.LOCAL_OPTIMUM:
                break
        assert part.status is Status.LOCAL_OPTIMUM
        spent = budget.spent_work
        again = Region(size=2, iterations=1).explore(problem, party, budget, rng())
        assert again.status is Status.LOCAL_OPTIMUM
        assert budget.spent_work - spent <= 1


def test_explanation() -> None:
    """The demands named cannot hold together, and can without any one of them."""
    named = 0
    for seed in range(60):
        instance = tiny_instance(seed)
        if best_price(Party(instance)) is not None:
            continue
        reason = explain(Party(instance), Budget(work=10_000), rng())
        if not reason.startswith("these demands cannot hold together: "):
            continue
        texts = reason.removeprefix("these demands cannot hold together: ").split("; ")
        demands = [one for one in demands_of(instance) if one.text in texts]
        assert len(demands) == len(texts) > 1
        assert best_price(Party(only(instance, demands))) is None
        for left in demands:
            assert best_price(Party(only(instance, [one for one in demands if one is not left]))) is not None
        named += 1
    assert named >= 3


def only(instance: Instance, demands: list[Any]) -> Instance:
    """The puzzle with these demands alone."""
    for demand in demands_of(instance):
        if demand.text not in {one.text for one in demands}:
            instance = demand.without(instance)
    return instance


def test_explanation_of_a_pair() -> None:
    """Two demands that contradict each other are named among others that do no harm."""
    instance = tiny_instance(FEASIBLE[0], slots=3, items=8)
    problem = Party(replace(instance, constraints=(), synergy=None, fixed={}, excluded=frozenset()))
    totals = sorted(
        (sum(int(instance.catalogue.measures["rating"].amounts[item]) for item in party), party.tolist())
        for party in all_parties(problem)
    )
    most = totals[-1][0]
    best = [items for total, items in totals if total == most]
    leagues = instance.catalogue.traits["league"].codes
    limit = min(max(np.bincount(leagues[items][leagues[items] >= 0]), default=0) for items in best) - 1
    demands = (
        SumConstraint("rating", ">=", Fraction(most)),
        MaxSameConstraint("league", Fraction(int(limit))),
        SumConstraint("rating", "<=", Fraction(most + 5)),
    )
    contradictory = Party(replace(problem.instance, constraints=demands))
    assert best_price(contradictory) is None
    reason = explain(contradictory, Budget(work=10_000), rng())
    assert str(demands[2]) not in reason


def test_portfolio() -> None:
    """It finds a party where there is one, and says why where there is none."""
    for seed in range(8):
        problem = Party(tiny_instance(seed))
        outcome = Portfolio(steps=2_000).build(problem, Budget(work=30_000), rng())
        if best_price(problem) is None:
            assert outcome.status is Status.INFEASIBLE
            assert outcome.reason
        else:
            assert outcome.solution is not None
            assert problem.evaluate(outcome.solution).feasible


def test_annealing_of_the_portfolio_has_a_second_under_short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """A tenth of two seconds is too little to find a party; a tenth of a minute is left as it is."""
    asked: list[float] = []

    def build(self: Annealing, problem: Any, budget: Budget, rng: np.random.Generator) -> Outcome[Any]:
        asked.append(round(budget.seconds_left, 6))
        return Outcome(Status.INFEASIBLE, reason="enough")

    monkeypatch.setattr(Annealing, "build", build)
    problem = TYPE.builtin("type1", {})
    for seconds in (0.6, 2.0, 60.0):
        Portfolio().build(problem, Budget(seconds=seconds, clock=lambda: 0.0), rng())
    assert asked == [0.4, 1.0, 6.0]


def test_small_puzzles_of_the_portfolio_are_proved_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Under a clock branch and bound proves what is small, so that annealing has nothing to do."""
    problems = [Party(tiny_instance(seed)) for seed in range(8)]
    solvable = [(problem, price) for problem in problems if (price := best_price(problem)) is not None]
    assert len(solvable) > 1
    monkeypatch.setattr(Annealing, "build", lambda *_: pytest.fail("annealing"))
    for problem, price in solvable:
        outcome = Portfolio().build(problem, Budget(seconds=60, clock=lambda: 0.0), rng())
        assert (outcome.objective, outcome.bound) == (price, price)


def test_annealing_ends_when_it_stagnates() -> None:
    """A clock that leaps after the first party ends the construction long before its limit."""
    problem = Party(
        tiny_instance(next(seed for seed in range(8) if best_price(Party(tiny_instance(seed))) is not None))
    )
    looks = iter(range(10**9))
    budget = Budget(seconds=10**6, clock=lambda: float(next(looks)))
    found = Annealing(patience=10**6, stagnation=1.0).build(problem, budget, rng())
    assert found.solution is not None
    assert budget.elapsed < 10**4


def test_an_explanation_ends_while_its_model_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """A signal ends the building, and the sentence says that not all has been looked at."""
    building: list[int] = []

    def forever(*_: object, **__: object) -> None:
        building.append(1)
        while True:
            sum(range(100))

    instance = next(one for one in map(tiny_instance, range(60)) if best_price(Party(one)) is None and unplain(one))
    monkeypatch.setattr("matheur.models.party.build", forever)
    monkeypatch.setattr(explanation, "find", lambda *_: Found(None, None, None, complete=False, facts={}))
    looks = count()
    reason = explain(Party(instance), Budget(interrupt=lambda: bool(building) and next(looks) > 2), rng())
    assert building
    assert "fewer may" in reason


def unplain(instance: Instance) -> bool:
    """Whether the explanation of a puzzle without solution has to ask whether demands can hold together."""
    return explain(Party(instance), Budget(work=10_000), rng()).startswith("these demands")
