"""Constructions and neighbourhoods of each problem, found by name.

Other packages add theirs through the entry-point group `matheur.operators`, named `PROBLEM.KIND.NAME` with KIND
`construction`, `neighbourhood` or `certifier`; a script adds one with `register_operator`.
"""

from __future__ import annotations

from typing import Any, Literal

from matheur.engine.registry import Entry, Registry
from matheur.errors import ConfigurationError, nearest

__all__ = ["Kind", "operator_class", "operator_entries", "register_operator"]

Kind = Literal["construction", "neighbourhood", "certifier"]

_EDGE_MATCHING = "matheur.operators.edge_matching"

_registry = Registry(
    "operator",
    "matheur.operators",
    [
        Entry(f"{problem}.{kind}.{name}", target, summary)
        for problem, kind, name, target, summary in [
            (
                "edge-matching",
                "construction",
                "random",
                f"{_EDGE_MATCHING}.random_board:RandomBoard",
                "a random board that keeps frame and hints",
            ),
            (
                "edge-matching",
                "construction",
                "milp-full",
                f"{_EDGE_MATCHING}.milp_full:MilpFull",
                "the whole board as one MILP, equations (1)-(14) of Salassa et al. 2017",
            ),
            (
                "edge-matching",
                "construction",
                "milp-greedy",
                f"{_EDGE_MATCHING}.milp_greedy:MilpGreedy",
                "rows, columns or blocks one after the other, each an optimal MILP (Algorithm 1)",
            ),
            (
                "edge-matching",
                "construction",
                "milp-backtracking",
                f"{_EDGE_MATCHING}.milp_backtracking:MilpBacktracking",
                "perfect regions with backtracking and exclusion cuts, then greedy (Algorithm 2)",
            ),
            (
                "edge-matching",
                "construction",
                "clique",
                f"{_EDGE_MATCHING}.clique_board:CliqueBoard",
                "maximum clique of the whole board's graph, then completion",
            ),
            (
                "edge-matching",
                "neighbourhood",
                "assignment",
                f"{_EDGE_MATCHING}.assignment:Assignment",
                "[TA] reassign k non-adjacent tiles optimally",
            ),
            (
                "edge-matching",
                "neighbourhood",
                "border",
                f"{_EDGE_MATCHING}.border:Border",
                "[BO] the optimal border around the fixed inside, as a MILP",
            ),
            (
                "edge-matching",
                "neighbourhood",
                "checkerboard",
                f"{_EDGE_MATCHING}.checkerboard:Checkerboard",
                "[BW] reassign all black or all white cells optimally, in turn",
            ),
            (
                "edge-matching",
                "neighbourhood",
                "swap-rotate",
                f"{_EDGE_MATCHING}.swap_rotate:SwapRotate",
                "[TSR] swap two tiles with all rotations, to a local optimum",
            ),
            (
                "edge-matching",
                "neighbourhood",
                "region",
                f"{_EDGE_MATCHING}.region:Region",
                "[RO] rearrange a rectangular window by max-clique, MILP or exact search",
            ),
            (
                "edge-matching",
                "certifier",
                "milp-full",
                f"{_EDGE_MATCHING}.certifier:MilpCertifier",
                "proves a claimed optimum again with a second MILP solver",
            ),
        ]
    ],
)


def _full_name(problem: str, kind: str, name: str) -> str:
    return f"{problem}.{kind}.{name}"


def operator_entries(problem: str, kind: Kind) -> list[Entry]:
    """The operators of a problem: entries with their short names."""
    prefix = _full_name(problem, kind, "")
    return [
        Entry(entry.name.removeprefix(prefix), entry.target, entry.summary)
        for entry in _registry.entries()
        if entry.name.startswith(prefix)
    ]


def operator_class(problem: str, kind: Kind, name: str) -> Any:
    """The class of an operator by its names.

    Raises
    ------
    ConfigurationError
        If there is none, with the nearest known name.
    """
    known = {entry.name: entry for entry in operator_entries(problem, kind)}
    if name not in known:
        raise ConfigurationError(f"'{problem}' has no {kind} '{name}'. {nearest(name, known or ['(none)'])}")
    return known[name].load()


def register_operator(problem: str, kind: Kind, name: str, operator: Any, summary: str = "") -> None:
    """Make an operator known under a name in this process.

    Parameters
    ----------
    operator
        A class whose instances have `build` or `explore`; if it is a dataclass, its fields are its options.
    """
    _registry.add(_full_name(problem, kind, name), operator, summary)
