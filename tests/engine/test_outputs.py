"""Outputs that are no inputs, and files that are kept up to date."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

import pytest

from matheur.engine.outputs import KeptFile, ResultFile, keep_apart
from matheur.errors import InputError


@pytest.fixture
def board(tmp_path: Path) -> Path:
    """An input, with other names."""
    path = tmp_path / "board.txt"
    path.write_text("a board")
    (tmp_path / "soft").symlink_to(path)
    os.link(path, tmp_path / "hard")
    (tmp_path / "folder").symlink_to(tmp_path)
    return path


@pytest.mark.parametrize("name", ["board.txt", "soft", "hard", "folder/board.txt", "./board.txt"])
def test_an_output_is_no_input(board: Path, name: str) -> None:
    """By whatever name."""
    with pytest.raises(InputError, match="--out is the same file as the instance"):
        keep_apart({"--out": board.parent / name}, {"the instance": board})


def test_an_output_is_no_other_output(tmp_path: Path) -> None:
    """Neither one that is there nor one that is not; other files, folders and devices are no matter."""
    (tmp_path / "there").touch()
    (tmp_path / "link").symlink_to(tmp_path / "missing")
    for one, other in (("there", "./there"), ("missing", "missing"), ("missing", "link")):
        with pytest.raises(InputError, match="--trace is the same file as --out"):
            keep_apart({"--out": tmp_path / one, "--trace": tmp_path / other})
    keep_apart({"--out": tmp_path / "a", "--trace": tmp_path / "b", "--nodes": None}, {"the instance": None})
    keep_apart({"--out": "/dev/null", "--trace": "/dev/null"})
    keep_apart({"--out": "/dev/stdout", "--trace": "/dev/stdout"})
    keep_apart({"--out": tmp_path / "no/such/a", "--trace": tmp_path / "other/a"})
    keep_apart({"--out": "nul\0"}, {"the instance": "nul\0"})


def test_a_hyphen_is_no_output() -> None:
    """Nobody wants a file of this name."""
    with pytest.raises(InputError, match=r"-: --out needs the name of a file\. Maybe /dev/stdout\?"):
        keep_apart({"--out": Path("-")})


def test_a_descriptor_is_no_input(board: Path) -> None:
    """As with `>> board.txt` and `--out /dev/stdout`."""
    with board.open("ab") as file, pytest.raises(InputError, match="same file"):
        keep_apart({"--out": f"/dev/fd/{file.fileno()}"}, {"the instance": board})


def test_a_failure_is_said_once_until_it_is_over() -> None:
    """The next write tries again; what failed last is known."""
    said: list[str] = []
    kept, full = KeptFile(said.append), True

    def write() -> None:
        if full:
            raise InputError("no space")

    assert not kept.write(write)
    assert not kept.write(write)
    assert kept.fault == "no space"
    full = False
    assert kept.write(write)
    assert kept.fault is None
    full = True
    assert not kept.write(write)
    assert len(said) == 2


def test_a_result_that_cannot_be_written_is_an_error_only_at_first(tmp_path: Path) -> None:
    """An unwritable place is said at once; a file that could be written once ends no run later."""
    with pytest.raises(InputError, match="cannot write here"):
        ResultFile(tmp_path / "missing" / "file").interim(dict)
    folder = tmp_path / "folder"
    folder.mkdir()
    result = ResultFile(folder / "file")
    result.interim(lambda: {"score": 1})
    (folder / "file").unlink()
    folder.rmdir()
    result.interim(lambda: {"score": 2})
    assert result.fault is not None
    folder.mkdir()
    result.last({"score": 3})
    assert result.fault is None
    assert json.loads((folder / "file").read_text()) == {"score": 3}
    result.close()


def test_a_pipe_gets_the_last_result_only(tmp_path: Path) -> None:
    """Its reader reads one object and then the end."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    heard: list[str] = []
    reader = threading.Thread(target=lambda: heard.append(pipe.read_text()))
    reader.start()
    result = ResultFile(pipe)
    result.interim(lambda: {"score": 1})
    result.last({"score": 2})
    result.close()
    reader.join(timeout=60)
    assert heard == ['{"score": 2}\n']


def test_nowhere_is_a_place(tmp_path: Path) -> None:
    """Without a path nothing is made, not even the content; `/dev/null` takes everything."""
    nowhere = ResultFile(None)
    nowhere.interim(lambda: pytest.fail("not asked for"))
    nowhere.last({})
    nowhere.close()
    hole = ResultFile("/dev/null")
    hole.interim(dict)
    hole.last({})
    assert hole.fault is None
    assert list(tmp_path.iterdir()) == []
