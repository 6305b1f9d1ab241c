"""A mixed-integer linear program as a problem of the engine, which minimises."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from hashlib import blake2b
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from matheur.engine.outcome import Evaluation
from matheur.engine.protocols import contradicts
from matheur.errors import InputError, printable
from matheur.linear.coupling import Structure, best_families
from matheur.linear.decimals import nearest_float, plain
from matheur.linear.evaluation import Assessment, Level, activities, assess, rounded
from matheur.linear.groups import Family, Index
from matheur.linear.labels import labels_of_names
from matheur.linear.model import LinearModel, dot
from matheur.linear.solutions import values_of

__all__ = ["Milp"]

Values = NDArray[np.float64]

_REPORTED = 10
_DIGITS = 12
_MARGIN = 0.5e-6  # bounds with a smaller violation, and rows even with their error, are within 1e-6 in exact arithmetic


@dataclass(frozen=True, eq=False)
class Milp:
    """Find values of the columns that satisfy all rows, bounds and integrality requirements.

    A solution is a float64 array with a value for each column; integer columns have integral values. It is valid if
    rows and bounds hold within 1e-6, relative to the side if the side is larger than 1. Its level says how well it
    holds, see `matheur.linear.evaluation.Level`.

    Attributes
    ----------
    model
        The program.
    assumptions
        Assumptions of the reader, one phrase each.
    labels
        Stems and index values of the columns, if known; None to read them from the names.
    declared
        The families of columns that the user declared; empty if none were.
    hint
        Start values, NaN where unknown; they need not be a solution. None if there are none.
    absent
        Names of variables that are no columns, such as fixed ones of a Pyomo model: a start and groups may name them.
    """

    model: LinearModel
    assumptions: tuple[str, ...] = ()
    labels: Index | None = None
    declared: tuple[Family, ...] = ()
    hint: Values | None = None
    absent: frozenset[str] = frozenset()
    name = "milp"

    @cached_property
    def index(self) -> Index:
        """The index sets of the columns."""
        return Index(labels_of_names(self.model.column_names)) if self.labels is None else self.labels

    @cached_property
    def families(self) -> tuple[Family, ...]:
        """The families whose groups operators use: the declared ones, else the most promising ones."""
        return self.declared or best_families(self.model, self.index.families)

    @property
    def grouped(self) -> bool:
        """Whether the user declared groups."""
        return bool(self.declared)

    @cached_property
    def structures(self) -> tuple[Structure, ...]:
        """The families, with the coupling of their groups by rows."""
        return tuple(Structure(self.model, family) for family in self.families)

    def with_groups(self, wanted: Any) -> Self:
        """The same problem with families declared by the user, see `matheur.linear.groups.Index.declared`.

        Raises
        ------
        ConfigurationError
            If the model has no such index or column.
        """
        return replace(self, declared=self.index.declared(wanted, self.model.column_names, self.absent))

    @property
    def fingerprint(self) -> str:
        """Fingerprint of the content of the model."""
        return self.model.fingerprint

    @property
    def maximised(self) -> bool:
        """Whether the model maximises: objectives and bounds of the engine then have the opposite sign."""
        return self.model.maximise

    def evaluate(self, solution: Any) -> Evaluation:
        """Check and evaluate values from scratch; objectives have twelve digits."""
        model = self.model
        values = np.asarray(solution)
        if values.shape != (model.width,) or values.dtype.kind not in "fiu":
            return Evaluation(0, False, (f"a solution is an array of {model.width} numbers",))
        values = values.astype(np.float64)
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            return Evaluation(0, False, (f"the value of {_said(model.column_names[wrong[0]])} is not a number",))
        objective = self._rounded(dot(model.cost, values) + model.offset)
        if self._surely_holds(values):
            return Evaluation(objective, True)
        found = assess(model, values)
        broken = [one for one in found.violations if one.kind == "integrality" or one.relative > Level.SIX.tolerance]
        said = [printable(str(violation)) for violation in broken[:_REPORTED]]
        left = len(broken) - _REPORTED
        return Evaluation(objective, not broken, (*said, *([f"and {left:,} more"] if left > 0 else [])))

    def _surely_holds(self, values: Values) -> bool:
        model = self.model
        if np.any(values[model.integral] != np.rint(values[model.integral])):
            return False
        activity, error, _ = activities(model, values)
        limits = ((model.row_lower, activity, error, model.row_upper), (model.lower, values, 0.0, model.upper))
        for lower, shown, off, upper in limits:
            low = np.where(np.isfinite(lower), lower - _MARGIN * np.maximum(1, np.abs(lower)), lower)
            high = np.where(np.isfinite(upper), upper + _MARGIN * np.maximum(1, np.abs(upper)), upper)
            with np.errstate(invalid="ignore"):  # a sum may overflow; what is not a number does not surely hold
                if not (np.all(shown - off >= low) and np.all(shown + off <= high)):
                    return False
        return True

    def _rounded(self, value: float) -> int | float:
        """An objective of the engine: minimised, with twelve digits, an int if it is integral."""
        near = float(f"{-value if self.maximised else value:.{_DIGITS}g}") + 0.0
        return int(near) if near.is_integer() and abs(near) < 2**53 else near

    def bound_of(self, bound: float | None, objective: int | float | None) -> int | float | None:
        """The engine's bound for a bound in the sense of the model.

        It is at most the objective of a known solution. None if it contradicts the objective: a solver's arithmetic may
        be too coarse for the numbers of a model.
        """
        found = None if bound is None else self._rounded(bound)
        if found is None or objective is None:
            return found
        return None if contradicts(self, found, objective) else min(found, objective)

    def noise(self, objective: int | float) -> float:
        """Noise of an objective: 1e-6 of it, at least 1e-6, the tolerance of solutions and of reported bounds."""
        return Level.SIX.tolerance * max(1.0, abs(objective))

    def score(self, objective: int | float) -> int | float:
        """The objective in the sense of the model."""
        return -objective if self.maximised else objective

    @property
    def score_max(self) -> None:
        """None: no largest score is known."""
        return None

    @cached_property
    def trivial_bound(self) -> int | float | None:
        """Lower bound of the objective by the bounds of the columns alone; None if it is infinite."""
        model = self.model
        total = model.number("offset")
        for column in np.flatnonzero(model.cost).tolist():
            low = (model.cost[column] > 0) != model.maximise
            side = "lower" if low else "upper"
            if not np.isfinite(getattr(model, side)[column]):
                return None
            total += model.number("cost", column) * model.number(side, column)
        return _below(-total if model.maximise else total)

    def infeasible_reason(self) -> str | None:
        """A sentence if a single row or column proves that there is no solution."""
        return printable(self.model.impossible()) or None

    def encode(self, solution: Values) -> dict[str, int | float]:
        """Values by column name, without zeros; integral values are written as integers."""
        values = np.asarray(solution, dtype=np.float64)
        used = np.flatnonzero(values).tolist()
        return {self.model.column_names[column]: _number(float(values[column])) for column in used}

    def decode(self, data: Any) -> Values:
        """Values from an object of names and numbers; missing ones are 0, nearly integral ones are rounded.

        Raises
        ------
        InputError
            If it is not such an object, or names a column that the model does not have.
        """
        if not isinstance(data, Mapping):
            raise InputError(f"a solution is an object of names and numbers, not {type(data).__name__}")
        named: dict[str, float] = {}
        for name, value in data.items():
            number = named[str(name)] = _float(value)
            if not math.isfinite(number):
                raise InputError(f"the value of {_said(str(name))} is not a number ({str(value)[:40]!r})")
        return rounded(self.model, values_of(self.model, named)[0])

    def digest(self, solution: Values) -> bytes:
        """Digest of the values; continuous columns are rounded to 1e-9."""
        values = np.round(np.asarray(solution, dtype=np.float64), 9) + 0.0
        return blake2b(values.tobytes(), digest_size=16).digest()

    def difference(self, first: Values, second: Values) -> int:
        """Number of columns whose values differ by more than 1e-6."""
        return int(np.count_nonzero(np.abs(np.asarray(first) - np.asarray(second)) > 1e-6))

    def assessed(self, solution: Values) -> Assessment:
        """The values in exact arithmetic; the last ones are remembered, since a result is shown more than once."""
        values = np.asarray(solution, dtype=np.float64)
        key = values.tobytes()
        if key not in self._assessed:
            found = assess(self.model, values)
            self._assessed.clear()
            self._assessed[key] = found
        return self._assessed[key]

    @cached_property
    def _assessed(self) -> dict[bytes, Assessment]:
        return {}

    def remark(self, solution: Values) -> str | None:
        """How well a valid solution holds and, unless it is exact, the row or column with the largest violation."""
        found = self.assessed(solution)
        if found.level is Level.BROKEN:
            return None  # its violations say more
        worst = f": {printable(str(found.violations[0]))}" if found.violations else ""
        return f"level {found.level.value}{worst}"

    def report(self, solution: Values) -> dict[str, Any]:
        """How well a solution holds, its exact objective, and the row or column with the largest violation."""
        found = self.assessed(solution)
        worst = {"worst": printable(str(found.violations[0]))} if found.violations else {}
        return {
            "sense": "max" if self.maximised else "min",
            "level": found.level.value,
            "exact_objective": plain(found.objective),
            **worst,
        }


def _number(value: float) -> int | float:
    return int(value) if value.is_integer() and abs(value) < 2**53 else value


def _float(value: Any) -> float:
    """A number of Python or numpy as float64; NaN for other values, and for numbers that are too large."""
    if isinstance(value, bool) or not isinstance(value, Real):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _below(number: Fraction) -> int | float | None:
    """The largest float64 that is not above a number; an int if it is integral, None if it is too large."""
    if number.denominator == 1 and abs(number) < 2**53:
        return int(number)
    near = nearest_float(number)
    if math.isinf(near):
        return None
    return near if Fraction(near) <= number else math.nextafter(near, -math.inf)


def _said(name: str) -> str:
    return printable(name[:80])
