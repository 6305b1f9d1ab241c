"""The kind of problem as the command line sees it, and its built-in puzzles."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from problems.party.formats.example import CARDS, PUZZLE

from matheur.engine.problem_type import ProblemType
from matheur.engine.source import Source
from matheur.errors import ConfigurationError, InputError
from matheur.problems.party import BUILTINS, TYPE, Party, builtin
from matheur.problems.party.formations import FORMATIONS
from matheur.problems.party.generator import design, generate


def test_it_is_a_kind_of_problem(tmp_path: Path) -> None:
    """A file is recognised and read, a party as well."""
    kind: ProblemType = TYPE
    assert kind.name == Party.name == "party"
    path = tmp_path / "one.json"
    path.write_text(json.dumps(PUZZLE))
    (tmp_path / "cards.csv").write_text(CARDS)
    source = Source(str(path), path.read_bytes())
    assert kind.recognises(source)
    problem = kind.read(source, {"synergy": 0.75})
    party = kind.read_solution(problem, Source("party", b"GK,17\nRB,8\nANY,9"))
    assert problem.evaluate(party).feasible
    with pytest.raises(ConfigurationError, match=r"unknown option 'card' of party files\. Maybe 'cards'\?"):
        kind.read(source, {"card": "x"})


@pytest.mark.parametrize("name", BUILTINS)
def test_built_in_puzzles(name: str) -> None:
    """Each is there at once, is not plainly infeasible, and can be played with another synergy."""
    problem = TYPE.builtin(name, {})
    one = problem.instance
    assert one.name == name
    assert BUILTINS[name].startswith(f"{len(one.slots)} slots")
    assert problem.infeasible_reason() is None
    assert one.synergy is not None
    easier = TYPE.builtin(name, {"synergy": 0.25}).instance
    assert easier.synergy == dataclasses.replace(one.synergy, minimum=easier.synergy.minimum)
    assert float(easier.synergy.minimum) == 0.25
    assert builtin(name).catalogue.prices.tolist() == one.catalogue.prices.tolist()


def test_the_large_ones_share_their_heroes() -> None:
    """Types 1 to 3 are played on the same 10,000."""
    prices = [builtin(f"type{kind}").catalogue.prices for kind in (1, 2, 3)]
    assert len(prices[0]) == 10_000
    assert all(np.array_equal(prices[0], other) for other in prices)


def test_built_in_puzzles_that_do_not_exist() -> None:
    """The nearest name helps; they have their own tables."""
    with pytest.raises(InputError, match=r"Maybe 'type1'\?"):
        builtin("typ1")
    with pytest.raises(ConfigurationError, match="its own table"):
        TYPE.builtin("demo", {"cards": "x.csv"})


@pytest.mark.parametrize(
    "options", [{}, {"type": 2, "slots": 6, "cards": 150}, {"type": "3", "size": "200", "slots": "10"}]
)
def test_generated_puzzles_are_solved_by_what_is_hidden(options: dict[str, Any], tmp_path: Path) -> None:
    """The texts, under the names that the command line gives them, are read as a puzzle that the party solves."""
    made = TYPE.generate(options, 5)
    assert made == TYPE.generate(options, 5) != TYPE.generate(options, 6)
    text, companions = made.named("so 'far'")
    assert list(companions) == ["so__far_-cards.csv"]
    for name, content in {"p.json": text, **companions}.items():
        (tmp_path / name).write_text(content)
    problem = TYPE.read(Source(str(tmp_path / "p.json"), text.encode()), {})
    evaluation = problem.evaluate(problem.decode(made.solution))
    assert evaluation.feasible
    assert evaluation.objective == made.score
    assert len(problem.instance.slots) == int(options.get("slots", 11))
    assert len(problem.instance.catalogue) == int(options.get("cards", options.get("size", 10_000)))


def test_the_formation_depends_on_the_seed() -> None:
    """Several formations have eleven slots."""
    names = {json.loads(TYPE.generate({"cards": 100}, seed).instance)["name"].split(", ")[2] for seed in range(12)}
    assert names == {formation.name for formation in FORMATIONS if len(formation.slots) == 11}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"card": 5}, "unknown option 'card'"),
        ({"cards": 5}, "cards must be a whole number from 100"),
        ({"cards": "many"}, "cards must be a whole number"),
        ({"cards": 200, "size": 300}, "the size says 300 cards, the option 200"),
        ({"slots": 7}, "slots must be one of 6, 10, 11"),
        ({"type": 4}, "type must be 1, 2 or 3"),
        ({"type": 1.5}, "type must be a whole number"),
    ],
)
def test_options_that_make_no_sense(options: dict[str, Any], message: str) -> None:
    """Unknown options and values are errors that say what would be right."""
    with pytest.raises(ConfigurationError, match=message):
        TYPE.generate(options, 0)
    with pytest.raises(ConfigurationError, match="seed"):
        TYPE.generate({}, -1)


def test_the_impossible_one_contradicts_itself() -> None:
    """Five races on six slots leave one edge inside a race at most, and a synergy of 0.8 needs more; one of the two
    demands alone can be met."""
    one = builtin("impossible")
    assert str(one.constraints[1]) == "distinct race >= 5"
    assert one.synergy is not None
    edges, terms = len(one.edges), len(one.synergy.terms)
    assert (1 + (terms - 1) * edges) / (terms * edges) < 0.8 == float(one.synergy.minimum or 0)
    # Its heroes are those of the demo, whose hidden party has a synergy of 0.9.
    table, (party,) = generate([design(2, FORMATIONS[0])], 300, seed=6)
    alike = Party(dataclasses.replace(one, constraints=(one.constraints[0], one.constraints[2])))
    assert Party(builtin("demo")).evaluate(alike.decode(party)).feasible
    assert alike.evaluate(alike.decode(party)).feasible
    assert len(table.split("\n")) == 300 + 2
    # The best hero of each slot whose race is still missing.
    codes, chosen = one.catalogue.traits["race"].codes, list[int]()
    for items in one.candidates:
        fresh = [item for item in items.tolist() if codes[item] not in codes[chosen]]
        chosen.append(max(fresh, key=lambda item: one.catalogue.measures["level"].amounts[item]))
    assert Party(dataclasses.replace(one, synergy=None)).evaluate(np.array(chosen)).feasible
