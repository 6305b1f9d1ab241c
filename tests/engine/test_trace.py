"""The file of an event stream."""

from __future__ import annotations

import errno
import json
import os
import threading
from pathlib import Path

import pytest
from engine import toy

from matheur.engine import Trace
from matheur.engine import trace as module
from matheur.errors import InputError


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


def test_an_error_before_the_first_event_leaves_a_trace_alone(tmp_path: Path) -> None:
    """The events of an earlier run are replaced by others, not by nothing."""
    path = tmp_path / "trace.jsonl"
    path.write_text('{"event": "old"}\n')

    def fail(events: int) -> None:
        with Trace(path) as trace:
            for _ in range(events):
                trace({"event": "start"})
            raise ValueError("no such operator")

    with pytest.raises(ValueError, match="no such operator"):
        fail(0)
    assert path.read_text() == '{"event": "old"}\n'
    with pytest.raises(ValueError, match="no such operator"):
        fail(1)
    assert path.read_text() == '{"event": "start"}\n'


@pytest.mark.parametrize("name", ["missing/trace.jsonl", ".", "nul\0", "/dev/full"])
def test_unwritable_places_are_errors(tmp_path: Path, name: str) -> None:
    """A trace that cannot be opened or written is an input error that names the file."""
    with pytest.raises(InputError, match="cannot write the trace"), Trace(tmp_path / name) as trace:
        trace({"event": "start"})


def test_half_a_line_is_cut_in_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of a long trace is written again to cut its end: on a full disk no line is lost."""
    path = tmp_path / "trace.jsonl"
    path.write_bytes(b'{"event": "bound"}\n' * 20_000 + b'{"ev')
    number = path.stat().st_ino

    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "write", full)
    Trace(path, append=True).close()
    assert path.stat().st_ino == number
    assert path.read_bytes() == b'{"event": "bound"}\n' * 20_000


@pytest.mark.parametrize("content", [b"", b"half a line", b"x" * 200_000])
def test_a_trace_without_a_whole_line_is_emptied(tmp_path: Path, content: bytes) -> None:
    """Also if what is there is longer than a block."""
    path = tmp_path / "trace.jsonl"
    path.write_bytes(content)
    with Trace(path, append=True) as trace:
        trace({"event": "start"})
    assert path.read_text() == '{"event": "start"}\n'


class Disk:
    """A disk with room for some bytes, which may grow."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, room: int) -> None:
        self.room, self.write = room, os.write
        monkeypatch.setattr(os, "write", self)

    def __call__(self, file: int, data: bytes) -> int:
        if self.room <= 0:
            raise OSError(errno.ENOSPC, "No space left on device")
        written = self.write(file, bytes(data[: self.room]))
        self.room -= written
        return written


def test_a_disk_that_is_full_for_a_moment_costs_no_event(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What cannot be written waits, is said once, and is written later; the file never has half a line at its end."""
    path, said = tmp_path / "trace.jsonl", list[str]()
    with Trace(path, notice=said.append) as trace:
        trace({"event": "start"})
        disk = Disk(monkeypatch, 30)
        for number in range(5):
            trace({"event": "bound", "bound": number})
            assert path.read_bytes().endswith(b"\n")
        assert len(said) == 1
        assert "No space left" in said[0]
        disk.room = 10_000
        trace({"event": "end"})
    assert trace.fault is None
    events = [json.loads(line) for line in toy.lines(path)]
    assert [event.get("bound", event["event"]) for event in events] == ["start", 0, 1, 2, 3, 4, "end"]


def test_what_is_missing_in_the_end_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A trace that ends on a full disk is known to have gaps."""
    with Trace(tmp_path / "trace.jsonl") as trace:
        trace({"event": "start"})
        Disk(monkeypatch, 0)
        trace({"event": "bound"})
        trace({"event": "end"})
    assert trace.fault is not None
    assert "2 events are missing" in trace.fault


def test_more_than_fits_into_memory_is_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Events that wait take no more memory than allowed."""
    monkeypatch.setattr(module, "_WAITING_MAX", 100)
    with Trace(tmp_path / "trace.jsonl") as trace:
        trace({"event": "start"})
        Disk(monkeypatch, 0)
        for _ in range(50):
            trace({"event": "bound"})
    assert trace.fault is not None
    assert "50 events are missing" in trace.fault


def test_a_reader_that_goes_ends_nothing(tmp_path: Path) -> None:
    """A pipe whose reader goes away takes no more events, which is said; one that stays gets all."""
    pipe, said = tmp_path / "pipe", list[str]()
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with Trace(pipe, notice=said.append) as trace:
        trace({"event": "start"})
        assert json.loads(os.read(reader, 1000))["event"] == "start"
        os.close(reader)
        trace({"event": "bound"})
        trace({"event": "end"})
    assert len(said) == 1
    assert trace.fault is not None
    heard: list[bytes] = []
    thread = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    thread.start()
    with Trace(pipe) as trace:
        for number in range(10_000):
            trace({"event": "bound", "bound": number})
    thread.join(timeout=60)
    assert trace.fault is None
    assert heard[0].count(b"\n") == 10_000


def test_a_read_only_trace_is_refused(tmp_path: Path) -> None:
    """Nothing is cut from a file that must not be written, whoever asks."""
    path = tmp_path / "trace.jsonl"
    path.write_text("{}\n")
    path.chmod(0o444)
    with pytest.raises(InputError, match="read-only"):
        Trace(path)
    assert path.read_text() == "{}\n"
