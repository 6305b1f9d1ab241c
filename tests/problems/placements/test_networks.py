"""Networks that estimate what the slots that are left cost."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from methods.statespace.test_placing import Tour

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.learning import TrainingOptions, learnt_heuristic, train, write_model
from matheur.methods.learning.measuring import rank_correlation
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.placing import PlacingDomain
from matheur.problems import edge_matching, quadratic_assignment
from matheur.problems.edge_matching.operators.learnt_beam import LearntBeam
from matheur.problems.placements.searches import AStar
from matheur.problems.plans.training import suggested_longest


def test_a_trained_value_tells_dear_states_from_cheap_ones() -> None:
    """After a few steps, estimates of states that are not learnt from follow what ways from them have cost."""
    domain = PlacingDomain(Tour(6))
    options = TrainingOptions(method="walks", batch=64, longest=6, every=100)
    model = train(domain, options, Budget(iterations=40), 0)
    keys, left, _ = PlacingDomain(Tour(6)).walks_back(50, 6, np.random.default_rng(7))
    assert rank_correlation(learnt_heuristic(domain, model).estimate(keys), left) > 0.7


def test_a_file_guides_constructions(tmp_path: Path) -> None:
    """What `matheur train` writes for a board is the option of its beam and of A*; another board refuses it."""
    problem = edge_matching.EdgeMatching(edge_matching.builtin("3x3"))
    assert suggested_longest(problem) == 9
    options = TrainingOptions(method="walks", batch=32, longest=9)
    model = train(domain_of(problem), options, Budget(iterations=3), 0)
    file = tmp_path / "board.npz"
    write_model(file, model)
    for search in (LearntBeam(heuristic=str(file), width=8), AStar(heuristic=str(file))):
        found = search.build(problem, Budget(work=200), np.random.default_rng(0))
        assert found.objective == problem.evaluate(found.solution).objective
        assert found.bound in (None, 0)
    other = edge_matching.EdgeMatching(edge_matching.generate(3, 3, seed=9)[0])
    with pytest.raises(ConfigurationError, match="this network was trained for"):
        LearntBeam(heuristic=str(file)).build(other, Budget(), np.random.default_rng(0))


def test_methods_that_need_a_way_back_are_refused() -> None:
    """Partial assignments are learnt from by value iteration and by walks; the error names both."""
    flows, distances = np.random.default_rng(0).integers(0, 9, (2, 4, 4))
    domain = domain_of(quadratic_assignment.QuadraticAssignment(quadratic_assignment.Instance(flows, distances)))
    with pytest.raises(ConfigurationError, match="by the method davi or walks, not by 'distances'"):
        train(domain, TrainingOptions(method="distances"), Budget(iterations=1), 0)
