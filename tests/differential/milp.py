"""Tiny MILPs drawn at random, what is right of them by enumeration, and what a backend says of them.

The oracle shares nothing with any solver: it takes every choice of the discrete variables, and eliminates the
continuous ones exactly (Fourier and Motzkin, in whole numbers). A model is plain data (`Tiny`); Pyomo sees it last.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import pyomo.environ as pyo

from matheur.errors import SolverError
from matheur.solvers import MilpSolution, MilpStatus, SolveRequest, get_backend

__all__ = [
    "BACKENDS",
    "Column",
    "Right",
    "Tiny",
    "draw",
    "model_of",
    "right_answer",
    "section",
    "wrong",
    "wrong_of_large",
]

BACKENDS = ("highs", "scip", "cp-sat", "pyomo:cbc", "pyomo:glpk", "pyomo:appsi_highs")
WINDOW = 40  # values of an integer without bounds that are tried, to each side of 0
CHOICES_MAX = 60_000
TOLERANCE = 1e-5

Number = int | Fraction
Limits = tuple[Number | None, Number | None]


@dataclass(frozen=True)
class Column:
    """A variable: `kind` is binary, integer, continuous, or values (only those of `values`)."""

    kind: str
    limits: Limits = (None, None)
    values: tuple[Number, ...] = ()
    fixed: Number | None = None


@dataclass(frozen=True)
class Tiny:
    """A model; `sense` is 1 to minimise, -1 to maximise, 0 for no objective. Products are (column, column, weight)."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[tuple[Number, ...], Limits], ...]
    costs: tuple[Number, ...]
    constant: Number = 0
    sense: int = 1
    products: tuple[tuple[int, int, Number], ...] = ()
    sos: tuple[tuple[int, tuple[int, ...]], ...] = ()
    row_products: Mapping[int, tuple[int, int, Number]] = field(default_factory=dict)


@dataclass(frozen=True)
class Right:
    """What is right: `status` is optimal, infeasible or unbounded."""

    status: str
    objective: Fraction | None = None


def draw(seed: int) -> Tiny:
    """One model; some kinds of peculiarity come up in every tenth or so."""
    roll = random.Random(seed)
    count = roll.choice((1, 1, 2, 2, 3, 3, 4, 5))
    columns = tuple(_column(roll) for _ in range(count))
    rows = tuple(_row(roll, count) for _ in range(roll.choice((0, 1, 1, 2, 2, 3))))
    costs: list[Number] = [roll.choice((0, 0, *range(-5, 6))) for _ in range(count)]
    if roll.random() < 0.15:
        costs = [cost * Fraction(roll.choice((1, 3, 5)), roll.choice((2, 4, 8))) for cost in costs]
    if roll.random() < 0.08:
        costs = [0] * count
    sense = roll.choice((1, 1, 1, -1, -1, -1, 0))
    constant = roll.choice((0, 0, 7, -3, Fraction(1, 2)))
    products: tuple[tuple[int, int, Number], ...] = ()
    row_products: dict[int, tuple[int, int, Number]] = {}
    sos: tuple[tuple[int, tuple[int, ...]], ...] = ()
    whole = [at for at, column in enumerate(columns) if column.kind != "continuous"]
    if roll.random() < 0.08 and whole and sense:
        products = ((roll.choice(whole), roll.choice(whole), roll.choice((-2, -1, 1, 3))),)
    if roll.random() < 0.05 and whole and rows:
        row_products = {0: (roll.choice(whole), roll.choice(whole), roll.choice((-1, 1, 2)))}
    if roll.random() < 0.06 and count > 1:
        sos = ((roll.choice((1, 2)), tuple(roll.sample(range(count), roll.randint(2, count)))),)
    return Tiny(columns, rows, tuple(costs), constant, sense, products, sos, row_products)


def _column(roll: random.Random) -> Column:
    kind = roll.choice(("binary", "integer", "integer", "integer", "continuous", "continuous"))
    if roll.random() < 0.06:
        kind = "values"
    fixed: Number | None = None
    if roll.random() < 0.1:
        fixed = roll.choice((0, 1, 2, -3, 7, Fraction(5, 2)))
    if kind == "binary":
        limits: Limits = (
            (None, None) if roll.random() < 0.7 else roll.choice(((0, 0), (1, 1), (0, 5), (-2, 1), (None, 0)))
        )
        return Column(kind, limits, (), fixed)
    if kind == "values":
        values = roll.choice(((0, 5, 7), (0, 5, 10), (Fraction(1, 2), 1, Fraction(3, 2)), (-4, -1, 2), (3, 4, 5), (4,)))
        return Column(kind, (None, None), values, fixed)
    low: Number | None = roll.randint(-6, 3)
    high: Number | None = low + roll.choice((0, 1, 2, 3, 4, 8))
    shape = roll.random()
    if shape < 0.15:
        low, high = low + Fraction(roll.choice((1, 2, 5)), 10), high + Fraction(roll.choice((1, 3, 7)), 10)
    elif shape < 0.25:
        low = None
    elif shape < 0.35:
        high = None
    elif shape < 0.4:
        low = high = None
    elif shape < 0.43:
        low, high = 2, 1
    return Column(kind, (low, high), (), fixed)


def _row(roll: random.Random, count: int) -> tuple[tuple[Number, ...], Limits]:
    weights: list[Number] = [roll.choice((0, 0, 1, 1, -1, 2, -2, 3, -3, 5)) for _ in range(count)]
    if roll.random() < 0.1:
        weights = [weight * Fraction(1, 2) for weight in weights]
    if roll.random() < 0.05:
        weights = [0] * count
    right = roll.randint(-6, 12)
    shape = roll.random()
    if shape < 0.45:
        return tuple(weights), (None, right)
    if shape < 0.75:
        return tuple(weights), (right, None)
    if shape < 0.9:
        return tuple(weights), (right, right)
    return tuple(weights), (right, right + roll.choice((0, 2, 5)))


def right_answer(tiny: Tiny) -> Right | None:
    """What is right, or None if enumeration cannot say: an integer without bounds may lie outside the window."""
    choices = [_choices(column) for column in tiny.columns]
    discrete = [at for at, found in enumerate(choices) if found is not None]
    open_ended = [
        at for at in discrete
        if tiny.columns[at].fixed is None and tiny.columns[at].kind == "integer" and None in tiny.columns[at].limits
    ]  # fmt: skip
    if math.prod(len(found) for found in choices if found is not None) > CHOICES_MAX:
        return None
    if open_ended and (tiny.products or tiny.row_products or tiny.sos):
        return None
    continuous = [at for at, found in enumerate(choices) if found is None]
    best: Fraction | None = None
    unbounded = feasible = False
    edge = False
    for picked in _members(tiny, continuous):
        system = _system(tiny, picked, continuous)
        rows = _eliminate(system, discrete, continuous)
        for chosen in itertools.product(*(choices[at] or () for at in discrete)):
            values = dict(zip(discrete, chosen, strict=True))
            if not _products_hold(tiny, values, picked):
                continue
            limits = _range(rows, tiny, values)
            if limits is None:
                continue
            feasible = True
            least, most = limits
            end = least if tiny.sense > 0 else most
            if tiny.sense == 0:
                best = Fraction(0)
            elif end is None:
                unbounded = True
            elif best is None or tiny.sense * end < tiny.sense * best:
                best, edge = end, any(abs(values[at]) > WINDOW // 2 for at in open_ended)
    if not open_ended:
        return Right("unbounded") if unbounded else Right("optimal", best) if feasible else Right("infeasible")
    return _with_open_ends(tiny, feasible, unbounded, edge, best)


def _with_open_ends(tiny: Tiny, feasible: bool, unbounded: bool, edge: bool, best: Fraction | None) -> Right | None:
    """A model with rational data is unbounded if it has a solution and its relaxation is unbounded."""
    relaxed = _relaxed(tiny)
    if relaxed is not None and relaxed.status == "infeasible":
        return Right("infeasible")
    if not feasible or relaxed is None:
        return None
    if unbounded or (tiny.sense and relaxed.status == "unbounded"):
        return Right("unbounded")
    return None if edge else Right("optimal", best)


def _relaxed(tiny: Tiny) -> Right | None:
    """The answer with the open-ended integers taken as continuous; None where other discrete ones are too many."""
    columns = tuple(
        Column("continuous", c.limits) if c.kind == "integer" and c.fixed is None and None in c.limits else c
        for c in tiny.columns
    )
    if sum(column.kind == "continuous" and column.fixed is None for column in columns) > 3:
        return None
    return right_answer(Tiny(columns, tiny.rows, tiny.costs, tiny.constant, tiny.sense))


def _choices(column: Column) -> list[Number] | None:
    """The values that a discrete or fixed variable can take; None for a continuous one."""
    if column.fixed is not None:
        return [column.fixed]
    low, high = column.limits
    if column.kind == "continuous":
        return None
    if column.kind == "values":
        return list(column.values)
    if column.kind == "binary":
        low, high = max(0, 0 if low is None else low), min(1, 1 if high is None else high)
    first = -WINDOW if low is None else math.ceil(low)
    last = WINDOW if high is None else math.floor(high)
    if low is not None and high is None:
        last = first + 2 * WINDOW
    if low is None and high is not None:
        first = last - 2 * WINDOW
    return list(range(first, last + 1))


def _members(tiny: Tiny, continuous: list[int]) -> Iterator[dict[int, set[int]]]:
    """For each SOS the members that may be other than 0: one of type 1, two neighbours of type 2."""
    options = []
    for kind, members in tiny.sos:
        width = min(kind, len(members))
        options.append([set(members[at : at + width]) for at in range(len(members) - width + 1)])
    for picked in itertools.product(*options):
        yield dict(enumerate(picked))


def _zero(tiny: Tiny, picked: Mapping[int, set[int]]) -> set[int]:
    """Columns that must be 0 in this choice of SOS members."""
    return {at for number, (_, members) in enumerate(tiny.sos) for at in members if at not in picked[number]}


def _products_hold(tiny: Tiny, values: Mapping[int, Number], picked: Mapping[int, set[int]]) -> bool:
    return not any(values.get(at, 0) for at in _zero(tiny, picked))


# An inequality: weights by column, weight of the objective, right-hand side: sum of both <= right.
Inequality = tuple[tuple[Number, ...], Number, Number]


def _system(tiny: Tiny, picked: Mapping[int, set[int]], continuous: list[int]) -> list[tuple[Any, ...]]:
    """All rows and bounds of continuous columns as `<=`, with the objective as one more column at the end.

    Each has a tag of the product that is added to its left side: None, or (sign, product).
    """
    count = len(tiny.columns)
    found: list[tuple[Any, ...]] = []

    def add(weights: list[Number], limits: Limits, product: Any = None) -> None:
        low, high = limits
        if high is not None:
            found.append((weights, high, [] if product is None else [(1, product)]))
        if low is not None:
            found.append(([-w for w in weights], -low, [] if product is None else [(-1, product)]))

    for number, (weights, limits) in enumerate(tiny.rows):
        add([*weights, 0], limits, tiny.row_products.get(number))
    for at in continuous:
        unit: list[Number] = [0] * (count + 1)
        unit[at] = 1
        add(unit, (0, 0) if at in _zero(tiny, picked) else tiny.columns[at].limits)
        if at in _zero(tiny, picked):
            add(unit, tiny.columns[at].limits)
    # objective column z: z - costs x - products = constant
    whole: list[Number] = [*(-cost for cost in tiny.costs), 1]
    parts = [(-1, product) for product in tiny.products]
    found.append((whole, tiny.constant, parts))
    found.append(([-w for w in whole], -tiny.constant, [(-sign, product) for sign, product in parts]))
    return found


def _eliminate(system: list[tuple[Any, ...]], discrete: list[int], continuous: list[int]) -> list[tuple[Any, ...]]:
    """Fourier and Motzkin: the continuous columns go, one after the other."""
    for at in continuous:
        above = [row for row in system if row[0][at] > 0]
        below = [row for row in system if row[0][at] < 0]
        system = [row for row in system if row[0][at] == 0]
        for up in above:
            for down in below:
                first, second = -down[0][at], up[0][at]
                weights = [first * a + second * b for a, b in zip(up[0], down[0], strict=True)]
                right = first * up[1] + second * down[1]
                parts = [(first * s, p) for s, p in up[2]] + [(second * s, p) for s, p in down[2]]
                system.append((weights, right, parts))
    return system


def _range(rows: list[tuple[Any, ...]], tiny: Tiny, values: Mapping[int, Number]) -> tuple[Any, Any] | None:
    """Least and largest objective for values of the discrete columns; None if there is no solution."""
    least: Fraction | None = None
    most: Fraction | None = None
    for weights, right, parts in rows:
        rest = right - sum(weights[at] * shown for at, shown in values.items())
        rest -= sum(sign * weight * values[a] * values[b] for sign, (a, b, weight) in parts)
        slope = weights[-1]
        if slope == 0:
            if rest < 0:
                return None
        elif slope > 0:
            most = Fraction(rest) / slope if most is None else min(most, Fraction(rest) / slope)
        else:
            least = Fraction(rest) / slope if least is None else max(least, Fraction(rest) / slope)
    if least is not None and most is not None and least > most:
        return None
    return least, most


def model_of(tiny: Tiny) -> pyo.ConcreteModel:
    """The model as a user of Pyomo would write it."""
    model = pyo.ConcreteModel()
    domains = {"binary": pyo.Binary, "integer": pyo.Integers, "continuous": pyo.Reals}
    x: list[Any] = []
    for at, column in enumerate(tiny.columns):
        name = f"x{at}"
        if column.kind == "values":
            steps = pyo.Set(initialize=[_plain(shown) for shown in column.values])
            model.add_component(f"values{at}", steps)
            model.add_component(name, pyo.Var(domain=steps))
        else:
            bounds = tuple(None if limit is None else _plain(limit) for limit in column.limits)
            model.add_component(name, pyo.Var(domain=domains[column.kind], bounds=bounds))
        variable = model.component(name)
        x.append(variable)
        if column.fixed is not None:
            variable.set_value(_plain(column.fixed), skip_validation=True)
            variable.fix()
    model.rows = pyo.ConstraintList()
    for number, (weights, (low, high)) in enumerate(tiny.rows):
        body = _sum(weights, x)
        if number in tiny.row_products:
            a, b, weight = tiny.row_products[number]
            body = body + _plain(weight) * x[a] * x[b]
        if not any(weights) and number not in tiny.row_products:
            body = 0 * x[0]
        limits = tuple(None if limit is None else _plain(limit) for limit in (low, high))
        model.rows.add(body == limits[0] if low == high else (limits[0], body, limits[1]))
    for number, (kind, members) in enumerate(tiny.sos):
        chosen = [x[at] for at in members]
        rule = (lambda listed: lambda _model: (listed, list(range(1, len(listed) + 1))))(chosen)
        model.add_component(f"sos{number}", pyo.SOSConstraint(rule=rule, sos=kind))
    if tiny.sense:
        cost = _sum(tiny.costs, x) + _plain(tiny.constant)
        for a, b, weight in tiny.products:
            cost = cost + _plain(weight) * x[a] * x[b]
        model.cost = pyo.Objective(expr=cost, sense=pyo.minimize if tiny.sense > 0 else pyo.maximize)
    return model


def _plain(number: Number) -> int | float:
    return int(number) if number == int(number) else float(number)


def _sum(weights: tuple[Number, ...], x: list[Any]) -> Any:
    return sum(_plain(weight) * variable for weight, variable in zip(weights, x, strict=True) if weight)


def request_of(number: int, right: Right) -> SolveRequest:
    """How the model of that number is asked for: mostly plainly, else with limits, gaps, a start or a cutoff."""
    roll = random.Random(number + 7)
    kind = roll.randrange(12)
    plain = SolveRequest(seconds=20.0, seed=roll.randrange(100))
    if kind == 0:
        return replace(plain, seconds=roll.choice((0.0, 0.001, 0.003, 0.01, 0.05)))
    if kind == 1:
        return replace(plain, absolute_gap=roll.choice((0.5, 3.0)), relative_gap=roll.choice((0.0, 0.2)))
    if kind == 2 and right.objective is not None:
        return replace(plain, cutoff=float(right.objective) + roll.choice((-3, -1, 0, 1, 4)))
    if kind == 3:
        return replace(plain, warm_start=True)
    return plain


def asked(tiny: Tiny, right: Right, request: SolveRequest) -> Right:
    """What is right with the cutoff of a request: strictly better solutions only."""
    if request.cutoff is None or right.objective is None:
        return right
    if not tiny.sense or (tiny.sense * right.objective < tiny.sense * Fraction(request.cutoff)):
        return right
    return Right("infeasible")


def wrong(tiny: Tiny, right: Right, backend: str, request: SolveRequest | None = None) -> str:
    """What a backend says wrongly of a model; empty if it is right, or refuses the model by a `SolverError`.

    A refusal counts as right only where there is a reason for it, see `_may_refuse`.
    """
    request = SolveRequest(seconds=20.0) if request is None else request
    if request.cutoff is not None and not tiny.sense:
        request = replace(request, cutoff=None)
    model, right = model_of(tiny), asked(tiny, right, request)
    try:
        answer = get_backend(backend).solve(model, request)
    except SolverError as error:
        said = str(error)
        if "\n" in said or "Traceback" in said:
            return f"a SolverError of more than a line: {said!r}"
        crashed = "Error detected in file npp" in said  # an assertion of GLPK's own presolver
        return "" if crashed or _may_refuse(tiny, backend) else f"a SolverError without need: {said}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return _contradiction(tiny, right, model, answer, request)


def _may_refuse(tiny: Tiny, backend: str) -> bool:
    """Whether something in a model is beyond what a backend has to take."""
    odd = any(column.kind == "values" and column.fixed is None for column in tiny.columns)
    if backend == "cp-sat":
        odd = odd or any(c.fixed is None and (c.kind == "continuous" or None in c.limits) for c in tiny.columns)
    return odd or bool(tiny.sos or tiny.products or tiny.row_products)


def _contradiction(tiny: Tiny, right: Right, model: Any, answer: MilpSolution, request: SolveRequest) -> str:
    status = answer.status
    if status is MilpStatus.INFEASIBLE and right.status != "infeasible":
        return f"infeasible, but {right}"
    if status is MilpStatus.UNBOUNDED and right.status != "unbounded":
        return f"unbounded, but {right}"
    if status is MilpStatus.UNKNOWN:
        timely = request.seconds is not None and request.seconds >= 1 and request.cutoff is None
        return f"unknown ({answer.message}), but {right}" if timely and right.status == "optimal" else ""
    if not answer.has_solution:
        return "" if status in (MilpStatus.INFEASIBLE, MilpStatus.UNBOUNDED) else "a status without its solution"
    if right.status == "infeasible":
        return f"a solution {answer.objective}, but infeasible"
    fault = _broken(tiny, [answer.values[model.component(f"x{at}")] for at in range(len(tiny.columns))], answer)
    if fault or right.status == "unbounded":
        return fault or ("optimal, but unbounded" if status is MilpStatus.OPTIMAL else "")
    assert right.objective is not None
    sense, best = tiny.sense or 1, float(right.objective)
    room = TOLERANCE * max(1.0, abs(best))
    allowed = max(request.absolute_gap, request.relative_gap * abs(answer.objective))
    if status is MilpStatus.OPTIMAL and abs(answer.objective - best) > room + allowed:
        return f"optimal {answer.objective}, but {best}"
    if sense * answer.objective < sense * best - room:
        return f"objective {answer.objective}, better than the best {best}"
    if answer.bound is not None and sense * answer.bound > sense * best + room:
        return f"bound {answer.bound}, but the optimum is {best}"
    return ""


def _broken(tiny: Tiny, values: list[float], answer: MilpSolution) -> str:
    """The first thing that the values of an answer break."""
    for at, (column, shown) in enumerate(zip(tiny.columns, values, strict=True)):
        if not math.isfinite(shown):
            return f"x{at} = {shown}"
        if column.fixed is not None:
            if abs(shown - column.fixed) > TOLERANCE:
                return f"x{at} = {shown}, although it is fixed"
            continue
        low, high = column.limits
        if column.kind == "binary":
            low, high = max(0, 0 if low is None else low), min(1, 1 if high is None else high)
        if (low is not None and shown < low - TOLERANCE) or (high is not None and shown > high + TOLERANCE):
            return f"x{at} = {shown} is outside its bounds"
        if column.kind in ("binary", "integer") and shown != round(shown):
            return f"x{at} = {shown} is not whole"
        if column.kind == "values" and all(abs(shown - one) > TOLERANCE for one in column.values):
            return f"x{at} = {shown} is not one of its values"
    for number, (weights, (low, high)) in enumerate(tiny.rows):
        body = sum(float(weight) * shown for weight, shown in zip(weights, values, strict=True))
        if number in tiny.row_products:
            a, b, weight = tiny.row_products[number]
            body += float(weight) * values[a] * values[b]
        room = 10 * TOLERANCE
        if (low is not None and body < low - room) or (high is not None and body > high + room):
            return f"row {number} is broken: {body}"
    for kind, members in tiny.sos:
        used = [place for place, at in enumerate(members) if abs(values[at]) > TOLERANCE]
        if used and used[-1] - used[0] >= kind:
            return "the SOS is broken"
    cost = float(tiny.constant) + sum(float(c) * shown for c, shown in zip(tiny.costs, values, strict=True))
    cost += sum(float(weight) * values[a] * values[b] for a, b, weight in tiny.products)
    cost = cost if tiny.sense else 0.0
    if abs(cost - answer.objective) > 10 * TOLERANCE * max(1.0, abs(cost)):
        return f"objective {answer.objective}, but its values give {cost}"
    return ""


def draw_large(seed: int) -> Tiny:
    """One row of large numbers that differ in their last digits, over binaries."""
    roll = random.Random(seed)
    scale = 10 ** roll.choice((6, 7, 8, 9, 10, 12, 14))
    weights = tuple(roll.randint(1, 9) * scale + roll.randint(0, 5) for _ in range(5))
    side = sum(weight for weight in weights if roll.random() < 0.5) + roll.choice((0, 0, -1, 1))
    limits = roll.choice(((side, side), (None, side), (side, None)))
    costs = tuple(roll.randint(-5, 5) for _ in range(5))
    return Tiny((Column("binary"),) * 5, ((weights, limits),), costs)


def wrong_of_large(seed: int, backend: str) -> str:
    """What a backend says wrongly of such a model; here it may say that it does not know, and refuse."""
    tiny = draw_large(seed)
    right = right_answer(tiny)
    assert right is not None
    said = wrong(tiny, right, backend, SolveRequest(seconds=0.999))
    return "" if said.startswith("a SolverError without need") else said


def drawn(seed: int, count: int) -> Iterator[tuple[int, Tiny, Right]]:
    """`count` models that enumeration can decide, with their number."""
    number, found = seed * 1_000_000, 0
    while found < count:
        tiny = draw(number)
        right = right_answer(tiny)
        if right is not None:
            found += 1
            yield number, tiny, right
        number += 1


def section(seed: int, count: int) -> list[str]:
    """Disagreements, a line each: what the backends say wrongly of `count` models."""
    found = []
    for number, tiny, right in drawn(seed, count):
        request = request_of(number, right)
        for name in BACKENDS:
            fault = wrong(tiny, right, name, request)
            if fault:
                found.append(f"model {number}, {name}: {fault}")
            fault = wrong_of_large(number, name) if number % 5 == 0 else ""
            if fault:
                found.append(f"large model {number}, {name}: {fault}")
    return found
