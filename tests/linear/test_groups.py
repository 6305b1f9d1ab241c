"""Index sets of a model: from names, from Pyomo, declared; and how rows couple them."""

from __future__ import annotations

import numpy as np
import pyomo.environ as pyo
import pytest

from matheur.errors import ConfigurationError
from matheur.linear.coupling import best_families, coupling_of, neighbours_of
from matheur.linear.groups import Index
from matheur.linear.labels import labels_of_names
from matheur.linear.lp_reader import read_lp
from matheur.linear.model import LinearModel
from matheur.problems.milp.builtin import builtin
from matheur.solvers.pyomo_arrays import arrays_of

_GRIDS = {
    "GAMS, CPLEX": "x({},{})",
    "Gurobi, JuMP, Pyomo": "x[{},{}]",
    "Pyomo's LP writer": "x({}_{})",
    "AMPL": "x['{}',{}]",
    "OPL": "x#{}#{}",
    "PuLP": "x_{}_{}",
    "PuLP, tuples": "x_({},_{})",
    "several brackets": "x({})({})",
    "number at the stem": "x{}_{}",
    "dots": "x.{}.{}",
    "letters between": "x{}h{}",
}


@pytest.mark.parametrize("form", _GRIDS.values(), ids=_GRIDS.keys())
def test_names_of_all_languages_show_the_same_index(form: str) -> None:
    """A grid of names is a stem with two places, whoever wrote them."""
    names = [form.format(i, t) for i in range(1, 13) for t in range(3)]
    labels = labels_of_names([*names, "total"])
    assert labels[-1] == ("total", ())
    assert len({stem for stem, _ in labels[:-1]}) == 1
    assert [index for _, index in labels[:-1]] == [(str(i), str(t)) for i in range(1, 13) for t in range(3)]


def test_numbers_of_columns_are_no_index() -> None:
    """linopy puts one behind each name; where names differ by it alone it is an index."""
    names = ["power(coal,0)#0", "power(gas,0)#1", "spare#2"]
    assert labels_of_names(names) == [("power", ("coal", "0")), ("power", ("gas", "0")), ("spare", ())]
    assert labels_of_names(["x#1", "x#2"]) == [("x", ("1",)), ("x", ("2",))]


def test_stems_and_odd_names() -> None:
    """Words that all names share are the stem, and nothing breaks."""
    assert labels_of_names(["open_site_3", "open_site_4"]) == [("open_site", ("3",)), ("open_site", ("4",))]
    assert labels_of_names(["go(new_york)", "go(paris)"]) == [("go", ("new_york",)), ("go", ("paris",))]
    assert labels_of_names(["b[2].x[3,a]"]) == [("b.x", ("2", "3", "a"))]
    odd = ["___", "()", "[", "x[1", "3", "''", "x]", "ä(ö)", "a b", "x((1,2),3)"]
    assert len(labels_of_names(odd)) == len(odd)
    assert labels_of_names([]) == []


def test_places_with_the_same_values_are_one_family() -> None:
    """Values in numerical order; the places of one stem stay apart."""
    names = [f"{stem}[{i},{t}]" for stem in "xy" for i in ("pump", "valve") for t in (10, 9, 8)]
    index = Index(labels_of_names([*names, *(f"o[{t}]" for t in (8, 9, 10)), "z"]))
    things, times = index.families
    assert (things.name, things.places, things.values) == ("x:0", ("x:0", "y:0"), ("pump", "valve"))
    assert (times.places, times.values, times.ordered) == (("x:1", "y:1", "o:0"), ("8", "9", "10"), True)
    assert not things.ordered
    assert times.of.tolist() == [2, 1, 0] * 4 + [0, 1, 2, -1]
    square = Index(labels_of_names([f"x({i},{j})" for i in range(3) for j in range(3)]))
    assert [family.places for family in square.families] == [("x:0",), ("x:1",)]
    weeks = Index(labels_of_names([f"w_week{t}" for t in (10, 2, 1)]))
    assert weeks.families[0].values == ("week1", "week2", "week10")


def test_declared_families() -> None:
    """One place means its family; several mean these; tables name columns or stems; faults name what there is."""
    names = [f"{stem}({i},{t})" for stem in "xy" for i in "ab" for t in (1, 2)] + ["z"]
    index = Index(labels_of_names(names), {"x:1": "periods"})
    for text in ("x:1", "y:1", "periods"):
        (found,) = index.declared(text, names)
        assert (found.name, found.places) == ("periods", ("x:1", "y:1"))
    (exact,) = index.declared("x:1, y:0", names)
    assert exact.of.tolist() == [0, 1, 0, 1, 2, 2, 3, 3, -1]
    assert [family.name for family in index.declared(["x:0", "periods"], names)] == ["x:0", "periods"]
    (table,) = index.declared({"late": ["x(a,2)", "z"], "early": ["x(a,1)"]}, names)
    assert (table.values, table.of.tolist()) == (("late", "early"), [1, 0] + [-1] * 6 + [0])
    stems = index.declared({"kinds": {"1": "x", "2": "y"}, "some": {"p": ["x(a,1)"], "q": ["z"]}}, names)
    assert [family.name for family in stems] == ["kinds", "some"]
    assert stems[0].of.tolist() == [0] * 4 + [1] * 4 + [-1]
    for wrong, message in (
        ("x:2", r"no index 'x:2'. Maybe 'x:[01]'"),
        ("x", "Maybe one of: x:0, x:1"),
        ("period", "Maybe 'periods'"),
        ({"a": ["x"], "b": ["x(a,1)"]}, "the column 'x\\(a,1\\)' is in two groups: 'a' and 'b'"),
        ({"a": ["x"], "b": ["zz"]}, "no column 'zz' \\(group 'b'\\). Maybe 'z'"),
        ({"a": ["x"]}, "at least two"),
        ({"a": ["x"], "b": 3}, "must be a list of names"),
        ([], "groups are a text"),
        (7, "groups are a text"),
    ):
        with pytest.raises(ConfigurationError, match=message):
            index.declared(wrong, names)
    with pytest.raises(ConfigurationError, match="have none"):
        Index(labels_of_names(["z"])).declared("x:1", ["z"])


def _blocks() -> pyo.ConcreteModel:
    model = pyo.ConcreteModel()
    model.periods = pyo.RangeSet(0, 3)
    model.things = pyo.Set(initialize=["a", "b,c"])
    model.arcs = pyo.Set(initialize=[(1, 2), (2, 3)])
    model.x = pyo.Var(model.things, model.periods, domain=pyo.Binary)
    model.flow = pyo.Var(model.arcs, model.periods)
    model.start = pyo.Var(model.periods - [3])
    model.hour = pyo.Block(model.periods)
    for t in model.periods:
        model.hour[t].u = pyo.Var(model.things)
        model.hour[t].row = pyo.Constraint(expr=sum(model.hour[t].u.values()) + model.x["a", t] <= 3)
    model.north, model.south = pyo.Block(), pyo.Block()
    for part in (model.north, model.south):
        part.k = pyo.Var([1, 2])
    used = (model.x, model.flow, model.start, model.north.k, model.south.k)
    model.all = pyo.Constraint(expr=sum(one for variables in used for one in variables.values()) >= 1)
    model.goal = pyo.Objective(expr=model.x["a", 0])
    return model


def test_pyomo_models_hand_over_their_index_sets() -> None:
    """Sets by name, blocks as places of the index and as groups, and index values with commas."""
    arrays = arrays_of(_blocks())
    index, names = arrays.index(), arrays.model.column_names
    (periods,) = index.declared("periods", names)
    assert set(periods.places) == {"x:1", "flow:2", "start:0", "hour.u:0"}
    (things,) = index.declared("x:0", names)
    assert (things.name, things.values) == ("things", ("a", "b,c"))
    assert set(things.places) == {"x:0", "hour.u:1"}
    (blocks,) = index.declared("blocks", names)
    assert set(blocks.values) == {"north", "south", "hour"}
    for column, name in enumerate(names):
        if name.startswith("hour["):
            assert periods.values[periods.of[column]] == name[5]


def _lot_sizing() -> LinearModel:
    return builtin("demo")


def test_rows_tell_periods_from_items() -> None:
    """Periods follow each other by the rows of the stock; items meet in the rows of the machine only."""
    model = _lot_sizing()
    items, periods = best_families(model, Index(labels_of_names(model.column_names)).families)
    one, other = coupling_of(model, items), coupling_of(model, periods)
    assert (one.inside, one.across, one.near, one.integers) == (3 * 8 * 2, 8, 0, 24)
    assert not one.time_like(items)
    assert (other.inside, other.across, other.near, other.integers) == (8 + 8 * 3 + 3, 7 * 3, 7 * 3, 24)
    assert other.time_like(periods)
    near = neighbours_of(model, periods).toarray()
    assert np.array_equal(near > 0, np.abs(np.subtract.outer(range(8), range(8))) <= 1)


def test_models_without_an_index_have_a_family_too() -> None:
    """Each integer column is a group, in their order."""
    model = read_lp("min\n o: apple + pear + plum\nst\n r: apple + pear + plum >= 2\nbinary\n apple plum\nend\n")
    (family,) = best_families(model, Index(labels_of_names(model.column_names)).families)
    assert (family.name, len(family.values)) == ("columns", 2)
    assert family.of.tolist() == [0 if name == "apple" else 1 if name == "plum" else -1 for name in model.column_names]


def test_names_that_say_nothing_give_bands_of_columns_that_share_rows() -> None:
    """A chain of ten parts whose columns are shuffled: rows stay in a band or go to the next one."""
    rng = np.random.default_rng(4)
    number = rng.permutation(100)
    rows = [
        f" r{part}_{row}: {' + '.join(f'c{number[column]}' for column in chosen)} <= 2"
        for part in range(10)
        for row, chosen in enumerate(10 * part + rng.choice(10, 4, replace=False) for _ in range(12))
    ]
    rows += [f" l{part}: c{number[10 * part + 9]} + c{number[10 * part + 10]} <= 1" for part in range(9)]
    rows.append(" all: " + " + ".join(f"c{column}" for column in range(100)) + " <= 60")
    names = " ".join(f"c{column}" for column in range(100))
    model = read_lp("maximize\n obj: c0\nsubject to\n" + "\n".join(rows) + f"\nbinary\n {names}\nend\n")
    (family,) = best_families(model, Index(labels_of_names(model.column_names)).families)
    assert family.name == "bands"
    assert np.bincount(family.of).tolist() == [10] * 10
    found = coupling_of(model, family)
    assert found.time_like(family)
    assert found.inside + found.near == model.height - 1
