"""Policies as costs, and the beams that they guide."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.learning import Model, TrainingOptions, learnt_policy, train, write_model
from matheur.methods.learning.sampling import ball, walks
from matheur.methods.learning.use import Use, outputs_by_key
from matheur.methods.statespace import anytime_beam
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.heuristics import zero
from matheur.problems.plans.anytime import Beam
from matheur.problems.sliding_tile import Instance, SlidingTile


@pytest.fixture(scope="module")
def policy() -> Model:
    """Of 2 x 3 tiles, trained for some seconds."""
    from matheur.methods.statespace.domains import domain_of

    domain = domain_of(SlidingTile(Instance(2, 3, (4, 1, 3, 0, 2, 5))))
    return train(domain, TrainingOptions(method="policy", batch=200, longest=20), Budget(iterations=300), 0)


def test_costs_are_logarithms_of_chances(domain: Domain, policy: Model) -> None:
    """Chances of the possible moves of a state add up to 1, in the proportions that the network gives."""
    guided = learnt_policy(domain, policy)
    keys = walks(domain, 5, 20, np.random.default_rng(0)).keys
    plain, costly = domain.expand(keys), guided.expand(keys)
    assert np.array_equal(plain.keys, costly.keys)
    assert np.array_equal(plain.moves, costly.moves)
    chances = np.exp(-costly.costs / 1000)
    totals = np.bincount(costly.parents, weights=chances)
    np.testing.assert_allclose(totals, 1, atol=0.01)
    outputs = outputs_by_key(policy, domain, Use())(keys)[plain.parents, plain.moves]
    first = plain.parents == 0
    np.testing.assert_allclose(
        np.diff(costly.costs[first]) / -1000, np.diff(outputs[first]), atol=0.01
    )  # the same constant for all moves of a state
    assert (costly.costs >= 0).all()


def test_a_policy_finds_good_plans(domain: Domain, policy: Model, tmp_path: Path) -> None:
    """Beams of growing width by the policy: plans in moves, at last the shortest; told as they come."""
    start = domain.packing.pack(domain.start[None])
    known = ball(domain, 1000)
    distance = int(known.distances[(known.keys == start).all(axis=1)][0])
    costs: list[int] = []
    answer = anytime_beam(
        domain, zero(), rng=np.random.default_rng(0), width=1, guide=learnt_policy(domain, policy),
        on_plan=lambda plan, cost: costs.append(cost), budget=Budget(work=20_000),
    )  # fmt: skip
    assert answer.cost == costs[-1] == distance
    assert answer.plan is not None
    assert len(answer.plan) == distance
    assert np.array_equal(domain.apply(domain.start, answer.plan)[-1], domain.goal)
    assert answer.bound <= distance
    write_model(tmp_path / "p.npz", policy)
    problem = SlidingTile(Instance(2, 3, (4, 1, 3, 0, 2, 5)))
    outcome = Beam(policy=f"{tmp_path}/p.npz").build(problem, Budget(work=20_000), np.random.default_rng(0))
    assert outcome.objective == distance


def test_what_is_no_policy_is_refused(domain: Domain, policy: Model, model: Model) -> None:
    """Distances, policies of other puzzles, a heuristic beside a policy, uneven costs."""
    with pytest.raises(ConfigurationError, match="does not choose moves"):
        learnt_policy(domain, model)
    with pytest.raises(ConfigurationError, match="not for"):
        learnt_policy(domain, replace(policy, fingerprint="other"))
    with pytest.raises(ConfigurationError, match="not both"):
        Beam(policy="p.npz", heuristic="manhattan")
    guided = learnt_policy(domain, policy)
    with pytest.raises(ValueError, match="cost 1"):
        anytime_beam(guided, zero(), rng=np.random.default_rng(0), guide=guided)
