"""The evaluator against the definition, and parties as plain values."""

from __future__ import annotations

import dataclasses
import subprocess
import sys
from fractions import Fraction
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from problems.party.brute_force import all_parties, best_price, demands_met, tiny_instance, tiny_instances
from problems.party.formats.example import PUZZLE, read, with_key

from matheur.errors import InputError
from matheur.problems.party import Instance, Party


def party(*items: int) -> np.ndarray:
    return np.array(items, dtype=np.int32)


@settings(max_examples=40)
@given(tiny_instances(), st.data())
def test_every_party_is_judged_by_the_definition(instance: Instance, data: st.DataObject) -> None:
    """Feasible or not, an independent reading of the page of the format says the same; the price is the sum."""
    problem, items = Party(instance), len(instance.catalogue)
    for chosen in data.draw(st.lists(st.tuples(*[st.integers(0, items - 1)] * len(instance.slots)), max_size=30)):
        evaluation = problem.evaluate(party(*chosen))
        assert evaluation.feasible == demands_met(instance, list(chosen)) == (not evaluation.violations)
        assert evaluation.objective == sum(max(0, int(instance.catalogue.prices[item])) for item in chosen)


def test_all_parties_are_all() -> None:
    """The oracle of other tests misses nothing: compared with every choice with repetitions."""
    for seed in range(4):
        one = tiny_instance(seed, slots=3, items=6)
        every = [chosen for chosen in product(range(6), repeat=3) if demands_met(one, list(chosen))]
        assert [tuple(found.tolist()) for found in all_parties(Party(one))] == every
    assert 5 < sum(best_price(Party(tiny_instance(seed))) is not None for seed in range(20)) < 15


@settings(max_examples=60)
@given(tiny_instances())
def test_points_are_the_synergy(instance: Instance) -> None:
    """The synergy in whole numbers, computed from the tables, is the exact synergy; so is the demand."""
    problem, points = Party(instance), instance.points
    if points is None:
        assert instance.synergy is None or not len(instance.edges)
        return
    assert instance.synergy is not None
    for chosen in list(permutations(range(len(instance.catalogue)), len(instance.slots)))[::50]:
        total = 0
        for a, b in instance.edges.tolist():
            for term in points.terms:
                one, two = (int(term.codes[chosen[slot]]) for slot in (a, b))
                if one >= 0 and two >= 0:
                    listed = int(term.table[term.group[one], term.group[two]])
                    total += listed if listed >= 0 else term.same if one == two else term.other
        exact = problem.synergy(party(*chosen))
        assert exact == Fraction(total, points.unit)
        if instance.synergy.minimum is not None:
            assert (total >= points.demand) == (exact >= instance.synergy.minimum)


def test_the_threshold_is_met_exactly() -> None:
    """0.8 is 4/5: with 17 edges and three plain terms it asks for 41 of 51 matches."""
    slots = [{"name": str(number)} for number in range(18)]
    terms = [{"column": name} for name in ("a", "b", "c")]
    puzzle = {
        "format": "matheur-party", "version": 1, "slots": slots, "synergy": {"terms": terms, "min": 0.8},
        "edges": [[str(number), str(number + 1)] for number in range(17)],
    }  # fmt: skip
    for others, feasible in ((10, True), (11, False)):
        # The first items differ from their neighbours in column c, so that each of them loses a match.
        rows = [f"{number},1,x,x,{number if number < others else 'x'}" for number in range(18)]
        problem = Party(read(puzzle, "id,price,a,b,c\n" + "\n".join(rows)))
        assert problem.instance.points is not None
        assert (problem.instance.points.demand, problem.instance.points.unit) == (41, 51)
        evaluation = problem.evaluate(np.arange(18))
        assert problem.synergy(np.arange(18)) == Fraction(51 - others, 51)
        assert evaluation.feasible == feasible
        assert feasible or evaluation.violations[0].startswith("the synergy is 0.784314, not at least 0.8")


def test_each_violation_has_a_sentence() -> None:
    """Position, price, exclusion, a fixed place, repetition, each constraint and the synergy."""
    problem = Party(read(PUZZLE))
    good = problem.evaluate(party(0, 4, 5))
    assert (good.objective, good.feasible) == (350, False)
    assert good.violations == ("the synergy is 0.75, not at least 0.8",)
    said = "; ".join(problem.evaluate(party(5, 3, 3)).violations)
    for sentence in (
        "item '9' in slot 'GK' does not fit there",
        "item '9' in slot 'GK' takes the place of '17', which is fixed there",
        "item '7' in slot 'RB' has no price and cannot be bought",
        "item '7' is used 2 times",
        "the synergy is 0.75, not",
    ):
        assert sentence in said
    said = "; ".join(problem.evaluate(party(1, 2, 6)).violations)
    for sentence in (
        "item '5' in slot 'GK' is excluded",
        "item '6' in slot 'RB' is excluded",
        "item '10' has no rating",
    ):
        assert sentence in said
    said = "; ".join(Party(read(with_key("constraints.3.value", 1))).evaluate(party(0, 3, 4)).violations)
    assert "at most 1 of the same country fails: 2 have 'C2'" in said
    assert "distinct club >= 2 fails: it is 1" in said
    said = "; ".join(Party(read(with_key("constraints.1.value", 4))).evaluate(party(0, 4, 5)).violations)
    assert "count of league Premier League or La Liga >= 4 fails: it is 3" in said
    said = "; ".join(Party(read(with_key("constraints.0.value", 231))).evaluate(party(0, 4, 5)).violations)
    assert "sum of rating >= 231 fails: it is 230" in said
    for wrong in (party(0, 4), party(0, 4, 7), party(0, 4, -1), party()):
        evaluation = problem.evaluate(wrong)
        assert not evaluation.feasible
        assert "one existing item for each of the 3 slots" in evaluation.violations[0]


def test_parties_as_json() -> None:
    """Slot name to id and back; the report has the synergy."""
    problem = Party(read(PUZZLE))
    chosen = party(0, 4, 5)
    assert problem.encode(chosen) == {"GK": "17", "RB": "8", "ANY": "9"}
    assert problem.decode(problem.encode(chosen)).tolist() == [0, 4, 5]
    assert problem.report(chosen) == {"synergy": 0.75}
    assert Party(read(with_key("synergy"))).report(chosen) == {}
    assert (problem.score(350), problem.score_max) == (350, None)
    for wrong in (None, [], "x", {}, {"GK": 17, "RB": 8}, {"GK": 17, "RB": 8, "ANY": 9.0}):
        with pytest.raises(InputError):
            problem.decode(wrong)


def test_puzzles_differ_by_content() -> None:
    """Any demand or cell changes the fingerprint, the name does not; equal parties have equal digests."""
    due = Party(read(PUZZLE)).fingerprint
    assert Party(read(with_key("name", "other"))).fingerprint == due
    changes = [
        ("synergy.min", 0.81),
        ("constraints.0.value", 226),
        ("fixed", {}),
        ("excluded", ["5"]),
        ("edges.1", ...),
    ]
    others = {Party(read(with_key(path, value))).fingerprint for path, value in changes}
    assert len(others | {due}) == len(changes) + 1
    problem = Party(read(PUZZLE))
    assert (
        problem.digest(party(0, 4, 5))
        == problem.digest(np.array([0, 4, 5], dtype=np.int64))
        != problem.digest(party(0, 5, 4))
    )


@settings(max_examples=25)
@given(tiny_instances())
def test_the_trivial_bound_is_one(instance: Instance) -> None:
    """No feasible party costs less."""
    problem = Party(instance)
    best = best_price(problem)
    assert best is None or problem.trivial_bound <= best


def test_without_edges_the_synergy_is_one() -> None:
    """A formation of strangers meets any demand."""
    problem = Party(dataclasses.replace(read(PUZZLE), edges=np.empty((0, 2), dtype=np.int32)))
    assert problem.synergy(party(0, 4, 5)) == 1
    assert problem.instance.points is None
    assert problem.evaluate(party(0, 4, 5)).feasible


def test_a_party_is_found_without_modules_that_take_long_to_load() -> None:
    """A run of a second or two has no time for Pyomo, nor for scipy's optimisers, unless they are needed."""
    code = (
        "import sys, matheur; found = matheur.solve('party/type1', neighbourhoods=(), work=20_000, seed=1);"
        "print(found.feasible, *{'pyomo.environ', 'scipy.optimize'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["True"]
