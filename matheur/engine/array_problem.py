"""A base class for problems whose solutions are arrays of integers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import fields, is_dataclass
from hashlib import blake2b
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from matheur.engine.outcome import Evaluation, plain_number
from matheur.errors import ConfigurationError, InputError

__all__ = ["ArrayProblem", "row_fault"]

_REPORTED = 10


def row_fault(solution: Any, what: str) -> str | None:
    """A sentence if a solution is not a one-dimensional array of integers, else None.

    The length of an array of another shape is not its number of elements, so an objective that is a length would be
    wrong.

    Parameters
    ----------
    what
        Noun for a solution, such as `a plan`.

    Examples
    --------
    >>> row_fault([[1, 2]], "a plan")
    'a plan is a one-dimensional array of integers (this one has shape (1, 2) and type int64)'
    >>> row_fault([], "a plan")
    """
    try:
        array = np.asarray(solution)
    except ValueError:  # rows of different lengths
        return f"{what} is a one-dimensional array of integers (this one is ragged)"
    if array.ndim == 1 and (not array.size or np.issubdtype(array.dtype, np.integer)):
        return None
    return f"{what} is a one-dimensional array of integers (this one has shape {array.shape} and type {array.dtype})"


class ArrayProblem:
    """A problem whose solutions are one-dimensional arrays of integers.

    A user-defined problem is a dataclass with three members: `name`, `objective`, and `violations` (the constraints on
    an array). The other members have defaults that fit most problems and can be overridden: `encode` and `decode` use
    plain lists, `digest` the bytes of the array, `fingerprint` the fields of the dataclass; the score is the objective,
    and no bound is known. A problem that computes objective and violations together overrides `evaluate` instead.

    Attributes
    ----------
    name
        Name of the problem, such as `number-partitioning`.
    noun
        Noun for a solution in messages.
    dtype
        Data type of a solution.
    """

    name: ClassVar[str]
    noun: ClassVar[str] = "a solution"
    dtype: ClassVar[str] = "<i4"

    def objective(self, solution: NDArray[Any]) -> int | float:
        """Value to minimise; called only for one-dimensional integer arrays without violations."""
        raise NotImplementedError(f"{type(self).__name__} has neither objective nor evaluate")

    def violations(self, solution: NDArray[Any]) -> Iterable[str]:
        """A sentence for each violated constraint of a one-dimensional integer array; no constraints by default."""
        return ()

    def evaluate(self, solution: Any) -> Evaluation:
        """Check and evaluate a solution from scratch.

        Raises
        ------
        ConfigurationError
            If `violations` returns anything other than sentences.
        """
        fault = row_fault(solution, self.noun)
        if fault is not None:
            return Evaluation(0, False, (fault,))
        row = np.asarray(solution)
        found = self.violations(row)
        if isinstance(found, str) or not isinstance(found, Iterable):
            hint = ". Maybe 'return ()'?" if found is None else ""
            raise ConfigurationError(
                f"violations of '{self.name}' must return a list of sentences, not {found!r}{hint}"
            )
        wrong = list(found)
        if wrong:
            return Evaluation(0, False, (*wrong[:_REPORTED], *(["and more"] if len(wrong) > _REPORTED else [])))
        return Evaluation(self.objective(row), True)

    @property
    def fingerprint(self) -> str:
        """Identifier of the instance, derived from the fields of the dataclass except `title` and `assumptions`.

        Raises
        ------
        TypeError
            If the class is not a dataclass; it must then define `fingerprint` itself.
        """
        problem: Any = self
        if not is_dataclass(problem):
            raise TypeError(f"{type(self).__name__} is not a dataclass. Maybe define fingerprint?")
        digest = blake2b(self.name.encode(), digest_size=12)
        for field in fields(problem):
            if field.name not in ("title", "assumptions"):
                digest.update(field.name.encode() + b"\0")
                digest.update(_content(getattr(problem, field.name)))
        return digest.hexdigest()

    def score(self, objective: int | float) -> int | float:
        """The objective itself."""
        return objective

    @property
    def score_max(self) -> int | float | None:
        """None: no upper limit of the score is known."""
        return None

    @property
    def trivial_bound(self) -> int | float | None:
        """None: no bound is known without a search."""
        return None

    def infeasible_reason(self) -> str | None:
        """None: the instance may have a solution."""
        return None

    def encode(self, solution: NDArray[Any]) -> Any:
        """Convert the array to a list."""
        return np.asarray(solution).ravel().tolist()

    def decode(self, data: Any) -> NDArray[Any]:
        """Convert a list of numbers to an array; `evaluate` checks whether it is valid.

        Raises
        ------
        InputError
            If the data are not a list of integers that fit into `dtype`.
        """
        if not isinstance(data, Sequence) or isinstance(data, str | bytes):
            raise InputError(f"{self.noun} is a list of numbers, not {type(data).__name__}")
        data = list(map(plain_number, data))
        limits = np.iinfo(self.dtype)
        for place, value in enumerate(data, start=1):
            if type(value) is not int or not limits.min <= value <= limits.max:
                raise InputError(f"number {place} of {self.noun} is not an integer in range ({str(value)[:40]!r})")
        return np.array(data, dtype=np.dtype(self.dtype))

    def digest(self, solution: NDArray[Any]) -> bytes:
        """Bytes that are equal only for equal solutions."""
        return blake2b(np.asarray(solution, dtype=self.dtype).tobytes(), digest_size=16).digest()


def _content(value: Any) -> bytes:
    """Bytes that identify a value in any process, since `repr` abbreviates long arrays and orders sets arbitrarily.

    A value without arrays and sets is represented by its `repr`.
    """
    if isinstance(value, np.ndarray):
        head = repr((value.shape, value.dtype.str)).encode()
        return head + (_content(value.tolist()) if value.dtype.hasobject else np.ascontiguousarray(value).tobytes())
    if isinstance(value, list | tuple):
        return _joined([_content(part) for part in value])
    if isinstance(value, Mapping):
        return b"mapping" + _content(list(value.items()))
    if isinstance(value, Set):
        return b"set" + _joined(sorted(_content(part) for part in value))
    if is_dataclass(value) and not isinstance(value, type):
        parts = [(field.name, getattr(value, field.name)) for field in fields(value)]
        return type(value).__name__.encode() + _content(parts)
    if hasattr(value, "tocoo"):  # a sparse matrix of SciPy
        entries = value.tocoo()
        return b"sparse" + _content([entries.shape, *entries.coords, entries.data])
    if hasattr(value, "__array__") and not isinstance(value, np.generic):  # such as a pandas table
        return type(value).__name__.encode() + _content(np.asarray(value))
    return repr(value).encode("utf-8", "surrogatepass")


def _joined(parts: Sequence[bytes]) -> bytes:
    return repr([len(part) for part in parts]).encode() + b"".join(parts)
