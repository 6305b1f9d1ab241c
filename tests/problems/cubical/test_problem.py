"""The evaluator against the definition, and plans as plain values."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.cubical.reference import reachable, successors
from problems.cubical.strategies import instances

from matheur.errors import InputError
from matheur.problems.cubical import Cubical, Instance, builtin

PUZZLE = Instance(3, 2, ("green", "red"), (0, 7), (3, 4))


def moves(*pairs: tuple[int, int], vertices: int = 8) -> np.ndarray:
    return np.array([ring * vertices + vertex for ring, vertex in pairs], dtype=np.int32)


@settings(max_examples=80)
@given(instances(largest=4, rings_max=6), st.lists(st.tuples(st.integers(0, 5), st.integers(0, 15)), max_size=8))
def test_every_plan_is_judged_by_the_definition(instance: Instance, pairs: list[tuple[int, int]]) -> None:
    """Each move that no face allows is reported, and nothing else; a plan counts if all rings end on their targets."""
    plan = [(ring % len(instance.rings), vertex % instance.vertices) for ring, vertex in pairs]
    places, wrong = instance.start, []
    for step, (ring, vertex) in enumerate(plan, start=1):
        if (ring, vertex) not in successors(instance.dimension, instance.k, places):
            wrong.append(f"move {step}:")
        places = (*places[:ring], vertex, *places[ring + 1 :])
    evaluation = Cubical(instance).evaluate(moves(*plan, vertices=instance.vertices))
    assert evaluation.objective == len(plan)
    assert evaluation.feasible == (not wrong and places == instance.target)
    assert [" ".join(text.split()[:2]) for text in evaluation.violations if text.startswith("move")] == wrong
    off = sum(place != target for place, target in zip(places, instance.target, strict=True))
    assert len(evaluation.violations) == len(wrong) + off


@pytest.mark.parametrize(
    ("plan", "words"),
    [
        (moves((0, 7), (0, 3), (1, 4)), "move 1: no face of dimension 2"),  # onto the other ring
        (moves((0, 6), (0, 3), (1, 4)), "move 2: no face of dimension 2"),  # 6 and 3 share one, but with the other ring
        (moves((0, 0), (0, 3), (1, 4)), "move 1: ring 'green' is on vertex 0 already"),
        (moves((2, 1), (0, 3), (1, 4)), "move 1: there is no ring number 2"),
        (np.array([-1, 3, 12], dtype=np.int32), "there is no ring number -1"),
        (moves((0, 3)), "at the end ring 'red' is on vertex 7, not 4"),
        (moves(), "at the end ring 'green' is on vertex 0, not 3"),
    ],
)
def test_each_fault_is_named(plan: np.ndarray, words: str) -> None:
    """A planted fault makes the plan infeasible, with a sentence that names the step."""
    evaluation = Cubical(PUZZLE).evaluate(plan)
    assert not evaluation.feasible
    assert any(text.startswith(words) or words in text for text in evaluation.violations)


def test_many_faults_are_cut_short() -> None:
    """A hopeless plan gives ten sentences, not thousands."""
    evaluation = Cubical(PUZZLE).evaluate(np.full(5000, 99, dtype=np.int32))
    assert len(evaluation.violations) == 11
    assert evaluation.violations[-1] == "and more"
    assert evaluation.objective == 5000


def test_a_shortest_plan_is_feasible() -> None:
    """Distances of an exhaustive search are lengths of feasible plans, and the trivial bound is below them."""
    start = PUZZLE.start
    assert reachable(3, 2, start)[PUZZLE.target] == 2
    evaluation = Cubical(PUZZLE).evaluate(moves((0, 3), (1, 4)))
    assert (evaluation.objective, evaluation.feasible, evaluation.violations) == (2, True, ())


@settings(max_examples=20)
@given(instances(largest=3, rings_max=4))
def test_the_trivial_bound_is_one(instance: Instance) -> None:
    """No plan is shorter than the sum of ceil(Hamming distance / k)."""
    distance = reachable(instance.dimension, instance.k, instance.start).get(instance.target)
    if distance is not None:
        assert Cubical(instance).trivial_bound <= distance


@given(instances(), st.lists(st.integers(0, 10**6), max_size=20))
def test_plans_survive_their_json(instance: Instance, numbers: list[int]) -> None:
    """`decode` undoes `encode`, even with colons in names."""
    problem = Cubical(instance)
    plan = np.array([number % (len(instance.rings) * instance.vertices) for number in numbers], dtype=np.int32)
    again = problem.decode(problem.encode(plan))
    assert again.dtype == np.int32
    assert np.array_equal(again, plan)
    assert problem.digest(again) == problem.digest(plan)


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (5, "a list of 'ring:vertex', not int"),
        ("green:1", "not str"),
        ({"green": 1}, "not dict"),
        ([1], "move 1 must be 'ring:vertex'"),
        (["green:1", "green"], "move 2 must be"),
        (["gren:1"], "Maybe 'green'"),
        (["green:8"], "0 to 7"),
        (["green:-1"], "0 to 7"),
        (["green:1.0"], "0 to 7"),
        (["green:"], "0 to 7"),
        (["green:١"], "0 to 7"),
        (["green:" + "1" * 9999], "0 to 7"),
        ([["green", 1]], "move 1 must be"),
    ],
)
def test_bad_plans_are_refused(data: object, words: str) -> None:
    """What is no list of moves of this puzzle is an input error in one line."""
    with pytest.raises(InputError, match=words) as caught:
        Cubical(PUZZLE).decode(data)
    assert len(str(caught.value)) < 300
    assert "\n" not in str(caught.value)


def test_fingerprint_and_digest_tell_apart() -> None:
    """Another k, order, target or name is another puzzle; the title is not. Other moves have another digest."""
    base = builtin("d4-k3-level4")
    changes: list[dict] = [{"k": 2}, {"start": base.target}, {"rings": ("a", *base.rings[1:])}, {"target": base.start}]
    prints = {Cubical(dataclasses.replace(base, **change)).fingerprint for change in [*changes, {}]}
    assert len(prints) == 5
    assert Cubical(dataclasses.replace(base, title="x")).fingerprint == Cubical(base).fingerprint
    problem = Cubical(base)
    assert problem.digest(moves((0, 1))) != problem.digest(moves((0, 2)))
    assert problem.digest(moves((0, 1))) == problem.digest(moves((0, 1)).astype(np.int64))


def test_the_score_is_the_number_of_moves() -> None:
    """Objective and score are the same, without a maximum."""
    problem = Cubical(PUZZLE)
    assert (problem.score(7), problem.score_max, problem.trivial_bound) == (7, None, 2)
