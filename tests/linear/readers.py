"""What HiGHS, SCIP, GLPK, CBC and our own readers make of an MPS or LP file, as plain values that can be compared."""

from __future__ import annotations

import math
import subprocess
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from matheur.linear.lp_reader import read_lp
from matheur.linear.model import LinearModel
from matheur.linear.mps_reader import read_mps

Facts = dict[str, Any]
"""`rows` (name -> low, high, terms), `columns` (name -> low, high, cost, whole), `offset`, `maximise`."""


def facts(model: LinearModel) -> Facts:
    """A model as plain values, by names."""
    rows = {}
    for row, name in enumerate(model.row_names):
        here = slice(model.starts[row], model.starts[row + 1])
        terms = {model.column_names[j]: a for j, a in zip(model.columns[here], model.data[here].tolist(), strict=True)}
        rows[name] = (float(model.row_lower[row]), float(model.row_upper[row]), terms)
    columns = {
        name: (float(model.lower[j]), float(model.upper[j]), float(model.cost[j]), bool(model.integral[j]))
        for j, name in enumerate(model.column_names)
    }
    return {"rows": rows, "columns": columns, "offset": model.offset, "maximise": model.maximise}


def for_all(found: Facts) -> Facts:
    """What an LP file holds of a model: two rows for two limits, and a column for the constant."""
    rows = {}
    for name, (low, high, terms) in found["rows"].items():
        if np.isfinite(low) and np.isfinite(high) and low != high:
            rows[name] = (low, np.inf, terms)
            rows[f"{name}_upper"] = (-np.inf, high, terms)
        else:
            rows[name] = (low, high, terms)
    columns = dict(found["columns"])
    if found["offset"]:
        columns["ONE_VAR_CONSTANT"] = (1.0, 1.0, found["offset"], False)
    return {**found, "rows": rows, "columns": columns, "offset": 0}


def of_ours(path: Path) -> Facts:
    """Our own readers."""
    text = path.read_text(encoding="utf-8")
    return facts(read_mps(text.splitlines()) if path.suffix == ".mps" else read_lp(text))


def of_highs(path: Path) -> Facts:
    """HiGHS, told to keep small coefficients."""
    import highspy

    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    engine.setOptionValue("small_matrix_value", 1e-12)
    assert engine.readModel(str(path)) != highspy.HighsStatus.kError, path
    lp = engine.getLp()
    # Each access to a vector of highspy copies all of it.
    names, starts, indices, weights = (
        list(vector) for vector in (lp.row_names_, lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_)
    )
    rows: dict[str, Any] = {
        name: (low, high, {}) for name, low, high in zip(names, lp.row_lower_, lp.row_upper_, strict=True)
    }
    for j, name in enumerate(lp.col_names_):
        for place in range(starts[j], starts[j + 1]):
            rows[names[indices[place]]][2][name] = weights[place]
    whole = [kind == highspy.HighsVarType.kInteger for kind in lp.integrality_] or [False] * lp.num_col_
    columns = {
        name: (low, high, cost, integral)
        for name, low, high, cost, integral in zip(
            lp.col_names_, lp.col_lower_, lp.col_upper_, lp.col_cost_, whole, strict=True
        )
    }
    return {
        "rows": rows,
        "columns": columns,
        "offset": lp.offset_,
        "maximise": lp.sense_ == highspy.ObjSense.kMaximize,
    }


def of_scip(path: Path) -> Facts:
    """SCIP."""
    import pyscipopt

    model = pyscipopt.Model()
    model.hideOutput()
    model.readProblem(str(path))

    def end(value: float) -> float:
        return value if abs(value) < 1e20 else float(np.copysign(np.inf, value))

    rows = {c.name: (end(model.getLhs(c)), end(model.getRhs(c)), model.getValsLinear(c)) for c in model.getConss()}
    columns = {
        v.name: (end(v.getLbOriginal()), end(v.getUbOriginal()), v.getObj(), v.vtype() != "CONTINUOUS")
        for v in model.getVars()
    }
    return {
        "rows": rows,
        "columns": columns,
        "offset": model.getObjoffset(),
        "maximise": model.getObjectiveSense() == "maximize",
    }


def of_glpk(path: Path) -> Facts:
    """GLPK, by what its program writes of the model in numbers of up to 12 characters, without the sense."""
    out = path.with_suffix(".glpk.mps")
    free = path.suffix == ".mps" and path.read_text().split("\n")[0].endswith(" FREE")
    form = "--lp" if path.suffix == ".lp" else "--freemps" if free else "--mps"
    said = _ran("glpsol", form, str(path), "--wfreemps", str(out), "--check")
    if not out.exists():
        raise ValueError(next((line for line in said.splitlines() if line.startswith(str(path))), said[-200:]))
    found = of_ours(out)
    out.unlink()
    found["maximise"] = path.suffix == ".lp" and path.read_text().lower().startswith("max")
    return found


def optimum_of_cbc(path: Path) -> tuple[str, float]:
    """How CBC ends with a file (`optimal`, `infeasible`, `unbounded` or what else it says), and the objective."""
    said = _ran("cbc", str(path), "-seconds", "5", "-solve", "-solution", str(path.with_suffix(".cbc.txt")), "-quit")
    out = path.with_suffix(".cbc.txt")
    first = out.read_text().split("\n")[0] if out.exists() else said[-200:]
    out.unlink(missing_ok=True)
    state, _, value = first.partition(" - objective value ")
    return state.lower().removeprefix("integer "), float(value or "nan")


def _ran(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, timeout=60, check=False).stdout


READERS: dict[str, Callable[[Path], Facts]] = {
    "ours": of_ours,
    "highs": of_highs,
    "scip": of_scip,
    "glpk": of_glpk,
}
"""By name; CBC can only be asked for the optimum."""


def written(lines: Iterable[str], path: Path) -> Path:
    """The lines as a file."""
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def differences(meant: Facts, found: Facts, tolerance: float = 0.0) -> Iterator[str]:
    """What another reader makes of a model that it should not; numbers may differ by a relative tolerance."""

    def same(one: float, other: float) -> bool:
        return one == other or (math.isfinite(one) and abs(one - other) <= tolerance * max(abs(one), abs(other)))

    if meant["maximise"] != found["maximise"]:
        yield "the sense"
    if not same(meant["offset"], found["offset"]):
        yield f"the constant is {found['offset']!r}, not {meant['offset']!r}"
    for part, what in (("rows", "row"), ("columns", "column")):
        for name in meant[part].keys() | found[part].keys():
            if name not in found[part] or name not in meant[part]:
                yield f"no {what} {name}" if name in meant[part] else f"a {what} {name}"
                continue
            one, other = meant[part][name], found[part][name]
            if not (same(one[0], other[0]) and same(one[1], other[1])):
                yield f"{what} {name} is within {other[0]!r} and {other[1]!r}, not {one[0]!r} and {one[1]!r}"
            if part == "columns":
                if not same(one[2], other[2]):
                    yield f"the cost of {name} is {other[2]!r}, not {one[2]!r}"
                if one[3] != other[3]:
                    yield f"column {name} is {'not ' * one[3]}whole"
            elif one[2].keys() != other[2].keys():
                yield f"row {name} has other columns: {sorted(one[2].keys() ^ other[2].keys())}"
            elif not all(same(one[2][column], other[2][column]) for column in one[2]):
                yield f"row {name} has other coefficients"
