"""Pyomo models in both interfaces of Pyomo, and in `matheur.solve`."""

from __future__ import annotations

import math
import signal
from contextlib import nullcontext
from io import StringIO
from pathlib import Path
from typing import Any

import pyomo.environ as pyo
import pyomo.kernel
import pytest
from docs.pages import ROOT, blocks, run_python
from pyomo.common.timing import HierarchicalTimer
from pyomo.contrib.solver.common.factory import SolverFactory
from pyomo.contrib.solver.common.results import SolutionStatus, TerminationCondition
from pyomo.contrib.solver.common.util import (
    NoDualsError,
    NoFeasibleSolutionError,
    NoOptimalSolutionError,
    NoReducedCostsError,
)

import matheur
import matheur.pyomo
from matheur.errors import ConfigurationError, InputError, SolverError, UnboundedError
from matheur.linear.decimals import exact
from matheur.solvers.pyomo_arrays import arrays_of


def knapsack(sense: int = pyo.maximize) -> Any:
    """Best value 11.5, with b, d and half of y."""
    model = pyo.ConcreteModel("knapsack")
    model.goods = pyo.Set(initialize=["a", "b", "c", "d"])
    weight = {"a": 4, "b": 3, "c": 3, "d": 2}
    worth = {"a": 4, "b": 5, "c": 3.5, "d": 6}
    model.take = pyo.Var(model.goods, domain=pyo.Binary)
    model.y = pyo.Var(bounds=(0, 0.5))
    model.fixed = pyo.Var(initialize=1)
    model.fixed.fix()
    model.unused = pyo.Var(bounds=(2, None))
    model.room = pyo.Constraint(expr=(1, sum(weight[i] * model.take[i] for i in model.goods) + model.fixed, 6))
    total = sum(worth[i] * model.take[i] for i in model.goods) + model.y
    model.worth = pyo.Objective(expr=total if sense == pyo.maximize else -total, sense=sense)
    return model


def taken(model: Any) -> list[str]:
    return [i for i in model.goods if pyo.value(model.take[i]) == 1]


@pytest.mark.parametrize(("sense", "value"), [(pyo.maximize, 11.5), (pyo.minimize, -11.5)])
def test_solve_loads_values(sense: int, value: float) -> None:
    """Objective and bound are in the sense of the model; variables that nobody mentions get a value, too."""
    model = knapsack(sense)
    result = matheur.solve(model, seconds=30)
    assert (result.status, result.objective, result.bound, result.gap) == ("optimal", value, value, 0)
    assert pyo.value(model.worth) == pytest.approx(value)
    assert taken(model) == ["b", "d"]
    assert model.unused.value == 2
    assert result.to_dict()["solution"] == {"take[b]": 1, "take[d]": 1, "y": 0.5}


def test_the_older_interface() -> None:
    """Condition, bounds and values, as with any solver; `tee` shows improvements."""
    model = knapsack()
    shown = StringIO()
    results = pyo.SolverFactory("matheur").solve(model, timelimit=30, tee=shown)
    assert results.solver.termination_condition == pyo.TerminationCondition.optimal
    assert results.solver.status == pyo.SolverStatus.ok
    assert results.problem.upper_bound == pytest.approx(11.5)
    assert taken(model) == ["b", "d"]
    assert "11.5" in shown.getvalue()


def test_the_newer_interface() -> None:
    """Results object, options, values that are not loaded unless wanted."""
    model = knapsack()
    solver = SolverFactory("matheur")
    assert solver.available()
    results = solver.solve(model, load_solutions=False, threads=1, solver_options={"seed": 3, "solver": "highs"})
    assert results.termination_condition is TerminationCondition.convergenceCriteriaSatisfied
    assert results.solution_status is SolutionStatus.optimal
    assert results.incumbent_objective == pytest.approx(11.5)
    assert model.take["b"].value is None
    assert results.solution_loader.get_vars([model.take["b"]])[model.take["b"]] == 1
    results.solution_loader.load_vars()
    assert taken(model) == ["b", "d"]
    with pytest.raises(ConfigurationError, match="gurobi_option"):
        solver.solve(model, solver_options={"gurobi_option": 1})


def raising(*_: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.parametrize("handler", [signal.default_int_handler, raising])
def test_ctrl_c_loads_the_best_values(handler: Any) -> None:
    """As a limit does, whatever becomes of the call."""
    model, seen = knapsack(), []

    def press(event: Any) -> None:
        if event["event"] == "incumbent":
            seen.append(event["objective"])
            signal.raise_signal(signal.SIGINT)

    former = signal.signal(signal.SIGINT, handler)
    try:
        with nullcontext() if handler is signal.default_int_handler else pytest.raises(KeyboardInterrupt):
            matheur.solve(model, construction="jump", neighbourhoods=[], observers=[press], seconds=30)
    finally:
        signal.signal(signal.SIGINT, former)
    assert pyo.value(model.worth) == pytest.approx(-seen[-1])


def test_ctrl_c_is_a_condition() -> None:
    """In the interfaces of Pyomo, with the best values in the model."""

    class Presses(StringIO):
        def write(self, text: str) -> int:
            if not self.tell():
                signal.raise_signal(signal.SIGINT)
            return super().write(text)

    model = knapsack()
    results = pyo.SolverFactory("matheur").solve(
        model, timelimit=30, tee=Presses(), options={"construction": "jump", "neighbourhoods": []}
    )
    assert results.solver.termination_condition == pyo.TerminationCondition.resourceInterrupt
    assert pyo.value(model.worth) > 0


@pytest.mark.parametrize("legacy", [True, False])
def test_a_second_ctrl_c_leaves_the_best_values_in_the_model(legacy: bool) -> None:
    """In the interfaces of Pyomo, as in `matheur.solve`; not if no values are to be loaded."""

    class Presses(StringIO):
        def write(self, text: str) -> int:
            for _ in range(2):
                signal.raise_signal(signal.SIGINT)
            return super().write(text)

    own = {"construction": "jump", "neighbourhoods": []}
    solver: Any = pyo.SolverFactory("matheur") if legacy else SolverFactory("matheur")
    for loaded in (True, False):
        model = knapsack()
        given = {"tee": Presses(), "load_solutions": loaded, "options" if legacy else "solver_options": own}
        with pytest.raises(KeyboardInterrupt):
            solver.solve(model, **{"timelimit" if legacy else "time_limit": 30}, **given)
        assert (pyo.value(model.worth, exception=False) is not None) == loaded


def test_a_target_is_an_option_and_a_condition() -> None:
    """As other limits of `solve` are; a limit of work is not one of time."""
    options = {"construction": "jump", "neighbourhoods": [], "target": 4, "iterations": 5}
    results = SolverFactory("matheur").solve(
        knapsack(), time_limit=30, raise_exception_on_nonoptimal_result=False, solver_options=options
    )
    assert results.termination_condition is TerminationCondition.objectiveLimit
    assert results.incumbent_objective is not None
    assert results.incumbent_objective >= 4
    legacy = pyo.SolverFactory("matheur").solve(
        knapsack(), load_solutions=False, options={"construction": "jump", "neighbourhoods": [], "work": 1}
    )
    assert legacy.solver.termination_condition == pyo.TerminationCondition.maxIterations


def test_no_solution_is_told() -> None:
    """As Pyomo wants it: a condition, or an error."""
    model = knapsack()
    model.more = pyo.Constraint(expr=model.take["a"] + model.take["b"] + model.take["c"] >= 2)
    results = pyo.SolverFactory("matheur").solve(model, load_solutions=False)
    assert results.solver.termination_condition == pyo.TerminationCondition.infeasible
    with pytest.raises(NoFeasibleSolutionError):
        pyo.SolverFactory("matheur").solve(model)
    with pytest.raises(NoOptimalSolutionError):
        SolverFactory("matheur").solve(model)


def test_options_of_a_call_are_those_of_this_call() -> None:
    """Also where the call fails; those of the solver stay, and `seconds` is one of them."""
    solver = pyo.SolverFactory("matheur")
    solver.options["seconds"] = 30
    with pytest.raises(ConfigurationError, match="gurobi_option"):
        solver.solve(knapsack(), timelimit=20, options={"gurobi_option": 1})
    assert solver.options.value() == {"seconds": 30}
    assert solver.config.time_limit is None
    assert solver.solve(knapsack()).solver.termination_condition == pyo.TerminationCondition.optimal


def test_an_unbounded_model_is_told() -> None:
    """As a condition in both interfaces, and as an error of its own in `solve`."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.NonNegativeIntegers)
    model.o = pyo.Objective(expr=-model.x)
    model.c = pyo.Constraint(expr=model.x >= 2)
    results = pyo.SolverFactory("matheur").solve(model, load_solutions=False)
    assert results.solver.termination_condition == pyo.TerminationCondition.unbounded
    options = {"load_solutions": False, "raise_exception_on_nonoptimal_result": False}
    newer = SolverFactory("matheur").solve(model, **options)
    assert newer.termination_condition is TerminationCondition.unbounded
    assert newer.solution_status is SolutionStatus.noSolution
    with pytest.raises(UnboundedError, match="has no best value"):
        matheur.solve(model, seconds=10)


def _fixed_row(model: Any) -> None:
    model.fixed_row = pyo.Constraint(expr=model.fixed >= 3)


def _fixed_indexed_row(model: Any) -> None:
    model.take["a"].fix(0)
    model.fixed_row = pyo.Constraint(expr=model.take["a"] >= 1)


def _no_coefficient(model: Any) -> None:
    model.zero = pyo.Param(initialize=0, mutable=True)
    model.fixed_row = pyo.Constraint(expr=model.zero * model.y >= 3)


def _cancelled(model: Any) -> None:
    model.fixed_row = pyo.Constraint(expr=model.y - model.y == 1)


def _beyond(model: Any) -> None:
    model.fixed_row = pyo.Constraint(expr=model.y >= math.inf)


def _crossed(model: Any) -> None:
    model.y.setlb(2)


def _crossed_and_nowhere(model: Any) -> None:
    model.unused.setub(1)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_fixed_row, "the row fixed_row can never hold"),
        (_fixed_indexed_row, "the row fixed_row can never hold"),
        (_no_coefficient, "the row fixed_row can never hold"),
        (_cancelled, "the row fixed_row can never hold"),
        (_beyond, "the row fixed_row can never hold"),
        (_crossed, "no value is within the bounds of y"),
        (_crossed_and_nowhere, "the row of the bounds of unused can never hold"),
    ],
)
def test_what_can_never_hold_is_no_error(change: Any, said: str) -> None:
    """The answer is `infeasible`, and names the row or variable; Pyomo gets the condition."""
    model = knapsack()
    change(model)
    result = matheur.solve(model, seconds=10)
    assert (result.status, result.reason) == ("infeasible", said)
    results = pyo.SolverFactory("matheur").solve(model, load_solutions=False)
    assert results.solver.termination_condition == pyo.TerminationCondition.infeasible


def test_fixed_variables_are_numbers() -> None:
    """In products and functions, also of a component of which other variables are free."""
    model = knapsack()
    model.take["a"].fix(1)
    model.fixed.set_value(2)
    model.product = pyo.Constraint(expr=model.fixed * model.take["b"] + model.take["a"] * model.take["c"] <= 1)
    model.power = pyo.Constraint(expr=model.fixed**2 + pyo.exp(model.take["a"]) * model.y + model.take["d"] <= 4.5)
    arrays = arrays_of(model)
    assert arrays.model.column_names == ("take[b]", "take[c]", "take[d]", "y")
    assert arrays.model.offset == 4
    result = matheur.solve(model, seconds=30)
    assert result.status == "optimal"
    assert taken(model) == ["a"]
    assert result.objective == pytest.approx(4 + 0.5 / math.e)
    model.take["a"].unfix()
    with pytest.raises(SolverError, match=r"is quadratic|not linear"):
        arrays_of(model)


def test_a_warm_start_is_a_start() -> None:
    """Values of the variables, where they are a solution."""
    model = knapsack()
    for item in model.goods:
        model.take[item].set_value(int(item in "bd"))
    model.y.set_value(0.5)
    results = pyo.SolverFactory("matheur").solve(model, warmstart=True, timelimit=30)
    assert results.solver.termination_condition == pyo.TerminationCondition.optimal
    assert taken(model) == ["b", "d"]


def test_a_start_may_name_variables_that_are_fixed_since(tmp_path: Path) -> None:
    """As in a loop of fixing and solving again: the result of the last solve, in any form."""
    model = knapsack()
    last = matheur.solve(model, seconds=30)
    path = tmp_path / "last.sol"
    path.write_text("".join(f"{name} {value}\n" for name, value in last.named.items()), encoding="utf-8")
    model.take["b"].fix()
    for start in (last, last.named, last.to_dict(), path):
        result = matheur.solve(model, seconds=30, start=start)
        assert result.start is not None
        assert result.start["outcome"] == "used"
        assert (result.status, result.objective) == ("optimal", 11.5)
    with pytest.raises(InputError, match=r"no column 'take\[e\]'"):
        matheur.solve(model, seconds=30, start={"take[e]": 1})


def test_limits_from_1e20_on_are_infinite() -> None:
    """As in files and for all solvers: such bounds of integers would prevent proofs."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var([1, 2], domain=pyo.Integers, bounds=(-1e30, 1e20))
    model.x[2].setlb(0)
    model.row = pyo.Constraint(expr=(-1e20, model.x[1] - model.x[2], 4))
    model.other = pyo.Constraint(expr=(2, model.x[1] + 2 * model.x[2], 1e25))
    model.cost = pyo.Objective(expr=3 * model.x[1] + 7 * model.x[2])
    arrays = arrays_of(model).model
    assert (arrays.lower.tolist(), arrays.upper.tolist()) == ([-math.inf, 0], [math.inf, math.inf])
    assert (arrays.row_lower.tolist(), arrays.row_upper.tolist()) == ([-math.inf, 2], [4, math.inf])
    result = matheur.solve(model, seconds=30, preset="solver")
    assert (result.status, result.objective) == ("optimal", 6)
    assert model.x[1].bounds == (-1e30, 1e20)


def test_blocks_parameters_and_domains() -> None:
    """Indexed and deactivated blocks, mutable parameters, integers between bounds; rows with two limits are one row."""
    model = pyo.ConcreteModel()
    model.price = pyo.Param(initialize=2.5, mutable=True)
    model.stage = pyo.Block(pyo.RangeSet(3))
    for number in model.stage:
        block = model.stage[number]
        block.n = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(0.5, 3.5))
        block.row = pyo.Constraint(expr=(1, block.n + 0.1, 2.1))
    model.stage[3].deactivate()
    model.cost = pyo.Objective(expr=model.price * (model.stage[1].n + 2 * model.stage[2].n) + 1)
    arrays = arrays_of(model)
    assert arrays.model.column_names == ("stage[1].n", "stage[2].n")
    assert arrays.model.row_names == ("stage[1].row", "stage[2].row")
    assert [exact(x) for x in arrays.model.row_upper.tolist()] == [2, 2]
    assert arrays.model.integral.all()
    result = matheur.solve(model, seconds=30)
    assert result.objective == 8.5
    model.price = 4
    assert matheur.solve(model, seconds=30).objective == 13


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda m: setattr(m, "bad", pyo.Constraint(expr=m.y * m.y <= 1)), "bad"),
        (lambda m: setattr(m, "bad", pyo.SOSConstraint(var=m.take, sos=1)), "bad"),
        (lambda m: m.y.__setattr__("domain", pyo.Set(initialize=[0, 5, 7])), "y"),
    ],
)
def test_what_is_no_linear_program_is_refused(change: Any, said: str) -> None:
    """By the name of the row or variable."""
    model = knapsack()
    change(model)
    with pytest.raises(SolverError, match=said):
        matheur.solve(model, seconds=5)


def _in_a_dead_block(domain: Any) -> tuple[Any, Any]:
    model = pyo.ConcreteModel()
    model.part = pyo.Block()
    model.part.x = pyo.Var(domain=domain, bounds=(0.5, 6.5))
    model.part.deactivate()
    return model, model.part.x


def _around(domain: Any) -> tuple[Any, Any]:
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=domain, bounds=(0.5, 6.5))
    model.part = pyo.Block()
    return model.part, model.x


def _of_another_model(domain: Any) -> tuple[Any, Any]:
    model, other = pyo.ConcreteModel(), pyo.ConcreteModel()
    other.x = pyo.Var(domain=domain, bounds=(0.5, 6.5))
    return model, other.x


@pytest.mark.parametrize("make", [_in_a_dead_block, _around, _of_another_model])
def test_variables_outside_of_the_model_keep_their_domain(make: Any) -> None:
    """Rows may mention variables of blocks that are not active, of blocks around the model, of other models."""
    model, x = make(pyo.Integers)
    model.goal = pyo.Objective(expr=x, sense=pyo.maximize)
    assert matheur.solve(model, seconds=10).objective == 6
    assert x.value == 6
    model, x = make(pyo.Set(initialize=[1, 5, 7]))
    home = x.parent_block()
    model.goal = pyo.Objective(expr=x, sense=pyo.maximize)
    with pytest.raises(SolverError, match="cannot take the domain"):
        matheur.solve(model, seconds=10)
    if home.model() is model.model():  # no matter as long as nothing mentions it
        model.goal.deactivate()
        assert matheur.solve(model, seconds=10).status == "optimal"


def test_variables_of_other_models_with_the_same_name() -> None:
    """The result has the values of all of them; the model's own variable keeps its name."""
    model, *others = (pyo.ConcreteModel() for _ in range(3))
    for number, one in enumerate((model, *others)):
        one.x = pyo.Var(domain=pyo.Integers, bounds=(number, 4 + number))
    model.y = pyo.Var(bounds=(0, 1))
    model.x_2 = pyo.Var(bounds=(0, 0.5))
    total = others[0].x + others[1].x + model.x + model.x_2
    model.room = pyo.Constraint(expr=total + model.y <= 20)
    model.worth = pyo.Objective(expr=total, sense=pyo.maximize)
    result = matheur.solve(model, seconds=30, preset="solver")
    assert result.named == {"x": 4, "x_2": 0.5, "x_3": 5, "x_4": 6}
    assert [one.x.value for one in (model, *others)] == [4, 5, 6]


def test_a_solve_leaves_bounds_and_domains_alone() -> None:
    """A domain that is changed afterwards has its own bounds."""
    model = pyo.ConcreteModel()
    model.x = pyo.Var(domain=pyo.NonNegativeIntegers, bounds=(None, 7.5))
    model.y = pyo.Var(domain=pyo.Binary)
    model.y.fix(3, skip_validation=True)
    model.goal = pyo.Objective(expr=model.x + model.y)
    assert matheur.solve(model, seconds=10).objective == 3
    assert (model.x.domain, model.y.domain) == (pyo.NonNegativeIntegers, pyo.Binary)
    assert (model.x.bounds, model.y.bounds) == ((0, 7.5), (0, 1))
    model.x.domain = model.y.domain = pyo.Reals
    assert (model.x.bounds, model.y.bounds) == ((None, 7.5), (None, None))


def _divided_by_zero(model: Any) -> None:
    model.zero = pyo.Param(initialize=0, mutable=True)
    model.bad = pyo.Constraint(expr=model.y / model.zero <= 3)


def _without_a_number(model: Any) -> None:
    model.later = pyo.Param(mutable=True)
    model.bad = pyo.Constraint(expr=model.later * model.y <= 3)


def _limit_without_a_number(model: Any) -> None:
    model.later = pyo.Param(mutable=True)
    model.bad = pyo.Constraint(expr=model.y <= model.later)


def _bound_that_is_no_number(model: Any) -> None:
    model.y.setub(math.nan)


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (_divided_by_zero, "cannot read the row bad: division by zero"),
        (_without_a_number, "cannot read the model: .*Param value"),
        (_limit_without_a_number, "cannot read the model: .*Param value"),
        (_bound_that_is_no_number, "cannot read the model: Var 'y'"),
    ],
)
def test_numbers_that_are_missing_are_told_in_one_line(change: Any, said: str) -> None:
    """Whatever Pyomo raises where it meets them."""
    model = knapsack()
    change(model)
    with pytest.raises(SolverError, match=said) as raised:
        matheur.solve(model, seconds=5)
    assert "\n" not in str(raised.value)


def test_duals_and_times_that_the_interfaces_ask_for() -> None:
    """A mixed-integer program has no duals; that is no error where Pyomo asks for them by itself."""
    model = knapsack()
    model.dual = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    model.rc = pyo.Suffix(direction=pyo.Suffix.IMPORT)
    results = pyo.SolverFactory("matheur").solve(model, load_solutions=False, report_timing=True)
    model.solutions.load_from(results)
    assert taken(model) == ["b", "d"]
    timer = HierarchicalTimer()
    newer = SolverFactory("matheur").solve(model, timer=timer)
    assert newer.timing_info.timer is timer
    assert set(timer.timers) == {"translation", "solve"}
    with pytest.raises(NoDualsError):
        newer.solution_loader.get_duals()
    with pytest.raises(NoReducedCostsError):
        newer.solution_loader.get_reduced_costs()


def test_other_objects_are_refused() -> None:
    """With what they are; an abstract model has no data yet."""
    indexed = pyo.Block([1, 2], concrete=True)
    for factory in (SolverFactory, pyo.SolverFactory):
        for wrong in (None, "model.lp", pyomo.kernel.block(), indexed):
            with pytest.raises(ConfigurationError, match=r"such as a ConcreteModel; not"):
                factory("matheur").solve(wrong)
    with pytest.raises(ConfigurationError, match="is of problem 'milp', not 'party'"):
        matheur.solve(knapsack(), problem="party")
    with pytest.raises(ConfigurationError, match="unknown option 'sense' of Pyomo models"):
        matheur.solve(knapsack(), options={"sense": "max"})
    with pytest.raises(ConfigurationError, match=r"Pyomo models.*not builtins\.list"):
        matheur.solve([1, 2])
    with pytest.raises(ConfigurationError, match="create_instance"):
        matheur.solve(pyo.AbstractModel())
    for factory in (SolverFactory, pyo.SolverFactory):
        with pytest.raises(ConfigurationError, match="create_instance"):
            factory("matheur").solve(pyo.AbstractModel())


def test_the_example_of_the_page(tmp_path: Path) -> None:
    """The script on the page of linear programs prints the best values."""
    script = next(b.text for b in blocks(ROOT / "docs" / "problems" / "milp.md") if b.language == "python")
    assert run_python(script, tmp_path).splitlines()[:2] == ["optimal 8 8 0.0", "[1, 0, 1]"]
