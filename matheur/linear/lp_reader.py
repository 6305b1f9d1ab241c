"""Lossless reader of LP files in the format of CPLEX, as other programs also write it."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from matheur.errors import InputError, shown
from matheur.linear.building import INFINITE, ModelBuilder, float_of_sum
from matheur.linear.decimals import LENGTH_SAFE, exact, float_of
from matheur.linear.lp_sections import (
    BINARY,
    BOUNDS,
    COMMENT,
    END,
    GENERAL,
    OBJECTIVE,
    REFUSED,
    ROWS,
    head_of,
    other_form,
    place_behind_head,
    plain_lines,
    signed_head_of,
)
from matheur.linear.lp_tokens import TERM, Token, Tokens
from matheur.linear.model import LinearModel

__all__ = ["read_lp"]

Assume = Callable[[str], None]

_TO_SENSE = re.compile(r"[^\n\\:<>=]*+[<>=]")  # on the same line
_EXPECTED = "only a number is allowed there; columns and sums belong on the left side"
_INFINITE = ("inf", "infinity")
_CONSTANT_OF_GLPK = re.compile(r"^\\\* constant term = (\S+) \*\\", re.MULTILINE)
_LOOK = 1000  # characters before a line that may begin a section


def read_lp(text: str, assume: Assume = lambda _: None) -> LinearModel:
    """The model in the text of an LP file.

    Parameters
    ----------
    assume
        Called with a phrase for each assumption of the reader.

    Raises
    ------
    InputError
        With the line, if the text cannot be understood, or has more than a linear program with integers.
    """
    return _Reader(plain_lines(text), assume).read()


class _Reader:
    """One pass over the text, section by section."""

    def __init__(self, text: str, assume: Assume) -> None:
        self._text = text
        self._assume = assume
        self._model = ModelBuilder()
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._bounded: set[int] = set()
        self._low: set[int] = set()
        self._late: dict[str, int] = {}  # columns first seen outside the objective and the rows

    def read(self) -> LinearModel:
        ended = False
        sections = list(self._sections())
        if not sections or sections[0][0] != OBJECTIVE:
            raise self._fault("the first section is not that of the objective (minimize or maximize)", 0)
        for kind, start, end, place in sections:
            if ended:
                raise self._fault("a section after the end", place)
            if kind == REFUSED:
                self._refuse(start, end, place)
            several = kind == OBJECTIVE and self._text[start:end].strip().lower().startswith("multi-objectives")
            if several or (kind == OBJECTIVE and place != sections[0][3]):
                raise self._fault("a second objective: only one can be solved", place)
            ended = kind == END
            tokens = Tokens(self._fault, self._text, start, end)
            if kind == OBJECTIVE:
                self._model.maximise = self._text[place:start].strip().lower().startswith("max")
                self._objective(tokens)
            elif kind == ROWS:
                self._rows(tokens)
            elif kind == BOUNDS:
                self._bounds(tokens)
            elif kind in (GENERAL, BINARY):
                self._integers(tokens, binary=kind == BINARY)
            elif tokens.peek() is not None:
                raise self._fault("text after the end", start)
        constant = _CONSTANT_OF_GLPK.search(self._text)
        if constant is not None:
            self._assume(
                f"no constant of the objective: the file says {constant[1]} in a comment only, as GLPK writes it"
            )
        if not ended:
            self._assume("the end of the file as its end: it has no line 'end'")
        return self._finished()

    def _fault(self, message: str, place: int) -> InputError:
        return InputError(message, line=bisect_right(self._lines, place))

    def _sections(self) -> Iterator[tuple[int, int, int, int]]:
        """Kind, start and end of the content of each section, and the place of its header."""
        found: list[tuple[int, int, int]] = []
        for start in self._lines:
            end = self._text.find("\n", start)
            line = self._text[start : len(self._text) if end < 0 else end]
            bare = COMMENT.sub("", line)
            kind = head_of(bare)
            if kind is None:
                kind = self._signed_head(bare, start, found)
            if kind is not None:
                found.append((kind, start + place_behind_head(bare), start))
            elif bare.strip() and not found:
                other = other_form(line)
                raise self._fault(other or f"not the sense of an objective ({shown(bare.strip())})", start)
        ends = [*(place for _, _, place in found[1:]), len(self._text)][: len(found)]
        for (kind, content, place), end in zip(found, ends, strict=True):
            yield kind, content, end, place

    def _signed_head(self, line: str, start: int, found: list[tuple[int, int, int]]) -> int | None:
        if not found:
            return signed_head_of(line, None)
        kind, begin, _ = found[-1]
        return signed_head_of(line, kind, lambda: COMMENT.sub("", self._text[max(begin, start - _LOOK) : start]))

    def _refuse(self, start: int, end: int, place: int) -> None:
        what = self._text[place:start].strip().lower()
        lines = COMMENT.sub("", self._text[start:end]).split("\n")
        first = next((line.strip() for line in lines if line.strip()), "")
        if first or what.startswith("multi"):
            name = re.split(r"[\s:]", first, maxsplit=1)[0]
            raise self._fault(f"the section '{what}' ({shown(name)}): only linear rows can be solved", place)

    def column(self, name: str) -> int:
        """The number of a column, which may be new."""
        known = self._model.columns.get(name)
        return self._model.add_column(name) if known is None else known

    def _limited(self, name: str, place: int) -> int:
        """The number of a column that occurs outside the objective and the rows."""
        columns = self._model.columns
        if name not in columns:
            if name.rstrip(",;") in columns:
                raise self._fault(f"names are separated by blanks ({shown(name)})", place)
            self._late[name] = len(columns)
        return self.column(name)

    def _objective(self, tokens: Tokens) -> None:
        model = self._model
        model.objective_name = tokens.label() or ""
        constant = self._expression(
            tokens, -1, shown(model.objective_name) if model.objective_name else "the objective"
        )
        if constant:
            model.add("offset", 0, constant)
        token = tokens.peek()
        if token is not None:
            raise self._fault(f"not a part of the objective ({shown(token[1])})", token[2])

    def _expression(self, tokens: Tokens, row: int, name: str) -> Fraction:
        """Add the terms of an expression to a row (the objective if -1); return the sum of its constants.

        The name is used in messages.
        """
        constant = Fraction(0)
        begun = False
        while True:
            begun |= self._plain_terms(tokens, row, begun)
            token = tokens.peek()
            if token is None or token[0] == "sense" or (begun and tokens.at_label()):
                return constant
            negative, signed = tokens.signs()
            if begun and not signed and token[0] in ("name", "number"):
                raise self._fault(f"a sign is missing before {shown(token[1])}", token[2])
            token = tokens.peek()
            text, value = "", 1.0
            if token is not None and token[0] == "number":
                tokens.next()
                text = token[1]
                value = self._number(token)
                token = tokens.peek()
                if token is not None and token[1] == "*":
                    tokens.next()
                    token = tokens.peek()
            if token is not None and token[0] == "name" and not (text and tokens.at_label()):
                if text and self._text[token[2] - 1].isdigit() and re.match(",[0-9]", token[1]):
                    raise self._fault(f"a comma in a number ({shown(text + token[1])})", token[2])
                tokens.next()
                self._linear(tokens, name)
                self._term(row, self.column(token[1]), -value if negative else value, text, negative)
            elif text:
                if token is not None and token[0] == "number":
                    raise self._fault(f"two numbers in a row ({shown(token[1])})", token[2])
                constant += -exact(text) if negative else exact(text)
            else:
                if token is None:
                    if not begun and not signed:
                        return constant
                    raise self._fault(f"{name} ends with a sign", tokens.place)
                self._nonlinear(token, name)
                raise self._fault(f"not a term ({shown(token[1])})", token[2])
            begun = True

    def _plain_terms(self, tokens: Tokens, row: int, begun: bool) -> bool:
        """Add the next terms that consist of a sign, a number and a column; return whether there is one.

        The general code for terms takes five times as long.
        """
        text, at, end = tokens.text, tokens.at, tokens.end
        columns, match = self._model.columns, TERM.match
        taken = False
        while (found := match(text, at, end)) is not None:
            sign, digits, name = found.groups()
            if begun and not sign:
                break
            value = 1.0
            if digits is not None:
                value = float(digits)
                if len(digits) > LENGTH_SAFE or not 0 < value < np.inf:
                    known = float_of(digits)
                    if known is None:
                        break
                    value = known
            column = columns.get(name)
            negative = sign == "-"
            self._term(
                row,
                self.column(name) if column is None else column,
                -value if negative else value,
                digits or "",
                negative,
            )
            at = found.end()
            begun = taken = True
        tokens.reset(at)
        return taken

    def _term(self, row: int, column: int, value: float, text: str, negative: bool) -> None:
        if row < 0:
            number = exact(text) if text else Fraction(1)
            self._model.add("cost", column, -number if negative else number)
        else:
            self._model.add_entry(row, column, value, f"-{text}" if negative and text else text)

    def _number(self, token: Token) -> float:
        value = float_of(token[1])
        if value is None:
            raise self._fault(f"not a number that can be kept ({shown(token[1])})", token[2])
        return value

    def _linear(self, tokens: Tokens, name: str) -> None:
        token = tokens.peek()
        if token is not None:
            self._nonlinear(token, name)

    def _nonlinear(self, token: Token, name: str) -> None:
        if token[1] in ("^", "[", "]", "*"):
            raise self._fault(f"quadratic terms in {name}: only linear rows and objectives can be solved", token[2])
        if token[1] == "->":
            raise self._fault(f"an indicator row ({name}): only linear rows can be solved", token[2])

    def _rows(self, tokens: Tokens) -> None:
        model = self._model
        said, behind = "", 0
        while (token := tokens.peek()) is not None:
            place = tokens.place
            label = tokens.label()
            if label is None:
                if said:
                    self._check_begin(behind, place, said)
                if token[1] == ":":  # an empty name, as in CBC
                    tokens.next()
            elif label in model.rows:
                raise self._fault(f"a second row {shown(label)}", place)
            said = "a row without a name" if label is None else shown(label)
            row = model.add_row(_unnamed(len(model.rows)) if label is None else label, -np.inf, np.inf)
            self._row(tokens, row, said, place)
            behind = tokens.at

    def _check_begin(self, behind: int, place: int, before: str) -> None:
        """Refuse text after the right side of a row, unless it is a row that ends on the same line."""
        if "\n" in self._text[behind:place] or _TO_SENSE.match(self._text, place):
            return
        end = self._text.find("\n", place)
        rest = COMMENT.sub("", self._text[place : len(self._text) if end < 0 else end])
        raise self._fault(f"the right side of {before} continues ({shown(rest.strip())}): {_EXPECTED}", place)

    def _row(self, tokens: Tokens, row: int, name: str, begin: int) -> None:
        """`[number sense] expression sense number`, or `number sense expression`; the name is used in messages."""
        left = self._bound_in_front(tokens, name)
        constant = self._expression(tokens, row, name)
        token = tokens.peek()
        if token is not None and token[0] == "sense":
            tokens.next()
            self._check_range("" if left is None else left[0], token, name)
            self._side(row, token[1], self._signed(tokens, name), constant)
        elif left is None:
            raise self._fault(f"{name} has no right side", begin)
        if left is not None:
            sense, number = left
            self._side(row, {"<": ">", ">": "<"}.get(_bare(sense), "="), number, constant)
        token = tokens.peek()
        if token is not None:
            if token[1] == "->":
                self._nonlinear(token, name)
            if token[0] == "sense":
                raise self._fault(f"{name} has another side ({shown(token[1])})", token[2])

    def _bound_in_front(self, tokens: Tokens, name: str) -> tuple[str, _Number] | None:
        """Sense and number of a row that begins with its limit."""
        mark = tokens.at
        tokens.signs()
        token = tokens.peek()
        if token is not None and (token[0] == "number" or token[1].lower() in _INFINITE):
            tokens.next()
            sense = tokens.peek()
            if sense is not None and sense[0] == "sense":
                tokens.reset(mark)
                number = self._signed(tokens, name)
                tokens.next()
                return sense[1], number
        tokens.reset(mark)
        return None

    def _signed(self, tokens: Tokens, name: str) -> _Number:
        """A number and its sign; None and its sign if it is infinite."""
        negative, _ = tokens.signs()
        token = tokens.next()
        if token is None:
            raise self._fault(f"{name} ends without a number", tokens.place)
        if token[0] == "number":
            value = float_of(token[1])
            if value is None or abs(value) >= INFINITE:
                if value is None and "e-" in token[1].lower():
                    raise self._fault(f"not a number that can be kept ({shown(token[1])})", token[2])
                return None, negative
            number = exact(token[1])
            return (-number if negative else number), negative
        if token[1].lower() in _INFINITE:
            return None, negative
        raise self._fault(f"the right side of {name} is not a number ({shown(token[1])}): {_EXPECTED}", token[2])

    def _side(self, row: int, sense: str, number: _Number, constant: Fraction) -> None:
        """Limit a row whose expression has a constant."""
        value, negative = number
        for array, taken in (("row_lower", _bare(sense) in "=>"), ("row_upper", _bare(sense) in "=<")):
            if taken:
                self._put(array, row, None if value is None else value - constant, negative)

    def _put(self, array: str, index: int, value: Fraction | None, negative: bool) -> None:
        if value is None:
            self._model.put_exact(array, index, -np.inf if negative else np.inf, None)
            return
        near = float_of_sum(value)
        self._model.put_exact(array, index, near, None if exact(near) == value else value)

    def _bounds(self, tokens: Tokens) -> None:
        while tokens.peek() is not None:
            place = tokens.place
            token = tokens.peek()
            assert token is not None
            if token[0] == "name" and token[1].lower() not in _INFINITE:
                tokens.next()
                column = self._limited(token[1], place)
                following = tokens.next()
                if following is not None and following[1].lower() == "free":
                    self._bound(column, ">", (None, True), place)
                    self._bound(column, "<", (None, False), place)
                elif following is not None and following[0] == "sense":
                    self._bound(column, following[1], self._signed(tokens, f"the bound of {shown(token[1])}"), place)
                else:
                    raise self._fault(f"not a bound of {shown(token[1])}", place)
            else:
                self._bounds_around(tokens, place)

    def _bounds_around(self, tokens: Tokens, place: int) -> None:
        """`number sense column`, optionally followed by `sense number`."""
        number = self._signed(tokens, "a bound")
        sense, token = tokens.next(), tokens.next()
        if sense is None or token is None or sense[0] != "sense" or token[0] != "name":
            raise self._fault("a bound has a number, a sense and a column", place)
        column = self._limited(token[1], token[2])
        self._bound(column, {"<": ">", ">": "<"}.get(_bare(sense[1]), "="), number, place)
        following = tokens.peek()
        if following is not None and following[0] == "sense":
            self._check_range(sense[1], following, f"the bound of {shown(token[1])}")
            tokens.next()
            self._bound(column, following[1], self._signed(tokens, f"the bound of {shown(token[1])}"), place)

    def _check_range(self, left: str, right: Token, name: str) -> None:
        """Refuse two limits that are not a range, such as `1 <= x >= 5`; the left sense is empty for one limit."""
        if left and (_bare(left) != _bare(right[1]) or _bare(left) == "="):
            raise self._fault(f"{name} has {left} and {right[1]}: a range is written as 1 <= x <= 5", right[2])

    def _bound(self, column: int, sense: str, number: _Number, place: int) -> None:
        value, negative = number
        self._bounded.add(column)
        for array, taken in (("lower", _bare(sense) in "=>"), ("upper", _bare(sense) in "=<")):
            if not taken:
                continue
            if value is None and negative == (array == "upper"):
                raise self._fault(f"no value is within an infinite {array} bound", place)
            if array == "lower":
                self._low.add(column)
            self._put(array, column, value, negative)

    def _integers(self, tokens: Tokens, *, binary: bool) -> None:
        model = self._model
        while (token := tokens.next()) is not None:
            if token[0] != "name":
                raise self._fault(f"not a name of a column ({shown(token[1])})", token[2])
            column = self._limited(token[1], token[2])
            model.integral[column] = True
            if binary:
                if model.lower[column] < 0:
                    self._put("lower", column, Fraction(0), False)
                if model.upper[column] > 1:
                    self._put("upper", column, Fraction(1), False)

    def _finished(self) -> LinearModel:
        model = self._model
        self._name_rows()
        if any(model.upper[column] < 0 and column not in self._low for column in self._bounded):
            self._assume("lower bounds of 0 where only an upper bound below 0 is given, as solvers do")
        made = model.made()
        self._assume_names(made)
        return made

    def _assume_names(self, made: LinearModel) -> None:
        """Report names that are probably unintended."""
        stand = made.cost != 0
        stand[made.columns] = True
        alone = [name for name, column in self._late.items() if not stand[column]]
        if alone:
            self._assume(f"a column {shown(alone[0])}{_more(alone)}, which the objective and the rows do not name")
        single = [name for name in made.column_names if name[0] == "(" and name.count("(") != name.count(")")]
        if single:
            self._assume(f"a column {shown(single[0])}{_more(single)}: brackets are a part of names")

    def _name_rows(self) -> None:
        """Name the rows that have no name in the file, with names that do not occur in it."""
        rows = self._model.rows
        if not any(name.startswith(" ") for name in rows):
            return
        taken = {*rows, self._model.objective_name}
        named = {}
        for name, number in rows.items():
            if name.startswith(" "):
                name = f"R{number + 1}"
                while name in taken:
                    name += "_"
                taken.add(name)
            named[name] = number
        self._model.rows = named


def _unnamed(number: int) -> str:
    """Temporary name of an unnamed row until all names are known: no name in a file has a blank."""
    return f" {number}"


def _more(names: Sequence[str]) -> str:
    return f" (and {len(names) - 1} more)" if len(names) > 1 else ""


_Number = tuple[Fraction | None, bool]
"""A number, None if it is infinite, and whether it has the sign minus."""


def _bare(sense: str) -> str:
    """The sense without its equals sign: <, > or =."""
    return sense.replace("=", "") or "="
