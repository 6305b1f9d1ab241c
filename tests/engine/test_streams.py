"""Pipes, terminals and open descriptors."""

from __future__ import annotations

import os
import signal
import threading
from pathlib import Path

import pytest

from matheur.engine import Interrupt, streams
from matheur.engine.files import write_atomic
from matheur.engine.inputs import inputs_noted, read_bytes
from matheur.engine.streams import OutputStream, descriptor_of, is_stream
from matheur.errors import InputError


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    """A named pipe."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    return path


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """No patience with the other end."""
    for name in ("_OTHER_END", "_FIRST", "_STUCK", "_STOPPING"):
        monkeypatch.setattr(streams, name, 0.2)


def test_descriptors_are_known_by_their_names(tmp_path: Path) -> None:
    """Through links, too; a file with a number for its name is none."""
    (tmp_path / "1").touch()
    (tmp_path / "link").symlink_to("/dev/stdout")
    (tmp_path / "round").symlink_to(tmp_path / "round")
    names = {"/dev/stdin": 0, "/dev/stdout": 1, "/dev/fd/63": 63, f"/proc/{os.getpid()}/fd/2": 2, "/dev/null": None}
    assert {name: descriptor_of(name) for name in names} == names
    assert descriptor_of(tmp_path / "link") == 1
    assert [descriptor_of(tmp_path / name) for name in ("1", "round", "missing", "nul\0")] == [None] * 4


def test_what_is_a_stream(tmp_path: Path, pipe: Path) -> None:
    """Files and folders, there or not, are none."""
    (tmp_path / "file").touch()
    assert [is_stream(tmp_path / name) for name in ("file", ".", "missing", "nul\0")] == [False] * 4
    assert is_stream(pipe)
    assert is_stream("/dev/null")
    assert is_stream("/dev/stdout")


@pytest.mark.usefixtures("hasty")
def test_a_pipe_that_nobody_reads_is_an_error(pipe: Path) -> None:
    """And no wait without an end."""
    with pytest.raises(InputError, match="nobody reads from this pipe"):
        write_atomic(pipe, b"new")


@pytest.mark.usefixtures("hasty")
def test_a_reader_that_takes_nothing_is_given_up(pipe: Path) -> None:
    """More than the pipe holds cannot be written then."""
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    with pytest.raises(InputError, match="nobody reads from this pipe"):
        write_atomic(pipe, b"x" * 1_000_000)
    os.close(reader)


def test_a_slow_reader_gets_all(pipe: Path) -> None:
    """However much it is."""
    heard = bytearray()

    def read() -> None:
        file = os.open(pipe, os.O_RDONLY)
        while data := os.read(file, 10_000):
            heard.extend(data)
        os.close(file)

    thread = threading.Thread(target=read)
    thread.start()
    stream = OutputStream(pipe)
    stream.write(b"x" * 1_000_000)
    stream.close()
    thread.join(timeout=60)
    assert len(heard) == 1_000_000


@pytest.mark.usefixtures("hasty")
def test_a_pipe_to_which_nobody_writes_is_an_error(pipe: Path) -> None:
    """And no wait without an end."""
    with pytest.raises(TimeoutError, match="to which nobody writes"):
        read_bytes(pipe)


def test_what_comes_from_a_pipe_is_read_once(pipe: Path) -> None:
    """In one command several readers may ask for it."""
    thread = threading.Thread(target=lambda: pipe.write_bytes(b"a board"))
    thread.start()
    with inputs_noted():
        assert read_bytes(pipe) == b"a board"
        thread.join(timeout=60)
        assert read_bytes(pipe) == b"a board"


@pytest.mark.parametrize("read", [True, False])
def test_a_signal_ends_every_wait(pipe: Path, read: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first one, although it only sets a flag."""
    for name in ("_OTHER_END", "_FIRST"):
        monkeypatch.setattr(streams, name, 600.0)
    threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGTERM)).start()
    with Interrupt(), pytest.raises(KeyboardInterrupt):
        read_bytes(pipe) if read else OutputStream(pipe)


def test_devices_without_an_end_are_read_to_the_limit() -> None:
    """A device is no reason to fill the memory."""
    with pytest.raises(OSError, match="too large"):
        read_bytes("/dev/zero", 1000)
    assert read_bytes("/dev/null") == b""
