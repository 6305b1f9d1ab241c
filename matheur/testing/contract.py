"""Contracts: functions that raise an error if the tested object breaks a promise."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any

__all__ = ["Contract", "NotPromisedError", "hold", "is_plain", "keep", "raises", "require"]

Contract = Callable[[Any], None]
"""Function of the tested object; the first line of its docstring states the contract."""


class NotPromisedError(Exception):
    """The contract does not apply to the tested object, such as a backend that declares no bound."""


def require(holds: object, broken: str) -> None:
    """Raise an `AssertionError` with the message `broken` unless `holds` is true, even under `python -O`."""
    if not holds:
        raise AssertionError(broken)


def raises(kind: type[BaseException], call: Callable[[], object], broken: str) -> BaseException:
    """The error of the given type that a call must raise."""
    try:
        call()
    except kind as error:
        return error
    raise AssertionError(broken)


def is_plain(value: Any) -> bool:
    """Whether a value is unchanged by a round trip through JSON."""
    try:
        return bool(json.loads(json.dumps(value, allow_nan=False)) == value)
    except (TypeError, ValueError):
        return False


def hold(contract: Contract, subject: Any) -> None:
    """Check a subject against a contract.

    Parameters
    ----------
    subject
        Argument of the contract; messages name it by its `str`.

    Raises
    ------
    AssertionError
        If the contract is broken; the message names the subject and the contract.
    NotPromisedError
        If the contract does not apply to the subject.
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
    """Check a subject against all contracts that apply to it; raises the same errors as `hold`."""
    for contract in contracts:
        with suppress(NotPromisedError):
            hold(contract, subject)
