"""Files that are either whole or not there."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import re
import threading
import time
from pathlib import Path

import pytest

from matheur.engine import files
from matheur.engine.elite_files import ELITE_NAME
from matheur.engine.files import hold_folder, read_json, remove_leftovers, take_name, write_atomic, write_json
from matheur.engine.inputs import inputs_noted, read_bytes
from matheur.errors import InputError, MatheurError


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
    reader.join(timeout=120)
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


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o664, 0o644])
def test_a_file_keeps_its_mode(tmp_path: Path, mode: int) -> None:
    """A private file stays private when it is replaced, also while it is written."""
    path = tmp_path / "result.json"
    path.write_text("old")
    path.chmod(mode)
    seen: list[int] = []

    def chunks() -> object:
        yield b"new"
        seen.extend(one.stat().st_mode & 0o777 for one in tmp_path.iterdir() if one != path)

    write_atomic(path, chunks())  # type: ignore[arg-type]
    assert path.read_bytes() == b"new"
    assert path.stat().st_mode & 0o777 == mode
    assert seen == [mode & 0o600]


def test_a_read_only_file_is_not_replaced(tmp_path: Path) -> None:
    """Also for the superuser, and through a link."""
    path, link = tmp_path / "result.json", tmp_path / "link"
    path.write_text("old")
    path.chmod(0o444)
    link.symlink_to(path)
    for name in (path, link):
        with pytest.raises(InputError, match=r"read-only, mode 444\)"):
            write_atomic(name, b"new")
    assert path.read_text() == "old"


def test_hard_links_stay_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of several names is written in place; if there is no room, nothing of it has changed."""
    path, other = tmp_path / "result.json", tmp_path / "other"
    path.write_bytes(b"old and longer")
    os.link(path, other)
    write_atomic(path, b"new")
    assert other.read_bytes() == b"new"
    assert path.samefile(other)

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "posix_fallocate", full)
    with pytest.raises(InputError, match="No space left"):
        write_atomic(path, b"newer")
    assert other.read_bytes() == b"new"
    assert sorted(one.name for one in tmp_path.iterdir()) == ["other", "result.json"]


def test_an_open_descriptor_is_written_to_where_it_stands(tmp_path: Path) -> None:
    """Such as `/dev/stdout`: behind what is there, also in a file that has lost its name; no other file appears."""
    path = tmp_path / "result.txt"
    with path.open("wb") as file:
        file.write(b"before, ")
        file.flush()
        write_atomic(f"/dev/fd/{file.fileno()}", b"new")
        assert path.read_bytes() == b"before, new"
        path.unlink()
        write_atomic(f"/proc/self/fd/{file.fileno()}", b" and newer")
        assert os.fstat(file.fileno()).st_size == len(b"before, new and newer")
        assert list(tmp_path.iterdir()) == []


def test_what_a_command_has_read_is_not_overwritten(tmp_path: Path) -> None:
    """Whatever the file is called then; after the command it may be."""
    path, link, hard = tmp_path / "board.txt", tmp_path / "link", tmp_path / "hard"
    path.write_text("a board")
    link.symlink_to(path)
    os.link(path, hard)
    with inputs_noted():
        read_bytes(path)
        for name in (path, link, hard):
            with pytest.raises(InputError, match="would be overwritten"):
                write_atomic(name, b"a result")
        write_atomic(tmp_path / "result", b"a result")
    assert path.read_text() == "a board"
    write_atomic(path, b"another")


def leftover(folder: Path, name: str, *, age: float) -> Path:
    path = folder / name
    path.write_text("{")
    os.utime(path, (time.time() - age,) * 2)
    return path


def test_leftovers_of_killed_processes_are_removed(tmp_path: Path) -> None:
    """Temporary files of an hour ago go; new ones, which may be somebody's work, and all else stay."""
    name = f"elite_3_{'0' * 24}.json"
    gone = leftover(tmp_path, f".{name}.000000000000", age=4000)
    stays = [
        leftover(tmp_path, f".{name}.000000000001", age=10),
        leftover(tmp_path, ".hidden", age=4000),
        leftover(tmp_path, ".other.json.000000000000", age=4000),
        leftover(tmp_path, name, age=4000),
    ]
    remove_leftovers(tmp_path, ELITE_NAME)
    assert not gone.exists()
    assert all(one.exists() for one in stays)


@pytest.mark.parametrize("jump", [7200.0, -7200.0])
def test_a_file_at_work_is_no_leftover_when_the_clock_jumps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, jump: float
) -> None:
    """Who writes a file holds a lock on it: an hour forwards or backwards takes nothing from him."""
    now = time.time

    def chunks() -> object:
        yield b"new"
        monkeypatch.setattr(time, "time", lambda: now() + jump)
        remove_leftovers(tmp_path, re.compile(".*"))

    write_atomic(tmp_path / "result.json", chunks())  # type: ignore[arg-type]
    assert [one.name for one in tmp_path.iterdir()] == ["result.json"]


def test_a_folder_is_held_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who comes second is refused, or waits as long as he may; where there are no locks, nobody is refused."""
    with (
        hold_folder(tmp_path, "taken"),
        pytest.raises(MatheurError, match="taken"),
        hold_folder(tmp_path, "taken", patience=0.1),
    ):
        pass
    with hold_folder(tmp_path, "taken"):
        pass

    def without(*_: object) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", without)
    with hold_folder(tmp_path, "taken"), hold_folder(tmp_path, "taken"):
        pass
    with pytest.raises(InputError, match="cannot write here"), hold_folder(tmp_path / "missing", "taken"):
        pass


def test_a_moved_file_is_on_the_disk_before_it_has_its_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """First the content is synced, then the rename, then the folder."""
    done: list[str] = []
    fsync, replace = os.fsync, os.replace
    monkeypatch.setattr(os, "fsync", lambda number: (done.append("sync"), fsync(number))[1])
    monkeypatch.setattr(os, "replace", lambda *names: (done.append("rename"), replace(*names))[1])
    (tmp_path / "stream").write_text("{}\n")
    files.move_synced(tmp_path / "stream", tmp_path / "events")
    assert done == ["sync", "rename", "sync"]
    done.clear()
    write_atomic(tmp_path / "result.json", b"{}")
    assert done == ["sync", "rename", "sync"]
