"""Things found by name."""

from __future__ import annotations

from importlib.metadata import EntryPoint, EntryPoints
from pathlib import Path, PurePath
from typing import Any

import pytest

from matheur.engine import Entry, Registry
from matheur.engine import registry as registry_module
from matheur.errors import ConfigurationError


def make() -> Registry:
    return Registry("shape", "tests.shapes", [Entry("path", "pathlib:Path", "a path"), Entry("one", 1)])


def test_targets_are_imported_on_use() -> None:
    """A target by name is imported when asked for; any other object is itself."""
    registry = make()
    assert registry.get("path") is Path
    assert registry.get("one") == 1
    assert registry.names() == ["path", "one"]
    assert registry.entry("path").summary == "a path"


def test_unknown_names_name_the_nearest() -> None:
    """An unknown name is a configuration error that helps."""
    with pytest.raises(ConfigurationError, match=r"unknown shape 'pat'. Maybe 'path'\?"):
        make().get("pat")


def test_run_time_entries_come_and_go() -> None:
    """A name can be added once, and removed."""
    registry = make()
    registry.add("mine", PurePath, "mine")
    assert registry.get("mine") is PurePath
    with pytest.raises(ConfigurationError, match="already registered"):
        registry.add("mine", PurePath)
    registry.remove("mine")
    assert "mine" not in registry.names()


@pytest.mark.parametrize(
    ("name", "target", "said"),
    [
        ("", PurePath, r"the name of a shape must be a text that is not empty \(''\)"),
        (3, PurePath, r"the name of a shape must be a text"),
        ("mine", None, "shape 'mine': None is neither an object"),
        ("mine", "pathlib", "shape 'mine': 'pathlib' is .*nor of the form MODULE:OBJECT"),
    ],
)
def test_what_cannot_be_found_again_is_refused(name: Any, target: Any, said: str) -> None:
    """At once, and not when somebody asks for it."""
    registry = make()
    with pytest.raises(ConfigurationError, match=said):
        registry.add(name, target)
    assert registry.names() == ["path", "one"]


def test_other_packages_add_names_but_do_not_take_them(monkeypatch: pytest.MonkeyPatch) -> None:
    """Entry points are found after the built-in names, which they cannot replace."""
    points = EntryPoints(EntryPoint(name, "pathlib:PurePath", "tests.shapes") for name in ("theirs", "path"))
    monkeypatch.setattr(registry_module, "entry_points", lambda group: points if group == "tests.shapes" else ())
    registry = make()
    assert registry.get("theirs") is PurePath
    assert registry.get("path") is Path
    assert registry.names() == ["path", "one", "theirs"]


def test_a_clone_is_no_installation() -> None:
    """Where the models are missing, Python found the sources first: the error says what to do."""
    entry = Entry("one", "matheur.models.no_such_module:it")
    with pytest.raises(ConfigurationError) as caught:
        entry.load()
    assert "another folder" not in str(caught.value)
    missing = ModuleNotFoundError("No module named 'matheur.models'", name="matheur.models")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("matheur.engine.registry.import_module", lambda _: (_ for _ in ()).throw(missing))
        with pytest.raises(ConfigurationError, match="Maybe call it from another folder"):
            entry.load()
