"""The event stream and its file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from engine import toy

from matheur.engine import Trace
from matheur.engine.events import plain
from matheur.errors import InputError


def test_plain_values_are_json() -> None:
    """numpy values, tuples and infinities become what JSON can say."""
    value = {1: np.int32(3), "a": (np.float64(0.5), [np.bool_(True)]), "b": np.arange(2), "c": float("inf"), "d": None}
    assert plain(value) == {"1": 3, "a": [0.5, [True]], "b": [0, 1], "c": None, "d": None}
    assert plain([np.float64("nan"), float("-inf")]) == [None, None]
    assert json.dumps(plain(value))


def test_every_line_is_written_through(tmp_path: Path) -> None:
    """A reader sees each event at once, as a line of its own."""
    path = tmp_path / "trace.jsonl"
    with Trace(path) as trace:
        for number in range(3):
            trace({"event": "bound", "bound": number, "name": "ü\n\udcff"})
            assert [json.loads(line)["bound"] for line in toy.lines(path)] == list(range(number + 1))


def test_appending_cuts_off_half_a_line(tmp_path: Path) -> None:
    """What a killed run left unfinished is dropped; its whole lines stay."""
    path = tmp_path / "trace.jsonl"
    path.write_text('{"event": "start"}\n{"event": "inc')
    with Trace(path, append=True) as trace:
        trace({"event": "end"})
    assert [json.loads(line)["event"] for line in toy.lines(path)] == ["start", "end"]


def test_without_append_a_trace_begins_anew(tmp_path: Path) -> None:
    """A new run replaces the trace of an old one."""
    path = tmp_path / "trace.jsonl"
    path.write_text('{"event": "old"}\n')
    Trace(path).close()
    assert path.read_text() == ""


@pytest.mark.parametrize("name", ["missing/trace.jsonl", ".", "nul\0", "/dev/full"])
def test_unwritable_places_are_errors(tmp_path: Path, name: str) -> None:
    """A trace that cannot be opened or written is an input error that names the file."""
    with pytest.raises(InputError, match="cannot write the trace"), Trace(tmp_path / name) as trace:
        trace({"event": "start"})
