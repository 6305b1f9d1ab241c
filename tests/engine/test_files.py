"""Files that are either whole or not there."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from matheur.engine.files import read_json, take_name, write_atomic, write_json
from matheur.errors import InputError


def test_a_file_is_replaced_as_a_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """If the last step fails, the old content is still there and nothing lies beside it."""
    path = tmp_path / "result.json"
    write_atomic(path, b"old")

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(InputError, match="No space left"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert [item.name for item in tmp_path.iterdir()] == ["result.json"]


def test_an_interrupt_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even one that comes when the temporary file has just been made."""
    make = Path.open

    def interrupted(self: Path, *arguments: str) -> None:
        make(self, *arguments).close()
        raise KeyboardInterrupt

    monkeypatch.setattr(Path, "open", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "result.json", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_long_name_has_a_temporary_neighbour(tmp_path: Path) -> None:
    """A name of 240 bytes is short enough, though its first hundred letters are not."""
    write_atomic(tmp_path / ("語" * 80), b"new")
    assert [item.name for item in tmp_path.iterdir()] == ["語" * 80]


def test_permissions_follow_the_umask(tmp_path: Path) -> None:
    """The file is as readable as any other new file."""
    write_atomic(tmp_path / "a", b"")
    (tmp_path / "b").touch()
    assert (tmp_path / "a").stat().st_mode == (tmp_path / "b").stat().st_mode


def test_links_and_pipes_are_written_to_and_not_replaced(tmp_path: Path) -> None:
    """A link still points to its file, a pipe is still a pipe: `--out /dev/stdout` must not destroy anything."""
    target, link, pipe = tmp_path / "target", tmp_path / "link", tmp_path / "pipe"
    target.write_bytes(b"old")
    link.symlink_to(target)
    write_atomic(link, b"new")
    assert link.is_symlink()
    assert target.read_bytes() == b"new"
    os.mkfifo(pipe)
    heard: list[bytes] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_bytes()))
    reader.start()
    write_atomic(pipe, b"through")
    reader.join(timeout=30)
    assert heard == [b"through"]
    assert pipe.is_fifo()
    write_atomic("/dev/null", b"gone")
    assert not Path("/dev/null").is_file()


@pytest.mark.parametrize("name", ["missing/file", ".", "nul\0", "x" * 300])
def test_unwritable_places_are_errors(tmp_path: Path, name: str) -> None:
    """A place that cannot be written is an input error."""
    with pytest.raises(InputError, match="cannot write"):
        write_atomic(tmp_path / name, b"")


def test_json_is_ascii_and_comes_back(tmp_path: Path) -> None:
    """Any text survives, whatever the locale; infinities become null."""
    path = tmp_path / "value.json"
    write_json(path, {"name": "Ä\udcff\n", "bound": float("inf"), "list": (1, 2.5)})
    assert path.read_bytes().isascii()
    assert read_json(path) == {"name": "Ä\udcff\n", "bound": None, "list": [1, 2.5]}
    assert json.loads(path.read_text()) == read_json(path)


@pytest.mark.parametrize("content", [b"", b"{", b"\xff", b"[" * 100_000, b'{"a": 1,\n}'])
def test_damaged_json_is_an_error_with_its_place(tmp_path: Path, content: bytes) -> None:
    """What is not JSON is one clear error."""
    path = tmp_path / "value.json"
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"value\.json.*not JSON"):
        read_json(path)


def test_missing_files_are_errors(tmp_path: Path) -> None:
    """A missing file or a folder is one clear error."""
    for name in ("missing", "."):
        with pytest.raises(InputError, match="cannot read"):
            read_json(tmp_path / name)


def test_numbers_are_taken_once(tmp_path: Path) -> None:
    """Whoever asks gets a number of its own, however many ask at once; a folder that cannot be used is an error."""
    (tmp_path / "run_2.json").write_text("taken")
    taken: list[int] = []

    def take() -> None:
        for _ in range(20):
            taken.append(take_name(tmp_path, "run_{}.json")[0])

    threads = [threading.Thread(target=take) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == [number for number in range(81) if number != 2]
    assert (tmp_path / "run_2.json").read_text() == "taken"
    with pytest.raises(InputError, match="cannot write here"):
        take_name(tmp_path / "missing", "run_{}.json")
