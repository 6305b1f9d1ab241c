"""What a contract is: a function that raises where it is broken, and the words for it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

__all__ = ["Contract", "NotPromisedError", "hold", "is_plain", "keep", "raises", "require"]

Contract = Callable[[Any], None]
"""Takes what is tested; the first line of its docstring is the contract."""


class NotPromisedError(Exception):
    """A contract that what is tested does not enter into, such as the bound of a backend that declares none."""


def require(holds: object, broken: str) -> None:
    """Raise an `AssertionError` that says how a contract is broken, unless it holds; `python -O` keeps it."""
    if not holds:
        raise AssertionError(broken)


def raises(kind: type[BaseException], call: Callable[[], object], broken: str) -> BaseException:
    """The error of that kind that a call has to raise."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(broken)


def is_plain(value: Any) -> bool:
    """Whether a value is the same after a way through JSON."""
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False


def hold(contract: Contract, subject: Any) -> None:
    """Hold a subject to a contract.

    Parameters
    ----------
    subject
        What the contract takes; its text names it in messages.

    Raises
    ------
    AssertionError
        If it is broken; the message names subject and contract.
    NotPromisedError
        If the subject does not enter into it.
    """
    words = (contract.__doc__ or contract.__name__).strip().splitlines()[0]
    try:
        contract(subject)
    except NotPromisedError:
        raise
    except AssertionError as error:
        raise AssertionError(f"{subject} breaks a contract: {words}\n{error}") from error
    except Exception as error:
        error.add_note(f"raised by {subject}, which is held to a contract: {words}")
        raise


def keep(contracts: Iterable[Contract], subject: Any) -> None:
    """Hold a subject to all of the contracts that it enters into; raises as `hold` does."""
    for contract in contracts:
        with suppress(NotPromisedError):
            hold(contract, subject)
