"""What the pictures of puzzles share."""

from __future__ import annotations

import pytest

from matheur.problems.plan_pictures import Sheet, first_and_last, player, titled


def test_titles_are_cut() -> None:
    """A title of up to 60 letters is shown as it is; without one only what is shown is named."""
    assert titled("Sokoban", "") == "Sokoban"
    assert titled("Sokoban", "a" * 60) == "Sokoban, " + "a" * 60
    assert titled("Sokoban", "a" * 61) == "Sokoban, " + "a" * 59 + "…"


@pytest.mark.parametrize(("frames", "kept"), [(3, [0, 1, 2]), (4, [0, 1, 2, 3]), (5, [0, 1, 2, 4])])
def test_of_many_frames_the_first_ones_and_the_last_are_kept(frames: int, kept: list[int]) -> None:
    """The end of a plan is always drawn."""
    assert first_and_last(range(frames), 4) == kept


@pytest.mark.parametrize(("frames", "across"), [(1, 1), (3, 3), (30, 6)])
def test_boards_lie_apart_on_the_sheet(frames: int, across: int) -> None:
    """Rows hold as many boards as fit; no board reaches into another or beyond the sheet."""
    sheet = Sheet(frames, rows=9, columns=12, side=12.0, gap=16.0)
    places = list(sheet.places())
    width, height = sheet.size
    assert sheet.across == across
    assert len(set(places)) == frames
    assert all(x + 12 * 12.0 <= width and y + 16 + 9 * 12.0 <= height for x, y in places)
    assert {x for x, _ in places} == {14.0 + i * 160.0 for i in range(across)}


def test_words_on_a_sheet_are_escaped() -> None:
    """Titles may hold any letters."""
    drawn = Sheet(1, 2, 2, 10.0).svg("a<b", "c&d", "", ["<g/>"])
    assert "a&lt;b" in drawn
    assert "c&amp;d" in drawn
    assert drawn.endswith("<g/>\n</svg>\n")


def test_the_script_of_a_player_has_no_place_left_open() -> None:
    """All words that stand for something are replaced."""
    script = player("data.n", 200, pointer="one();\n", keys="  two();\n")
    assert not any(word in script for word in ("LAST", "PACE", "POINTER", "KEYS"))
    assert script.index("one();") < script.index("keydown") < script.index("two();")
