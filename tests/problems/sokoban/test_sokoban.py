"""Sokoban: levels, the evaluator, files, generator and pictures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from matheur.cli import run
from matheur.engine.problem_type import ProblemType
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.sokoban import (
    BUILTINS,
    TYPE,
    Instance,
    Sokoban,
    generate,
    read_instance,
    split_levels,
    write_level,
)
from matheur.problems.sokoban.search.push_search import push_astar
from matheur.running.loading import load_instance, read_source

ROOM = "######\n#@$ .#\n######\n"


def complaint(data: bytes) -> str:
    """What the reader says of a file, nothing if it takes it."""
    try:
        read_instance(Source("level", data))
    except InputError as error:
        return str(error)
    return ""


def test_equal_levels_have_equal_fingerprints() -> None:
    """Whatever the types of their numbers, and the order of goals and boxes."""
    walls = np.ones((4, 5), dtype=bool)
    walls[1:3, 1:4] = False
    one = Instance(4, 5, tuple(walls.ravel().tolist()), (8, 13), (7, 12), 6)
    other = Instance(4, 5, walls.ravel(), list(np.array([13, 8])), np.array([12, 7]), np.int32(6))  # type: ignore[arg-type]
    assert one == other
    assert Sokoban(one).fingerprint == Sokoban(other).fingerprint


def test_walking_and_pushing() -> None:
    """Pushes are recognised whatever the letters, and what is impossible is named."""
    problem = TYPE.read(Source("room", ROOM.encode()), {})
    assert problem.evaluate(problem.decode("rr")).feasible
    assert problem.encode(problem.decode("rr")) == "RR"
    assert problem.evaluate(problem.decode("RR")).objective == 2
    assert TYPE.read(Source("room", ROOM.encode()), {"cost": "pushes"}).evaluate(problem.decode("lRR")).objective == 2
    assert "a wall is in the way" in problem.evaluate(problem.decode("u")).violations[0]
    assert "cannot be pushed" in problem.evaluate(problem.decode("rrr")).violations[0]
    assert "on no goal" in problem.evaluate(problem.decode("r")).violations[0]
    assert not problem.evaluate(np.array([7])).feasible
    for wrong in (["r"], "x", 3, None, "ſ"):
        with pytest.raises(InputError):
            problem.decode(wrong)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "level: not a level"),
        ("####\n#$.#\n####\n", "level:1: a level has one player (@, or + on a goal), this one has no player"),
        ("#####\n#@@$#\n#####\n", "level:1: a level has one player (2: row 1, column 1 and row 1, column 2)"),
        ("#####\n#@ .#\n#####\n", "level:1: the level has no boxes"),
        ("#####\n#@$.\n#####\n", "level:1: the level is open"),
        ("#####\n#@$. \n#### \n", "level:1: the level is open"),
        ("#" * 20000 + "\n#@$.#\n", "level:1: a level has at most"),
    ],
)
def test_bad_levels(text: str, words: str) -> None:
    """One line with file, line and what is wrong."""
    assert words in complaint(text.encode())


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("######\n#@$$.#\n######\n", "2 boxes and only 1 goals"),
        ("#######\n#@ $ .#\n#  #  #\n#######\n", None),
        ("######\n#$  .#\n#@   #\n######\n", "cannot be pushed to any goal"),
        ("#########\n#@ .#$  #\n#########\n", "the player cannot get to the box"),
        ("########\n#@  $ .#\n#  $.  #\n#      #\n########\n", None),
    ],
)
def test_levels_without_solution(text: str, words: str | None) -> None:
    """Plain reasons, and none where there is none."""
    reason = Sokoban(read_instance(Source("level", text.encode()))).infeasible_reason()
    assert (reason is None) if words is None else words in (reason or "")


def test_what_is_said_of_closed_rooms() -> None:
    """Boxes that the player never gets to stay on their goals, or are the reason why there is no plan."""
    text = "#########\n#@$.#*###\n#   #####\n#########\n"
    problem = TYPE.read(Source("level", text.encode()), {})
    assert problem.assumptions == ("the box in row 1, column 5 cannot be reached; it stands on a goal and stays there",)
    assert problem.infeasible_reason() is None
    assert push_astar(problem.instance).cost == 1
    frozen = "############\n#@  **     #\n# $.**  $. #\n############\n"
    reason = TYPE.read(Source("level", frozen.encode()), {}).infeasible_reason() or ""
    assert reason.startswith("the player cannot get to the box in row 2, column 8: boxes that cannot be moved")


def test_both_counts_are_told() -> None:
    """Moves and pushes, whichever of them is the objective."""
    for cost, objective in (("moves", 3), ("pushes", 2)):
        problem = TYPE.read(Source("level", WALK.encode()), {"cost": cost})
        plan = problem.decode("rRR")
        assert problem.evaluate(plan).objective == objective
        assert problem.report(plan) == {"moves": 3, "pushes": 2}
        assert problem.remark(plan) == "3 moves, 2 pushes"
    assert problem.remark(problem.decode("rR")) == "2 moves, 1 push"


@given(st.binary(max_size=120) | st.text("#@$*+. \n;x-_", max_size=120).map(str.encode))
def test_any_bytes_are_a_level_or_one_clear_error(data: bytes) -> None:
    """The reader never fails otherwise, and recognition never fails at all."""
    TYPE.recognises(Source("level", data))
    said = complaint(data)
    assert said == "" or said.startswith("level")
    assert "\n" not in said


def test_files_of_many_levels(tmp_path: Path) -> None:
    """`FILE#2` and the option name a level; titles come along; a level too many is an error."""
    path = tmp_path / "many.xsb"
    path.write_text(f"; first\n{ROOM}\n; second\n{ROOM.replace('@$ ', '@ $')}\nTitle: x\n")
    assert load_instance(f"{path}#2", "sokoban")[1].instance.title == "second"
    one = read_instance(read_source(f"{path}#2"))
    assert (one.title, one.boxes) == ("second", (9,))
    assert TYPE.read(read_source(str(path)), {"level": 2}).instance == one
    with pytest.raises(InputError, match=r"no level 3, the file has 2"):
        read_instance(read_source(f"{path}#3"))
    assert len(split_levels(path.read_text())) == 2


@pytest.mark.parametrize("options", [{}, {"size": "8x11", "boxes": "2"}, {"size": 7, "boxes": 1, "cost": "pushes"}])
def test_generated_levels_have_their_plan(options: dict) -> None:
    """The hidden plan solves the level that the text describes, at its score."""
    port: ProblemType = TYPE
    made = port.generate(options, seed=3)
    problem = port.read(Source("g", made.instance.encode()), {"cost": options.get("cost", "moves")})
    evaluation = problem.evaluate(problem.decode(made.solution))
    assert (evaluation.feasible, evaluation.objective) == (True, made.score)
    assert write_level(problem.instance) == made.instance


def test_bad_options() -> None:
    """Unknown names and senseless sizes are errors."""
    for options in ({"sise": 3}, {"size": "big"}, {"size": 3}, {"boxes": "many"}, {"cost": "time"}):
        with pytest.raises(ConfigurationError):
            TYPE.generate(options, 0)
    with pytest.raises(ConfigurationError):
        generate(8, 8, seed=0, boxes=30)
    with pytest.raises(ConfigurationError):
        TYPE.read(Source("room", ROOM.encode()), {"level": 0})


@pytest.mark.parametrize("name", BUILTINS)
def test_built_in_levels_have_pictures(name: str) -> None:
    """Each can be drawn in every way, alone and with a plan, an impossible one too; and read back from its text."""
    problem = TYPE.builtin(name)
    assert read_instance(Source("l", write_level(problem.instance).encode())).boxes == problem.instance.boxes
    plan = np.array([0, 1, 2, 3, 3, 3, 1, 1], dtype=np.int32)
    for kind, head in (("svg", b"<svg"), ("html", b"<!doctype"), ("text", b"Sokoban")):
        assert TYPE.picture(problem, None, kind).startswith(head)
        assert TYPE.picture(problem, plan, kind).startswith(head)


def test_png_titles_and_unknown_kinds() -> None:
    """Matplotlib draws the same; titles are escaped; another kind is an error that helps."""
    problem = TYPE.builtin("two-rooms")
    assert TYPE.picture(problem, np.array([1, 2], dtype=np.int32), "png").startswith(b"\x89PNG")
    with pytest.raises(ConfigurationError, match="Maybe 'html'"):
        TYPE.picture(problem, None, "htm")
    bad = TYPE.read(Source("l", f"; <script>alert(1)</script>\n{ROOM}".encode()), {})
    for kind in ("svg", "html"):
        assert b"<script>alert" not in TYPE.picture(bad, None, kind)


def test_plans_in_files() -> None:
    """A JSON text or plain letters; anything else is an error."""
    problem = TYPE.read(Source("room", ROOM.encode()), {})
    for text in ('"rR"', "r R ; and no more\n", "r\nR"):
        assert problem.encode(TYPE.read_solution(problem, Source("s", text.encode()))) == "RR"
    with pytest.raises(InputError, match=r"s:1: a move is one of u d l r"):
        TYPE.read_solution(problem, Source("s", b"rx"))


def test_crowded_levels() -> None:
    """Thirty boxes on 20 x 24: the hidden plan solves the level."""
    level, plan = generate(20, 24, seed=0, boxes=30)
    problem = Sokoban(level)
    assert len(level.boxes) == 30
    assert problem.evaluate(np.array(plan, dtype=np.int32)).feasible
    assert problem.infeasible_reason() is None


PUSH = "#####\n#@$.#\n#####\n"
WALK = "#######\n#@ $ .#\n#######\n"


@pytest.mark.parametrize(
    "text",
    [
        f"; one\n{PUSH}\n; two\n{WALK}",
        f"{PUSH}----------\n{WALK}",
        f"{PUSH}==========\n{WALK}",
        f"{PUSH}**********\n{WALK}",
        f"##########\n\n{PUSH}\n##########\n\n{WALK}",
        f"############\n# Level 1  #\n############\n\n{PUSH}\n## 2 ##\n\n{WALK}",
        f"#1\n{PUSH}#2\n{WALK}",
        f"{PUSH}{WALK}",
        f"{PUSH}Title: One\nAuthor: A\n\n{WALK}Title: Two\n",
        f"# $.#\n#####\n\n{WALK}",
        f"#####\n#@x.#\n#####\n\n{WALK}",
        f"#####\nx@$.#\n#####\n\n{WALK}",
        f"######\n#@@$.#\n######\n\n{WALK}",
        f"5#|#@$.#|5#\n\n{WALK}",
        f"5#|#pb.#|5#\n\n{WALK}".replace("@ $", "p-b"),
        f"{PUSH}\n## B ##\n\n#b#\n\n2(3#)#|#@ $ .#|7#\n",
        f"{PUSH}\nSolution 1 (1/1)\nR\n\nSaved game\nr*R\n\nLullurddl\n{WALK}",
        f"--####\n-#@-.#\n-#-$-#\n-#---#\n-#####\n\n{WALK}".replace("#@ $ .#", "#@_$_.#"),
        f"{PUSH}Title: A\nComment:\nthe trick is\n{PUSH}\nComment-End:\n\n{WALK}",
        f"Comment: before\n{PUSH}\nComment-End:\n{PUSH};Comment: {PUSH};comment end\n{WALK}",
        f"Comment: easy\n{PUSH}Comment: moves\n\n{WALK}",
        f"Comment: easy\n{PUSH}Comment:\n{PUSH}Comment-End\n{WALK}Comment-End:\n",
        PUSH.replace("\n", "\r\n") + "\r\n" + WALK.replace("\n", "\r"),
        "<SokobanLevels><!-- <Level><L>#@$#</L></Level> --><Level Id='a'><L>#$#</L></Level>\n<Level Id='b'>"
        "<L>#######</L><L>#@ $ .#</L><L>#######</L></Level></SokobanLevels>",
        "<?xml version='1.0' encoding='ISO-8859-1'?>\n<!DOCTYPE SokobanLevels SYSTEM 'SokobanLev.dtd'>\n<SokobanLevels>"
        "<Title>&lt;#@$#&gt;</Title><LevelCollection MaxWidth='7'><Level Id='&#228;' Width='5'><L>#####</L><L>#@$.#"
        "</L>\n<L>#####</L></Level><Level><L><![CDATA[#######]]></L><L xml:space='preserve'>&#35;@ &#36; .#</L>"
        "<L>7#</L></Level></LevelCollection></SokobanLevels>",
    ],
)
def test_the_second_level_is_the_second_in_the_file(text: str) -> None:
    """Whatever stands between levels, also where the first one cannot be read."""
    level = read_instance(Source("level", text.encode(), 2))
    assert (level.rows, level.columns, level.boxes, level.goals) == (3, 7, (10,), (12,))
    with pytest.raises(InputError, match="there is no level 3, the file has 2"):
        read_instance(Source("level", text.encode(), 3))


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("#####\n#@x.#\n#####\n", "level:2: not part of a level ('x')"),
        ("#####\nx@$.#\n#####\n", "level:2: not part of a level ('x')"),
        ("#####\n#@$.#\n\t####\n", "level:1: a tab in a row"),
        ("#####\n@$.\n#####\n", "level:1: the level is open"),
        (f"{PUSH[:-6]}#@$.#\n#####\n", "Maybe two levels without an empty line"),
        ("<Level Id='a'><L>#@&b;#</L></Level>", "level:1: not part of a level ('&')"),
        ("9999#|" * 20_000 + "#@$.#", "level:1: a level has at most"),
        ("1 #####\n2 #@$.#\n3 #####\n", "level: not a level: its rows begin with #, or"),
    ],
)
def test_bad_rows_are_named(text: str, words: str) -> None:
    """With their line, instead of a level that is cut."""
    assert words in complaint(text.encode())


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        (f"{PUSH}Title: One\nAuthor: A\n\n{WALK}Title: Two\n", ["One", "Two"]),
        (f"Title: One\nAuthor: A\n\n{PUSH}\nTitle: Two\nAuthor: A\n{WALK}", ["One", "Two"]),
        (f"; One\n{PUSH}\n' Two\n----\n{WALK}", ["One", "Two"]),
        (f"One\n{PUSH}Comment:\nthe trick is\nTitle: None\nComment-End:\n{WALK}", ["One", ""]),
        (f"One\x1b[31m\n{PUSH}{WALK}", ["One\\x1b[31m", ""]),
        (f"'One'\n\n{PUSH}\n; The dogs'\n\n{WALK}", ["One", "The dogs'"]),
    ],
)
def test_titles_belong_to_their_level(text: str, titles: list[str]) -> None:
    """Before it or after it, without what a terminal would act on."""
    assert [level.title for level in split_levels(text)] == titles


COLLECTION = """:: Made by hand
Collection: Three levels

One

#####
#@$.#
#####
Author: A

Solution/Moves
R

Simple solution

7#
#p-b-.#
7#

Saved Game 1
r*R
Solution 1 (5/2)
2(rl)3r
Optimizer: none
Solution 2
r
2R

Solution 3
l

--3#|3#-#|#pb.#|5#
"""


def test_solutions_below_levels() -> None:
    """The best one is read, and levels without one say so; neither headings nor moves are titles of levels."""
    assert [level.title for level in split_levels(COLLECTION)] == ["One", "Simple solution", ""]
    for part, plan in ((1, "R"), (2, "rRR"), (None, "rRR")):
        level = TYPE.read(Source("c.sok", COLLECTION.encode(), part or 2), {})
        source = Source("c.sok", COLLECTION.encode(), part)
        assert TYPE.holds_solution(level, source)
        assert level.encode(TYPE.read_solution(level, source)) == plan
    third = Source("c.sok", COLLECTION.encode(), 3)
    level = TYPE.read(third, {})
    assert not TYPE.holds_solution(level, third)
    with pytest.raises(InputError, match=r"c\.sok:32: there is no solution below the level"):
        TYPE.read_solution(level, third)


def test_plans_with_headings() -> None:
    """A file of plans without levels: the best one that is valid."""
    problem = TYPE.read(Source("room", WALK.encode()), {})
    text = b"Saved Game\nrL*\n\nSolution 1 (5/2)\nrl\n3r\n\nSolution 2\nrRR\nTime: 1\n"
    assert problem.encode(TYPE.read_solution(problem, Source("s", text))) == "rRR"
    commented = b"Comment:\nSolution 0\nrRR\nComment-End:\nSolution 1\nrlrRR\n"
    assert problem.encode(TYPE.read_solution(problem, Source("s", commented))) == "rlrRR"
    with pytest.raises(InputError, match=r"s:2: a '\(' without"):
        TYPE.read_solution(problem, Source("s", b"Solution\n3(r\n"))


def test_a_collection_verifies_its_own_solutions(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a second file; the same name is a start and a plan to be shown."""
    file = tmp_path / "c.sok"
    file.write_text(COLLECTION)
    assert run(["verify", f"{file}#2"]) == 0
    assert "valid: score 3, objective 3 (3 moves, 2 pushes)" in capsys.readouterr().out
    assert run(["verify", f"{file}#3"]) == 2
    assert "Maybe a solution is missing?" in capsys.readouterr().err
    assert run(["show", f"{file}#2", "--instance", f"{file}#2"]) == 0
    assert "3 moves, 2 pushes" in capsys.readouterr().out
    assert run(["solve", f"{file}#2", "--start", f"{file}#2", "--seconds", "0"]) == 0
    assert "3 moves, 2 pushes" in capsys.readouterr().out


def test_a_bad_solution_below_a_level_is_named() -> None:
    """With its line; a wrong plan is read, so that its mistake can be told."""
    level = TYPE.read(Source("c.sok", WALK.encode()), {})
    with pytest.raises(InputError, match=r"c\.sok:6: a '\(' without its '\)'"):
        TYPE.read_solution(level, Source("c.sok", f"{WALK}\nSolution\n2(rR\n".encode()))
    plan = TYPE.read_solution(level, Source("c.sok", f"{WALK}\nSolution\nlR\n".encode()))
    assert not level.evaluate(plan).feasible


def test_several_levels_are_an_assumption() -> None:
    """Which is noted only if nobody said which level is meant."""
    data = f"{PUSH}\n{WALK}".encode()
    assert TYPE.read(Source("level", data), {}).assumptions == ("level 1 of 2",)
    assert TYPE.read(Source("level", data), {"level": 1}).assumptions == ()
    assert TYPE.read(Source("level", data, 1), {}).assumptions == ()


@pytest.mark.parametrize(
    "text",
    [
        "rRR",
        "RRR",
        "r2R",
        "3r",
        "2r\nR",
        "3\nr",
        '"r2R"',
        '["r", "2R"]',
        "r // c\n2 R",
        "\ufeffrRR",
        "3(r)",
        "r2((R))",
        "r*2R",
    ],
)
def test_spellings_of_plans(text: str) -> None:
    """Either case, and a number that repeats the next letter."""
    problem = TYPE.read(Source("room", WALK.encode()), {})
    assert problem.encode(TYPE.read_solution(problem, Source("s", text.encode()))) == "rRR"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("rR3", "s: nothing follows the number 3 that it could repeat"),
        ("r\nR\x1b", "s:2: a move is one of u d l r U D L R ('\\x1b')"),
        ("2(rR", "s: a '(' without its ')'"),
        ("rR)", "s: a ')' without its '('"),
        ("rR[l]", "s:1: a move is one of u d l r U D L R ('[')"),
        ('"{}rR"', "s: move 1 must be one of u d l r U D L R ('{'). Maybe a plan that is played forwards?"),
        ("9(9999999(99r))", "s: a plan has at most 16,777,216 moves"),
        ("9" * 5000 + "r", "s: a plan has at most 16,777,216 moves"),
        ('"rR', "s:1: not JSON"),
    ],
)
def test_bad_plans(text: str, words: str) -> None:
    """One line with the sign."""
    problem = TYPE.read(Source("room", WALK.encode()), {})
    with pytest.raises(InputError) as caught:
        TYPE.read_solution(problem, Source("s", text.encode()))
    assert words in str(caught.value)
