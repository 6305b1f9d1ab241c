"""Do all readers make the same of what our writers write? Generated models with all that a file can say."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from linear.random_models import any_model
from linear.readers import READERS, Facts, differences, facts, for_all, optimum_of_cbc, written

from matheur.linear.lp_writer import write_lp
from matheur.linear.model import LinearModel
from matheur.linear.mps_writer import write_mps
from matheur.solvers import MilpStatus, SolveRequest, get_backend
from matheur.solvers.linear import solve_linear

TOLERANCES = {"glpk": 1e-6}  # it writes numbers of up to 12 characters

EXPLAINED = {
    "free rows": "MPS has no rows without limits but further rows N, which every reader leaves out",
    "ranges": "RANGES holds the difference of two limits: HiGHS and SCIP subtract it in float64, one limit is off by a "
    "unit in the last place",
    "small numbers": "SCIP drops numbers below 1e-9",
    "no sense in MPS": "GLPK refuses OBJSENSE and CBC ignores it: they were given the model with all costs negated",
    "constants in MPS": "GLPK takes the right side of the objective as its constant, others as the negative of it",
    "no rows": "GLPK takes no model without rows",
}
"""What readers are known to make of a model, and why."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A model that a reader has read.

    Attributes
    ----------
    form, reader, seed
        `free MPS`, `fixed MPS` or `LP`; who read it; the seed of the model.
    explained
        Keys of `EXPLAINED` for what the reader is known to change, and did.
    wrong
        Any other difference.
    """

    form: str
    reader: str
    seed: int
    explained: tuple[str, ...] = ()
    wrong: tuple[str, ...] = ()


def compared(seed: int, folder: Path, readers: Iterable[str]) -> Iterator[Compared]:
    """A model in all forms, read by some of `READERS`; `cbc` is asked for the optimum."""
    for form in ("free MPS", "fixed MPS", "LP"):
        for reader in readers:
            model = any_model(seed, short=form == "fixed MPS", tame=reader == "cbc")
            yield _one(seed, form, reader, model, folder)


def _one(seed: int, form: str, reader: str, model: LinearModel, folder: Path) -> Compared:
    explained: list[str] = []
    if reader in ("glpk", "cbc") and form != "LP" and model.maximise:
        model = negated(model)
        explained.append("no sense in MPS")
    if reader == "glpk" and not _has_rows(model, form):
        return Compared(form, reader, seed, ("no rows",))
    if form == "LP":
        path = written(write_lp(model), folder / "model.lp")
    else:
        lines = write_mps(model)
        path = written(lines if form == "free MPS" else in_fixed_form(lines), folder / "model.mps")
    if reader == "cbc":
        return Compared(form, reader, seed, tuple(explained), tuple(_other_optimum(model, path)))
    meant = facts(model)
    meant = for_all(meant) if form == "LP" else meant
    known = _as_known(meant, reader, form, explained)
    try:
        found = READERS[reader](path)
    except Exception as error:
        return Compared(form, reader, seed, tuple(explained), (f"{type(error).__name__}: {error}"[:200],))
    wrong = differences(known, found, TOLERANCES.get(reader, 0.0))
    return Compared(form, reader, seed, tuple(explained), tuple(wrong))


def _has_rows(model: LinearModel, form: str) -> bool:
    limited = np.isfinite(model.row_lower) | np.isfinite(model.row_upper)
    return bool(model.height if form == "LP" else limited.any())


def _as_known(meant: Facts, reader: str, form: str, explained: list[str]) -> Facts:
    """What a reader is known to make of a model."""
    rows, columns = dict(meant["rows"]), dict(meant["columns"])
    for name, (low, high, terms) in meant["rows"].items():
        if form != "LP" and low == -np.inf and high == np.inf:
            explained.append("free rows")
            del rows[name]
            continue
        if form != "LP" and reader in ("highs", "scip") and np.isfinite(low) and np.isfinite(high) and low != high:
            size = float(f"{high - low:.15g}")
            if high - size != low:
                explained.append("ranges")
            low = high - size
        if reader == "scip" and any(abs(value) < 1e-9 for value in terms.values()):
            explained.append("small numbers")
            terms = {column: value for column, value in terms.items() if abs(value) >= 1e-9}
        rows[name] = (low, high, terms)
    if reader == "scip":
        for name, (low, high, cost, whole) in columns.items():
            if 0 < abs(cost) < 1e-9:
                explained.append("small numbers")
                columns[name] = (low, high, 0.0, whole)
    offset = meant["offset"]
    if reader == "glpk" and form != "LP" and offset:
        explained.append("constants in MPS")
        offset = -offset
    explained[:] = sorted(set(explained))
    return {**meant, "rows": rows, "columns": columns, "offset": offset}


def _other_optimum(model: LinearModel, path: Path) -> Iterator[str]:
    """Whether CBC ends otherwise with a file than HiGHS does with the model."""
    state, value = optimum_of_cbc(path)
    mine = solve_linear(get_backend("highs"), model, SolveRequest(seconds=20, relative_gap=1e-9, absolute_gap=1e-9))
    if mine.status is MilpStatus.OPTIMAL and mine.objective is not None:
        if state != "optimal" or not math.isclose(value, mine.objective, rel_tol=1e-5, abs_tol=1e-4):
            yield f"{state} {value!r}, not optimal {mine.objective!r}"
    elif mine.status in (MilpStatus.INFEASIBLE, MilpStatus.UNBOUNDED) and state == "optimal":
        yield f"{state} {value!r}, not {mine.status.value}"


def negated(model: LinearModel) -> LinearModel:
    """The same model, minimised instead of maximised or the other way round."""
    digits = {key: -value if key[0] in ("cost", "offset") else value for key, value in model.digits.items()}
    return replace(model, cost=-model.cost, offset=-model.offset, maximise=not model.maximise, digits=digits)


def in_fixed_form(lines: Iterable[str]) -> Iterator[str]:
    """The lines of a free MPS file with every field in its place."""
    section = ""
    for line in lines:
        words = line.split()
        if not line[0].isspace():
            section = words[0]
            yield f"NAME          {words[1]}" if section == "NAME" else line
        elif section == "OBJSENSE":
            yield line
        elif "'MARKER'" in words:
            yield f"    {words[0]:<10}{words[1]:<25}{words[2]}"
        elif section == "ROWS":
            yield f" {words[0]:<3}{words[1]}"
        elif section == "BOUNDS":
            yield f" {words[0]:<3}{words[1]:<10}{words[2]:<10}{words[3] if len(words) > 3 else '':>12}".rstrip()
        else:
            yield f"    {words[0]:<10}{words[1]:<10}{words[2]:>12}"
