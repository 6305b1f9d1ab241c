"""The folder of the workbench."""

from __future__ import annotations

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from web.conftest import an_order

from matheur.errors import ConfigurationError, InputError, MatheurError
from matheur.web.records import read_state
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


def no_room(*_: Any, **__: Any) -> None:
    """What a full disk says."""
    raise OSError(errno.ENOSPC, "No space left on device")


@pytest.mark.parametrize("failing", ["matheur.web.store.write_json", "matheur.web.store._sync", "shutil.copytree"])
def test_what_cannot_be_kept_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failing: str) -> None:
    """A full disk refuses an order or an instance as a whole, without a word about where the folder is."""
    store = Store(tmp_path)
    folder = store.bring({"a.txt": b"1"}, "a")
    monkeypatch.setattr(failing, no_room)
    with pytest.raises(InputError, match="No space left") as caught:
        store.add(an_order(), folder)
    assert str(tmp_path) not in str(caught.value)
    if "copytree" not in failing:
        with pytest.raises(InputError, match="No space left"):
            store.bring({"b.txt": b"1"}, "b")
    assert list(store.jobs.iterdir()) == []
    assert list(store.inputs.iterdir()) == [folder]


def test_an_order_that_could_not_be_read_is_refused(tmp_path: Path) -> None:
    """What the reader would not take is not kept."""
    store = Store(tmp_path)
    with pytest.raises(InputError, match="'scores' must be"):
        store.add(an_order(scores=None), None)
    assert list(store.jobs.iterdir()) == []


def test_states_that_cannot_be_written_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are shown with a word of it, for everybody who looks at the job, and written when there is room again."""
    store = Store(tmp_path)
    job = store.add(an_order(), None)
    with monkeypatch.context() as patch:
        patch.setattr("matheur.web.store.write_json", no_room)
        job.move("failed", reason="why")
        store.save()
        held = store.job(job.id).state
        assert held["state"] == "failed"
        assert held["reason"].startswith("why (this could not be written")
    assert read_state(job.folder)["state"] == "waiting"
    store.save()
    assert read_state(job.folder) == job.state == {"state": "failed", "reason": "why"}


def test_names_follow_each_other(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What was brought last is the newest, in the same second and with a clock that was set back or lies."""
    store = Store(tmp_path)
    (store.inputs / "99991231-235959-ffffffffffff").mkdir()
    (store.inputs / "00000000-999999-ffffffffffff").mkdir()
    (store.inputs / "20991231-235959-ffffffffffff").mkdir()
    made = [store.bring({"a.txt": b"1"}, "a").name for _ in range(20)]
    assert made == sorted(made)
    assert all(is_id(name) and name > "20991231-235959-ffffffffffff" for name in made)


def test_refused_instances_push_nobody_out(tmp_path: Path) -> None:
    """An instance goes for others that are kept, not for one that is only looked at."""
    store = Store(tmp_path)
    kept = [store.bring({"a.txt": b"1"}, "a") for _ in range(3)]
    store.forget_input(store.bring({"a.txt": b"1"}, "a"))
    store.prune_inputs(3)
    assert sorted(store.inputs.iterdir()) == kept


def test_leftovers_of_a_kill_go(tmp_path: Path) -> None:
    """What was half made or half removed goes when a server takes the folder; nothing else does."""
    store = Store(tmp_path)
    job = store.add(an_order(), None)
    for folder in (store.jobs, store.inputs):
        (folder / f".{job.id}").mkdir()
        (folder / f".{job.id}" / "order.json").write_text("{")
        (folder / ".notes").mkdir()
    with store.locked():
        assert {one.name for one in store.jobs.iterdir()} == {job.id, ".notes"}
        assert {one.name for one in store.inputs.iterdir()} == {".notes"}


def test_nobody_else_looks_in(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Folders and the lock are for their owner alone, those of before as well; where that fails, it is said."""
    for name in ("jobs", "inputs", "logs"):
        (tmp_path / "old" / name).mkdir(parents=True, mode=0o755)
    (tmp_path / "old" / ".lock").touch(mode=0o644)
    for place in ("old", "new"):
        store = Store(tmp_path / place)
        with store.locked():
            modes = {one.name: one.stat().st_mode & 0o777 for one in store.folder.iterdir()}
        assert modes == {"jobs": 0o700, "inputs": 0o700, "logs": 0o700, ".lock": 0o600}
        assert store.warnings == ()
    assert (tmp_path / "new").stat().st_mode & 0o777 == 0o700
    store.jobs.chmod(0o755)
    monkeypatch.setattr(Path, "chmod", no_room)
    (said,) = Store(tmp_path / "new").warnings
    assert "'jobs' (mode 755)" in said


def test_a_lock_that_cannot_be_taken_is_said(tmp_path: Path) -> None:
    """A folder or a pipe in its place is one line."""
    for make in (os.mkdir, os.mkfifo):
        store = Store(tmp_path / make.__name__)
        make(store.folder / ".lock")
        with pytest.raises(InputError, match="cannot write here"), store.locked():
            pass


def test_links_are_not_followed(tmp_path: Path) -> None:
    """Who removes a job that is a link removes the link."""
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "file").write_text("mine")
    store = Store(tmp_path / "bench")
    (store.jobs / "20260101-000000-000000000000").symlink_to(tmp_path / "elsewhere")
    store.remove("20260101-000000-000000000000")
    assert list(store.jobs.iterdir()) == []
    assert (tmp_path / "elsewhere" / "file").read_text() == "mine"


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
