"""Statistics of operators over many runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from matheur.engine.statistics import OperatorStatistics

__all__ = ["operator_statistics", "sum_operators"]


def operator_statistics(table: Mapping[str, Mapping[str, Any]]) -> dict[str, OperatorStatistics]:
    """Read the statistics in a result file, for runs whose event stream does not contain them."""
    return {name: OperatorStatistics.from_dict(dict(values)) for name, values in table.items()}


def sum_operators(runs: Iterable[Mapping[str, OperatorStatistics]]) -> dict[str, OperatorStatistics]:
    """Sum the statistics of many runs by operator, in descending order of seconds.

    Calls, net seconds, successes (calls with a gain), gain of the objective and proofs (of local optimality or
    infeasibility), as pymhlib reports them: N. Frohner, G. R. Raidl et al., pymhlib, 2021.
    """
    total: dict[str, OperatorStatistics] = {}
    for run in runs:
        for name, figures in run.items():
            total.setdefault(name, OperatorStatistics()).add(figures)
    return dict(sorted(total.items(), key=lambda item: (-item[1].seconds, item[0])))
