"""Puzzle files of users are read with the right optimum, or refused with a helpful message."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import matheur
from matheur.cli import run
from matheur.errors import InputError
from matheur.running.loading import load_instance

DATA = Path(__file__).parent / "data"

VALUES: list[tuple[str, dict[str, Any], str, int]] = [
    ("b/so_dash_rows.xsb", {}, "push-astar", 5),
    ("b/so_dash_rows.xsb", {"cost": "pushes"}, "push-astar", 2),
    ("b/so_underscore_collection.xsb#1", {}, "push-astar", 4),
    ("b/so_underscore_collection.xsb#1", {"cost": "pushes"}, "push-astar", 2),
    ("b/so_underscore_collection.xsb#2", {}, "push-astar", 1),
    ("b/so_separators.txt", {}, "push-astar", 1),
    ("b/so_separators.txt#2", {}, "push-astar", 3),
    ("b/so_latin1.xsb", {}, "push-astar", 1),
    ("b/so_rle_line.xsb", {}, "push-astar", 4),
    ("b/so_rle_line.xsb", {"cost": "pushes"}, "push-astar", 2),
    ("b/so_levels.slc#1", {}, "push-astar", 1),
    ("b/so_levels.slc#2", {}, "push-astar", 3),
    ("b/so_136_goals.xsb", {}, "push-astar", 42),
    ("b/so_136_goals.xsb", {"cost": "pushes"}, "push-astar", 41),
    ("b/ru_singmaster.txt", {}, "bidirectional", 0),
    ("b/ru_header_words.txt", {}, "bidirectional", 2),
    ("b/ru_slices.txt", {}, "bidirectional", 6),
    ("b/ru_wide.txt", {}, "bidirectional", 3),
    ("b/ru_wide.txt", {"metric": "half"}, "bidirectional", 3),
    ("b/ru_one_word.txt", {}, "bidirectional", 4),
    ("b/ru_digits.txt", {}, "bidirectional", 4),
    ("b/ru_digits.txt", {"metric": "half"}, "bidirectional", 3),
    ("b/ru_held_otherwise.txt", {}, "bidirectional", 3),
    ("b/ru_colour_net.txt", {}, "bidirectional", 3),
    ("b/st_header_words.txt", {}, "bfs", 1),
    ("b/st_goal_given.txt", {}, "bfs", 15),
    ("b/st_goal_given.txt", {"goal": "spiral"}, "ida-star", 15),
    ("b/st_comment_after.txt", {}, "bfs", 1),
    ("b/st_size_line.txt", {}, "bfs", 4),
    ("b/st_underscore_blank.txt", {}, "bfs", 2),
    ("b/lo_letters.txt", {}, "linear-algebra", 1),
    ("b/lo_torus.txt", {}, "linear-algebra", 4),
    ("b/lo_torus.txt", {"edges": "plain"}, "linear-algebra", 5),
    ("c/lights_2x2.txt", {}, "linear-algebra", 3),
]

REFUSED = {
    "b/so_underscore_collection.xsb#3": "there is no level 3, the file has 2",
}

KINDS = {"so": "sokoban", "ru": "rubik", "st": "sliding-tile", "lo": "lights-out", "li": "lights-out"}

ASSUMED = {
    "b/st_fourteen_fifteen.txt": ["goal blank-first, as blank-last cannot be reached"],
    "b/st_size_line.txt": ["line 1, '3', is the size"],
    "b/so_separators.txt": ["level 1 of 2"],
    "b/so_separators.txt#1": [],
    "b/so_latin1.xsb": ["encoding Windows-1252 in the lines that are not UTF-8"],
    "b/ru_scramble.txt": ["quarter turns, in which a half turn such as R2 counts as two"],
    "b/ru_header_words.txt": [],
    "b/lo_letters.txt": ["'x' is a light that is on, '-' one that is off"],
    "b/ru_held_otherwise.txt": ["colours by the centres: R is U, B is R, D is F, L is D, F is L, U is B"],
}


@pytest.mark.parametrize(("name", "options", "construction", "value"), VALUES)
def test_the_optimum_is_right(name: str, options: dict[str, Any], construction: str, value: int) -> None:
    """The optimum equals that of an independent program."""
    result = matheur.solve(str(DATA / name), options=options, construction=construction, neighbourhoods=[])
    assert (result.problem.name, result.status, result.objective) == (KINDS[name[2:4]], "optimal", value)


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_read_is_refused(name: str) -> None:
    """The message names the problem and what is possible."""
    with pytest.raises(InputError) as caught:
        load_instance(str(DATA / name))
    assert REFUSED[name] in str(caught.value)


@pytest.mark.parametrize("name", ["1x3", "3x5_blanks", "9x4_blanks"])
def test_a_pattern_makes_it_lights_out(name: str) -> None:
    """A pattern of 0 and 1 is read as Lights Out, although other readers accept small numbers, too."""
    kind, problem = load_instance(str(DATA / "c" / f"lights_{name}.txt"))
    assert kind.name == "lights-out"
    assert f"{problem.instance.rows}x{problem.instance.columns}" == name.removesuffix("_blanks")


@pytest.mark.parametrize("name", ASSUMED)
def test_what_is_assumed_is_said(name: str) -> None:
    """Assumptions are listed; an unambiguous file has none."""
    assert list(load_instance(str(DATA / name))[1].assumptions) == ASSUMED[name]


def test_loyds_puzzle_has_no_solution() -> None:
    """Loyd's puzzle is infeasible with the usual goal, which is not the default because it cannot be reached."""
    result = matheur.solve(str(DATA / "b" / "st_fourteen_fifteen.txt"), options={"goal": "blank-last"})
    assert result.status == "infeasible"


@pytest.mark.parametrize(
    ("instance", "solution", "settings", "objective"),
    [
        ("ru_scramble.txt", "ru_half_turns.txt", [], 8),
        ("ru_scramble.txt", "ru_half_turns.txt", ["--set", "instance.metric=half"], 6),
        ("so_plan.xsb", "so_plan_rle.lurd", [], 3),
        ("ve_lights.txt", "ve_lights.json", [], 8),
        ("ve_pushes.xsb", "ve_pushes.json", [], 2),
    ],
)
def test_plans_are_valid(
    instance: str, solution: str, settings: list[str], objective: int, capsys: pytest.CaptureFixture[str]
) -> None:
    """Plans with half turns, run-length encoded moves or options recorded in the result are valid."""
    folder = DATA / "b"
    assert run(["verify", str(folder / instance), str(folder / solution), *settings, "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert (said["valid"], said["objective"]) == (True, objective)
