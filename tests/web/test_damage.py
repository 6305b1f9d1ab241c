"""Stored files that are cut, foreign or of another version: they close no page but say what is wrong with them."""

from __future__ import annotations

import json
import os
import shutil
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from web.conftest import Server, an_order

from matheur.errors import InputError
from matheur.web.form_settings import settings_of
from matheur.web.records import is_number, read_facts, read_order, read_outcome, read_state, too_deep, usable_name
from matheur.web.store import Store

RESULT = {
    "status": "feasible",
    "score": 3,
    "objective": 9,
    "bound": 1,
    "seconds": 1.0,
    "stopped": "budget",
    "solution": [],
}
NO_TABLE = [
    b"",
    b"{",
    b"[]",
    b"null",
    b"7",
    b'"x"',
    b"\xff\xfe\0",
    b"[" * 100_000,
    b'{"a":' * 3000,
    b"1" * 6000,
    bytes(range(256)) * 4,
]
FORM_KINDS: list[Any] = [[], None, "x", 1, {"a": 1}, {"a": {"b": "c"}}]


def without(key: str) -> dict[str, Any]:
    """An order that lacks something."""
    return {name: value for name, value in an_order().items() if name != key}


def deep(levels: int) -> Any:
    """Lists in lists."""
    found: Any = []
    for _ in range(levels):
        found = [found]
    return found


ORDERS: list[Any] = [
    {}, *(without(key) for key in an_order() if key not in ("form", "game", "note", "preset", "start")),
    *(an_order(**{key: value}) for key in an_order() for value in (7, deep(2)) if key not in ("start", "form")),
    *(an_order(form=form) for form in FORM_KINDS),
    *(an_order(subject={**an_order()["subject"], **more}) for more in (
        {"source": "../../../etc/passwd", "builtin": False}, {"builtin": "no"}, {"name": "\ud800"}, {"options": []},
        {"source": None}, {"problem": 1})),
    *(an_order(configuration={**an_order()["configuration"], **more}) for more in (
        {"seconds": "x"}, {"seconds": float("nan")}, {"seconds": None}, {"seed": 1e400}, {"jobs": 0},
        {"construction": {}}, {"construction": "random"})),
    an_order(scores=[1, 2, "3"]), an_order(scores=[1, 10**400, 3]), an_order(scores=[]),
    an_order(configuration={**an_order()["configuration"], "more": deep(100)}),
]  # fmt: skip
STATES: list[Any] = [{}, {"state": None}, {"state": "x"}, {"state": []}, {"state": "done", "reason": 1}]
RESULTS: list[Any] = [
    *({**RESULT, key: value} for key in ("score", "objective", "bound", "seconds") for value in ("x", [], True, 1e400)),
    {**RESULT, "score": float("nan")}, {**RESULT, "status": {}}, {**RESULT, "certificate": []},
    {**RESULT, "certificate": {"a": deep(500)}}, {**RESULT, "versions": "x"}, {**RESULT, "reason": 7},
]  # fmt: skip


def written(path: Path, content: Any) -> None:
    """Write bytes as they are, and all else as JSON."""
    path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())


@pytest.mark.parametrize("content", [*NO_TABLE, *ORDERS], ids=lambda one: repr(one)[:40])
def test_orders_are_checked(tmp_path: Path, content: Any) -> None:
    """An order that the workbench would not have written is an error of one line, with the name of the file."""
    written(tmp_path / "order.json", content)
    with pytest.raises(InputError, match=r"^\S*order\.json: ") as caught:
        read_order(tmp_path)
    assert str(tmp_path) not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("content", [*NO_TABLE, *STATES], ids=lambda one: repr(one)[:40])
def test_states_are_checked(tmp_path: Path, content: Any) -> None:
    """So is a state."""
    written(tmp_path / "state.json", content)
    with pytest.raises(InputError, match=r"state\.json"):
        read_state(tmp_path)


@pytest.mark.parametrize("content", [*NO_TABLE, *RESULTS], ids=lambda one: repr(one)[:40])
def test_results_are_checked(tmp_path: Path, content: Any) -> None:
    """So is a result; none at all is an empty one."""
    assert read_outcome(tmp_path / "result.json") == {}
    written(tmp_path / "result.json", content)
    with pytest.raises(InputError, match=r"result\.json"):
        read_outcome(tmp_path / "result.json")


@pytest.mark.parametrize(
    "more", [{"file": "../x"}, {"file": "b"}, {"files": []}, {"files": [".."]}, {"shown": 1}, {"problem": []}]
)
def test_facts_are_checked(tmp_path: Path, more: dict[str, Any]) -> None:
    """So is what is known of an instance: its files lie next to it."""
    written(tmp_path / "facts.json", {"file": "a.txt", "files": ["a.txt"], "shown": "a", **more})
    with pytest.raises(InputError, match=r"facts\.json"):
        read_facts(tmp_path)


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir, lambda path: os.symlink("/dev/zero", path)])
def test_only_files_are_read(tmp_path: Path, make: Any) -> None:
    """A pipe or a device in the place of a file holds up nobody."""
    make(tmp_path / "state.json")
    with pytest.raises(InputError, match="cannot read"):
        read_state(tmp_path)


def test_what_another_version_lacks_is_filled_in(tmp_path: Path) -> None:
    """Keys that a page can do without have a default; those that nobody knows stay."""
    for key, default in (("form", {}), ("game", False), ("note", ""), ("preset", None), ("start", None)):
        written(tmp_path / "order.json", {**without(key), "later": 1})
        assert read_order(tmp_path)[key] == default
    assert read_order(tmp_path)["later"] == 1


def test_an_order_in_earlier_words_is_read(tmp_path: Path) -> None:
    """Its configuration and the fields of its form come in the words of today; one thing in both words is refused."""
    before = {"time": 100.0, "jobs": 1, "seed": 0, "construct": "beam", "construction": {"width": 3}, "accept": {}}
    form = {"construct": "beam", "accept": "annealing", "time": "100", "note": "mine"}
    written(tmp_path / "order.json", an_order(configuration=before, form=form))
    order = read_order(tmp_path)
    assert order["configuration"]["construction"] == {"name": "beam", "width": 3}
    assert order["configuration"]["seconds"] == 100.0
    assert order["form"] == {"construction": "beam", "acceptance": "annealing", "seconds": "100", "note": "mine"}
    written(tmp_path / "order.json", an_order(configuration={**before, "seconds": 1.0}))
    with pytest.raises(InputError, match="'time' is the earlier name of 'seconds'"):
        read_order(tmp_path)


def test_fields_of_an_earlier_form_are_understood() -> None:
    """Those of a page that was loaded before the server was updated, or of a script."""
    wanted = settings_of({"construct": "random", "accept": "", "time": "2.5"})
    assert wanted["overrides"] == {"construction": "random", "seconds": 2.5}


def test_numbers_have_a_size() -> None:
    """What a float holds with room for sums is a number; truth values and what is not finite are none."""
    assert all(map(is_number, (0, -1.5, 2**62, 10**30)))
    assert not any(map(is_number, (True, None, "1", 10**31, float("inf"), float("nan"))))
    assert not too_deep(deep(30))
    assert too_deep(deep(50))


@pytest.mark.parametrize(
    "name",
    ["a", "my table [1].csv", "héros.csv", "英雄 たち.csv", "a\u3000b", "\u0645\u06cc\u200c.csv", "👩\u200d🚀.txt"],
)
def test_usual_names_are_kept(name: str) -> None:
    """Blanks, brackets, accents, other alphabets and emoji are usual in names."""
    assert usable_name(name)


@pytest.mark.parametrize(
    "name",
    ["", " ", ".", "..", ".x", "a/b", "a\\b", "a\0", "a\nb", "a\x7f", "a\u2028b", "\u202ea", "\ud800", "é" * 101],
)
def test_names_are_names_only(name: str) -> None:
    """What leads elsewhere, hides something, or is too long for a file system is not the name of a file."""
    assert not usable_name(name)


@pytest.fixture(scope="module")
def damaged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Server, dict[str, tuple[str, Any]]]]:
    """A server that was started on damaged jobs: by name which file has which content; None of a whole one."""
    folder = tmp_path_factory.mktemp("damaged")
    store, jobs = Store(folder), {}
    cases = [("order.json", one) for one in [*NO_TABLE, *ORDERS]]
    cases += [("state.json", one) for one in [*NO_TABLE, *STATES]]
    cases += [("result.json", one) for one in [*NO_TABLE, *RESULTS]]
    for file, content in [("", b""), *cases]:
        job = store.add(an_order(), None)
        job.move("done")
        written(job.result, RESULT)
        if file:
            written(job.folder / file, content)
        jobs[job.id] = (file, content)
    for name in ("20200101-000000-000000000001", "99991231-235959-ffffffffffff", "00000000-999999-000000000000"):
        (store.jobs / name).mkdir()
        jobs[name] = ("order.json", None)
    (store.jobs / "20200101-000000-00000000000a").write_text("a file")
    jobs["20200101-000000-00000000000a"] = ("order.json", None)
    found = Server(folder)
    yield found, jobs
    found.kill(signal.SIGTERM)


PATHS = ("", "/events", "/picture.svg", "/plot", "/page", *(f"/files/{name}" for name in (
    "result.json", "trace.jsonl", "picture.svg", "instance.txt", "graph.clq")))  # fmt: skip


def test_damaged_jobs_are_listed_and_removed(damaged: tuple[Server, dict[str, tuple[str, Any]]]) -> None:
    """The server starts; the list names each damaged job with its reason; each page answers; Delete removes them."""
    server, jobs = damaged
    (whole,) = (name for name, (file, _) in jobs.items() if not file)
    page = server.get("/")
    assert page.count("✗ damaged</span>") == len(jobs) - 1
    assert page.count("order.json: ") == sum(file == "order.json" for file, _ in jobs.values())
    assert server.ask("GET", f"/compare?job={whole}&job={next(iter(jobs))}")[0] in (200, 400)
    for name, (file, content) in jobs.items():
        if not file:
            continue
        said = server.get(f"/jobs/{name}")
        assert file in said, (file, content)
        others = PATHS[1:] if file != "order.json" else ("/events", "/page", "/files/instance.txt")
        answers = {path: server.ask("GET", f"/jobs/{name}{path}")[0] for path in others}
        assert all(status < 500 for status in answers.values()), (file, content, answers)
        for path in (f"/play?job={name}", f"/new?job={name}&instance=x", f"/compare?job={name}&job={whole}"):
            assert server.ask("GET", path)[0] < 500, (path, file, content)
        assert server.ask("POST", f"/jobs/{name}/delete")[0] == 303, (file, content)
        assert not os.path.lexists(server.folder / "jobs" / name)
    assert "damaged" not in server.get("/")
    assert sorted(one.name for one in (server.folder / "jobs").iterdir()) == [whole]


@pytest.mark.parametrize(
    "stream",
    [bytes(range(256)) * 40, b"[" * 50_000 + b"\n", b"x" * 6_000_000, b'{"event": "incumbent", "seconds": 1e400}\n',
     b'{"event": "incumbent", "seconds": 1, "work": 1, "objective": "x", "score": "y", "operator": []}\n',
     b'{"event": "bound", "seconds": 1, "work": 1e999, "bound": {}}\n{"event": "end", "seconds": 2, "work": 2}\n',
     b'{"event": "end", "seconds": 2, "work": 2, "stopped": {}, "objective": "x", "bound": "y"}\n',
     b'{"event": "operator", "seconds": 1, "work": 1, "operator": "\\ud800", "gain": 1e30, "call_seconds": 0, '
     b'"status": 0}\n'],
    ids=lambda one: repr(one)[:40],
)  # fmt: skip
def test_any_stream_is_shown(server: Server, stream: bytes) -> None:
    """Of an event stream only what makes sense counts."""
    job = Store(server.folder).add(an_order(), None)
    job.move("done")
    job.events.write_bytes(stream)
    for path in ("", "/events", "/plot"):
        assert server.ask("GET", f"/jobs/{job.id}{path}")[0] == 200
    shutil.rmtree(job.folder)
