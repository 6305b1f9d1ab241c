"""Elites as files: what is written can be read, and nothing else is taken for an elite."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from engine import toy

from matheur.engine.elite_files import (
    BYTES_MAX,
    EliteFile,
    ForeignEliteError,
    elite_name,
    list_elites,
    read_elite,
    write_elite,
)
from matheur.engine.elites import Elite
from matheur.engine.protocols import solution_key
from matheur.errors import InputError

PROBLEM = toy.SmallSum(4)


def elite(*digits: int) -> Elite:
    solution = np.array(digits, dtype=np.int64)
    return Elite(solution_key(PROBLEM, solution), solution, int(solution.sum()))


def written(folder: Path, *digits: int) -> EliteFile:
    """The file of an elite."""
    write_elite(PROBLEM, folder, elite(*digits), {"found_by": "test", "seed": 7})
    [file] = [one for one in list_elites(folder) if one.name == elite_name(sum(digits), elite(*digits).key)]
    return file


def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Solution, key and objective come back, and beside them what the file says."""
    stored = read_elite(PROBLEM, written(tmp_path, 1, 2, 3, 4))
    assert stored.elite.solution.tolist() == [1, 2, 3, 4]
    assert (stored.elite.key, stored.elite.objective) == (elite(1, 2, 3, 4).key, 10)
    assert (stored.facts["found_by"], stored.facts["seed"], stored.facts["score"]) == ("test", 7, 26)


def test_objectives_are_written_in_the_sense_of_the_problem(tmp_path: Path) -> None:
    """As in a result file, which `verify` reads; that of the engine, which earlier versions wrote, is read."""

    class Largest(toy.SmallSum):
        maximised = True

    problem = Largest(4)
    write_elite(problem, tmp_path, elite(1, 2, 3, 4), {})
    [file] = list_elites(tmp_path)
    content = json.loads(file.path.read_text())
    assert content["objective"] == -10
    for claimed in (-10, 10):
        file.path.write_text(json.dumps({**content, "objective": claimed}))
        assert read_elite(problem, file).elite.objective == 10
    file.path.write_text(json.dumps({**content, "objective": 9}))
    with pytest.raises(InputError, match="claims objective 9"):
        read_elite(problem, file)


def test_names_tell_solutions_apart() -> None:
    """Equal keys have equal names, others not; any objective makes a name that is recognised."""
    assert elite_name(3, b"one") == elite_name(3, b"one") != elite_name(3, b"two")
    assert elite_name(-27, b"").startswith("elite_-27_")
    assert elite_name(np.int64(5), b"") == elite_name(5, b"")


@pytest.mark.parametrize("objective", [0, -27, 10**20, 2.5, -1e-9, 1e300])
def test_every_objective_makes_a_good_name(tmp_path: Path, objective: float) -> None:
    """A file of that name is looked at."""
    (tmp_path / elite_name(objective, b"key")).write_text("{}")
    assert [file.fault for file in list_elites(tmp_path)] == [None]


def change(**values: Any) -> Any:
    def changed(text: str) -> str:
        return json.dumps({**json.loads(text), **values})

    return changed


DAMAGES: dict[str, tuple[Any, str]] = {
    "empty": (lambda text: "", "not JSON"),
    "cut off": (lambda text: text[: len(text) // 2], "not JSON"),
    "no object": (lambda text: "[1, 2]", "not an elite of this version"),
    "another format": (change(format="matheur-result"), "not an elite of this version"),
    "another version": (change(version=2), "not an elite of this version"),
    "no solution": (change(solution=None), "4 digits are needed"),
    "too short": (change(solution=[1, 2, 3]), "4 digits are needed"),
    "nonsense": (change(solution=["a", {}, [], 1]), "not a solution"),
    "infeasible": (change(solution=[1, 2, 3, 10]), "violates: place 3 holds 10"),
    "a better objective": (change(objective=0), "claims objective 0, the evaluator says 10"),
    "no objective": (change(objective=None), "claims objective None, the evaluator says 10"),
    "another solution": (change(solution=[4, 3, 2, 1]), "its name belongs to another solution"),
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_files_are_refused(tmp_path: Path, damage: str) -> None:
    """The error names the file and what is wrong; no claim of a file is believed."""
    file = written(tmp_path, 1, 2, 3, 4)
    alter, words = DAMAGES[damage]
    file.path.write_text(alter(file.path.read_text()))
    with pytest.raises(InputError, match=words) as raised:
        read_elite(PROBLEM, file)
    assert raised.value.source == str(file.path)


def test_truth_values_are_no_objectives(tmp_path: Path) -> None:
    """`true` equals one in Python, not here."""
    file = written(tmp_path, 0, 0, 0, 1)
    file.path.write_text(change(objective=True)(file.path.read_text()))
    with pytest.raises(InputError, match="claims objective True"):
        read_elite(PROBLEM, file)


def test_damaged_bytes_raise_nothing_else(tmp_path: Path) -> None:
    """Whatever bytes are changed, an elite is read as it was, or an input error is raised."""
    file = written(tmp_path, 1, 2, 3, 4)
    whole = file.path.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        data = bytearray(whole)
        for at in rng.integers(len(data), size=int(rng.integers(1, 4))):
            data[at] = rng.integers(256)
        file.path.write_bytes(bytes(data))
        try:
            assert read_elite(PROBLEM, file).elite.solution.tolist() == [1, 2, 3, 4]
        except InputError:
            refused += 1
    assert refused > 100


@pytest.mark.parametrize("values", [{"problem": "large-sum"}, {"fingerprint": "small-sum-5"}, {"fingerprint": None}])
def test_elites_of_other_instances_are_foreign(tmp_path: Path, values: dict[str, Any]) -> None:
    """They are told from damaged ones, and their solution is not even looked at."""
    file = written(tmp_path, 1, 2, 3, 4)
    file.path.write_text(change(**values, solution="whatever")(file.path.read_text()))
    with pytest.raises(ForeignEliteError, match="another instance"):
        read_elite(PROBLEM, file)


def test_what_lies_in_a_folder(tmp_path: Path) -> None:
    """Files of another name have a fault; hidden files, folders, runs, checkpoints are passed over; none is opened."""
    name = written(tmp_path, 1, 2, 3, 4).name
    for other in ("notes.txt", "elite_3.json", ".elite_3_x", "run_0001.json", "checkpoint.json", "checkpoint-2.json"):
        (tmp_path / other).write_text("")
    (tmp_path / "more").mkdir()
    (tmp_path / name.replace("10", "11")).symlink_to(tmp_path / "nothing")
    os.mkfifo(tmp_path / name.replace("10", "12"))  # to open it would be to wait for ever
    with (tmp_path / name.replace("10", "13")).open("wb") as file:
        file.truncate(BYTES_MAX + 1)
    faults = {file.name: file.fault for file in list_elites(tmp_path)}
    assert faults == {
        name: None,
        "notes.txt": "not the name of an elite",
        "elite_3.json": "not the name of an elite",
        name.replace("10", "12"): "not a file",
        name.replace("10", "13"): "larger than 64 MiB",
    }
    with pytest.raises(InputError, match=r"12_\w*\.json: not a file"):
        read_elite(PROBLEM, next(file for file in list_elites(tmp_path) if file.fault == "not a file"))


@dataclass(frozen=True)
class Careless(toy.SmallSum):
    """A problem of another package that forgets to check what it decodes."""

    def decode(self, data: Any) -> toy.Digits:
        return np.array([int(value) for value in data], dtype=np.int64)


def test_a_careless_problem_does_no_harm(tmp_path: Path) -> None:
    """What `decode` raises beside input errors is an input error, too."""
    file = written(tmp_path, 1, 2, 3, 4)
    file.path.write_text(change(solution=7)(file.path.read_text()))
    with pytest.raises(InputError, match="not a solution"):
        read_elite(Careless(4), file)
