"""Reading what a user names."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from matheur.engine.inputs import inputs_noted, noted_input, parse_toml, read_bytes, read_toml
from matheur.errors import InputError


def test_files_are_read_within_a_limit(tmp_path: Path) -> None:
    """Exactly the limit is allowed, a byte more is not; `/proc` does not tell how much there is."""
    path = tmp_path / "file"
    path.write_bytes(b"x" * 1000)
    assert read_bytes(path, 1000) == b"x" * 1000
    with pytest.raises(OSError, match="too large"):
        read_bytes(path, 999)
    assert b"Linux" in read_bytes("/proc/version") or not os.path.exists("/proc/version")
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "missing")


def test_only_what_is_noted_is_known(tmp_path: Path) -> None:
    """Outside a command nothing is; the state of a run is not an input."""
    path = tmp_path / "file"
    path.touch()
    read_bytes(path)
    assert noted_input(path) is None
    with inputs_noted():
        read_bytes(path, note=False)
        assert noted_input(path) is None
        read_bytes(path)
        assert noted_input(path) == str(path)
        assert noted_input(tmp_path / "missing") is None
    assert noted_input(path) is None


@pytest.mark.parametrize(
    "text",
    [
        "x = " + "[" * 1000 + "]" * 1000,
        "x = " + "[" * 100 + "]" * 100,
        ".".join(["a"] * 300) + " = 1",
        "".join(f"[{'a.' * n}a]\n" for n in range(100)),
        ".".join(["a"] * 100_000) + " = 1",
        "x = 0x" + "f" * 10_000,
        "x = 1" + "0" * 400,
        "x = 1" + "0" * 5000,
        "x = 2020-99-99",
        "x = ",
    ],
)
def test_what_is_no_sensible_toml_is_one_error(tmp_path: Path, text: str) -> None:
    """Nested too deeply, too many dots, numbers that nothing can hold: one line that names the file."""
    with pytest.raises(ValueError, match=r".+"):
        parse_toml(text)
    path = tmp_path / "file.toml"
    path.write_text(text)
    with pytest.raises(InputError, match=r"file\.toml: not TOML") as caught:
        read_toml(path)
    assert len(str(caught.value)) < 2000


def test_toml_is_read_as_it_is(tmp_path: Path) -> None:
    """With any line ends, and comments full of dots."""
    path = tmp_path / "file.toml"
    path.write_bytes(b"# " + b"." * 5000 + b"\r\nx = 1\r\n[a.b]\r\ny = [[1], [2]]\r\n")
    assert read_toml(path) == {"x": 1, "a": {"b": {"y": [[1], [2]]}}}
