"""Tetravex, signed sides, boards whose border is free: formats, evaluation, all solutions, every operator."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import matheur
from matheur.engine.operators import operator_entries
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.edge_matching import (
    TYPE,
    EdgeMatching,
    Instance,
    generate,
    write_bucas,
    write_json,
    write_mcgavin,
)
from matheur.problems.edge_matching.backtracking.perfect_search import count_boards
from matheur.problems.edge_matching.formats import read_board, write_piece_list
from matheur.problems.edge_matching.rules import VARIANTS, Rules
from matheur.problems.edge_matching.variant_generator import generate_variant

RULES = {
    "free": VARIANTS["free"],
    "tetravex": VARIANTS["tetravex"],
    "signed": VARIANTS["signed"],
    "signed without rotation": Rules(rotation=False, signed=True),
}

# Nine cards with halves of four pictures, in the way of scramble squares.
SCRAMBLE = "abCb\naBDb\naCDb\nACcb\nAdcc\nbBBc\nBdCC\nBddD\nCDDd\n"


def _colours(instance: Instance) -> list[list[int]]:
    return instance.rules.colours(instance.pieces).tolist()  # type: ignore[no-any-return]


def _all_boards(instance: Instance) -> list[list[list[int]]]:
    """All solutions cell by cell, with nothing but the colours of the file."""
    pieces, rules, columns = _colours(instance), instance.rules, instance.columns
    found, board = [], []

    def matches(one: int, other: int) -> bool:
        return one == -other if rules.signed else one == other

    def fill(cell: int, used: frozenset[int]) -> None:
        if cell == instance.cells:
            found.append([[piece + 1, turn] for piece, turn, _ in board])
            return
        for piece, sides in enumerate(pieces):
            for turn in range(4 if rules.rotation else 1):
                shown = [sides[(side - turn) % 4] for side in range(4)]
                above = cell < columns or matches(board[cell - columns][2][2], shown[0])
                if piece not in used and above and (cell % columns == 0 or matches(board[-1][2][1], shown[3])):
                    board.append((piece, turn, shown))
                    fill(cell + 1, used | {piece})
                    board.pop()

    fill(0, frozenset())
    return found


def _mismatches(instance: Instance, board: np.ndarray) -> int:
    """Counted from the colours of the file."""
    pieces, rules = _colours(instance), instance.rules
    shown = [[pieces[one // 4][(side - one % 4) % 4] for side in range(4)] for one in board.tolist()]
    count = 0
    for cell in range(instance.cells):
        for step, side, last in ((1, 1, cell % instance.columns == instance.columns - 1),
                                 (instance.columns, 2, cell + instance.columns >= instance.cells)):  # fmt: skip
            if not last:
                one, other = shown[cell][side], shown[cell + step][(side + 2) % 4]
                count += one != (-other if rules.signed else other)
    return count


def test_all_solutions_are_those_of_a_plain_search() -> None:
    """The exhaustive search finds every board of small puzzles, and no other."""
    for name, rules in RULES.items():
        for seed in range(2):
            instance, hidden = generate_variant(3, 3, rules, colours=4, seed=seed)
            if name == "free":  # thousands of boards of 9 pieces
                instance, hidden = generate_variant(2, 3, rules, colours=3, seed=seed)
            problem = EdgeMatching(instance)
            assert problem.evaluate(hidden).objective == 0
            found: list[list[list[int]]] = []
            encode = problem.encode
            count, _ = count_boards(instance, look=lambda board, at=found, encode=encode: at.append(encode(board)))
            assert count == len(found)
            assert sorted(found) == sorted(_all_boards(instance)), name


def test_scramble_squares_have_all_their_solutions() -> None:
    """Nine cards with letters: each solution in four turns, as a plain search finds them."""
    problem = TYPE.read(Source("cards.txt", SCRAMBLE.encode()))
    assert problem.instance.rules == VARIANTS["signed"]
    found = []
    count_boards(problem.instance, look=lambda board: found.append(problem.encode(board)))
    assert sorted(found) == sorted(_all_boards(problem.instance))
    assert len(found) == 4
    assert matheur.solve(problem, seconds=10).objective == 0


def test_boards_are_evaluated_as_their_colours_say() -> None:
    """Random boards of every variant have the mismatches that the colours of the file have."""
    rng = np.random.default_rng(1)
    for rules in RULES.values():
        instance, _ = generate_variant(3, 4, rules, colours=3, seed=1, unique=False)
        problem = EdgeMatching(instance)
        for _ in range(20):
            board = (4 * rng.permutation(12) + (rng.integers(0, 4, 12) if rules.rotation else 0)).astype(np.int32)
            evaluation = problem.evaluate(board)
            assert (evaluation.objective, evaluation.feasible) == (_mismatches(instance, board), True)
            assert problem.trivial_bound <= evaluation.objective
    turned = problem.evaluate(board + 1)
    assert "may not be turned" in turned.violations[0]


def test_tetravex_of_usual_sizes_is_solved_at_once() -> None:
    """The default search fills boards of 4 x 4 and 6 x 6."""
    for size in (4, 6):
        instance, _ = generate_variant(size, size, VARIANTS["tetravex"], seed=size)
        result = matheur.solve(EdgeMatching(instance), seconds=20)
        assert (result.status, result.objective) == ("optimal", 0)
        assert (np.asarray(result.solution) % 4 == 0).all()


def test_every_operator_is_right_on_every_variant() -> None:
    """No operator turns what may not be turned, or claims what is not so; among all, the best board is optimal."""
    framed, hidden = generate(3, 3, seed=2)
    problems = [Instance(3, 3, framed.shown[hidden], rules=Rules(rotation=False))]
    one, other = (generate_variant(2, 3, RULES["signed"], colours=5, seed=seed)[0] for seed in (11, 12))
    problems.append(replace(one, pieces=np.concatenate([one.pieces[:4], other.pieces[:2]])))
    for instance in problems:
        problem = EdgeMatching(instance)
        costs, proved = [], set()
        for kind in ("construction", "neighbourhood"):
            for entry in operator_entries(problem.name, kind):
                settings = {"construction": "random", "neighbourhoods": [entry.name]}
                if kind == "construction":
                    settings = {"construction": entry.name, "neighbourhoods": []}
                result = matheur.solve(problem, iterations=2, work=200, seconds=0.5, **settings)
                if result.solution is None:
                    continue
                assert result.objective == _mismatches(instance, np.asarray(result.solution)), entry.name
                costs.append((result.objective, result.bound))
                if result.status == "optimal":
                    proved.add(result.objective)
        best = min(objective for objective, _ in costs)
        assert all(bound is None or bound <= best for _, bound in costs)
        assert proved <= {best}


def test_exact_windows_find_what_a_plain_search_finds() -> None:
    """The whole board as one window, with signs and without rotation: solved by every method of `region`."""
    for name in ("signed", "tetravex"):
        instance, _ = generate_variant(3, 3, RULES[name], colours=4, seed=1)
        for method in ("exact", "clique", "beam"):
            result = matheur.solve(
                EdgeMatching(instance), construction="random", neighbourhoods=["region"], iterations=3, seconds=10,
                settings=[f"neighbourhood.region.{key}" for key in (f"method={method}", "rows=3", "columns=3")],
            )  # fmt: skip
            assert result.objective == 0 or method == "beam", (name, method)


def test_formats_keep_the_variant() -> None:
    """JSON says the rules, signs say themselves, and URLs of boards come back."""
    for name, rules in RULES.items():
        instance, hidden = generate_variant(3, 4, rules, seed=3)
        problem = EdgeMatching(instance)
        source = Source("x.json", write_json(instance).encode())
        assert TYPE.recognises(source) is Recognition.PROVED
        assert TYPE.read(source).fingerprint == problem.fingerprint, name
        url = write_bucas(instance, hidden)
        assert (read_board(instance, Source("<url>", url.encode())) == hidden).all()
        for kind in ("text", "svg"):
            assert TYPE.picture(problem, hidden, kind)
    text = Source("x.txt", write_piece_list(generate_variant(3, 4, RULES["signed"], seed=3)[0]).encode())
    assert TYPE.recognises(text) is Recognition.PROVED
    assert TYPE.read(text).instance.rules == VARIANTS["signed"]
    one = generate_variant(3, 3, RULES["tetravex"], seed=3)[0]
    listed = TYPE.read(Source("x.txt", write_piece_list(one).encode()), {"variant": "tetravex"})
    assert listed.fingerprint == EdgeMatching(one).fingerprint
    plain = generate(3, 3, seed=1)[0]
    assert "rotation" not in write_json(plain)


def test_pictures_name_colours_as_the_file_does() -> None:
    """0 is drawn as a colour of its own, and a minus is a capital."""
    tetravex = TYPE.read(Source("x", b"1 2\n0 1 2 3\n4 3 12 1\n"), {"variant": "tetravex"})
    board = np.array([0, 4], dtype=np.int32)
    drawn = TYPE.picture(tetravex, board, "text").decode()
    assert "|   0   |   4   |" in drawn
    assert "3  1  1|1  2  3|" in drawn
    assert "|   2   |   c   |" in drawn
    signed = TYPE.read(Source("x", SCRAMBLE.encode()))
    assert "|b  1  b|" in TYPE.picture(signed, None, "text").decode()
    many = TYPE.read(Source("x", b"1 2\n28 -28 1 2\n-1 -2 3 28\n"))
    assert "|b  1  *|*  2  B|" in TYPE.picture(many, np.array([0, 4], dtype=np.int32), "text").decode()
    assert b"minus" in TYPE.picture(signed, None, "svg")
    assert b"minus" not in TYPE.picture(tetravex, board, "svg")


def test_links_in_which_a_is_the_colour_0() -> None:
    """A link of a whole board of Tetravex is read with `a` for 0, and as it is written here."""
    url = b"https://e2.bucas.name/#board_w=2&board_h=1&board_edges=abcdeafb&board_types=eb"
    problem = TYPE.read(Source("<url>", url), {"variant": "tetravex"})
    assert _colours(problem.instance) == [[0, 1, 2, 3], [4, 0, 5, 1]]
    assert [(hint.cell, hint.rotation) for hint in problem.instance.hints] == [(0, 0)]
    assert problem.evaluate(np.array([0, 4], dtype=np.int32)).objective == 0
    assert read_board(problem.instance, Source("<url>", url)).tolist() == [0, 4]
    with pytest.raises(InputError, match="neither signs"):
        write_mcgavin(generate_variant(2, 2, VARIANTS["tetravex"])[0])


def test_links_show_pieces_that_are_not_turned() -> None:
    """If two pieces show the same colours, one of them turned, the other one lies there."""
    tetravex = VARIANTS["tetravex"]
    instance = Instance(1, 2, tetravex.codes([[1, 2, 3, 4], [2, 3, 4, 1]]), rules=tetravex)
    board = np.array([4, 0], dtype=np.int32)
    link = write_bucas(instance, board, piece_numbers=False)
    assert read_board(instance, Source("<url>", link.encode())).tolist() == board.tolist()
    hinted = TYPE.read(Source("x.json", write_json(instance).encode()), {"hints": link}).instance
    assert [(hint.cell, hint.piece, hint.rotation) for hint in hinted.hints] == [(0, 1, 0), (1, 0, 0)]
    turned = write_bucas(instance, np.array([6, 0], dtype=np.int32))
    with pytest.raises(InputError, match="turns a piece"):
        TYPE.read(Source("x.json", write_json(instance).encode()), {"hints": turned})


def test_links_give_hints() -> None:
    """The fixed cells of a link, or all that are filled, become hints of a puzzle that is read from elsewhere."""
    instance, hidden = generate(4, 4, seed=6)
    pieces = Source("x", write_piece_list(instance).encode())
    some = hidden.copy()
    some[[0, 1, 7, 9]] = -1
    link = write_bucas(instance, some)
    everything = TYPE.read(pieces, {"hints": link}).instance
    assert {(hint.cell, 4 * hint.piece + (hint.rotation or 0)) for hint in everything.hints} == {
        (cell, placement) for cell, placement in enumerate(some.tolist()) if placement >= 0
    }
    marked = TYPE.read(pieces, {"hints": f"{link}&board_types={'b' * 5}e{'b' * 10}"}).instance
    assert [hint.cell for hint in marked.hints] == [5]
    assert matheur.solve(EdgeMatching(marked), seconds=10).solution[5] == hidden[5]
    with pytest.raises(InputError, match="no piece"):
        TYPE.read(pieces, {"hints": write_bucas(instance, np.full(16, -1))})
    with pytest.raises(InputError, match="4 x 4"):
        TYPE.read(Source("y", write_piece_list(generate(3, 3)[0]).encode()), {"hints": link})


def test_hints_and_rules_go_together() -> None:
    """A hint holds in the only rotation there is; a turned one is refused."""
    instance, hidden = generate_variant(3, 3, VARIANTS["tetravex"], seed=5)
    text = Source("x.json", write_json(instance).encode())
    piece = int(hidden[4]) // 4 + 1
    problem = TYPE.read(text, {"hints": f"1,1={piece}"})
    result = matheur.solve(problem, seconds=10)
    assert result.objective == 0
    assert result.solution[4] // 4 + 1 == piece
    with pytest.raises(InputError, match="outside the puzzle, or turns a piece"):
        TYPE.read(text, {"hints": f"1,1={piece}/2"})


def test_generator_options() -> None:
    """`variant` makes JSON with the rules; a frame colour without a frame is an error."""
    for variant in ("free", "tetravex", "signed"):
        made = TYPE.generate({"variant": variant, "size": "3x4"}, 2)
        problem = TYPE.read(Source("x", made.instance.encode()))
        assert problem.instance.rules == VARIANTS[variant]
        assert problem.evaluate(problem.decode(made.solution)).objective == 0
        with pytest.raises(ConfigurationError, match="frame_colours"):
            TYPE.generate({"variant": variant, "frame_colours": 3}, 2)
    with pytest.raises(ConfigurationError, match="Maybe 'tetravex'"):
        TYPE.generate({"variant": "tetravx"}, 2)
    with pytest.raises(ConfigurationError, match="unknown variant"):
        TYPE.generate({"variant": ["free"]}, 2)
    for colours, size, variant in ((1, 6, "tetravex"), (4, 40, "signed")):  # too few to begin with
        with pytest.raises(ConfigurationError, match="Maybe more inner_colours"):
            generate_variant(size, size, VARIANTS[variant], colours=colours)
    every, _ = generate_variant(2, 8, VARIANTS["tetravex"], colours=2)  # all pieces that there are
    assert len(np.unique(every.pieces, axis=0)) == 16


def test_zeros_that_are_no_frame_are_said() -> None:
    """A list of Tetravex read as it stands has no board, and the reason names the variant."""
    problem = TYPE.read(Source("x", b"2 2\n0 1 0 3\n4 3 2 1\n0 2 5 5\n5 0 7 3\n"))
    assert "Maybe 0 is a colour (variant)?" in str(problem.infeasible_reason())


def test_what_makes_no_variant_is_an_error() -> None:
    """Rules that exclude each other, wrong values, and signs without the rule."""
    data = json.loads(write_json(generate_variant(2, 2, VARIANTS["signed"], seed=1)[0]))
    for change, said in (
        ({"zero": "colour"}, "exclude each other"),
        ({"signed": "yes"}, "true or false"),
        ({"zero": 0}, "'frame' or 'colour'"),
        ({"signed": False}, "also below 0"),
    ):
        with pytest.raises(InputError, match=said):
            TYPE.read(Source("x.json", json.dumps({**data, **change}).encode()))
    with pytest.raises(ConfigurationError, match="Maybe 'signed'"):
        TYPE.read(Source("x", SCRAMBLE.encode()), {"variant": "singed"})
    with pytest.raises(ConfigurationError, match="unknown variant"):
        TYPE.read(Source("x", SCRAMBLE.encode()), {"variant": ["signed"]})
    with pytest.raises(InputError, match="colours are 0 to 998"):  # as in JSON, which has to take what was read
        TYPE.read(Source("x", b"1 2\n0 1 2 999\n1 2 3 4\n"), {"variant": "tetravex"})
    with pytest.raises(ValueError, match="0 is the frame"):
        Rules(signed=True, zero=True)
