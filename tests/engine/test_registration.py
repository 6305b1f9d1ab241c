"""What packages of problems bring along, read from their `registration.toml`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from matheur.engine import problem_types as types_module
from matheur.engine import registration
from matheur.engine.operators import KINDS, operator_entries
from matheur.engine.problem_types import (
    of_working,
    problem_types,
    registration_of,
    tool_of,
    with_tool,
    working_tools,
    working_types,
)
from matheur.engine.registration import built_in, folder_of, installed, read_registration
from matheur.engine.registry import Entry
from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.running.adopting import adopt
from matheur.running.loading import recognise

PLANS = ("cubical", "sliding-tile", "lights-out", "sokoban", "rubik")
WHOLE = """
name = "knapsack"
summary = "Pack items of the greatest value"
type = "kind:TYPE"
domain = "space:domain_of"
shares = "matheur.problems.plans"
without = ["bidirectional"]

[operators.construction]
greedy = ["greedy:Greedy", "items with the best ratio first"]

[tools]
workbench = "bench:WORKBENCH"
warming = { instances = ["small"] }
"""


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A package that can be imported, and has nothing but a name."""
    folder = tmp_path / "packed_things"
    folder.mkdir()
    (folder / "__init__.py").write_text("raise RuntimeError('not to be imported')\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder
    for module in [name for name in sys.modules if name.partition(".")[0] == folder.name]:
        del sys.modules[module]


def test_all_built_in_problems_are_whole() -> None:
    """Each name, type, operator, state space and tool of the registrations can be loaded."""
    assert list(built_in()) == problem_types.names()[: len(built_in())]
    for name, one in built_in().items():
        assert one.package == f"matheur.problems.{name.replace('-', '_')}"
        assert one.type.load().name == name
        for entry in (*one.operators, *(tool for tool in one.tools.values() if isinstance(tool, Entry))):
            entry.load()
        assert one.domain is None or callable(one.domain.load())
        assert (one.presets / "default.toml").is_file()
        assert one.plans is (name in PLANS)
    folders = {path.parent.name for path in folder_of("matheur.problems").glob("*/registration.toml")}
    assert folders - {"placements", "plans"} == {one.package.rpartition(".")[2] for one in built_in().values()}


def test_plans_of_assignments_are_no_solutions(package: Path) -> None:
    """A domain makes solutions plans, unless the file says that it makes assignments."""
    file = package / "registration.toml"
    file.write_text(WHOLE)
    assert read_registration("packed_things").plans
    file.write_text(WHOLE.replace("shares", "assignments = true\nshares"))
    assert not read_registration("packed_things").plans
    file.write_text(WHOLE.replace("shares", "assignments = 1\nshares"))
    with pytest.raises(ConfigurationError, match="'assignments' must be true or false"):
        read_registration("packed_things")


def test_a_file_says_all(package: Path) -> None:
    """Its own operators come first, shared ones without the excepted follow; the package is not imported."""
    (package / "registration.toml").write_text(WHOLE)
    one = read_registration("packed_things")
    assert one.name == "knapsack"
    assert one.type == Entry("knapsack", "packed_things.kind:TYPE", "Pack items of the greatest value")
    assert one.domain is not None
    assert one.domain.target == "packed_things.space:domain_of"
    names = [entry.name for entry in one.operators]
    shared = [
        entry.name for entry in built_in()["sliding-tile"].operators if entry.target.startswith("matheur.problems.p")
    ]
    assert names == ["construction.greedy", *(name for name in shared if not name.endswith(".bidirectional"))]
    assert one.operators[0].target == "packed_things.greedy:Greedy"
    assert one.tools["workbench"] == Entry("workbench", "packed_things.bench:WORKBENCH")
    assert one.tools["warming"] == {"instances": ["small"]}
    assert one.presets == package / "presets"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "'name' is missing"),
        ('name = "a"', "'type' is missing"),
        ('name = 3\ntype = ":T"', "'name' must be a text (3)"),
        ('name = "a"\ntype = ":T"\nsummary = 3', "'summary' must be a text"),
        ('name = "a"\ntype = ":T"\nshares = 3', "'shares' must be a text"),
        ('name = "a"\ntype = ":T"\nwithout = 3', "'without' must be a list of names"),
        (
            'name = "a"\ntype = ":T"\nshares = "matheur.problems.plans"\nwithout = ["bidirectonal"]',
            "'without' names no shared operator ('bidirectonal'). Maybe 'bidirectional'?",
        ),
        ('name = "a"\ntype = ":T"\nwithout = ["astar"]', "'without' names no shared operator ('astar')"),
        ('name = "a"\ntype = ":T"\ntools = 3', "'tools' must be a table"),
        ('name = "a"\ntype = ":T"\n[operators]\nconstruction = 3', "'operators.construction' must be a table"),
        ('name = "a"\ntype = "T"', "not of the form MODULE:OBJECT"),
        ('name = "a"\ntype = ":T"\ntyp = ":T"', "unknown key 'typ'. Maybe 'type'"),
        ('name = "a"\ntype = ":T"\noperators = 1', "'operators' must be tables"),
        ('name = "a"\ntype = ":T"\n[operators.constructions]\nb = [":B", "b"]', "Maybe 'construction'"),
        ('name = "a"\ntype = ":T"\n[operators.construction]\nb = ":B"', "one line about it"),
        ('name = "a"\ntype = ":T"\n[operators.construction]\nb = ["B", "b"]', "'B' is not of the form"),
        ('name = "a"\ntype = ":T"\nshares = "no_such_package"', "no package 'no_such_package'"),
        ("name = ", "Invalid value"),
    ],
)
def test_wrong_files_are_refused(package: Path, text: str, message: str) -> None:
    """With the file's package and what is meant."""
    (package / "registration.toml").write_text(text)
    with pytest.raises(ConfigurationError, match=re.escape(message)):
        read_registration("packed_things")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("packed_things", "has no registration.toml"),
        ("no_such_package", "no package 'no_such_package'"),
        ("no_such_package.inner", "no package 'no_such_package.inner'"),
        ("json.decoder", "no package 'json.decoder'"),
        ("", "no package ''"),
    ],
)
def test_packages_without_a_file_are_refused(package: Path, name: str, message: str) -> None:
    """A module, a missing package, one with nothing in it."""
    with pytest.raises(ConfigurationError, match=message):
        read_registration(name)


@pytest.fixture
def installing(package: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Entry points of other packages, as many as a test names."""

    def install(**points: str) -> None:
        group = "matheur.registrations"
        found = [EntryPoint(name, value, group) for name, value in points.items()]
        monkeypatch.setattr(registration, "entry_points", lambda group: found)
        monkeypatch.setattr(problem_types, "_entries", {one.name: one.type for one in built_in().values()})
        monkeypatch.setattr(problem_types, "_scanned", False)
        installed.cache_clear()
        types_module._note.cache_clear()

    yield install
    monkeypatch.undo()
    installed.cache_clear()


def test_other_packages_are_found(package: Path, installing: Any) -> None:
    """By their entry point; what the tools ask for is found, too."""
    (package / "registration.toml").write_text(WHOLE)
    installing(knapsack="packed_things")
    assert list(installed()) == ["knapsack"]
    assert tool_of("knapsack", "warming") == {"instances": ["small"]}
    assert "knapsack" in with_tool("workbench")
    with pytest.raises(ConfigurationError, match=r"packed_things\.bench.*not to be imported"):
        tool_of("knapsack", "workbench")


def test_a_broken_package_hides_nothing(package: Path, installing: Any) -> None:
    """It is listed under the name of its entry point, and says what is wrong when it is asked for."""
    (package / "registration.toml").write_text(WHOLE)
    installing(broken="no_such_package", knapsack="packed_things")
    assert list(installed()) == ["broken", "knapsack"]
    with pytest.raises(
        ConfigurationError, match=r"entry point 'broken' of matheur\.registrations: there is no package"
    ):
        installed()["broken"].type.load()


QAP = Source("q.txt", b"3\n\n0 5 2\n5 0 3\n2 3 0\n\n0 8 15\n8 0 13\n15 13 0\n")
WHOLE_TYPE = """
class Kind:
    name = "knapsack"
    def recognises(self, source): raise ZeroDivisionError("of the plug-in")
    def builtins(self): raise ZeroDivisionError("of the plug-in")
TYPE = Kind()
"""


@pytest.mark.parametrize(
    ("text", "kind", "wrong"),
    [
        (None, "", "the package 'packed_things' has no registration.toml"),
        ("name = ", "", "registration.toml of packed_things: Invalid value"),
        ('name = "knapsack"\ntype = "kind:TYPE"\nwithout = [[]]\nshares = "matheur.problems.plans"', "", "TypeError"),
        ('name = "knapsack"\ntype = "kind:TYPE"', "", "no attribute 'TYPE'"),
        ('name = "knapsack"\ntype = "kind:TYPE"', "import no_such_thing", "No module named 'no_such_thing'"),
        ('name = "knapsack"\ntype = "kind:TYPE"', "TYPE = 5", "AttributeError"),
        ('name = "knapsack"\ntype = "kind:TYPE"', WHOLE_TYPE, "ZeroDivisionError('of the plug-in')"),
        ('name = "knapsack"\ntype = "kind:TYPE"\ntools = {endings = 5}', WHOLE_TYPE, "TypeError"),
    ],
)
def test_a_broken_package_is_left_out_with_a_note(
    package: Path, installing: Any, caplog: pytest.LogCaptureFixture, text: str | None, kind: str, wrong: str
) -> None:
    """Where all problems are asked: whose a file is, what there is. The note names the entry point and the cause."""
    (package / "__init__.py").write_text("")
    (package / "kind.py").write_text(kind)
    if text is not None:
        (package / "registration.toml").write_text(text)
    installing(mine="packed_things")
    assert recognise(QAP).name == "quadratic-assignment"
    listed = list[str]()
    for entry, one in working_types():
        listed += [entry.name for _ in of_working(entry.name, partial(lambda kind: kind.builtins(), one))]
    assert listed == list(built_in())
    for note in (record.message for record in caplog.records):
        assert note.startswith("the problem '")
        assert "entry point 'mine' of matheur.registrations" in note
    assert any(wrong in record.message for record in caplog.records)
    assert len({record.message for record in caplog.records}) == len(caplog.records)


def test_a_tool_of_a_broken_package_is_left_out(
    package: Path, installing: Any, caplog: pytest.LogCaptureFixture
) -> None:
    """Objects of other libraries are for those whose tools can be loaded."""
    (package / "registration.toml").write_text('name = "knapsack"\ntype = "kind:TYPE"\ntools = {objects = "gone:IT"}')
    installing(mine="packed_things")
    assert "knapsack" not in dict(working_tools("objects"))
    with pytest.raises(ConfigurationError, match="an instance is a path"):
        adopt(object(), {})
    assert [record.message.partition(":")[0] for record in caplog.records] == ["the problem 'knapsack' is left out"]


def test_faults_of_built_in_problems_are_raised() -> None:
    """They are no plug-ins: nothing is swallowed."""
    with pytest.raises(ZeroDivisionError):
        list(of_working("party", lambda: 1 // 0))


def test_a_built_in_name_stays(package: Path, installing: Any, caplog: pytest.LogCaptureFixture) -> None:
    """Nobody takes the place of a problem of matheur, and who tries is told."""
    (package / "registration.toml").write_text(WHOLE.replace('"knapsack"', '"party"'))
    installing(party="packed_things")
    assert dict(installed()) == {}
    (note,) = [record.message for record in caplog.records]
    assert note.startswith("the problem 'party' is left out: a built-in one has its name (entry point 'party'")
    found = registration_of("party")
    assert found is not None
    assert found.package == "matheur.problems.party"


def test_tools_that_nobody_has() -> None:
    """None, also for a name that nobody knows."""
    assert tool_of("party", "no-such-tool") is None
    assert tool_of("no-such-problem", "workbench") is None
    assert with_tool("no-such-tool") == []


def test_every_operator_is_of_a_known_kind() -> None:
    """The kinds of the files are those of the look-up."""
    for name in built_in():
        listed = sum(len(operator_entries(name, kind)) for kind in KINDS)  # type: ignore[arg-type]
        assert listed == len(built_in()[name].operators)
