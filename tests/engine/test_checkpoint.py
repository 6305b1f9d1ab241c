"""Checkpoints on disk."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from matheur.engine import Checkpointer
from matheur.engine.checkpoint import _digest, stored_seed
from matheur.errors import InputError, MatheurError

IDENTITY = {"problem": "small-sum", "instance": "abc"}
STATE = {"best": [1, 2], "rate": 0.1 + 0.2, "work": np.int64(7), "big": 2**70, "tuple": (1, None)}


def test_what_is_saved_comes_back(tmp_path: Path) -> None:
    """The newest state comes back as plain values; before the first there is none."""
    keeper = Checkpointer(tmp_path / "a" / "b", IDENTITY)
    assert keeper.load() is None
    keeper.save({"best": None})
    keeper.save(STATE)
    assert Checkpointer(tmp_path / "a" / "b", IDENTITY).load() == {**STATE, "work": 7, "tuple": [1, None]}


def test_due_after_a_while(tmp_path: Path) -> None:
    """A checkpoint is due at first, and after a save only when the interval is over."""
    slow, fast = Checkpointer(tmp_path, IDENTITY, every=1e6), Checkpointer(tmp_path, IDENTITY, every=0.0)
    assert slow.due
    slow.save(STATE)
    fast.save(STATE)
    assert not slow.due
    assert fast.due


def test_the_state_of_an_earlier_run_is_renamed(tmp_path: Path) -> None:
    """A run that does not continue from the state in its folder renames it before its first write, and says so."""
    notes: list[str] = []
    for number in range(3):
        keeper = Checkpointer(tmp_path, IDENTITY, notice=notes.append)
        keeper.save({"number": number, "half": True})
        keeper.save({"number": number, "half": False})
    names = ["checkpoint-1.json", "checkpoint-2.json", "checkpoint.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    for number, name in enumerate(names):
        assert json.loads((tmp_path / name).read_text())["state"] == {"number": number, "half": False}
    assert [("checkpoint-1.json" in note, "--resume" in note) for note in notes] == [(True, True), (False, True)]


def test_the_state_of_a_run_that_is_continued_is_replaced(tmp_path: Path) -> None:
    """A resumed run keeps a single file."""
    Checkpointer(tmp_path, IDENTITY).save(STATE)
    keeper = Checkpointer(tmp_path, IDENTITY)
    assert keeper.load() is not None
    keeper.save({"best": None})
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint.json"]


def test_another_run_is_refused(tmp_path: Path) -> None:
    """A checkpoint of another instance is refused with both values."""
    Checkpointer(tmp_path, IDENTITY).save(STATE)
    with pytest.raises(InputError, match=r"another run \(instance was 'abc', is 'xyz'\)"):
        Checkpointer(tmp_path, {**IDENTITY, "instance": "xyz"}).load()
    with pytest.raises(InputError, match=r"another run \(of another puzzle\)\. Maybe another folder"):
        Checkpointer(tmp_path, {**IDENTITY, "instance": "xyz"}, meanings={"instance": "of another puzzle"}).load()


@pytest.mark.parametrize(
    "damage",
    [
        lambda text: text[: len(text) // 2],
        lambda text: "",
        lambda text: "[]",
        lambda text: text.replace("matheur-checkpoint", "other"),
        lambda text: text.replace('"version": 1', '"version": 99'),
        lambda text: text.replace('"best": [1, 2]', '"best": [1, 3]'),
        lambda text: text.replace('"rate"', '"rite"'),
        lambda text: json.dumps({**json.loads(text), "state": None}),
        lambda text: json.dumps({**json.loads(text), "identity": "x" * 10_000}),
        lambda text: json.dumps({**json.loads(text), "identity": [1]}),
        lambda text: json.dumps({key: value for key, value in json.loads(text).items() if key != "digest"}),
    ],
)
def test_damage_is_one_clear_error(tmp_path: Path, damage: object) -> None:
    """Truncated, foreign or altered files are input errors that name the file."""
    keeper = Checkpointer(tmp_path, IDENTITY)
    keeper.save(STATE)
    assert callable(damage)
    damaged = damage(keeper.path.read_text())
    assert damaged != keeper.path.read_text()
    keeper.path.write_text(damaged)
    with pytest.raises(InputError, match=r"checkpoint\.json"):
        keeper.load()


@pytest.mark.parametrize("name", ["file/below", "nul\0"])
def test_impossible_folders_are_errors(tmp_path: Path, name: str) -> None:
    """A folder that cannot be made is an input error at once."""
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot make this folder"):
        Checkpointer(tmp_path / name, IDENTITY)


@pytest.mark.parametrize("number", ["1e400", "-1e400", "NaN", "Infinity"])
def test_numbers_that_are_never_written_are_damage(tmp_path: Path, number: str) -> None:
    """Also under a digest that somebody has computed."""
    keeper = Checkpointer(tmp_path, IDENTITY)
    keeper.save(STATE)
    content = json.loads(keeper.path.read_text())
    state = {**content["state"], "rate": [{"deep": json.loads(number)}]}
    text = json.dumps({**content, "state": state, "digest": _digest(state)})
    keeper.path.write_text(text.replace("-Infinity", "-1e400").replace("Infinity", "1e400"))
    with pytest.raises(InputError, match=r"checkpoint\.json: this checkpoint is damaged"):
        keeper.load()


@pytest.mark.parametrize("seed", ["1", 1.0, -1, True, None, [1], float("inf")])
def test_a_seed_is_a_whole_number(seed: object) -> None:
    """What a stored state calls its seed is looked at."""
    with pytest.raises(InputError, match="damaged"):
        stored_seed({"seed": seed})
    with pytest.raises(InputError, match="damaged"):
        stored_seed({})
    assert stored_seed({"seed": 2**70}) == 2**70


def test_a_disk_that_is_full_for_a_moment_ends_nothing(tmp_path: Path) -> None:
    """A state that cannot be written is said once, the next one is written; the old one stays meanwhile."""
    said: list[str] = []
    keeper = Checkpointer(tmp_path / "state", IDENTITY, notice=said.append)
    assert keeper.save({"best": 1})
    keeper.folder.rename(tmp_path / "away")
    assert not keeper.save({"best": 2})
    assert not keeper.save({"best": 3})
    assert keeper.fault is not None
    assert len(said) == 1
    (tmp_path / "away").rename(keeper.folder)
    assert keeper.load() == {"best": 1}
    assert keeper.save({"best": 4})
    assert keeper.fault is None
    assert keeper.load() == {"best": 4}


def test_two_runs_on_one_folder_are_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The second one is refused, and goes when the first one has ended."""
    monkeypatch.setattr("matheur.engine.checkpoint._PATIENCE", 0.1)
    first, second = Checkpointer(tmp_path, IDENTITY), Checkpointer(tmp_path, IDENTITY)
    with first.held(), pytest.raises(MatheurError, match="another run keeps its state here"), second.held():
        pass
    with second.held():
        pass
