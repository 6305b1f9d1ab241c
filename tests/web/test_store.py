"""The folder of the workbench."""

from __future__ import annotations

from pathlib import Path

import pytest
from web.conftest import an_order

from matheur.errors import ConfigurationError, InputError, MatheurError
from matheur.web.store import Store, default_folder, is_id


@pytest.mark.parametrize(
    "name",
    ["", ".", "..", "../x", "/etc", "a", "20260101-000000-00000000000g", "20260101-000000-000000000000/..", "\0"],
)
def test_only_own_names_become_paths(tmp_path: Path, name: str) -> None:
    """A name that the store has not made leads nowhere."""
    store = Store(tmp_path)
    assert not is_id(name)
    for find in (store.job, store.input_folder):
        with pytest.raises(InputError):
            find(name)


def test_files_keep_plain_names_only(tmp_path: Path) -> None:
    """Names that could be more than names are replaced, with their endings; what people called it is kept as text."""
    store = Store(tmp_path)
    shown = "<b>&\u202e.json"
    names = {"../../evil.json": b"{}", "cards.csv": b"id", ".hidden": b"", "facts.json": b"x", "a\0b.txt": b""}
    folder = store.bring(names, shown)
    found = {path.name for path in folder.iterdir()}
    assert found == {"facts.json", "file-1.json", "cards.csv", "file-3.hidden", "file-4.json", "file-5.txt"}
    assert (folder / "file-4.json").read_bytes() == b"x"
    assert not (tmp_path.parent / "evil.json").exists()


def test_old_instances_go(tmp_path: Path) -> None:
    """Of what was brought, so many are kept as the limits say."""
    store = Store(tmp_path)
    for _ in range(5):
        newest = store.bring({"a.txt": b"1"}, "a")
        store.prune_inputs(3)
    assert len(list(store.inputs.iterdir())) == 3
    assert store.input_folder(newest.name) == newest


def test_jobs_have_all_that_they_need(tmp_path: Path) -> None:
    """A job keeps a copy of its instance, and is not removed while it is to be made."""
    store = Store(tmp_path)
    folder = store.bring({"a.txt": b"1"}, "a")
    job = store.add(an_order(x=1), folder)
    store.forget_input(folder)
    assert not folder.exists()
    assert (job.folder / "input" / "a.txt").read_bytes() == b"1"
    assert store.job(job.id).order == an_order(x=1, id=job.id)
    assert [one.id for one in store.all_jobs()] == [job.id]
    with pytest.raises(ConfigurationError, match="not finished"):
        store.remove(job.id)
    job.move("done")
    store.remove(job.id)
    assert store.all_jobs() == []


def test_one_server_at_a_time(tmp_path: Path) -> None:
    """A second one in the same folder is refused."""
    with Store(tmp_path).locked(), pytest.raises(MatheurError, match="another server"), Store(tmp_path).locked():
        pass
    with Store(tmp_path).locked():
        pass


def test_the_default_folder_is_the_users(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the system says that data of users lie, else in the usual place below the home."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert default_folder() == tmp_path / "matheur" / "workbench"
    monkeypatch.delenv("XDG_DATA_HOME")
    monkeypatch.setenv("HOME", str(tmp_path / "me"))
    assert default_folder() == tmp_path / "me" / ".local" / "share" / "matheur" / "workbench"
