"""The commands `matheur problems`, `operators` and `solvers`, help and version."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

import pytest
from cli.conftest import Command
from rich.text import Text
from typer.main import get_command

from matheur.cli.app import app
from matheur.engine.operators import operator_class, operator_entries
from matheur.engine.options import describe, meanings
from matheur.engine.registration import KINDS
from matheur.engine.registry import Registry
from matheur.errors import ConfigurationError
from matheur.problems import problem_types

CHEAPEST = {
    "cubical": "astar",
    "edge-matching": "random",
    "lights-out": "linear-algebra",
    "max-clique": "local-search",
    "milp": "solver",
    "party": "constructive",
    "quadratic-assignment": "random",
    "rubik": "two-phase",
    "sliding-tile": "astar",
    "sokoban": "push-astar",
}
OPTIONS = {
    "rubik": ("--set", "construction.until=first"),  # the first plan is enough
    "max-clique": ("--work", "500"),
    "milp": ("--set", "construction.nodes=1"),
}


def test_version_and_help(matheur: Command) -> None:
    """The version is that of the installed package; each command prints its help."""
    assert matheur("--version").out == f"matheur {version('matheur')}\n"
    for arguments in (("--help",), ("-h",), ("solve", "--help"), ("export", "clique", "-h")):
        answer = matheur(*arguments)
        assert answer.code == 0
        assert "Usage" in answer.out
    assert matheur().code == 2


def _commands(command: Any) -> Iterator[Any]:
    yield command
    for one in getattr(command, "commands", {}).values():
        yield from _commands(one)


def test_help_says_all_that_is_written() -> None:
    """Help texts contain no mark-up, which would hide words in brackets."""
    texts = [text for one in _commands(get_command(app)) for text in (one.help, *(p.help for p in one.params)) if text]
    assert len(texts) > 100
    assert [text for text in texts if Text.from_markup(text).plain != text] == []


def test_problems(matheur: Command) -> None:
    """Every problem is listed with a summary and its built-in instances."""
    found = matheur("problems", "--json").json["problems"]
    assert [one["name"] for one in found] == problem_types.names()
    assert all(one["summary"] and one["instances"] for one in found)
    answer = matheur("problems")
    assert answer.code == 0
    assert all(one["name"] in answer.out for one in found)


def test_operators(matheur: Command) -> None:
    """Every operator is listed with a summary, and with the types and defaults of its options."""
    found = matheur("operators", "--json").json["operators"]
    for problem in problem_types.names():
        for kind in KINDS:
            names = [one["name"] for one in found if (one["problem"], one["kind"]) == (problem, kind)]
            assert names == [entry.name for entry in operator_entries(problem, kind)]  # type: ignore[arg-type]
    assert all(one["summary"] for one in found)
    region = next(one for one in found if one["name"] == "region")
    assert region["options"]["solver.name"] == {"type": "str", "default": "highs"}
    assert region["options"]["rows"]["type"] == "int"
    phased = next(one for one in found if one["name"] == "phased")
    assert phased["options"]["delta"] == {"type": "int", "default": 4, "limits": {"minimum": 1}}
    assert "above" in matheur("operators", "max-clique", "--options").out
    answer = matheur("operators", "edge-matching")
    assert answer.code == 0
    assert "swap-rotate" in answer.out
    assert "solver.name" not in answer.out
    assert "Maybe 'edge-matching'" in matheur("operators", "edge-mtching").error


def test_the_list_of_all_operators_says_each_thing_once(matheur: Command) -> None:
    """The list of all operators describes a shared operator only once."""
    out = matheur("operators").out
    assert out.count("breadth-first search from both ends") == 1
    assert out.count("bidirectional") > 1
    assert "breadth-first search from both ends" in matheur("operators", "rubik").out


def test_one_operator(matheur: Command) -> None:
    """A named operator is described with the meaning, default and limits of each option."""
    out = " ".join(matheur("operators", "party", "annealing").out.split())
    assert "Metropolis" in out
    assert "swaps 0.25 (from 0 to 1) Share of the steps that exchange two slots" in out
    assert "replace" not in out
    kinds = [one["kind"] for one in matheur("operators", "party", "milp-full", "--json").json["operators"]]
    assert kinds == ["construction", "certifier"]
    assert "Maybe 'annealing'" in matheur("operators", "party", "anealing").error


@pytest.mark.parametrize("problem", problem_types.names())
def test_every_option_has_a_meaning(problem: str) -> None:
    """The docstring of an operator explains each of its options and refers to no other place."""
    for kind in KINDS:
        for entry in operator_entries(problem, kind):  # type: ignore[arg-type]
            for option, text in meanings(entry.load()).items():
                assert text, (kind, entry.name, option)
                assert not re.match("(As (for|in|of)|See) `", text), (kind, entry.name, option)


@pytest.mark.parametrize("problem", problem_types.names())
def test_limits_of_calls_are_no_negative_numbers(problem: str) -> None:
    """Options that limit a call or the threads of a solver have a minimum."""
    for kind in ("construction", "neighbourhood"):
        for entry in operator_entries(problem, kind):  # type: ignore[arg-type]
            for name, facts in describe(entry.load()).items():
                if name.rpartition(".")[2] in ("nodes", "seconds", "selections", "threads"):
                    assert facts.get("limits", {}).keys() & {"minimum", "above"}, (kind, entry.name, name)


@pytest.fixture
def others(monkeypatch: pytest.MonkeyPatch) -> None:
    """Register two faulty entry points: one without its module, one with a misspelt kind."""
    registry = Registry("operator", "tests.operators")
    registry.add("party.neighbourhood.broken", "no_such_module:Broken")
    registry.add("party.neighborhood.odd", "pathlib:Path")
    monkeypatch.setattr("matheur.engine.operators._registry", registry)


@pytest.mark.usefixtures("others")
def test_a_broken_package_hides_no_operator(matheur: Command) -> None:
    """An operator that cannot be imported is listed with the reason; using it is an error."""
    (found,) = matheur("operators", "party", "--json").json["operators"]
    assert found["name"] == "broken"
    assert "no_such_module" in found["summary"]
    assert "not available" in matheur("operators").out
    assert "'broken' cannot be loaded from 'no_such_module:Broken'" in _refused("broken")


@pytest.mark.usefixtures("others")
def test_a_misnamed_entry_point_is_said() -> None:
    """An entry point with an unknown kind or problem is named if its operator is requested."""
    assert "Maybe rename the entry point 'party.neighborhood.odd' to 'party.neighbourhood.odd'" in _refused("odd")


def _refused(name: str) -> str:
    with pytest.raises(ConfigurationError) as caught:
        operator_class("party", "neighbourhood", name)
    return str(caught.value)


def test_solvers(matheur: Command) -> None:
    """Solvers are listed with version and capabilities, or with the reason why they are unavailable."""
    found = {one["name"]: one for one in matheur("solvers", "--json").json["solvers"]}
    for name in ("highs", "scip"):
        assert found[name]["available"]
        assert found[name]["version"]
        assert found[name]["capabilities"]["bound"] is True
    assert all(one["available"] or one["reason"] for one in found.values())
    assert "highs" in matheur("solvers").out


@pytest.mark.parametrize("name", problem_types.names())
def test_built_in_instances_can_be_solved(matheur: Command, name: str) -> None:
    """The first and the last built-in instance of each problem can be solved by name."""
    listed = {one["name"]: one["instances"] for one in matheur("problems", "--json").json["problems"]}
    names = list(listed[name])
    for short in (names[0], names[-1]):
        answer = matheur(
            "solve", f"{name}/{short}", "--construction", CHEAPEST[name], "--neighbourhoods", "none", "--json",
            "--seconds", 600, *OPTIONS.get(name, ()),
        )  # fmt: skip
        assert answer.json["feasible"]


def test_a_terminal_without_a_width_gets_80_columns(matheur: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """`COLUMNS=0`, which some terminals set, does not hide the output."""
    monkeypatch.setenv("COLUMNS", "80")
    wide = matheur("problems").out
    monkeypatch.setenv("COLUMNS", "0")
    assert matheur("problems").out == wide
    assert "edge-matching" in wide
