"""Puzzles whose objective is the synergy: values, operators, models and proofs against all parties."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from problems.party.brute_force import all_parties, tiny_instance

import matheur
from matheur.engine import Budget, Status
from matheur.errors import ConfigurationError
from matheur.methods.milp import SolverOptions, solve_model
from matheur.models.party import build
from matheur.problems.party import Instance, Party
from matheur.problems.party.designing import front, sweep
from matheur.problems.party.operators.annealing import Annealing
from matheur.problems.party.operators.branch_and_bound import BelowIncumbent, BranchAndBound
from matheur.problems.party.operators.certifier import MilpCertifier
from matheur.problems.party.operators.constructive import Constructive
from matheur.problems.party.operators.evolution import Evolution
from matheur.problems.party.operators.genetic import Genetic
from matheur.problems.party.operators.islands import Islands
from matheur.problems.party.operators.map_elites import MapElites
from matheur.problems.party.operators.milp_full import MilpFull
from matheur.problems.party.operators.pareto import Pareto
from matheur.problems.party.operators.portfolio import Portfolio
from matheur.problems.party.operators.region import Region
from matheur.problems.party.operators.replace import Replace
from matheur.problems.party.operators.swap import Swap
from matheur.problems.party.operators.whole_model import SameValue
from matheur.running.diversity import diverse

CONSTRUCTIONS = {
    "portfolio": (Portfolio(), 5000), "constructive": (Constructive(tries=300), 300),
    "annealing": (Annealing(steps=500), 20_000), "genetic": (Genetic(population=10, generations=20), 3000),
    "islands": (Islands(islands=2, generations=20), 3000), "map-elites": (MapElites(generations=10), 3000),
    "milp-full": (MilpFull(), 5000), "branch-and-bound": (BranchAndBound(), 20_000),
}  # fmt: skip


def wanting_synergy(seed: int) -> Party:
    """A tiny puzzle without a demand on the synergy, which is to be as large as can be."""
    one = tiny_instance(seed, slots=4, items=8)
    assert one.synergy is not None
    return Party(replace(one, synergy=replace(one.synergy, minimum=None), objective="synergy"))


def ranked(problem: Party) -> list[np.ndarray]:
    """All feasible parties, those of the greatest synergy first."""
    return sorted((np.array(one) for one in all_parties(problem)), key=lambda one: problem.evaluate(one).objective)


def _seeds() -> list[int]:
    found = []
    for seed in range(60):
        one = tiny_instance(seed, slots=4, items=8)
        if one.synergy is not None and one.points is not None:
            values = {
                problem.evaluate(party).objective for problem in [wanting_synergy(seed)] for party in ranked(problem)
            }
            if len(values) > 3:
                found.append(seed)
        if len(found) == 2:
            break
    return found


SEEDS = _seeds()


def test_the_objective_is_what_is_missing_to_a_synergy_of_1() -> None:
    """The score is the synergy; the fingerprint, the report and the best score say so, too."""
    problem = wanting_synergy(SEEDS[0])
    points = problem.instance.points
    assert points is not None
    for party in ranked(problem)[:5]:
        objective = int(problem.evaluate(party).objective)
        assert Fraction(points.unit - objective, points.unit) == problem.synergy(party)
        assert problem.score(objective) == float(problem.synergy(party) or 0)
        assert problem.report(party)["price"] == Party(problem.instance.priced).evaluate(party).objective
    assert (problem.score_max, problem.trivial_bound) == (1.0, 0)
    assert problem.fingerprint != Party(problem.instance.priced).fingerprint
    assert Party(problem.instance.priced).score_max is None


@pytest.mark.parametrize("name", CONSTRUCTIONS)
@pytest.mark.parametrize("seed", SEEDS)
def test_constructions_find_the_greatest_synergy(name: str, seed: int) -> None:
    """The best of all parties is found; what is offered and what is proved is true."""
    problem = wanting_synergy(seed)
    best = problem.evaluate(ranked(problem)[0]).objective
    operator, work = CONSTRUCTIONS[name]

    def check(party: Any, objective: int | float) -> None:
        assert problem.evaluate(party).feasible
        assert problem.evaluate(party).objective == objective

    outcome = operator.build(problem, Budget(work=work, on_incumbent=check), np.random.default_rng(1))
    assert outcome.objective == best == problem.evaluate(outcome.solution).objective
    assert outcome.bound is None or outcome.bound <= best
    if name in ("milp-full", "branch-and-bound", "portfolio"):
        assert outcome.bound == best


@pytest.mark.parametrize("seed", SEEDS)
def test_neighbourhoods_raise_the_synergy(seed: int) -> None:
    """From the worst party each one ends at a local optimum of its moves or better; branch and bound at the best."""
    problem = wanting_synergy(seed)
    everyone = ranked(problem)
    for operator in (Replace(), Swap(), Region(size=2), Evolution(), BelowIncumbent()):
        party, status = everyone[-1], Status.IMPROVED
        for _ in range(60):
            outcome = operator.explore(problem, party, Budget(work=20_000), np.random.default_rng(2))
            status = outcome.status
            if outcome.solution is None:
                break
            assert problem.evaluate(outcome.solution).objective == outcome.objective
            assert problem.evaluate(outcome.solution).objective <= problem.evaluate(party).objective
            if outcome.objective == problem.evaluate(party).objective:
                break
            party = np.asarray(outcome.solution)
        assert status in (Status.LOCAL_OPTIMUM, Status.NO_IMPROVEMENT), operator
        reached = problem.evaluate(party).objective
        for other in everyone:
            differ = np.count_nonzero(other != party)
            exchanged = differ == 2 and sorted(other.tolist()) == sorted(party.tolist())
            near = {
                "Replace": differ == 1,
                "Swap": exchanged,
                "Region": False,
                "Evolution": False,
                "BelowIncumbent": True,
            }
            if near[type(operator).__name__]:
                assert reached <= problem.evaluate(other).objective


def test_the_model_and_the_certifier_have_the_same_objective() -> None:
    """The exported MILP gives the missing points, and a second solver proves the best party."""
    problem = wanting_synergy(SEEDS[0])
    best = int(problem.evaluate(ranked(problem)[0]).objective)
    model, base = SameValue().build(problem)
    answer = solve_model(model, SolverOptions(), Budget(), np.random.default_rng(1))
    assert round(answer.objective or 0) + base == best
    built = build(problem.instance, price_max=best)
    assert built.objective_of(best) + built.base == best
    tight = solve_model(
        build(problem.instance, price_max=best - 1).model, SolverOptions(), Budget(), np.random.default_rng(1)
    )
    assert not tight.has_solution
    facts = MilpCertifier().certify(problem, best, first="highs", interrupt=lambda: False)
    assert "nothing cheaper" in facts["method"]


def test_a_puzzle_without_a_party_is_infeasible_for_the_synergy_too() -> None:
    """A contradiction of demands is proved and explained."""
    seed = next(one for one in range(200) if _unsolvable(tiny_instance(one, slots=4, items=8)))
    one = tiny_instance(seed, slots=4, items=8)
    problem = Party(replace(one, objective="synergy"))
    for operator in (MilpFull(), BranchAndBound(), Portfolio()):
        outcome = operator.build(problem, Budget(work=50_000), np.random.default_rng(1))
        assert outcome.status is Status.INFEASIBLE
        assert outcome.reason


def _unsolvable(one: Instance) -> bool:
    return one.synergy is not None and next(all_parties(Party(one)), None) is None


def test_what_is_about_prices_is_refused() -> None:
    """Curves over a demand and `pareto` are about the price; a front has both, and takes the puzzle."""
    problem = wanting_synergy(SEEDS[0])
    with pytest.raises(ConfigurationError, match="synergy"):
        sweep(problem, "synergy", ["0.5"])
    with pytest.raises(ConfigurationError, match="matheur front"):
        Pareto().build(problem, Budget(work=10), np.random.default_rng(1))
    with pytest.raises(ConfigurationError, match="synergy"):
        diverse(problem, work=10)
    with pytest.raises(ConfigurationError, match="add up prices"):
        matheur.solve(problem, construction="astar", neighbourhoods=[], work=10)
    assert front(problem, ["price", "synergy"], work=2000).points


def test_the_whole_run_proves_the_greatest_synergy() -> None:
    """`objective=synergy` is an option of the instance; the default preset solves the small built-in puzzle."""
    result = matheur.solve("party/demo", seconds=60, settings=["instance.objective=synergy"])
    assert (result.status, result.score, result.score_max) == ("optimal", 1.0, 1.0)
    with pytest.raises(ConfigurationError, match=r"price, synergy, chemistry \('synergi'\)"):
        matheur.solve("party/demo", work=10, settings=["instance.objective=synergi"])
