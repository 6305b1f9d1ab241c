"""Call a MILP solver directly, as a user's script would, and print one JSON line with its result.

python experiments/milp/by_hand.py highs FILE --seconds 300 --relative 1e-9 --absolute 1e-6
"""

from __future__ import annotations

import argparse
import json
import time
from typing import Any

Row = dict[str, Any]


def by_highs(path: str, seconds: float, relative: float, absolute: float) -> Row:
    """HiGHS through highspy."""
    import highspy

    began = time.perf_counter()
    engine = highspy.Highs()
    engine.setOptionValue("output_flag", False)
    if engine.readModel(path) == highspy.HighsStatus.kError:
        raise SystemExit(f"highs cannot read {path}")
    read = time.perf_counter()
    for name, value in {
        "threads": 1,
        "random_seed": 0,
        "time_limit": seconds,
        "mip_rel_gap": relative,
        "mip_abs_gap": absolute,
    }.items():
        engine.setOptionValue(name, value)
    engine.run()
    info = engine.getInfo()
    found = info.primal_solution_status == highspy.SolutionStatus.kSolutionStatusFeasible
    return {
        "status": engine.modelStatusToString(engine.getModelStatus()).lower(),
        "objective": info.objective_function_value if found else None,
        "bound": info.mip_dual_bound,
        "nodes": info.mip_node_count,
        "read_seconds": read - began,
        "solve_seconds": time.perf_counter() - read,
    }


def by_scip(path: str, seconds: float, relative: float, absolute: float) -> Row:
    """SCIP through PySCIPOpt.

    The columns are added in the order of the file, which highspy reads. SCIP's own reader reorders integer columns,
    which changes the search.
    """
    import highspy
    import pyscipopt

    began = time.perf_counter()
    reader = highspy.Highs()
    reader.setOptionValue("output_flag", False)
    if reader.readModel(path) == highspy.HighsStatus.kError:
        raise SystemExit(f"highspy cannot read {path}")
    model = reader.getLp()
    kinds = model.integrality_ or [highspy.HighsVarType.kContinuous] * model.num_col_
    engine = pyscipopt.Model()
    engine.hideOutput()
    sums: list[list[Any]] = [[] for _ in range(model.num_row_)]
    starts, rows, numbers = (
        list(it) for it in (model.a_matrix_.start_, model.a_matrix_.index_, model.a_matrix_.value_)
    )
    for column, (kind, low, high, cost) in enumerate(
        zip(kinds, model.col_lower_, model.col_upper_, model.col_cost_, strict=True)
    ):
        vtype = "C" if kind == highspy.HighsVarType.kContinuous else "I"
        variable = engine.addVar(vtype=vtype, lb=_finite(low), ub=_finite(high), obj=cost)
        for place in range(starts[column], starts[column + 1]):
            sums[rows[place]].append(numbers[place] * variable)
    for terms, low, high in zip(sums, model.row_lower_, model.row_upper_, strict=True):
        engine.addCons(pyscipopt.scip.ExprCons(pyscipopt.quicksum(terms), _finite(low), _finite(high)))
    (engine.setMaximize if model.sense_ == highspy.ObjSense.kMaximize else engine.setMinimize)()
    engine.addObjoffset(model.offset_)
    read = time.perf_counter()
    engine.setParams({"limits/time": seconds, "limits/gap": relative, "limits/absgap": absolute, "lp/threads": 1})
    engine.optimize()
    return {
        "status": {"gaplimit": "optimal"}.get(engine.getStatus(), engine.getStatus()),
        "objective": engine.getObjVal() if engine.getNSols() else None,
        "bound": engine.getDualbound(),
        "nodes": engine.getNTotalNodes(),
        "read_seconds": read - began,
        "solve_seconds": time.perf_counter() - read,
    }


def _finite(limit: float) -> float | None:
    return limit if abs(limit) < 1e20 else None


SOLVERS = {"highs": by_highs, "scip": by_scip}


def main() -> None:
    """Solve one file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("solver", choices=SOLVERS)
    parser.add_argument("file")
    parser.add_argument("--seconds", type=float, default=300.0)
    parser.add_argument("--relative", type=float, default=1e-9)
    parser.add_argument("--absolute", type=float, default=1e-9)
    options = parser.parse_args()
    row = SOLVERS[options.solver](options.file, options.seconds, options.relative, options.absolute)
    print(json.dumps(row))


if __name__ == "__main__":
    main()
