"""The reader of plans that all puzzles share."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.plan_text import by_line, read_plan


def decode(data: Any) -> NDArray[np.int32]:
    if not isinstance(data, list):
        raise InputError("no list")
    return np.array(data, dtype=np.int32)


def parse(line: str) -> NDArray[np.int32]:
    if not line.isdigit():
        raise InputError(f"no digits ({line})")
    return np.array([int(line)], dtype=np.int32)


def read(data: bytes) -> list[int]:
    found: list[int] = read_plan(Source("s", data), decode, by_line(parse), most=100_000).tolist()
    return found


@pytest.mark.parametrize(
    "data", [b"[1, 2]", b"1\n2 # b\n", b"# a\r\n1 // b\r2", b"\xef\xbb\xbf [1,2]", "1\n2".encode("utf-16")]
)
def test_json_and_lines(data: bytes) -> None:
    """In any encoding, with any ends of lines."""
    assert read(data) == [1, 2]


def test_nothing_is_the_empty_plan() -> None:
    """Also a file of comments."""
    for data in (b"", b"\n# a\n", b"[]"):
        assert read(data) == []


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"1\nx", "s:2: no digits (x)"),
        (b'"a"', "s: no list"),
        (b"[1,\n2", "s:2: not JSON: Expecting ',' delimiter"),
        (b"[" * 90_000, "s: the JSON is nested too deeply"),
        (b"[" + b"9" * 5000 + b"]", "s: a number in the JSON has too many digits"),
        (b"1\n\xff\0", "s:2: not UTF-8 text"),
        (b"1" * 100_001, "s: a plan has at most 100,000 bytes (100,001)"),
    ],
)
def test_errors_have_their_place(data: bytes, words: str) -> None:
    """File, and line where there is one."""
    with pytest.raises(InputError) as caught:
        read(data)
    assert str(caught.value).startswith(words)
