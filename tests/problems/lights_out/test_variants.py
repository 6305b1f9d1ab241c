"""Edges, own patterns, targets, states and buttons, against a breadth-first search over all boards."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from matheur.engine import Budget, Status
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.methods.statespace import astar, bfs, bidirectional, heuristic_by_name
from matheur.problems.lights_out import TYPE, Instance, LightsOut, write_board
from matheur.problems.lights_out.algebra import eliminate
from matheur.problems.lights_out.domain import lights_out_domain
from matheur.problems.lights_out.instance import EDGES
from matheur.problems.lights_out.modular import eliminate_modular
from matheur.problems.lights_out.operators.linear_algebra import LinearAlgebra
from matheur.problems.lights_out.operators.milp_full import MilpFull
from matheur.problems.lights_out.workbench import WORKBENCH

STENCILS = {
    "plus": [(-1, 0, 1), (0, -1, 1), (0, 0, 1), (0, 1, 1), (1, 0, 1)],
    "king": [(down, right, 1) for down in (-1, 0, 1) for right in (-1, 0, 1)],
    "x.x/.../x.x": [(-1, -1, 1), (-1, 1, 1), (1, -1, 1), (1, 1, 1)],
    "011": [(0, 0, 1), (0, 1, 1)],
}
SIZES = {2: [(3, 3), (2, 4), (1, 5)], 3: [(2, 3), (1, 5)], 4: [(2, 2), (1, 4)], 6: [(2, 2)]}


def added(one: Instance, press: int) -> dict[int, int]:
    """What a press changes, on the definition."""
    if one.buttons is not None:
        return dict(one.buttons[press])
    found = {}
    for down, right, amount in STENCILS[one.title]:
        row, column = press // one.columns + down, press % one.columns + right
        row = row % one.rows if one.edges == "torus" else row
        column = column if one.edges == "plain" else column % one.columns
        if 0 <= row < one.rows and 0 <= column < one.columns:
            found[row * one.columns + column] = amount
    return found


def fewest(one: Instance) -> int | None:
    """The fewest presses, by a search from the lights over all boards; None if the target is out of reach."""
    start, goal = tuple(map(int, one.lights)), tuple(map(int, one.goal))
    moves = [added(one, press) for press in range(one.presses)]
    seen, layer, depth = {start}, [start], 0
    while layer:
        if goal in layer:
            return depth
        following = []
        for state in layer:
            for move in moves:
                after = list(state)
                for cell, amount in move.items():
                    after[cell] = (after[cell] + amount) % one.states
                if tuple(after) not in seen:
                    seen.add(tuple(after))
                    following.append(tuple(after))
        layer, depth = following, depth + 1
    return None


def boards() -> list[Instance]:
    """Random lights and targets for every pair of edges and pattern, for 2, 3, 4 and 6 states; then buttons."""
    roll, found = random.Random(7), []
    for (states, sizes), edges, pattern, target in product(SIZES.items(), EDGES, STENCILS, ("off", "on", "any")):
        rows, columns = roll.choice(sizes)
        lights, picture = ([roll.randrange(states) for _ in range(rows * columns)] for _ in range(2))
        goal = {"off": (), "on": (1,) * len(lights), "any": tuple(picture)}[target]
        found.append(Instance(rows, columns, tuple(lights), pattern, pattern, states, edges, goal))
    for states in (2, 3, 4, 6, 2, 4):
        buttons = tuple(
            tuple((cell, roll.randrange(1, states)) for cell in sorted(roll.sample(range(4), roll.randint(1, 3))))
            for _ in range(roll.choice((2, 3, 6)))
        )
        lights, goal = (tuple(roll.randrange(states) for _ in range(4)) for _ in range(2))
        found.append(Instance(1, 4, lights, states=states, target=goal, buttons=buttons))
    return found


BOARDS = boards()


def test_algebra_finds_the_fewest_presses_or_proves_that_there_are_none() -> None:
    """On all boards; the evaluator agrees, no bound exceeds the optimum, and a reason is given where there is none."""
    solved = 0
    for one in BOARDS:
        problem, expected = LightsOut(one), fewest(one)
        outcome = LinearAlgebra().build(problem, Budget(), np.random.default_rng(1))
        assert (problem.infeasible_reason() is None) == (expected is not None), one
        if expected is None:
            assert outcome.status is Status.INFEASIBLE
            continue
        assert outcome.objective == outcome.bound == expected, one
        evaluation = problem.evaluate(outcome.solution)
        assert (evaluation.feasible, evaluation.objective) == (True, expected)
        assert problem.trivial_bound <= expected
        solved += 1
    assert min(solved, len(BOARDS) - solved) > 20


def test_searches_agree() -> None:
    """Breadth-first search and A* on a part of the boards, with and without a solution."""
    for one in BOARDS[::7]:
        expected, domain = fewest(one), lights_out_domain(LightsOut(one))
        assert bfs(domain).cost == expected
        assert astar(domain, heuristic_by_name(domain, "lights")).cost == expected


def test_a_search_from_both_ends_needs_two_states() -> None:
    """With more, one press does not take another back."""
    for one in BOARDS[::7]:
        domain = lights_out_domain(LightsOut(one))
        if one.states == 2:
            assert bidirectional(domain).cost == fewest(one)
        else:
            with pytest.raises(ValueError, match="cannot be taken back"):
                bidirectional(domain)


def test_the_model_has_the_same_optimum() -> None:
    """As a MILP, whatever the states, the target and the buttons; boards without solution get their reason."""
    for one in BOARDS[::9]:
        problem, expected = LightsOut(one), fewest(one)
        outcome = MilpFull().build(problem, Budget(), np.random.default_rng(1))
        if expected is None:
            assert (outcome.status, outcome.reason) == (Status.INFEASIBLE, problem.infeasible_reason())
        else:
            assert outcome.objective == outcome.bound == expected == problem.evaluate(outcome.solution).objective


def test_reasons_hold() -> None:
    """Every press changes the weighted sum of the reason by a multiple, and what is needed is no multiple."""
    proved = 0
    for one in (one for one in BOARDS if one.states > 2):
        needed = np.array(one.needed)
        found = eliminate_modular(one).witness(needed)
        if found is not None:
            weights, modulus = found
            sums = [
                sum(int(weights[cell]) * amount for cell, amount in added(one, p).items()) for p in range(one.presses)
            ]
            assert all(total % modulus == 0 for total in sums)
            assert int(weights @ needed) % modulus
            proved += 1
    assert proved > 10


def test_files_and_options_say_the_rules() -> None:
    """The same board in headers, in rows below them, in JSON and by options; what is written is read again."""
    rows = "012\n110\n001\n"
    texts = [
        "# pattern: .1./121/.1.\n# edges: torus\n# states: 3\n# target: 222/000/111\n" + rows,
        "# colours: 3\n# wrap: yes\n# pattern:\n.x.\n1 2 1\n.1.\n\n" + rows + "\n# goal:\n2 2 2\n...\n1 1 1\n",
        "# pattern: 00000/..1../01210/00100/..... torus\n# modulo: 3\n# target: 222/000/111\n" + rows,
        '{"lights": [[0, 1, 2], "110", [0, 0, 1]], "colours": 3, "torus": true, "goal": ["222", [0, 0, 0], "111"], '
        '"pattern": [[0, 1, 0], "121", [0, 1, 0]]}',
    ]
    wanted = TYPE.read(Source("f", texts[0].encode())).instance
    assert (wanted.states, wanted.edges, wanted.pattern) == (3, "torus", "010/121/010")
    assert wanted.goal == (2, 2, 2, 0, 0, 0, 1, 1, 1)
    for text in texts:
        source = Source("f", text.encode())
        assert TYPE.recognises(source) == Recognition.PROVED
        assert TYPE.read(source).instance == wanted
    options = {"pattern": ".1./121/.1.", "edges": "torus", "states": 3, "target": "222/000/111"}
    assert TYPE.read(Source("f", rows.encode()), options).instance == wanted
    for one in [*BOARDS, Instance(2, 1, (11, 3), "1 2 1", states=12, target=(10, 2))]:
        text = write_board(replace(one, title=""))
        assert TYPE.read(Source("f", text.encode())).instance == replace(one, title="")
        assert LightsOut(one).fingerprint == LightsOut(replace(one, title="")).fingerprint


@pytest.mark.parametrize("states", [2, 3, 10, 11, 20, 256])
def test_targets_are_read_as_they_were_written(states: int) -> None:
    """On small boards of any shape, with zeros in front as well; in the header and in rows below it."""
    roll = random.Random(states)
    for rows, columns in product((1, 2, 3), (1, 2, 3, 4)):
        for largest in (2, states):
            lights, target = (tuple(roll.randrange(largest) for _ in range(rows * columns)) for _ in range(2))
            for goal in (target, (*(0,) * (len(target) - 1), 1), (states - 1,) * len(target)):
                one = Instance(rows, columns, lights, states=states, target=goal)
                text = write_board(one)
                below = re.sub("# target: (.*)", lambda row: "# target:\n" + row[1].replace("/", "\n") + "\n", text)
                for form in (text, below):
                    assert TYPE.read(Source("f", form.encode())).instance == one, form


@pytest.mark.parametrize(
    ("text", "target", "goal"),
    [
        ("# target: 01\n11\n", None, (0, 1)),
        ("# pattern: .x.\n# states: 4\n# target: 03\n32\n", None, (0, 3)),
        ("# target:\n001\n\n110\n", None, (0, 0, 1)),
        ("110\n", "001", (0, 0, 1)),
        ("110\n", ["001"], (0, 0, 1)),
        ("110\n", 1, (1, 1, 1)),
        ("# states: 20\n1 2\n", "12", (12, 12)),
        ("# states: 20\n1 2\n", ["12"], (1, 2)),
        ('{"lights": [1, 1], "target": "01"}', None, (0, 1)),
    ],
)
def test_zeros_in_front_of_a_target_are_cells(text: str, target: object, goal: tuple[int, ...]) -> None:
    """In files, options and JSON; a number is a state of all lights."""
    options = {} if target is None else {"target": target}
    assert TYPE.read(Source("f", text.encode()), options).instance.goal == goal


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("# target: 01\n11\n10\n", "f:1: 2 x 2 cells, but a target of 2 lights"),
        ("# target: 11\n110\n", "f:1: 1 x 3 cells, but a target of 2 lights"),
        ("# states: 12\n1 2\n0000" + "9" * 5000 + " 1\n", "only numbers from 0 to 11"),
        ('{"lights": [1, 0, 1], "target": 1.0}', "unknown target '1.0'"),
        ('{"lights": [1, 0], "target": -1}', "unknown target '-1'"),
        ('{"lights": [1, 0, 1], "target": [1.0]}', "the target is made of whole numbers .'1.0'"),
        ('{"lights": [1, 0, 1], "target": [1]}', "1 x 3 cells, but a target of 1 lights"),
        ('{"lights": [1, 0], "target": [-1]}', "the target is made of whole numbers .'-1'"),
        ('{"lights": [1, 0, 1], "pattern": [[1.0]]}', "the pattern is made of whole numbers .'1.0'"),
        ('{"lights": [[1, 0, 1]], "columns": 7}', "rows of 3 lights, but 'columns' is '7'"),
        ('{"lights": [1, 0, 1], "buttons": []}', "a list that is not empty"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, message: str) -> None:
    """Instead of another board that its signs could also mean."""
    with pytest.raises(InputError, match=message):
        TYPE.read(Source("f", text.encode()))


def test_lists_of_single_lights_with_many_states() -> None:
    """A number of two digits that is alone in its row is one light."""
    text = '{"lights": [[1], [2], [3]], "states": 20, "target": [[12], [3], [11]], "pattern": [[0], [12], [11]]}'
    one = TYPE.read(Source("f", text.encode())).instance
    assert one.goal == (12, 3, 11)
    assert one.effects == (((0, 12), (1, 11)), ((1, 12), (2, 11)), ((2, 12),))


def test_graphs_are_boards() -> None:
    """Each light has a button, which also changes its neighbours."""
    one = TYPE.read(Source("f", b'{"lights": [1, 1, 1], "neighbours": [[1], [0, 2], [1]]}')).instance
    assert one.reach == ((0, 1), (0, 1, 2), (1, 2))
    assert LightsOut(one).evaluate(np.array([1])).feasible


@pytest.mark.parametrize(("states", "buttons"), [(2, 1500), (256, 1000)])
def test_many_buttons_keep_to_the_time(states: int, buttons: int) -> None:
    """The kernel has a vector for almost every button: few pairs of them are tried, and descents look at the clock."""
    rng = random.Random(1)
    own = tuple(tuple((light, 1) for light in sorted(rng.sample(range(40), 3))) for _ in range(buttons))
    one = Instance(1, 40, tuple(rng.randrange(states) for _ in range(40)), states=states, buttons=own)
    _ = eliminate(one) if states == 2 else eliminate_modular(one)  # is kept, so that it takes no time below
    budget = Budget(seconds=0.1)
    outcome = LinearAlgebra().build(LightsOut(one), budget, np.random.default_rng(1))
    assert LightsOut(one).evaluate(outcome.solution).feasible
    assert budget.clock() - budget.started < 1.5


def test_generated_boards_reach_their_target() -> None:
    """With every rule, and the number of presses that was asked for; another seed gives another board."""
    rules = {"states": 5, "edges": "cylinder", "pattern": "121", "target": 3, "size": "3x4"}
    for presses in (None, 0, 7):
        made = TYPE.generate(rules if presses is None else {**rules, "presses": presses}, 4)
        problem = TYPE.read(Source("g", made.instance.encode()))
        evaluation = problem.evaluate(problem.decode(made.solution))
        assert (evaluation.feasible, evaluation.objective) == (True, made.score)
        assert presses in (None, made.score)
        assert problem.instance.goal == (3,) * 12
    assert TYPE.generate(rules, 4) != TYPE.generate(rules, 5)


def test_pictures_and_the_workbench_show_states_targets_and_buttons() -> None:
    """Every kind of picture, with and without presses; a position counts what is left and can be read again."""
    for one in (BOARDS[40], BOARDS[-1], replace(BOARDS[-4], target=())):
        problem = LightsOut(one)
        for kind, head in (("svg", b"<svg"), ("html", b"<!doctype"), ("text", b"Lights Out"), ("png", b"\x89PNG")):
            for presses in (None, np.array([0, 1, 0], dtype=np.int32)):
                assert TYPE.picture(problem, presses, kind).startswith(head)
        shown = WORKBENCH.position(problem, ["0", "1", "0"])
        lights = list(one.lights)
        for press in (0, 1, 0):
            for cell, amount in added(one, press).items():
                lights[cell] = (lights[cell] + amount) % one.states
        assert TYPE.read(Source("f", shown.text.encode())).instance.lights == tuple(lights)
        assert bool(shown.choices) == (one.buttons is not None)
        assert (WORKBENCH.editor(problem) is None) == (one.buttons is not None)


def test_half_lights_are_refused() -> None:
    """They would be cut off."""
    for name in ("lights", "target"):
        with pytest.raises(InputError, match=rf"{name} of 3 states are 0 to 2 \(1\.5\)"):
            replace(Instance(1, 2, (0, 1), states=3), **{name: (1.5, 0)})
