"""Bounds of solvers that are no proofs, and optima without a second proof."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from problems.party.brute_force import best_price, tiny_instance

from matheur import solve
from matheur.engine import Budget
from matheur.engine.outcome import Status
from matheur.errors import SolverError
from matheur.methods.milp import SolverOptions
from matheur.problems.party import Party
from matheur.problems.party.operators.milp_full import MilpFull
from matheur.solvers import get_backend

CASES = Path(__file__).parent / "data" / "c"
SOLVERS = ("highs", "scip", "cp-sat", "pyomo:cbc", "pyomo:glpk")
RIGHT = {"scip_7e11": 1_400_000_000_000, "glpk_mixed_prices": 1, "cpsat_operator_error": 1_001_000_000_015}


def matheur(*arguments: object) -> Any:
    """Run a command that must succeed and return its JSON."""
    command = [sys.executable, "-m", "matheur", *map(str, arguments), "--json"]
    said = subprocess.run(command, capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return json.loads(said.stdout)


def needs(solver: str) -> None:
    try:
        get_backend(solver)
    except SolverError as error:
        pytest.skip(str(error))


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("case", RIGHT)
def test_large_prices_have_the_right_optimum_or_no_claim(case: str, solver: str) -> None:
    """Each solver gives the right optimum or claims none, and its certificate is consistent."""
    needs(solver)
    said = solve(
        str(CASES / f"{case}.json"), construction="milp-full", neighbourhoods=[], solver=solver, seconds=20
    ).to_dict()
    assert said["status"] in ("optimal", "feasible")
    assert said["bound"] is None or said["bound"] <= RIGHT[case] <= said["score"]
    if said["status"] == "optimal":
        assert said["score"] == RIGHT[case]
        facts = said["certificate"]
        assert facts.get("solver_bound") is None or facts["solver_bound"] <= facts["solver_objective"]


@pytest.mark.parametrize("solver", SOLVERS)
def test_prices_of_any_size_are_never_wrong(solver: str) -> None:
    """Answers on tiny puzzles with prices up to 10^15 are compared with an enumeration of all parties."""
    needs(solver)
    roll, claims = random.Random(5), 0
    for seed in (6, 7, 12, 17, 18, 19, 24, 25):
        instance = tiny_instance(seed)
        size = len(instance.catalogue.prices)
        prices = [
            np.array([roll.choice((0, 1, 7, 10**6, 10**9, 10**12)) + roll.randrange(9) for _ in range(size)]),
            np.array([7 * 10**11 + 7 * roll.randrange(4) for _ in range(size)]),
            instance.catalogue.prices * 10**9 + 3,
        ][seed % 3]
        problem = Party(replace(instance, catalogue=replace(instance.catalogue, prices=prices.astype(np.int64))))
        best = best_price(problem)
        operator = MilpFull(reduce=seed % 2 == 0, solver=SolverOptions(name=solver))
        outcome = operator.build(problem, Budget(seconds=30), np.random.default_rng(1))
        assert outcome.status is not Status.INFEASIBLE
        assert outcome.bound is None or outcome.bound <= best
        assert outcome.objective is None or outcome.objective >= best
        claims += outcome.bound is not None and outcome.bound == outcome.objective == best
    assert claims >= 2  # some optima are still claimed


def test_level_that_no_second_method_takes_is_certified_once(tmp_path: Path) -> None:
    """If no second method applies, a sentence says so and the exit code is 0."""
    result = tmp_path / "result.json"
    said = matheur("solve", CASES / "sok_goals.xsb", "--certify", "--seconds", 60, "--out", result)
    assert (said["status"], said["score"]) == ("optimal", 7)
    assert "as many boxes as goals" in said["certificate"]["no_second"]
    assert "Maybe" not in said["certificate"]["no_second"]
    said = matheur("verify", CASES / "sok_goals.xsb", result, "--certificate")
    assert said["valid"]
    assert said["certificate"] is None
    assert "as many boxes as goals" in said["no_second"]
