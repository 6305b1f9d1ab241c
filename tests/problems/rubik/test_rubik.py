"""Rubik's cube: stickers, cubies, the evaluator, legality, files, generator and pictures."""

from __future__ import annotations

import csv
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import matheur
from matheur.engine.outcome import Evaluation
from matheur.engine.problem_type import ProblemType
from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.rubik import (
    BUILTINS,
    MOVES,
    SOLVED,
    TYPE,
    Cubies,
    Instance,
    ReadOptions,
    Rubik,
    builtin,
    cubies_of,
    facelets_of,
    generate,
    parse_moves,
    read_instance,
    turn,
    turns,
    uniform,
    write_cube,
)
from matheur.problems.rubik.cubies import CORNERS, EDGES
from matheur.problems.rubik.stickers import QUARTER_TURNS, places
from matheur.running.configuration import resolve

scrambles = st.lists(st.integers(0, len(MOVES) - 1), max_size=40)


def scrambled(moves: list[int]) -> str:
    """The facelets after some moves."""
    facelets = SOLVED
    for move in moves:
        facelets = turn(facelets, move)
    return facelets


def complaint(text: bytes) -> str:
    """What the reader says of a file, nothing if it takes it."""
    try:
        read_instance(Source("cube", text))
    except InputError as error:
        return str(error)
    return ""


def test_turns_have_their_orders() -> None:
    """A quarter turn four times, a half turn twice, a turn and its inverse; and famous sequences of known order."""
    for move, name in enumerate(MOVES):
        times = 2 if name.endswith("2") else 4
        assert scrambled([move] * times) == SOLVED
        assert scrambled([move] * (times // 2)) != SOLVED
        if not name.endswith("2"):
            assert scrambled([move, move ^ 1]) == SOLVED
            assert scrambled([move, move]) == scrambled([MOVES.index(name[0] + "2")])
    for text, order in (("R U R' U'", 6), ("R U", 105), ("R L' F B' U D' R L'", 3)):
        assert _order(text) == order
    assert turns().shape == (18, 54)


def _order(text: str) -> int:
    moves, facelets, count = parse_moves(text), SOLVED, 0
    while count == 0 or facelets != SOLVED:
        for move in moves:
            facelets = turn(facelets, move)
        count += 1
    return count


@given(scrambles)
def test_stickers_and_cubies_say_the_same(moves: list[int]) -> None:
    """Reading off and painting again gives the same cube, which turns can solve."""
    facelets = scrambled(moves)
    cubies = cubies_of(facelets)
    assert facelets_of(cubies) == facelets
    problem = Rubik(Instance(facelets, "half"))
    assert problem.infeasible_reason() is None
    back = [move if MOVES[move].endswith("2") else move ^ 1 for move in reversed(moves)]
    evaluation = problem.evaluate(np.array(back, dtype=np.int32))
    assert evaluation.feasible
    assert problem.trivial_bound <= len(moves)


def test_impossible_cubes_are_named() -> None:
    """A twisted corner, a flipped edge, two pieces exchanged, each alone and together."""
    solved = cubies_of(SOLVED)
    twisted = replace(solved, twists=(2, *(0,) * 7))
    flipped = replace(solved, flips=(1, *(0,) * 11))
    exchanged = replace(solved, corners=(1, 0, *range(2, 8)))
    assert "twisted anticlockwise" in (Rubik(Instance(facelets_of(twisted))).infeasible_reason() or "")
    assert "an edge is flipped" in (Rubik(Instance(facelets_of(flipped))).infeasible_reason() or "")
    assert "exchanged" in (Rubik(Instance(facelets_of(exchanged))).infeasible_reason() or "")
    both = replace(twisted, flips=flipped.flips)
    assert (Rubik(Instance(facelets_of(both))).infeasible_reason() or "").count(";") == 1


@pytest.mark.parametrize(
    ("facelets", "words"),
    [
        (SOLVED[:-1], "54 stickers (53)"),
        (SOLVED[:-1] + "X", "a sticker is one of"),
        ("R" + SOLVED[1:9] + "U" + SOLVED[10:], "no corner of a cube does"),
        (SOLVED[:3] + "R" + SOLVED[4:], "stickers of colour"),
        (SOLVED[:4] + "R" + SOLVED[5:9] + SOLVED[9:13] + "U" + SOLVED[14:], "the centre of face U shows R"),
    ],
)
def test_stickers_of_no_cube(facelets: str, words: str) -> None:
    """Wrong counts, centres and pieces are bad input, each with its own words."""
    with pytest.raises(InputError) as caught:
        Instance(facelets)
    assert words in str(caught.value)


def test_a_piece_twice() -> None:
    """Two equal corners and none of another kind, with the counts of colours right."""
    swapped = list(SOLVED)
    # The corner UFL painted as URF and the other way round elsewhere, so that nine of each colour remain.
    for sticker, letter in ((6, "U"), (18, "R"), (38, "F")):
        swapped[sticker] = letter
    for sticker, letter in ((43, "F"), (12, "L")):
        swapped[sticker] = letter
    assert complaint("".join(swapped).encode())


@given(st.binary(max_size=120) | st.text("URFDLB'2 \n#metric:half", max_size=80).map(str.encode))
def test_any_bytes_are_a_cube_or_one_clear_error(data: bytes) -> None:
    """The reader never fails otherwise, and recognition never fails at all."""
    TYPE.recognises(Source("cube", data))
    said = complaint(data)
    assert said == "" or said.startswith("cube")
    assert "\n" not in said


@given(scrambles, st.sampled_from(["quarter", "half"]))
def test_files_are_read_back(moves: list[int], metric: str) -> None:
    """Facelets as written, facelets in rows, and the scramble itself give the same cube."""
    one = Instance(scrambled(moves), metric)  # type: ignore[arg-type]
    source = Source("c", write_cube(one).encode())
    assert read_instance(source) == one
    assert TYPE.recognises(source)
    rows = "\n".join(one.facelets[i : i + 9] for i in range(0, 54, 9))
    assert read_instance(Source("c", rows.encode())).facelets == one.facelets
    if moves:
        text = " ".join(MOVES[move] for move in moves)
        assert read_instance(Source("c", text.encode()), ReadOptions("half")).facelets == one.facelets


def test_moves_are_read_in_many_spellings() -> None:
    """Primes, threes, i and minus; what cannot be read is named with its number."""
    assert [MOVES[move] for move in parse_moves("R U' F3 Di B- L2 R2' u".replace(" u", ""))] == [
        "R", "U'", "F'", "D'", "B'", "L2", "R2",
    ]  # fmt: skip
    with pytest.raises(InputError, match="move 2 cannot be read"):
        parse_moves("R q")
    problem = Rubik(builtin("short"))
    assert problem.encode(problem.decode("R U2 F'")) == ["R", "U", "U", "F'"]
    half = Rubik(replace(builtin("short"), metric="half"))
    assert half.encode(half.decode("R U2 F'")) == ["R", "U2", "F'"]
    for wrong in (3, ["R U"], [None], ["Q"], b"R"):
        with pytest.raises(InputError):
            problem.decode(wrong)


def test_half_turns_count_as_two_quarter_turns() -> None:
    """Where quarter turns are counted; a plan from a file has two turns instead, an array is counted so."""
    quarter, half = (Rubik(Instance(scrambled([12]), metric)) for metric in ("quarter", "half"))  # type: ignore[arg-type]
    assert half.evaluate(np.array([12])).feasible
    assert quarter.evaluate(np.array([12])) == Evaluation(2, True)
    assert quarter.decode("U2").tolist() == [0, 0]
    assert half.decode(["U2"]).tolist() == [12]
    assert quarter.evaluate(np.array([0, 0])).feasible
    assert quarter.evaluate(np.array([0, 99])) == Evaluation(1, False, ("move 2: there is no move number 99",))


def test_public_solutions_are_played(data: Path) -> None:
    """All stored solutions of DeepCubeA's test set solve their cubes in as many quarter turns as stated."""
    with (data / "state_space" / "deepcubea_cube3_test.csv").open() as file:
        for row in list(csv.DictReader(file))[::5]:
            problem = Rubik(Instance(row["facelets_urfdlb"]))
            evaluation = problem.evaluate(problem.decode(row["optimal_solution"]))
            assert (evaluation.feasible, evaluation.objective) == (True, int(row["optimal_len_qtm"]))


def test_the_superflip() -> None:
    """A known sequence of 20 half turns makes it."""
    known = "U R2 F B R B2 R U2 L B2 R U' D' R2 F R' L B2 U2 F2"
    assert read_instance(Source("c", known.encode())).facelets == builtin("superflip").facelets


def test_the_farthest_cubes() -> None:
    """All pieces are half a turn about one of three axes away from home, and all edges flipped."""
    found = set()
    for axis, turned in {"ud": "FBRL", "rl": "UDFB", "fb": "UDRL"}.items():
        opposite = dict(zip(turned, turned[1] + turned[0] + turned[3] + turned[2], strict=True))
        cube = cubies_of(builtin(f"farthest-{axis}").facelets)
        for names, pieces in ((CORNERS, cube.corners), (EDGES, cube.edges)):
            for name, piece in zip(names, pieces, strict=True):
                assert set(names[piece]) == {opposite.get(face, face) for face in name}
        assert (cube.twists, cube.flips) == ((0,) * 8, (1,) * 12)
        found.add(builtin(f"farthest-{axis}").facelets)
    assert len(found) == 3


def test_the_preset_of_the_web_page() -> None:
    """Weight and batch are those of the page, and the network needs no further package."""
    construction = resolve("rubik", preset="web-page").construction
    assert (construction["name"], construction["weight"], construction["batch"]) == ("batch-astar", 0.2, 100)
    result = matheur.solve(Rubik(builtin("short")), preset="web-page", seconds=60)
    assert result.objective == 9


def test_generated_cubes() -> None:
    """The hidden plan takes the scramble back; uniform cubes can be solved; bad options are errors."""
    port: ProblemType = TYPE
    for options in ({"moves": "12"}, {"size": 7, "metric": "half"}, {}):
        made = port.generate(options, seed=4)
        problem = port.read(Source("g", made.instance.encode()), {})
        assert problem.evaluate(problem.decode(made.solution)).objective == made.score
    rng = np.random.default_rng(1)
    assert all(Rubik(uniform(rng)).infeasible_reason() is None for _ in range(50))
    for options in ({"sise": 3}, {"moves": "many"}, {"metric": "third"}):
        with pytest.raises(ConfigurationError):
            port.generate(options, 0)
    with pytest.raises(ConfigurationError):
        generate(seed=0, moves=-1)


@pytest.mark.parametrize("name", BUILTINS)
def test_built_in_cubes_have_pictures(name: str) -> None:
    """Each can be drawn in every way, alone and with a plan."""
    problem = TYPE.builtin(name)
    for kind, head in (("svg", b"<svg"), ("html", b"<!doctype"), ("text", b"Rubik")):
        assert TYPE.picture(problem, None, kind).startswith(head)
        assert TYPE.picture(problem, np.array([0, 3, 99], dtype=np.int32), kind).startswith(head)


def test_png_and_unknown_kinds() -> None:
    """Matplotlib draws the same; another kind is an error that helps."""
    problem = TYPE.builtin("short")
    assert TYPE.picture(problem, np.array([1, 2], dtype=np.int32), "png").startswith(b"\x89PNG")
    with pytest.raises(ConfigurationError, match="Maybe 'html'"):
        TYPE.picture(problem, None, "htm")
    assert Cubies((0,), (0,), (0,), (0,)).corners == (0,)


def layers_turned(facelets: str, axis: int, wanted: set[int], quarters: int) -> str:
    """Stickers after the layers of an axis at `wanted` turned clockwise as seen from its positive end."""
    known = {pair: number for number, pair in enumerate(places())}
    shown = list(facelets)
    for origin, (place, direction) in enumerate(places()):
        if place[axis] in wanted:
            there = [list(place), list(direction)]
            for vector in there * quarters:
                i, j = (axis + 1) % 3, (axis + 2) % 3
                vector[i], vector[j] = vector[j], -vector[i]
            shown[known[tuple(there[0]), tuple(there[1])]] = facelets[origin]  # type: ignore[index]
    return "".join(shown)


_LAYERS = {
    "R": (0, {1}, 1), "L": (0, {-1}, 3), "M": (0, {0}, 3), "Rw": (0, {0, 1}, 1), "Lw": (0, {-1, 0}, 3),
    "U": (1, {1}, 1), "D": (1, {-1}, 3), "E": (1, {0}, 3), "Uw": (1, {0, 1}, 1), "Dw": (1, {-1, 0}, 3),
    "F": (2, {1}, 1), "B": (2, {-1}, 3), "S": (2, {0}, 1), "Fw": (2, {0, 1}, 1), "Bw": (2, {-1, 0}, 3),
    "x": (0, {-1, 0, 1}, 1), "y": (1, {-1, 0, 1}, 1), "z": (2, {-1, 0, 1}, 1),
}  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from(sorted(_LAYERS)), st.integers(1, 3)), max_size=12))
def test_slices_wide_turns_and_rotations(turned: list[tuple[str, int]]) -> None:
    """Written as turns of faces they give the same cube, however it lies in the hand."""
    text = " ".join(name + ("", "", "2", "'")[quarters] for name, quarters in turned)
    facelets = SOLVED
    for name, quarters in turned:
        axis, wanted, factor = _LAYERS[name]
        facelets = layers_turned(facelets, axis, wanted, factor * quarters % 4)
    assert scrambled(parse_moves(text)) == upright(facelets)


def upright(facelets: str) -> str:
    """The cube turned in the hand until its centres are home."""
    waiting = [facelets]
    for one in waiting:
        if one[4::9] == "URFDLB":
            return one
        waiting += [layers_turned(one, axis, {-1, 0, 1}, 1) for axis in range(3)]
    raise AssertionError


def assumed(text: str) -> tuple[Instance, tuple[str, ...]]:
    source = Source("cube", text.encode())
    assert TYPE.recognises(source)
    problem = TYPE.read(source, {})
    return problem.instance, problem.assumptions


@pytest.mark.parametrize(
    "text",
    [
        "RUR'U'",
        "R U R3 U3",
        "R1 U1 R3 U3 (4f)",
        "R, U, Ri, Ui",
        "R U R\u2032 U\u2019 // x",
        "R U R- U-",
        "R U R' U' (4q*)",
    ],
)
def test_spellings_of_turns(text: str) -> None:
    """They all mean the same, and nothing is assumed."""
    assert assumed(text) == (Instance(scrambled(parse_moves("R U R' U'"))), ())


@pytest.mark.parametrize("metric", ["half turns", "HTM", "Half-Turn", "face turns", "ftm"])
def test_spellings_of_the_metric(metric: str) -> None:
    """Words of the field, in any case."""
    assert assumed(f"# Metric = {metric}\nR2 U")[0].metric == "half"
    assert assumed(f"# metric: {metric}\nR2 U")[1] == ()


def test_half_turns_of_a_scramble_are_noted() -> None:
    """Unless the file, or who reads it, says how they count."""
    note = "quarter turns, in which a half turn such as R2 counts as two"
    assert assumed("R2 U")[1] == (note,)
    assert assumed("R U")[1] == ()
    assert TYPE.read(Source("cube", b"R2 U"), {"metric": "quarter"}).assumptions == ()
    assert assumed("R U\nF B")[1] == ("the turns in lines 1 to 2 are one scramble",)


@given(scrambles, st.permutations("WRGYOB"), st.sampled_from(["", "x", "y'", "z2 x", "x' y"]), st.booleans())
def test_colours_and_nets(moves: list[int], colours: list[str], held: str, net: bool) -> None:
    """A cube in any colours, held in any way, is read by its centres."""
    wanted = scrambled(moves)
    lying = wanted
    for word in held.split():
        axis, wanted_layers, factor = _LAYERS[word[0]]
        lying = layers_turned(lying, axis, wanted_layers, factor * {"": 1, "2": 2, "'": 3}[word[1:]] % 4)
    names = {lying[9 * i + 4]: face for i, face in enumerate("URFDLB")}
    painted = lying.translate(str.maketrans(dict(zip("URFDLB", colours, strict=True))))
    for stickers in (painted, lying):
        text = stickers
        if net:
            up, right, front, down, left, back = (stickers[i : i + 9] for i in range(0, 54, 9))
            middle = ["".join(face[i : i + 3] for face in (left, front, right, back)) for i in (0, 3, 6)]
            text = "\n".join([up[:3], up[3:6], up[6:], *middle, down[:3], down[3:6], down[6:]])
        read, notes = assumed(text)
        assert read.facelets == "".join(names[one] for one in lying)
        assert len(notes) == (stickers[4::9] != "URFDLB")


def test_pieces_place_by_place() -> None:
    """Singmaster's notation: twenty pieces are a state, and some of them are nothing."""
    solved = "UF UR UB UL DF DR DB DL FR FL BR BL UFR URB UBL ULF DRF DFL DLB DBR"
    assert assumed(solved)[0].facelets == SOLVED
    flipped = Rubik(assumed(solved.replace("UF UR", "FU UR"))[0])
    assert "an edge is flipped" in (flipped.infeasible_reason() or "")
    # After a turn of U the piece of UR is at UF, that of URB at UFR, and so on.
    turned = "UR UB UL UF DF DR DB DL FR FL BR BL URB UBL ULF UFR DRF DFL DLB DBR"
    assert assumed(turned)[0].facelets == scrambled(parse_moves("U"))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("(R U R' U'", "cube:1: a '(' without its ')'"),
        ("f u\nr r", "cube:1: move 1 cannot be read ('f u'). Maybe F for the face, or Fw for two layers?"),
        ("U 4Rw", "cube:1: move 2 cannot be read ('4Rw'). Maybe a cube with more layers than three?"),
        (
            "UF UR UB",
            "cube:1: 'UF' may be a piece or turns. Maybe a blank between turns, or all 12 edges and 8 corners?",
        ),
        ("# metric: stm\nR2", "cube:1: unknown metric 'stm'. Maybe one of: half, quarter."),
        ("# metirc: half\nR2 U", "cube:1: unknown header 'metirc'. Maybe 'metric'?"),
        ("R2 U # metric: half", "cube:1: a header needs a line of its own ('# metric: half')"),
        ("# metric half\nR2 U", "cube:1: a header without its colon. Maybe '# metric: half'?"),
        (
            "\n".join(["UUU"] * 3 + ["LLLFFF"] * 3 + ["RRRBBB"] * 3 + ["DDD"] * 3),
            "cube:1: a net has rows of 3 stickers (U)",
        ),
        (SOLVED[:-1], "cube:1: a cube has 54 stickers (53)"),
        (SOLVED[:-1] + "X", "cube:1: sticker 54 is 'X', not one of U R F D L B"),
        (SOLVED.replace("U", "W")[:-1] + "W", "10 stickers of colour W, a cube has 9 of each"),
    ],
)
def test_recognised_and_refused(text: str, words: str) -> None:
    """A sentence that says what can be done."""
    assert TYPE.recognises(Source("cube", text.encode()))
    assert words in complaint(text.encode())


def test_a_plan_of_another_puzzle_is_no_scramble() -> None:
    """One word of U, D, L, R needs `--problem`."""
    for text in (b"RRDDLU", b"rrDDlu", b"U"):
        assert TYPE.recognises(Source("f", text)) == Recognition.NO
    assert complaint(b"RRDDLU") == ""


def test_a_start_with_half_turns_is_improved() -> None:
    """Neighbourhoods take it in the moves of the metric."""
    problem = Rubik(Instance(scrambled(parse_moves("U2 R"))))
    start = np.array([MOVES.index(name) for name in ("R'", "U", "U'", "U2")], dtype=np.int32)
    assert problem.evaluate(start) == Evaluation(5, True)
    result = matheur.solve(problem, start=start, neighbourhoods=["shortcut"], iterations=3)
    assert result.objective == 3
    assert max(result.solution) < QUARTER_TURNS
