"""Made-up tables and puzzles: solvable, not trivially so, and the same for the same seed."""

from __future__ import annotations

import csv
import io
from collections import Counter
from statistics import median

import numpy as np
import pytest

from matheur.engine.source import Source
from matheur.errors import ConfigurationError
from matheur.problems.party import Instance, Party
from matheur.problems.party.formations import FORMATIONS, ROLES
from matheur.problems.party.formats import read_texts
from matheur.problems.party.generator import SLOTS, TYPES, design, generate
from matheur.problems.party.heroes import LEVEL_MAX, LEVEL_MIN, RACES


def problem_of(puzzle: str, table: str) -> Party:
    return Party(read_texts(Source("puzzle", puzzle.encode()), Source("table", table.encode())))


@pytest.mark.parametrize("kind", TYPES)
@pytest.mark.parametrize("formation", FORMATIONS, ids=lambda formation: formation.name)
@pytest.mark.parametrize("cards", [100, 1000])
def test_the_hidden_party_is_feasible_with_something_to_spare(kind: int, formation: object, cards: int) -> None:
    """Every type, formation and size has a party; in large ones it is not the cheapest, better heroes are at hand."""
    assert formation in FORMATIONS
    one = design(kind, next(one for one in FORMATIONS if one == formation), "name")
    for seed in range(2):
        table, (party,) = generate([one], cards, seed=seed)
        problem = problem_of(one.text("cards.csv"), table)
        assert problem.instance.name == "name"
        assert problem.infeasible_reason() is None
        hidden = problem.decode(party)
        evaluation = problem.evaluate(hidden)
        assert evaluation.feasible, evaluation.violations
        assert problem.instance.synergy is not None
        synergy, least = problem.synergy(hidden), problem.instance.synergy.minimum
        assert synergy is not None
        assert least is not None
        assert least < synergy < 1
        if cards == 1000 and len(one.formation.slots) >= 10:
            assert cheaper_neighbour(problem, hidden, int(evaluation.objective))


def cheaper_neighbour(problem: Party, party: np.ndarray, price: int) -> bool:
    """Whether another item in some slot makes the party cheaper."""
    prices = problem.instance.catalogue.prices
    for slot, items in enumerate(problem.instance.candidates):
        for item in items[np.argsort(prices[items])].tolist():
            if prices[item] >= prices[party[slot]]:
                break
            changed = party.copy()
            changed[slot] = item
            evaluation = problem.evaluate(changed)
            if evaluation.feasible:
                assert evaluation.objective < price
                return True
    return False


def test_formations_are_connected_graphs() -> None:
    """Slots of known roles, simple edges, 16 to 18 of them in the large ones."""
    assert SLOTS == (6, 10, 11)
    for formation in FORMATIONS:
        names = list(formation.slots)
        assert all(roles and set(roles) <= set(ROLES) for roles in formation.slots.values())
        edges = {frozenset(edge) for edge in formation.edges}
        assert len(edges) == len(formation.edges)
        assert all(len(edge) == 2 and edge <= set(names) for edge in edges)
        assert len(names) == 6 or 16 <= len(edges) <= 18
        reached = {names[0]}
        for _ in names:
            reached |= {name for edge in edges if edge & reached for name in edge}
        assert reached == set(names)


def test_tables_look_like_those_of_games() -> None:
    """Bell-shaped levels, prices that rise with them, long tails, and columns that hang together."""
    rows = list(csv.DictReader(io.StringIO(generate([], 5000, seed=3)[0])))
    assert [row["id"] for row in rows] == [str(number) for number in range(1, 5001)]
    levels = np.array([int(row["level"]) for row in rows])
    assert LEVEL_MIN <= levels.min() < 55
    assert 88 < levels.max() <= LEVEL_MAX
    assert 60 < levels.mean() < 72
    assert 0.002 < (levels >= 84).mean() < 0.05
    prices: dict[int, list[int]] = {}
    for row in rows:
        if row["price"]:
            prices.setdefault(int(row["level"]) // 6, []).append(int(row["price"]))
    medians = [median(found) for _, found in sorted(prices.items()) if len(found) >= 5]
    assert medians == sorted(medians)
    assert medians[-1] > 30 * medians[len(medians) // 2]
    assert 0.003 < sum(not row["price"] for row in rows) / 5000 < 0.03
    for column, least in (("race", 10), ("guild", 50), ("religion", 40), ("hometown", 120), ("element", 6)):
        counts = Counter(row[column] for row in rows if row[column])
        assert len(counts) >= least
        assert column == "element" or max(counts.values()) > 2.5 * median(counts.values())
    assert set(RACES) == {row["race"] for row in rows}
    roles = {role for row in rows for role in row["position"].split("|")}
    assert roles == set(ROLES)
    # Two members of a guild are of the same race far more often than two heroes.
    races = Counter(row["race"] for row in rows)
    by_guild: dict[str, Counter[str]] = {}
    for row in rows:
        by_guild.setdefault(row["guild"], Counter())[row["race"]] += 1
    together = sum(sum(n * n for n in counts.values()) for guild, counts in by_guild.items() if guild)
    pairs = sum(sum(counts.values()) ** 2 for guild, counts in by_guild.items() if guild)
    assert together / pairs > 2 * sum(n * n for n in races.values()) / 5000**2


def test_several_puzzles_share_a_table() -> None:
    """Each has its own hidden party, of different heroes."""
    designs = [design(kind, formation) for kind in TYPES for formation in FORMATIONS[-2:]]
    table, parties = generate(designs, 500, seed=4)
    heroes = [hero for party in parties for hero in party.values()]
    assert len(set(heroes)) == len(heroes)
    for one, party in zip(designs, parties, strict=True):
        problem = problem_of(one.text("x"), table)
        assert problem.evaluate(problem.decode(party)).feasible


def test_the_seed_decides() -> None:
    """The same seed gives the same table and party, another one others."""
    one = design(1, FORMATIONS[0])
    assert generate([one], 200, seed=1) == generate([one], 200, seed=1) != generate([one], 200, seed=2)


@pytest.mark.parametrize("cards", [99, 1_000_001, 1000.0, True])
def test_numbers_of_heroes_that_make_no_sense(cards: int) -> None:
    """Too few for a party, too many for a file, no number."""
    with pytest.raises(ConfigurationError):
        generate([], cards)


def test_types_that_do_not_exist() -> None:
    """There are three."""
    with pytest.raises(ConfigurationError, match="type must be 1, 2 or 3"):
        design(4, FORMATIONS[0])


def test_the_demands_of_the_paper() -> None:
    """Section V-C, word for word."""
    said = [[str(demand) for demand in design(kind, FORMATIONS[-1]).constraints] for kind in TYPES]
    assert said == [
        ["sum of level >= 924"],
        ["sum of level >= 825", "distinct religion >= 8", "distinct hometown >= 6", "at most 2 of the same religion"],
        ["sum of level >= 924", "count of race Elf >= 8"],
    ]
    assert isinstance(problem_of(design(1, FORMATIONS[0]).text("x"), generate([], 100)[0]).instance, Instance)
