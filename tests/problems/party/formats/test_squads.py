"""What squad builders write: several squads, owned, required and locked cards, ranges, positions, totals."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from matheur.engine.source import Source
from matheur.errors import InputError
from matheur.problems.party import (
    ChemistryConstraint,
    CountConstraint,
    Group,
    Instance,
    MinSameConstraint,
    Party,
    SquadRatingConstraint,
    write_puzzle,
)
from matheur.problems.party.formats import read_texts

TABLE = """id,rating,club,position,mine,price
1,84,N,ST|CM,yes,2822
2,85,L,ST,,2936
3,87.5,K,GK,no,3690
4,70,K,CM,,163
5,70,N,CM,1,
6,,L,GK,,3283
"""

GROUPS = [{"column": "club", "steps": [2, 4, 7]}]


def read(table: str = TABLE, **keys: Any) -> Instance:
    """The puzzle of two slots with these keys."""
    content = {"format": "matheur-party", "version": 1, **keys}
    if "squads" not in keys:
        content.setdefault("slots", [{"name": "one"}, {"name": "two"}])
    return read_texts(Source("puzzle.json", json.dumps(content).encode()), Source("cards.csv", table.encode()))


def demand(kind: str, **keys: Any) -> dict[str, Any]:
    return {"type": kind, "value": 2, **keys}


def test_rules() -> None:
    """The three rules, with what may be left out."""
    one = read(
        constraints=[
            demand("min_same", column="club"),
            demand("squad_rating", column="rating", op=">=", rounding="nearest"),
            demand("chemistry", groups=GROUPS, op="==", most=2, each=1, full={"column": "mine", "in": ["yes"]}),
            demand("chemistry", groups=GROUPS, op="<="),
        ]
    )
    two = Fraction(2)
    groups = (Group("club", (2, 4, 7)),)
    assert one.constraints == (
        MinSameConstraint("club", two),
        SquadRatingConstraint("rating", ">=", two, "nearest"),
        ChemistryConstraint(groups, "==", two, 2, 1, ("mine", ("yes",))),
        ChemistryConstraint(groups, "<=", two),
    )
    assert 5 not in one.candidates[0]  # it has no rating
    assert not one.plain


def test_ranges_count_by_number() -> None:
    """A count may give a range instead of a list."""
    one = read(constraints=[demand("count", column="rating", op=">=", **{"from": 84, "to": 86})])
    (constraint,) = one.constraints
    assert isinstance(constraint, CountConstraint)
    assert constraint.values == ("84", "85")
    assert str(constraint) == "count of rating 84 to 86 >= 2"
    assert Party(one).evaluate(np.array([0, 1], dtype=np.int32)).feasible
    assert not Party(one).evaluate(np.array([0, 2], dtype=np.int32)).feasible


def test_owned_cards_cost_nothing() -> None:
    """By a list of ids or by a column; also where the prices are summed up, and where an item has no price."""
    demands = [{"type": "sum", "column": "price", "op": "<=", "value": 200}]
    for owned in (["1", 5], "mine"):
        one = read(owned=owned, constraints=demands)
        assert one.catalogue.prices.tolist() == [0, 2936, 3690, 163, 0, 3283]
        assert one.catalogue.measures["price"].amounts.tolist() == [0, 2936, 3690, 163, 0, 3283]
        assert Party(one).evaluate(np.array([0, 4], dtype=np.int32)).objective == 0


def test_required_cards_are_in() -> None:
    """In whichever slot."""
    problem = Party(read(required=["2", 4]))
    assert problem.evaluate(np.array([3, 1], dtype=np.int32)).feasible
    assert problem.evaluate(np.array([0, 1], dtype=np.int32)).violations == ("count of id 2 or 4 >= 2 fails: it is 1",)


def test_squads_have_demands_of_their_own() -> None:
    """Slots carry the squad's name, demands speak of its slots, and no card is in two squads."""
    one = read(
        squads=[
            {
                "name": "A",
                "copies": 2,
                "slots": [{"name": "x"}],
                "constraints": [demand("sum", column="rating", op=">=")],
            },
            {
                "name": "B",
                "slots": [{"name": "x"}, {"name": "y"}],
                "constraints": [
                    demand("max_same", column="club"),
                    demand("distinct", column="club", op=">=", slots=["y"]),
                ],
                "fixed": {"y": "2"},
            },
        ],
        constraints=[demand("min_same", column="club", slots=["A 1 x", "B x"])],
        fixed={"A 1 x": 1},
    )
    assert one.slots == ("A 1 x", "A 2 x", "B x", "B y")
    assert one.fixed == {0: 0, 3: 1}
    assert [one_.scope.slots for one_ in one.constraints if one_.scope] == [(0, 2), (0,), (1,), (2, 3), (3,)]
    assert [str(one_) for one_ in one.constraints] == [
        "A 1 x, B x: at least 2 of the same club",
        "A 1: sum of rating >= 2",
        "A 2: sum of rating >= 2",
        "B: at most 2 of the same club",
        "B, y: distinct club >= 2",
    ]
    assert 5 in one.candidates[2]  # only the squads A need a rating
    assert 5 not in one.candidates[1]


def test_positions_in_which_a_card_plays() -> None:
    """`accepts` says who may stand there, `plays` who takes part in the chemistry there."""
    one = read(
        slots=[{"name": "one", "plays": ["CM"]}, {"name": "two", "accepts": ["CM", "ST"], "plays": ["ST"]}],
        constraints=[demand("chemistry", groups=GROUPS, op=">=")],
    )
    assert one.in_position.tolist() == [[True, False, False, True, True, False], [True, True, *[False] * 4]]
    problem = Party(one)
    assert problem.report(np.array([4, 0], dtype=np.int32))["chemistry"] == 2
    assert problem.report(np.array([0, 4], dtype=np.int32))["chemistry"] == 0  # 5 is out of position


def test_totals() -> None:
    """`maximise` names a column; prices may be missing altogether then."""
    one = read("id,points\n1,3.5\n2,\n3,-1\n", maximise="points")
    assert (one.objective, one.maximised) == ("total", "points")
    assert [items.tolist() for items in one.candidates] == [[0, 2], [0, 2]]
    problem = Party(one)
    assert problem.score(problem.evaluate(np.array([0, 2], dtype=np.int32)).objective) == 2.5
    assert problem.score_max is None
    with pytest.raises(InputError, match="has twice"):
        read("id,points,price,price\n1,3.5,4,5\n2,,6,7\n", maximise="points")


def test_round_trip() -> None:
    """Written and read again, a puzzle is the same, whatever it was written with."""
    one = read(
        squads=[
            {
                "name": "A",
                "slots": [{"name": "x", "plays": ["CM"]}],
                "constraints": [demand("min_same", column="club")],
            },
            {"name": "B", "slots": [{"name": "x", "accepts": ["ST", "GK"]}]},
        ],
        constraints=[
            demand("squad_rating", column="rating", op="==", rounding="nearest"),
            demand("count", column="rating", op=">=", **{"from": 84}),
            demand("chemistry", groups=GROUPS, op=">=", most=2, each=1, full={"column": "club", "in": ["N"]}),
        ],
        owned=["4"],
        required=["2"],
        excluded=["3"],
        maximise="rating",
    )
    puzzle, table = write_puzzle(one)
    again = read_texts(Source("puzzle.json", puzzle.encode()), Source("cards.csv", table.encode()))
    # The column of ids is a trait of its own once it is written next to the ids.
    renamed = [repr(demand).replace("id_", "id") for demand in again.constraints]
    assert sorted(renamed) == sorted(map(repr, one.constraints))
    assert [demand.scope for demand in again.constraints] == [demand.scope for demand in one.constraints]
    assert (again.in_position == one.in_position).all()
    assert again.catalogue.prices.tolist() == one.catalogue.prices.tolist()
    assert (again.objective, again.maximised) == (one.objective, one.maximised)


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        ({"maximise": "points"}, "cards.csv lacks"),
        ({"objective": "chemistry"}, "0 constraints are of this type"),
        ({"maximise": "rating", "objective": "price"}, "both set the objective"),
        ({"squads": [{"name": "A", "slots": [{"name": "x"}]}], "slots": [{"name": "y"}]}, "both list slots"),
        ({"squads": [{"name": "A", "copies": 0, "slots": [{"name": "x"}]}]}, "copies must be a whole number from 1"),
        (
            {"squads": [{"name": "A", "slots": [{"name": "x"}], "fixed": {"x": "1"}}], "fixed": {"A x": "2"}},
            "fixes a slot that its squad also fixes",
        ),
        ({"squads": [{"name": "A", "slots": [{"name": "x"}]}] * 2}, "is the second squad of the name 'A'"),
        ({"squads": [{"name": "A", "copies": 2000, "slots": [{"name": "x"}]}]}, "1001 slots in all, at most 1000"),
        ({"owned": ["1", "9"]}, "owned[1] is not an id of cards.csv ('9')"),
        ({"required": ["1", "1"]}, "required[1] names the id '1' a second time"),
        ({"owned": "own"}, "cards.csv lacks"),
        ({"constraints": [demand("min_same", column="club", op=">=")]}, "op is not a known key"),
        ({"constraints": [demand("min_same", column="club", slots=["onw"])]}, "Maybe 'one'?"),
        ({"constraints": [demand("min_same", column="club", slots=[])]}, "a list of at least 1 entries"),
        ({"constraints": [demand("squad_rating", column="rating", op=">=", rounding="up")]}, "'down' or 'nearest'"),
        ({"constraints": [demand("count", column="club", op=">=")]}, "has no key 'in'"),
        ({"constraints": [demand("count", column="rating", op=">=", **{"in": ["1"], "from": 2})]}, "keep only one"),
        ({"constraints": [demand("chemistry", groups=[{"column": "club", "steps": [3, 3]}], op=">=")]}, "not greater"),
        ({"constraints": [demand("chemistry", groups=[{"column": "club", "steps": [0]}], op=">=")]}, "from 1 to 1000"),
        ({"constraints": [demand("chemistry", groups=GROUPS, op=">=", each=0.5)]}, "a whole number from 0 to 1000"),
    ],
)  # fmt: skip
def test_mistakes(keys: dict[str, Any], message: str) -> None:
    """One line that says what is wrong."""
    with pytest.raises(InputError) as caught:
        read(**keys)
    assert message in str(caught.value), caught.value
    assert "\n" not in str(caught.value)
