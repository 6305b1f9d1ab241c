"""Reading and checking of the stored files of the workbench.

A file with other content (truncated, foreign, of another version, edited) raises an `InputError` with the reason, so
that pages and processes receive only expected values.
"""

from __future__ import annotations

import json
import os
import stat
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from matheur.campaign.report.words import visible
from matheur.errors import ConfigurationError, InputError
from matheur.running.earlier_words import NOW, of_today

__all__ = [
    "STATES",
    "is_number",
    "is_text",
    "open_regular",
    "read_facts",
    "read_order",
    "read_outcome",
    "read_regular",
    "read_state",
    "too_deep",
    "usable_name",
]

STATES = ("waiting", "running", "stopped", "done", "failed")
"""States of a job."""

_NUMBER_MAX = 10**30  # products and sums of a few such numbers still fit into floats
_SMALL, _LARGE = 2**20, 64 * 2**20  # maximum bytes of a file
_DEPTH = 40  # maximum depth of nested tables and lists
_NESTED = (dict, list, tuple)
_NAME_BYTES = 200  # most file systems allow 255
_INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp")  # controls, writing directions, line breaks
_JOINERS = "\u200c\u200d"  # used in names of some scripts, and in emoji


def open_regular(path: Path) -> Any:
    """Open a file to read its bytes. Pipes and devices, which could block the server, raise an `OSError`."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise OSError(0, "not a regular file")
    return os.fdopen(descriptor, "rb")


def read_regular(path: Path, most: int) -> bytes:
    """The bytes of a file; an `OSError` as in `open_regular`, or if it has more than `most` bytes."""
    with open_regular(path) as file:
        data: bytes = file.read(most + 1)
    if len(data) > most:
        raise OSError(0, f"larger than {most:,} bytes")
    return data


def usable_name(name: str) -> bool:
    """Whether a file in the workbench may have this name, which may use any script but must not be a path."""
    try:
        size = len(os.fsencode(name))
    except UnicodeEncodeError:  # half of a surrogate pair, or a locale that cannot write it
        return False
    plain = 0 < size <= _NAME_BYTES and name.strip() and not name.startswith(".") and not {"/", "\\"} & set(name)
    return bool(plain) and all(c in _JOINERS or unicodedata.category(c) not in _INVISIBLE for c in name)


def is_number(value: Any) -> bool:
    """Whether a value is a finite number of plausible size for objectives, scores and seconds."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _NUMBER_MAX


def is_text(value: Any) -> bool:
    """Whether a value is text that UTF-8 can encode, short enough for a page."""
    if not isinstance(value, str) or len(value) > 10_000:
        return False
    try:
        value.encode()
    except UnicodeEncodeError:  # half of a surrogate pair
        return False
    return True


def too_deep(value: Any, most: int = _DEPTH) -> bool:
    """Whether tables and lists are nested more deeply than in files of the workbench, too deeply for recursion."""
    level = [value]
    for _ in range(most):
        inner = (one.values() if isinstance(one, dict) else one for one in level if isinstance(one, _NESTED))
        level = [child for children in inner for child in children if isinstance(child, _NESTED)]
        if not level:
            return False
    return True


@dataclass(frozen=True, slots=True)
class _Wanted:
    """A key of a table: the check of its value, the requirement in words, and the default (`...` if it is required)."""

    what: str
    holds: Callable[[Any], bool]
    default: Any = ...


def _whole(least: int) -> _Wanted:
    def holds(value: Any) -> bool:
        return isinstance(value, int) and is_number(value) and value >= least

    return _Wanted(f"a whole number from {least}", holds)


def _maybe(wanted: _Wanted, default: Any = None) -> _Wanted:
    return _Wanted(f"{wanted.what} or null", lambda value: value is None or wanted.holds(value), default)


def _is_form(value: Any) -> bool:
    return isinstance(value, dict) and all(
        isinstance(one, str) or (isinstance(one, list) and all(isinstance(text, str) for text in one))
        for one in value.values()
    )


_TEXT = _Wanted("a text", is_text)
_NUMBER = _Wanted("a number", is_number)
_TRUTH = _Wanted("true or false", lambda value: isinstance(value, bool))
_TABLE = _Wanted("a table", lambda value: isinstance(value, dict))
_ANYTHING = _Wanted("anything", lambda _: True, None)
_SCORES = _Wanted(
    "two numbers, and one or null",
    lambda value: (
        isinstance(value, list)
        and len(value) == 3
        and all(is_number(one) for one in value[:2])
        and (value[2] is None or is_number(value[2]))
    ),
)
_NAME = _Wanted("the name of a file", lambda value: is_text(value) and usable_name(value))
_NAMES = _Wanted(
    "names of files", lambda value: isinstance(value, list) and value != [] and all(map(_NAME.holds, value))
)

_ORDER = {
    "subject": _TABLE, "instance": _TEXT, "problem": _TEXT, "fingerprint": _TEXT, "scores": _SCORES,
    "configuration": _TABLE, "certify": _TRUTH, "start": _ANYTHING, "preset": _maybe(_TEXT), "note": _maybe(_TEXT, ""),
    "game": _Wanted("true or false", _TRUTH.holds, False),
    "form": _Wanted("a table of texts", _is_form, {}),
}  # fmt: skip
_SUBJECT = {"source": _TEXT, "builtin": _TRUTH, "name": _TEXT, "options": _TABLE, "problem": _maybe(_TEXT)}
_NAMED = _Wanted("a table with a name", lambda value: isinstance(value, dict) and _TEXT.holds(value.get("name")))
_CONFIGURATION = {"seconds": _NUMBER, "jobs": _whole(1), "seed": _whole(0), "construction": _NAMED}
_STATE = {"state": _Wanted(f"one of {', '.join(STATES)}", lambda value: value in STATES), "reason": _maybe(_TEXT, "")}
_OUTCOME = {
    "status": _maybe(_TEXT, ""), "stopped": _maybe(_TEXT, ""), "reason": _maybe(_TEXT, ""), "seconds": _maybe(_NUMBER),
    "score": _maybe(_NUMBER), "bound": _maybe(_NUMBER), "objective": _maybe(_NUMBER), "solution": _ANYTHING,
    "certificate": _maybe(_TABLE), "versions": _maybe(_TABLE),
}  # fmt: skip
_FACTS = {"file": _NAME, "files": _NAMES, "shown": _TEXT, "problem": _maybe(_TEXT)}


def read_order(folder: Path) -> dict[str, Any]:
    """The order of a job (`order.json`).

    Raises
    ------
    InputError
        If it cannot be read, or was not written by the workbench.
    """
    path = folder / "order.json"
    order = _checked(path, _ORDER, _LARGE, but="start")
    subject = order["subject"] = _kept(path.name, order["subject"], _SUBJECT, "subject.")
    try:
        order["configuration"] = of_today(order["configuration"], None)
    except ConfigurationError as error:
        raise InputError(str(error), source=path.name) from None
    order["form"] = {NOW.get(name, name): text for name, text in order["form"].items()}
    _kept(path.name, order["configuration"], _CONFIGURATION, "configuration.")
    if subject["problem"] is None:
        del subject["problem"]
    if not subject["builtin"] and not usable_name(subject["source"]):
        raise InputError(f"'subject.source' must be the name of a file ({_shown(subject['source'])})", source=path.name)
    return order


def read_state(folder: Path) -> dict[str, Any]:
    """The state of a job (`state.json`); raises the same errors as `read_order`."""
    return _checked(folder / "state.json", _STATE, _SMALL)


def read_outcome(path: Path) -> dict[str, Any]:
    """A result file; empty if there is none; raises the same errors as `read_order`."""
    if not os.path.lexists(path):
        return {}
    found = _checked(path, _OUTCOME, _LARGE, but="solution")
    return {key: value for key, value in found.items() if value is not None}


def read_facts(folder: Path) -> dict[str, Any]:
    """Facts about an uploaded instance (`facts.json`); raises the same errors as `read_order`."""
    path = folder / "facts.json"
    facts = _checked(path, _FACTS, _SMALL)
    if facts["file"] not in facts["files"]:
        raise InputError(f"'file' must be one of the files ({_shown(facts['file'])})", source=path.name)
    return facts


def _checked(path: Path, wanted: Mapping[str, _Wanted], most: int, but: str = "") -> dict[str, Any]:
    """The table in a file, including unknown keys. The value of the key `but` may be nested to any depth."""
    try:
        data = read_regular(path, most)
    except OSError as error:
        raise InputError(f"cannot read ({error.strerror})", source=path.name) from None
    try:
        table = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise InputError(f"not JSON ({getattr(error, 'msg', type(error).__name__)})", source=path.name) from None
    if not isinstance(table, dict):
        raise InputError(f"not a table ({_shown(table)})", source=path.name)
    if too_deep({key: value for key, value in table.items() if key != but}):
        raise InputError("nested too deeply", source=path.name)
    return _kept(path.name, table, wanted)


def _kept(source: str, table: Mapping[str, Any], wanted: Mapping[str, _Wanted], prefix: str = "") -> dict[str, Any]:
    found = dict(table)
    for key, one in wanted.items():
        if key not in table:
            if one.default is ...:
                raise InputError(f"'{prefix}{key}' is missing", source=source)
            found[key] = one.default
        elif not one.holds(table[key]):
            raise InputError(f"'{prefix}{key}' must be {one.what} ({_shown(table[key])})", source=source)
    return found


def _shown(value: Any) -> str:
    """A value for a message: the beginning of a plain value, the kind of other values."""
    if isinstance(value, str | float | bool) or value is None:
        return visible(json.dumps(value, ensure_ascii=False), most=60)
    return {dict: "a table", list: "a list", int: "a number"}[type(value)]
