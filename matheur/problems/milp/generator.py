"""Random linear programs: instances of the models in `models/`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from importlib import import_module
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError, nearest
from matheur.linear.model import LinearModel
from matheur.pyomo_turn import pyomo_turn

__all__ = ["COLUMNS_MAX", "KINDS", "Kind", "chosen", "for_files", "generate"]

COLUMNS_MAX = 500_000
"""Programs that are made have about this many columns at most."""

_Option = int | float | str | bool


@dataclass(frozen=True, slots=True)
class Kind:
    """A model whose instances are generated.

    Attributes
    ----------
    line
        The decision of the model, in one line.
    module
        Its module in `models/`.
    sizes
        Sizes in the order of `--size`, with their defaults.
    columns
        Approximate number of columns for these sizes.
    options
        Other options of the generator, with their defaults.
    """

    line: str
    module: str
    sizes: Mapping[str, int]
    columns: Callable[..., int]
    options: Mapping[str, _Option] = field(default_factory=dict)


KINDS: Mapping[str, Kind] = MappingProxyType(
    {
        "lot-sizing": Kind(
            "what to make in which period",
            "lot_sizing",
            {"items": 20, "periods": 20},
            lambda items, periods: 3 * items * periods,
            {"load": 0.9},
        ),
        "assignment": Kind(
            "which agent does which job",
            "generalised_assignment",
            {"agents": 20, "jobs": 100},
            lambda agents, jobs: agents * jobs,
            {"type": "d"},
        ),
        "facilities": Kind(
            "where to open facilities, and whom they serve",
            "facility_location",
            {"sites": 20, "customers": 60},
            lambda sites, customers: sites * customers,
            {"ratio": 3.0, "split": False},
        ),
        "unit-commitment": Kind(
            "which power stations run when",
            "unit_commitment",
            {"units": 20, "hours": 48},
            lambda units, hours: 6 * units * hours,
        ),
        "rostering": Kind(
            "which nurse works which shift",
            "nurse_rostering",
            {"nurses": 20, "days": 28},
            lambda nurses, days: 3 * nurses * days,
        ),
        "cutting-stock": Kind(
            "which pieces to cut from which roll",
            "cutting_stock",
            {"items": 20},
            lambda items: 2 * items * items,
        ),
        "job-shop": Kind(
            "when which job begins on which machine",
            "job_shop",
            {"jobs": 8, "machines": 6},
            lambda jobs, machines: 6 * jobs * machines * max(jobs, machines),
        ),
    }
)
"""Kinds of random programs."""


def generate(kind: str, values: Mapping[str, Any], seed: int) -> tuple[LinearModel, NDArray[np.float64]]:
    """A random program and a simple solution of it, which is rarely good.

    Parameters
    ----------
    kind
        One of `KINDS`.
    values
        Sizes and options of the kind; missing ones take the defaults of the kind.
    seed
        The same arguments give the same program.
    """
    one = KINDS[kind]
    with pyomo_turn():
        from matheur.solvers.pyomo_arrays import arrays_of

        module: Any = import_module(f"matheur.models.{one.module}")
    instance = module.generate(**{**one.sizes, **one.options, **values}, seed=seed)
    model = module.build(instance)
    module.set_simple_plan(model, instance)
    arrays = arrays_of(model)
    return arrays.model, arrays.start()


def for_files(model: LinearModel) -> LinearModel:
    """The program with names that every file format allows: `x(1,2)` for `x[1,2]`."""
    table = str.maketrans("[]", "()")
    return replace(
        model,
        column_names=tuple(name.translate(table) for name in model.column_names),
        row_names=tuple(name.translate(table) for name in model.row_names),
    )


def chosen(options: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """The kind of program, and its sizes and options, given as `kind`, `size` (such as 20x50), or by name.

    Raises
    ------
    ConfigurationError
        If one is unknown or makes no sense.
    """
    kind = options.get("kind", next(iter(KINDS)))
    if kind not in KINDS:
        raise ConfigurationError(f"unknown kind of program {kind!r}. {nearest(str(kind), KINDS)}")
    one = KINDS[kind]
    known: dict[str, Any] = {**one.sizes, **one.options}
    values: dict[str, Any] = {}
    if "size" in options:
        values |= dict(zip(one.sizes, _sizes(options["size"], one.sizes), strict=True))
    for key, value in options.items():
        if key in ("kind", "size"):
            continue
        if key not in known:
            names = ["kind", "size", *known]
            raise ConfigurationError(f"unknown option {key!r} of programs of kind '{kind}'. {nearest(str(key), names)}")
        values[key] = _checked(key, value, known[key])
    sizes = {key: values.get(key, size) for key, size in one.sizes.items()}
    columns = one.columns(**sizes) if min(sizes.values()) > 0 else 0
    if not 0 < columns <= COLUMNS_MAX:
        said = ", ".join(f"{key} {size}" for key, size in sizes.items())
        raise ConfigurationError(f"about {columns:,} columns: programs have 1 to {COLUMNS_MAX:,} ({said})")
    return kind, values


def _sizes(value: Any, sizes: Mapping[str, int]) -> list[int]:
    match = re.fullmatch(r"\s*([0-9]{1,7}(?:\s*[xX,]\s*[0-9]{1,7})*)\s*", str(value))
    found = [] if match is None else [int(one) for one in re.split("[xX,]", match[1])]
    if len(found) != len(sizes):
        example = "x".join(str(size) for size in sizes.values())
        raise ConfigurationError(f"size must be {'x'.join(map(str.upper, sizes))} ({value!r}). Maybe '{example}'?")
    return found


def _checked(key: str, value: Any, default: _Option) -> _Option:
    """The value, if it has the type of the default."""
    if isinstance(default, str):
        return str(value)
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise ConfigurationError(f"{key} must be true or false ({value!r})")
        return value
    fits = isinstance(value, int) or (isinstance(default, float) and isinstance(value, float))
    if isinstance(value, bool) or not fits or not value > 0 or not np.isfinite(value):
        what = "whole number from 1" if isinstance(default, int) else "number above 0"
        raise ConfigurationError(f"{key} must be a {what} ({value!r})")
    return value
