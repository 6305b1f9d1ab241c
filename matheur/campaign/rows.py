"""Rows of plain values extracted from the files about runs, and checks of their types."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matheur.campaign.statistics.operators import operator_statistics
from matheur.engine.stored import is_number
from matheur.errors import InputError

__all__ = ["STATUSES", "fault_of", "row_of_failure", "row_of_result"]

STATUSES = ("optimal", "feasible", "infeasible", "unknown", "failed")
_TEXTS = ("key", "instance", "problem", "variant", "group", "status", "stopped", "sense", "solver", "finished")
_NUMBERS = ("seconds", "work", "seed")
_PERHAPS = (
    "objective", "bound", "bound_score", "score", "score_max", "reference", "reference_score", "target",
    "wall_seconds", "cpu_seconds", "time_limit",
)  # fmt: skip


def fault_of(row: Mapping[str, Any], key: str) -> str | None:
    """Fault of a row; None if all its values have the expected types, on which all later code relies."""
    for name in _TEXTS:
        if not isinstance(row[name], str):
            return f"{name}: {_shown(row[name])} is not a text"
    for name in (*_NUMBERS, *_PERHAPS):
        if not is_number(row[name]) and not (row[name] is None and name in _PERHAPS):
            return f"{name}: {_shown(row[name])} is not a number"
    for name in ("seconds", "work", "wall_seconds", "cpu_seconds", "time_limit"):
        if row[name] is not None and row[name] < 0:
            return f"{name}: {_shown(row[name])} is negative"
    if not isinstance(row["reason"], str | None) or not isinstance(row["feasible"], bool):
        return "reason or feasible is of another type"
    if not isinstance(row["work"], int) or not isinstance(row["seed"], int):
        return "work or seed is not a whole number"
    if row["status"] not in STATUSES:
        return f"status: {_shown(row['status'])} is unknown"
    if row["score_sense"] not in ("min", "max"):
        return f"score_sense: {_shown(row['score_sense'])} is unknown"
    if row["feasible"] and not (is_number(row["objective"]) and is_number(row["score"])):
        return "a solution without objective or score"
    if row["key"] != key:
        return f"it is of the run {_shown(row['key'])}"
    return None


def _shown(value: Any) -> str:
    text = repr(value) if isinstance(value, str | bool | None) or is_number(value) else f"a {type(value).__name__}"
    return text if len(text) <= 60 else f"{text[:57]}..."


def row_of_result(values: dict[str, Any]) -> dict[str, Any]:
    """Row of a result file."""
    own = values["campaign"]
    for name in ("operators", "versions"):
        if not isinstance(values.get(name, {}), dict):
            raise TypeError(f"{name} is not a table")
    try:
        operator_statistics(values.get("operators", {}))
    except InputError:
        raise ValueError("operators: not in the form that a run writes") from None
    if "solution" not in values or not isinstance(own, dict):
        raise ValueError("it has no solution, or no table 'campaign'")
    taken = {
        name: values.get(name)
        for name in ("problem", "status", "stopped", "objective", "bound", "score", "score_max", "reason", "solver")
    }
    if values.get("sense") == "max":  # campaigns minimise objectives
        taken |= {name: -values[name] for name in ("objective", "bound") if is_number(values.get(name))}
    return {
        **taken,
        **{name: own[name] for name in ("key", "instance", "variant", "group", "seed", "finished", "score_sense")},
        **{name: own[name] for name in ("reference", "reference_score", "wall_seconds", "cpu_seconds")},
        "bound_score": own.get("bound_score"),  # earlier results lack it
        "sense": "min",
        "feasible": values["feasible"],
        "target": values["configuration"]["target"],
        "seconds": values["seconds"],
        "time_limit": _time_limit(values["configuration"]),
        "work": values["work"],
    }


def _time_limit(configuration: dict[str, Any]) -> Any:
    """Time limit of a run from a record of this or an earlier version."""
    return configuration["seconds" if "seconds" in configuration else "time"]


def row_of_failure(values: dict[str, Any]) -> dict[str, Any]:
    """Row of a file about a failure."""
    order = values["order"]
    instance, configuration = order["instance"], order["configuration"]
    nothing = dict.fromkeys(("objective", "bound", "bound_score", "score", "score_max", "cpu_seconds"))
    return {
        **nothing,
        **{name: instance[name] for name in ("problem", "group", "reference", "reference_score", "score_sense")},
        "key": order["key"],
        "instance": instance["name"],
        "variant": order["variant"],
        "seed": order["seed"],
        "status": "failed",
        "stopped": values["kind"],
        "sense": "min",
        "feasible": False,
        "target": configuration["target"],
        "seconds": values["seconds"],
        "wall_seconds": values["seconds"],
        "time_limit": _time_limit(configuration),
        "work": 0,
        "solver": configuration["solver"]["name"],
        "finished": values["finished"],
        "reason": values["reason"],
    }
