"""What the text readers of puzzles share."""

from __future__ import annotations

from contextlib import suppress

import pytest

from matheur.engine.recognition import Recognition
from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.board_text import bare_lines, claim, gap_between, header_of, size_of
from matheur.running.loading import problem_type


def text(*lines: str) -> Source:
    return Source("f", "\n".join(lines).encode())


def test_lines_without_comments() -> None:
    """Empty ones and comments are left out, and numbers stay."""
    assert bare_lines(text("# a", " 1 2 # b", "", "3 // c", "//")) == [(2, "1 2"), (4, "3")]
    assert bare_lines(text("a//b # c"), comments=["#"]) == [(1, "a//b")]
    assert bare_lines(text("  1 # a", " # b"), indented=True) == [(1, "  1")]


def test_empty_lines_between_lines() -> None:
    """Lines count from 1; blanks are nothing."""
    gap = gap_between(text("a", "", "b", "c", "  ", "d"))
    assert [gap(*pair) for pair in ((1, 2), (1, 3), (3, 4), (4, 6), (0, 1), (0, 3))] == [
        False, True, False, True, False, True
    ]  # fmt: skip


@pytest.mark.parametrize("kind", ["lights-out", "sliding-tile"])
@pytest.mark.parametrize("head", ["", "# target:\n", "goal:\n"])
def test_a_file_is_split_into_lines_a_few_times(kind: str, head: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not once for each of its rows."""
    splits = 0
    lines = Source.lines.fget  # type: ignore[attr-defined]

    def counted(source: Source) -> list[str]:
        nonlocal splits
        splits += 1
        found: list[str] = lines(source)
        return found

    monkeypatch.setattr(Source, "lines", property(counted))
    found = []
    for rows in (20, 400):
        splits = 0
        with suppress(InputError):
            problem_type(kind).read(Source("f", (head + "1\n" * rows).encode()), {})
        found.append(splits)
    assert found[0] == found[1]


def test_headers_must_not_get_lost() -> None:
    """Behind a row, or without their colon, they would be comments."""
    with pytest.raises(InputError, match=r"f:2: a header needs a line of its own \('# goal: x'\)"):
        bare_lines(text("1 2", "3 4 # goal: x"), keys=["goal"])
    assert bare_lines(text("3 4 # goal: x"), keys=["metric"]) == [(1, "3 4")]
    with pytest.raises(InputError, match=r"f:1: a header without its colon\. Maybe '# goal: Blank first'\?"):
        header_of(text("# goal Blank first"), "goal", ["blank-first"])
    assert header_of(text("# goal of all this", "# goal: any"), "goal", ["blank-first"]) == ("any", 2)


def test_claims() -> None:
    """A header with a known value, one with another value, and none; what is assumed on the way is forgotten."""
    values = ["half", "quarter"]

    def fits(source: Source) -> bool:
        source.assume("something")
        return b"R" in source.data

    for lines, claimed in (
        (["# metric: half", "x"], Recognition.PROVED),
        (["# metric: euclidean", "R"], Recognition.PROVED),
        (["# metric: euclidean", "x"], Recognition.NO),
        (["# unit: m", "R"], Recognition.FITS),
        (["x"], Recognition.NO),
    ):
        source = text(*lines)
        assert claim(source, "metric", values, fits) == claimed
        assert source.assumed == []
    assert claim(Source("f", b"R\xff\0"), "metric", values, lambda source: bool(source.text)) == Recognition.NO


def test_sizes() -> None:
    """One number is a square's."""
    assert [size_of(line) for line in ("4", "3 5", "3x5", " 3, 5 ", "3 5 7", "a", "")] == [
        (4, 4), (3, 5), (3, 5), (3, 5), None, None, None,
    ]  # fmt: skip


def test_one_instance_in_a_file() -> None:
    """The first part is the file."""
    Source("f", b"", 1).single("one board")
    with pytest.raises(InputError, match="f: a file holds one board, there is no number 3"):
        Source("f", b"", 3).single("one board")
