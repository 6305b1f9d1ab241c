"""Weight functions of the synergy: expressions over the columns of two neighbours in a small, safe language.

    0.5 * (a.race == b.race) + 0.5 * (abs(a.level - b.level) <= 5)
    1 if a.guild == b.guild else 0.5 if {a.element, b.element} == {"fire", "air"} else 0

`a` and `b` are the two items; `a.race` or `a["hair colour"]` is a cell of `a`. The language is a subset of Python's
expressions: decimals (exact), texts, `+ - * /`, comparisons, `in`, `and`, `or`, `not`, `x if c else y`, sets of texts
and numbers, and `abs`, `min`, `max`. A comparison yields 1 or 0. Nothing else is evaluated.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from matheur.errors import shown
from matheur.problems.decimals import fraction_of

__all__ = ["Cells", "WeightFunction"]

Value: TypeAlias = "Fraction | str | frozenset[Any]"
Cells: TypeAlias = Mapping[str, "Fraction | str"]
"""Cells of an item by column."""

_Evaluation: TypeAlias = Callable[[Cells, Cells], Any]

_LENGTH_MAX = 2000
_CALLS: Mapping[str, Callable[..., Fraction]] = {"abs": abs, "min": min, "max": max}
_COMPARED: Mapping[type[ast.cmpop], Callable[[Any, Any], bool]] = {
    ast.Eq: lambda x, y: x == y,
    ast.NotEq: lambda x, y: x != y,
    ast.Lt: lambda x, y: x < y,
    ast.LtE: lambda x, y: x <= y,
    ast.Gt: lambda x, y: x > y,
    ast.GtE: lambda x, y: x >= y,
    ast.In: lambda x, y: x in y,
    ast.NotIn: lambda x, y: x not in y,
}
_ORDERED = (ast.Lt, ast.LtE, ast.Gt, ast.GtE)
_CALCULATED: Mapping[type[ast.operator], Callable[[Fraction, Fraction], Fraction]] = {
    ast.Add: lambda x, y: x + y,
    ast.Sub: lambda x, y: x - y,
    ast.Mult: lambda x, y: x * y,
    ast.Div: lambda x, y: x / y,
}


@dataclass(frozen=True, slots=True)
class WeightFunction:
    """A parsed expression, see the module.

    Attributes
    ----------
    text
        Text of the expression.
    columns
        Columns that the expression reads, sorted by name.
    numeric
        Columns that are read as numbers: those used in arithmetic, ordered comparisons or comparisons with a number.
    """

    text: str
    columns: tuple[str, ...]
    numeric: frozenset[str]
    _evaluate: _Evaluation

    @classmethod
    def parse(cls, text: str) -> WeightFunction:
        """Parse an expression.

        Raises
        ------
        ValueError
            If the expression is invalid; the message is a phrase that names the error and its place.
        """
        if len(text) > _LENGTH_MAX:
            raise ValueError(f"has more than {_LENGTH_MAX} characters")
        source = text.strip()
        try:
            tree = ast.parse(source, mode="eval").body
            parser = _Parser(source)
            evaluate = parser.value(tree)
            parser.find_numbers(tree)
        except SyntaxError as error:
            raise ValueError(f"is not an expression: {error.msg} at character {error.offset or 1}") from None
        except (RecursionError, MemoryError):
            raise ValueError("is nested too deeply") from None
        return cls(text, tuple(sorted(parser.columns)), frozenset(parser.numeric), evaluate)

    def __call__(self, a: Cells, b: Cells) -> Fraction:
        """Return the weight of two items.

        Raises
        ------
        ValueError
            If the weight is not a number from 0 to 1, or cannot be computed.
        """
        try:
            value = self._evaluate(a, b)
        except ZeroDivisionError:
            raise ValueError("divides by 0") from None
        except RecursionError:
            raise ValueError("is nested too deeply") from None
        if isinstance(value, str | frozenset):
            raise ValueError(f"is not a number ({shown(str(value))})")
        weight = Fraction(value)
        if not 0 <= weight <= 1:
            raise ValueError(f"is {float(weight):g}, not from 0 to 1")
        return weight


class _Parser:
    """Compiles the nodes of an expression to functions of the two items."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.columns: set[str] = set()
        self.numeric: set[str] = set()

    def value(self, node: ast.expr) -> _Evaluation:
        """Return the function of a node."""
        if isinstance(node, ast.Constant):
            return self._constant(node)
        if (column := self._column(node)) is not None:
            name, which = column
            self.columns.add(name)
            return (lambda a, b: a[name]) if which == "a" else (lambda a, b: b[name])
        if isinstance(node, ast.BinOp) and type(node.op) in _CALCULATED:
            calculate, left, right = _CALCULATED[type(node.op)], self._number(node.left), self._number(node.right)
            return lambda a, b: calculate(left(a, b), right(a, b))
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            inner, sign = self._number(node.operand), -1 if isinstance(node.op, ast.USub) else 1
            return lambda a, b: sign * inner(a, b)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            inner = self._number(node.operand)
            return lambda a, b: Fraction(not inner(a, b))
        if isinstance(node, ast.BoolOp):
            parts = [self._number(part) for part in node.values]
            joined: Callable[[Any], bool] = all if isinstance(node.op, ast.And) else any
            return lambda a, b: Fraction(joined(part(a, b) for part in parts))
        if isinstance(node, ast.IfExp):
            test, yes, no = self._number(node.test), self.value(node.body), self.value(node.orelse)
            return lambda a, b: yes(a, b) if test(a, b) else no(a, b)
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.Call):
            return self._call(node)
        if isinstance(node, ast.Set | ast.Tuple | ast.List):
            members = [self.value(member) for member in node.elts]
            return lambda a, b: frozenset(member(a, b) for member in members)
        raise self._refused(node)

    def find_numbers(self, tree: ast.expr) -> None:
        """Record the columns whose cells are read as numbers."""
        for node in ast.walk(tree):
            parts: list[ast.expr] = []
            if isinstance(node, ast.BinOp):
                parts = [node.left, node.right]
            elif isinstance(node, ast.UnaryOp) and not isinstance(node.op, ast.Not):
                parts = [node.operand]
            elif isinstance(node, ast.Call):
                parts = node.args
            elif isinstance(node, ast.Compare):
                sides = [node.left, *node.comparators]
                numbers = any(isinstance(side, ast.Constant) and not isinstance(side.value, str) for side in sides)
                parts = sides if numbers or any(isinstance(op, _ORDERED) for op in node.ops) else []
            self.numeric.update(column[0] for part in parts if (column := self._column(part)) is not None)

    def _column(self, node: ast.expr) -> tuple[str, str] | None:
        """Return column and item of `a.column` or `a["column"]`; None for other nodes."""
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in ("a", "b"):
            return node.attr, node.value.id
        if isinstance(node, ast.Subscript) and isinstance(node.value, ast.Name) and node.value.id in ("a", "b"):
            index = node.slice
            if isinstance(index, ast.Constant) and isinstance(index.value, str):
                return index.value, node.value.id
        return None

    def _constant(self, node: ast.Constant) -> _Evaluation:
        if isinstance(node.value, str):
            text = node.value
            return lambda a, b: text
        exact = None
        if isinstance(node.value, int | float) and not isinstance(node.value, bool):
            exact = fraction_of(ast.get_source_segment(self.source, node) or "")
        if exact is None:
            raise self._refused(node)
        number = exact
        return lambda a, b: number

    def _comparison(self, node: ast.Compare) -> _Evaluation:
        if any(type(op) not in _COMPARED for op in node.ops):
            raise self._refused(node)
        sides = [self.value(side) for side in [node.left, *node.comparators]]
        steps = list(zip(node.ops, sides, sides[1:], strict=False))
        where = self._place(node)

        def compared(a: Cells, b: Cells) -> Fraction:
            for op, left, right in steps:
                x, y = left(a, b), right(a, b)
                if isinstance(op, ast.In | ast.NotIn):
                    if not isinstance(y, frozenset):
                        raise ValueError(f"looks for something in a value that is not a set, in {where}")
                elif isinstance(op, _ORDERED) and (isinstance(x, frozenset) or type(x) is not type(y)):
                    raise ValueError(f"compares {_kind(x)} with {_kind(y)} by size, in {where}")
                if not _COMPARED[type(op)](x, y):
                    return Fraction(0)
            return Fraction(1)

        return compared

    def _call(self, node: ast.Call) -> _Evaluation:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name not in _CALLS or node.keywords or not node.args or (name == "abs") != (len(node.args) == 1):
            raise self._refused(node)
        function, parts = _CALLS[name], [self._number(part) for part in node.args]
        return lambda a, b: function(*(part(a, b) for part in parts))

    def _number(self, node: ast.expr) -> _Evaluation:
        """Return the function of a node whose value must be a number."""
        inner, where = self.value(node), self._place(node)

        def number(a: Cells, b: Cells) -> Fraction:
            found = inner(a, b)
            if not isinstance(found, Fraction):
                raise ValueError(f"calculates with {_kind(found)}, {where}")
            return found

        return number

    def _place(self, node: ast.expr) -> str:
        return shown(ast.get_source_segment(self.source, node) or "")

    def _refused(self, node: ast.expr) -> ValueError:
        return ValueError(
            f"holds {self._place(node)}, which is not part of the language. Maybe one of a.COLUMN, b.COLUMN, numbers, "
            "texts, + - * /, comparisons, in, and, or, not, if else, abs, min, max?"
        )


def _kind(value: Any) -> str:
    return "a text" if isinstance(value, str) else "a set" if isinstance(value, frozenset) else "a number"
