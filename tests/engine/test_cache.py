"""Tables in the user's cache folder."""

from __future__ import annotations

import json
import logging
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from matheur.engine import OutOfBudgetError, cache
from matheur.engine.cache import cache_folder, drop_table, has_table, load_table, store_table, stored_tables

CONTENT = {"moves": "some", "goal": [1, None, 2]}
TABLE = np.arange(5000, dtype=np.uint16)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache folder for one test."""
    place = tmp_path / "deep" / "cache"
    monkeypatch.setenv("MATHEUR_CACHE", str(place))
    cache._warn_once.cache_clear()
    return place


def load(content: dict[str, Any] = CONTENT) -> np.ndarray | None:
    """The table of a content, if it is there."""
    found = load_table("kind", content, "uint16", (50, 100))
    return None if found is None else found[0]


def store() -> Path:
    """Store the table; where it is."""
    store_table("kind", "name", CONTENT, TABLE.reshape(50, 100), 1.23456)
    return stored_tables("kind")[0].path


def test_what_is_stored_comes_back(folder: Path) -> None:
    """The same values, with what is known about them; in a file below the folder."""
    assert load() is None
    path = store()
    assert path.is_relative_to(folder / "kind")
    table = load()
    assert table is not None
    assert table.dtype == np.uint16
    assert (table == TABLE.reshape(50, 100)).all()
    (listed,) = stored_tables("kind")
    assert (listed.name, listed.bytes, listed.seconds) == ("name", 10_000, 1.235)
    assert listed.content["moves"] == "some"
    assert len(listed.checksum) == 32
    assert listed.version == listed.content["version"]
    assert listed.created.endswith("Z")
    assert stored_tables("other") == []


def test_reading_and_writing_end_when_told(folder: Path) -> None:
    """A table that is not written to its end is not there; one that is not read to its end is no answer."""
    store_table("kind", "name", CONTENT, TABLE, 1.0, enough=lambda: True)
    assert list((folder / "kind").iterdir()) == []
    store_table("kind", "name", CONTENT, TABLE, 1.0, enough=lambda: False)
    assert has_table("kind", CONTENT)
    with pytest.raises(OutOfBudgetError):
        load_table("kind", CONTENT, "uint16", (5000,), enough=lambda: True)
    found = load_table("kind", CONTENT, "uint16", None)
    assert found is not None
    assert (found[0] == TABLE).all()
    drop_table("kind", CONTENT)
    drop_table("kind", CONTENT)
    assert not has_table("kind", CONTENT)


def test_only_what_was_asked_for() -> None:
    """Another content, type, shape, kind or version is no hit."""
    store()
    assert load({**CONTENT, "goal": [1, None, 3]}) is None
    assert load_table("kind", CONTENT, "int16", (50, 100)) is None
    assert load_table("kind", CONTENT, "uint16", (100, 50)) is None
    assert load_table("other", CONTENT, "uint16", (50, 100)) is None


def test_another_version_computes_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """What a release left is not trusted by the next."""
    store()
    monkeypatch.setattr(cache, "__version__", "999")
    assert load() is None


def test_a_file_under_a_wrong_name_is_not_believed(caplog: pytest.LogCaptureFixture) -> None:
    """The content is compared, not its hash alone."""
    path = store()
    store_table("kind", "name", {"moves": "other"}, TABLE.reshape(50, 100) + 1, 1.0)
    other = next(one.path for one in stored_tables("kind") if one.path != path)
    path.write_bytes(other.read_bytes())
    assert load() is None
    assert "something else" in caplog.text


@given(data=st.data())
@settings(max_examples=150, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_damage_is_noticed(data: st.DataObject) -> None:
    """Cut, longer or changed anywhere that matters: never wrong values, never an error."""
    path = store()
    whole = path.read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    damaged = data.draw(
        st.one_of(
            st.just(whole[:at]),
            st.binary(min_size=1, max_size=20).map(lambda more: whole + more),
            st.binary(min_size=1, max_size=20).map(lambda some: whole[:at] + some + whole[at + len(some) :]),
            st.binary(max_size=200),
        )
    )
    path.write_bytes(damaged)
    table = load()
    assert table is None or (table == TABLE.reshape(50, 100)).all()
    stored_tables("kind")


@pytest.mark.parametrize(
    "lie",
    [
        {"shape": [1 << 60]},
        {"shape": [-5000]},
        {"shape": [5000.0]},
        {"shape": "5000"},
        {"dtype": "object"},
        {"dtype": "O"},
        {"dtype": "nonsense"},
        {"dtype": "U100"},
        {"content": []},
        {"checksum": None},
        {"seconds": "long"},
    ],
    ids=str,
)
def test_lying_headers(lie: dict[str, Any], caplog: pytest.LogCaptureFixture) -> None:
    """A header is believed only as far as it fits the file; nothing large is made for it."""
    path = store()
    magic, line, body = path.read_bytes().split(b"\n", 2)
    path.write_bytes(b"\n".join([magic, json.dumps({**json.loads(line), **lie}).encode(), body]))
    assert load() is None
    assert stored_tables("kind") == []
    assert "ignoring" in caplog.text


def test_deeply_nested_headers() -> None:
    """JSON that is too deep is no header."""
    path = store()
    path.write_bytes(b"matheur table 1\n" + b"[" * 60_000 + b"\n")
    assert load() is None


def test_without_a_writable_folder_there_is_one_warning(folder: Path, caplog: pytest.LogCaptureFixture) -> None:
    """Storing is not possible: that is said once, and nothing fails."""
    folder.parent.mkdir()
    folder.write_text("a file where the folder should be")
    with caplog.at_level(logging.WARNING):
        for _ in range(3):
            store_table("kind", "name", CONTENT, TABLE, 1.0)
            assert load() is None
            assert stored_tables("kind") == []
    assert caplog.text.count("not kept") == 1


def test_a_folder_in_place_of_the_file(caplog: pytest.LogCaptureFixture) -> None:
    """What cannot be read is as good as nothing."""
    path = store()
    path.unlink()
    path.mkdir()
    assert load() is None
    assert stored_tables("kind") == []
    assert "ignoring" in caplog.text
    store_table("kind", "name", CONTENT, TABLE, 1.0)


WRITER = """
import numpy as np
from matheur.engine.cache import load_table, store_table
content = {"moves": "some", "goal": [1, None, 2]}
table = np.arange(5000, dtype=np.uint16).reshape(50, 100)
for _ in range(20):
    store_table("kind", "name", content, table, 1.0)
    assert (load_table("kind", content, "uint16", (50, 100))[0] == table).all()
"""


def test_several_writers_at_once(folder: Path) -> None:
    """Files are replaced as a whole: every reader finds a whole table, and no temporary file is left."""
    writers = [subprocess.Popen([sys.executable, "-c", WRITER], stderr=subprocess.PIPE) for _ in range(3)]
    assert [writer.communicate()[1] for writer in writers] == [b""] * 3
    assert [writer.returncode for writer in writers] == [0] * 3
    assert load() is not None
    assert len(list((folder / "kind").iterdir())) == 1


def test_where_the_cache_is(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """An own variable, the desktop's variable, or below the home folder; without a home there is none."""
    assert cache_folder() == Path(os.environ["MATHEUR_CACHE"])
    monkeypatch.delenv("MATHEUR_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert cache_folder() == tmp_path / "matheur"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    assert cache_folder() == tmp_path / "home" / ".cache" / "matheur"

    def homeless() -> Path:
        raise RuntimeError("no home")

    monkeypatch.setattr(cache.Path, "home", homeless)
    assert cache_folder() is None
    assert load() is None
    assert stored_tables("kind") == []
    store_table("kind", "name", CONTENT, TABLE, 1.0)
