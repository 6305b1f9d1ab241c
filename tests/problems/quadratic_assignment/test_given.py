"""Linear costs, fixed facilities, more locations than facilities, the general form: read, evaluated and solved."""

from __future__ import annotations

import json

import numpy as np
import pytest
from problems.quadratic_assignment.wider import all_kinds, draw

import matheur
from matheur.engine.operators import operator_entries
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.quadratic_assignment import TYPE, Instance, read_solution, write_dat
from matheur.problems.quadratic_assignment.given import assemble
from matheur.running.diversity import diverse

WIDE = b"""# three facilities, five locations
flows
0 5 2
5 0 3
2 3 0
distances
0 8 15 4 3
8 0 13 4.5 2
15 13 0 1 9
4 4.5 1 0 7
3 2 9 7 0
linear
1 0 2 3 4
0 0 0 2.25 1
5 5 5 0 0
fixed
2 4
"""


def _problem(text: bytes):  # type: ignore[no-untyped-def]
    return TYPE.read(Source("x.dat", text))


def test_every_kind_is_evaluated_as_it_was_drawn() -> None:
    """The core has the optimum of the file, and every list of locations its cost and its violations."""
    for drawn in all_kinds():
        problem = drawn.problem()
        n = problem.instance.n
        assert n == drawn.shape[1] - len(drawn.fixed)
        assert problem.trivial_bound <= drawn.optimum
        best = []
        for places in drawn.placements():
            solution = problem.decode([place + 1 for place in places])
            evaluation = problem.evaluate(solution)
            assert problem.encode(solution) == [place + 1 for place in places]
            assert (evaluation.objective, evaluation.feasible) == (drawn.cost(places), drawn.keeps(places))
            if evaluation.feasible:
                best.append(evaluation.objective)
        assert min(best) == drawn.optimum


def test_both_forms_say_the_same() -> None:
    """What is written as text is the instance that was read from JSON."""
    for drawn in all_kinds():
        problem = drawn.problem()
        text = Source("x.dat", write_dat(problem.instance).encode())
        if problem.instance.given is not None or drawn.pairs is not None:
            assert TYPE.recognises(text) is Recognition.PROVED
        assert TYPE.read(text).fingerprint == problem.fingerprint
        assert TYPE.recognises(Source("x", json.dumps(drawn.document).encode())) is Recognition.PROVED


def test_every_operator_is_right_on_every_kind_or_refuses() -> None:
    """What operators claim agrees with the enumeration; the general form is refused by a line."""
    refused = set()
    drawn_ones = [one for index, one in enumerate(all_kinds()) if index in (4, 1, 2, 7, 15)]
    for drawn in drawn_ones:
        problem, optimum = drawn.problem(), drawn.optimum
        for kind in ("construction", "neighbourhood"):
            for name in (entry.name for entry in operator_entries(problem.name, kind)):
                settings = {"construction": "random", "neighbourhoods": [name]}
                if kind == "construction":
                    settings = {"construction": name, "neighbourhoods": []}
                try:
                    result = matheur.solve(
                        problem, work=2000, iterations=10, certify=name in ("branch-and-bound", "milp-full"), **settings
                    )
                except ConfigurationError as error:
                    refused.add((name, drawn.pairs is not None, str(error)))
                    continue
                places = tuple(place - 1 for place in problem.encode(result.solution))
                assert drawn.keeps(places), name
                assert drawn.cost(places) == result.objective, name
                assert result.bound is None or result.bound <= optimum, name
                assert result.status != "optimal" or result.objective == optimum, name
    kept = {"random", "genetic", "portfolio", "branch-and-bound", "milp-full", "swap", "robust-tabu", "evolution"}
    assert all(general for _, general, _ in refused)
    assert not {name for name, *_ in refused} & kept
    assert ("faq", True) in {one[:2] for one in refused}


def test_the_table_of_exchanges_is_that_of_the_general_form() -> None:
    """Every exchange changes the objective by what the table says, also after exchanges."""
    from matheur.problems.quadratic_assignment.operators.general_search import GeneralState

    problem = draw(5, 5, seed=3, general=True, linear=True).problem()
    state = GeneralState(problem.instance, np.array([2, 0, 3, 1, 4], dtype=np.int32))
    for one, other in ((0, 3), (1, 4), (2, 3)):
        state.exchange(one, other)
        change, before = state.changes(), problem.instance.cost(state.p)
        for i in range(5):
            for j in range(5):
                places = state.p.copy()
                places[[i, j]] = places[[j, i]]
                assert problem.instance.cost(places) - before == change[i, j]


def test_a_file_with_words() -> None:
    """Decimals of all parts are scaled to one unit, and solutions name the locations of the real facilities."""
    problem = _problem(WIDE)
    assert (problem.facilities, problem.locations) == (3, 5)
    best = min(
        (problem.score(problem.evaluate(problem.decode([i, 4, k])).objective), i, k)
        for i in (1, 2, 3, 5)
        for k in (1, 2, 3, 5)
        if i != k
    )
    assert best == (92.25, 3, 5)
    result = matheur.solve(problem, seconds=5)
    assert (result.status, result.score, problem.encode(result.solution)) == ("optimal", 92.25, [3, 4, 5])
    for text in (b"3 4 5", b"3,4,5\n", b"3 92.25\n3 4 5", b"3 4 5 92.25"):
        assert problem.encode(read_solution(problem, Source("x.sln", text))) == [3, 4, 5]
    wrong = problem.evaluate(problem.decode([3, 5, 4]))
    assert wrong.violations == ("facility 2 must stand on location 4 (fixed)",)
    twice = problem.evaluate(problem.decode([3, 4, 4]))
    assert "location 4 holds 2 facilities (2, 3)" in twice.violations
    for kind in ("text", "svg", "html"):
        for solution in (None, problem.decode([3, 4, 5]), problem.decode([3, 5, 4])):
            assert TYPE.picture(problem, solution, kind)


def test_three_matrices_are_flows_distances_and_linear_costs() -> None:
    """The size and three tables are an instance with linear costs, and a note says so."""
    rng = np.random.default_rng(4)
    tables = [rng.integers(0, 9, (5, 5)) for _ in range(3)]
    text = "5\n" + "\n\n".join("\n".join(" ".join(map(str, row)) for row in table) for table in tables)
    problem = _problem(text.encode())
    assert any("linear costs" in said for said in problem.assumptions)
    places = np.array([4, 0, 2, 1, 3])
    expected = (tables[0] * tables[1][np.ix_(places, places)]).sum() + tables[2][range(5), places].sum()
    assert problem.evaluate(places.astype(np.int32)).objective == expected
    small = _problem(b"2\n0 1\n1 0\n\n0 3\n3 0\n\n1 2\n3 4\n")
    assert small.evaluate(np.array([1, 0], dtype=np.int32)).objective == 2 * 3 + 2 + 3


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ((b"fixed\n2 4", b"fixed\n2 4\n3 4"), "two facilities are fixed on location 4"),
        ((b"fixed\n2 4", b"fixed\n2 6"), "locations 1 to 5"),
        ((b"fixed\n2 4", b"fixed\n2"), "pairs of a facility"),
        ((b"linear", b"liner"), "Maybe 'linear'"),
        ((b"5 5 5 0 0\n", b"5 5 5 0\n"), "14 numbers, not 3 x 5"),
        ((b"2 3 0\n", b"2 3\n"), "do not make a square table"),
        ((b"distances", b"flows"), "twice"),
        ((b"1 0 2 3 4\n0 0 0 2.25 1\n5 5 5 0 0\n", b"1 0 2\n3 4 0\n0 0 2\n1 5 5\n5 0 0\n"), "5 rows of 3"),
        ((b"distances", b"facilities 99999\ndistances"), "1 to 2000"),
    ],
)
def test_what_does_not_fit_is_an_error_with_its_place(change: tuple[bytes, bytes], said: str) -> None:
    """Wrong words, sizes and facilities are named."""
    with pytest.raises(InputError, match=said):
        _problem(WIDE.replace(*change))


def test_wrong_json_is_an_error_with_its_key() -> None:
    """Unknown keys, ragged tables, text for numbers, and both forms at once are refused."""
    good = draw(2, 3, seed=1, linear=True).document
    for change, said in (
        ({"flow": [[1]]}, "Maybe 'flows'"),
        ({"linear": [[1, 2, 3], [4, 5]]}, "not equally long"),
        ({"linear": [["a", 2, 3], [4, 5, 6]]}, "no number"),
        ({"pairs": [[1, 1, 2, 2, 5]]}, "not both"),
        ({"version": 2}, "version"),
        ({"flows": [[0] * 4] * 4}, "more facilities than locations"),
        ({"flows": [[0, 1, 1, 0]]}, "must be square"),
        ({"flows": [0, 1, 1, 0]}, "list of rows"),
        ({"linear": [[1, 2], [3, 4], [5, 6]]}, "a row for each facility"),
        ({"fixed": [[1, 2, 2, 1]]}, "rows of 2 numbers"),
        ({"fixed": {"9" * 5000: 1}}, "too many digits"),
        ({"version": True}, "version"),
        ({"fixed": [[1, 1], [2, 9]]}, "locations 1 to 3"),
        ({"distances": None, "locations": 3}, "'flows' without 'distances'"),
    ):
        with pytest.raises(InputError, match=said) as caught:
            TYPE.read(Source("x.json", json.dumps({**good, **change}, indent=1).encode()))
        assert caught.value.line is None


def test_wrong_pairs_are_an_error() -> None:
    """A table of another shape, rows of another length, sums that overflow, a key that appears twice."""
    head = {"format": "matheur-quadratic-assignment", "version": 1, "facilities": 2, "locations": 3}
    for change, said in (
        ({"pairs": np.ones((2, 3, 3, 2), dtype=int).tolist()}, "2 x 3 x 3 x 2"),
        ({"pairs": np.ones((2, 2, 2, 2), dtype=int).tolist()}, "2 x 2 x 2 x 2"),
        ({"pairs": [[1, 1, 2, 2]] * 5}, "rows of 5 numbers"),
        ({"pairs": [[1, 1, 2, 2, 9 * 10**17]] * 21}, "overflow"),
    ):
        with pytest.raises(InputError, match=said):
            TYPE.read(Source("x.json", json.dumps({**head, **change}).encode()))
    twice = json.dumps(head)[:-1] + ', "locations": 4, "pairs": []}'
    with pytest.raises(InputError, match="appears twice"):
        TYPE.read(Source("x.json", twice.encode()))
    own = np.zeros((2, 2, 2, 2), dtype=np.int64)
    own[0, 0, 0, 0] = 9 * 10**18
    with pytest.raises(ValueError, match="overflow"):
        assemble(own[0, 0], own[0, 0] * 0, linear=own[0, 0], pairs=own)


def test_different_solutions_differ_in_real_facilities() -> None:
    """Of two facilities on four locations there are 12 placements, however empty locations are counted."""
    found = diverse(draw(2, 4, seed=2).problem(), count=30, within=1e9, seconds=3, exhaustive=True)
    listed = [tuple(found.problem.encode(one.solution)) for one in found.variants]
    assert 1 < len(set(listed)) == len(listed) <= 12


def test_everything_fixed_leaves_one_solution() -> None:
    """With all facilities fixed there is one solution, proved at once."""
    drawn = draw(3, 3, seed=8, linear=True, fixed=3)
    result = matheur.solve(drawn.problem(), seconds=5)
    assert (result.status, result.objective) == ("optimal", drawn.optimum)


def test_shapes_are_checked_in_python() -> None:
    """Arrays that do not belong together raise a ValueError."""
    square = np.zeros((3, 3), dtype=np.int64)
    with pytest.raises(ValueError, match="linear costs"):
        Instance(square, square, linear=square[:2])
    with pytest.raises(ValueError, match="more facilities"):
        assemble(square, square[:2, :2])
    with pytest.raises(ValueError, match="have the shape"):
        assemble(square, square, pairs=np.zeros((2, 3, 2, 3), dtype=np.int64))
    with pytest.raises(ValueError, match="whole numbers"):
        assemble(square + 0.5, square)
    large = np.full((3, 3), 100, dtype=np.int8)
    assert assemble(large, large).cost(np.arange(3)) == 9 * 100 * 100
    with pytest.raises(ValueError, match="do not both exist"):
        assemble(square, square, fixed={3: 0})
