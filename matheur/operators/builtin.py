"""The operators that come with matheur: where each lives, and one line about it."""

from __future__ import annotations

from matheur.engine.registry import Entry

__all__ = ["PLAN_PUZZLES", "entries"]

PLAN_PUZZLES = ("cubical",)
"""Puzzles whose solutions are plans in a state space (`matheur.statespace.domains`): they share their operators."""

_Line = tuple[str, str, str, str]  # kind, name, module:class in the package, summary

_EDGE_MATCHING: list[_Line] = [
    ("construction", "random", "random_board:RandomBoard", "a random board that keeps frame and hints"),
    (
        "construction",
        "milp-full",
        "milp_full:MilpFull",
        "the whole board as one MILP, equations (1)-(14) of Salassa et al. 2017",
    ),
    (
        "construction",
        "milp-greedy",
        "milp_greedy:MilpGreedy",
        "rows, columns or blocks one after the other, each an optimal MILP (Algorithm 1)",
    ),
    (
        "construction",
        "milp-backtracking",
        "milp_backtracking:MilpBacktracking",
        "perfect regions with backtracking and exclusion cuts, then greedy (Algorithm 2)",
    ),
    (
        "construction",
        "clique",
        "clique_board:CliqueBoard",
        "maximum clique of the whole board's graph, then completion",
    ),
    ("neighbourhood", "assignment", "assignment:Assignment", "[TA] reassign k non-adjacent tiles optimally"),
    ("neighbourhood", "border", "border:Border", "[BO] the optimal border around the fixed inside, as a MILP"),
    (
        "neighbourhood",
        "checkerboard",
        "checkerboard:Checkerboard",
        "[BW] reassign all black or all white cells optimally, in turn",
    ),
    (
        "neighbourhood",
        "swap-rotate",
        "swap_rotate:SwapRotate",
        "[TSR] swap two tiles with all rotations, to a local optimum",
    ),
    (
        "neighbourhood",
        "region",
        "region:Region",
        "[RO] rearrange a rectangular window by max-clique, MILP or exact search",
    ),
    ("certifier", "milp-full", "certifier:MilpCertifier", "proves a claimed optimum again with a second MILP solver"),
]

_PLANS: list[_Line] = [
    ("construction", "bfs", "exact:BreadthFirst", "breadth-first search: an optimal plan"),
    ("construction", "bidirectional", "exact:Bidirectional", "breadth-first search from both ends: an optimal plan"),
    ("construction", "astar", "exact:AStar", "A*: an optimal plan, guided by a heuristic"),
    ("construction", "ida-star", "exact:IdaStar", "iterative-deepening A*: an optimal plan in little memory"),
    ("construction", "batch-astar", "anytime:BatchAStar", "batch weighted A*: a good plan soon, or to the proof"),
    ("construction", "beam", "anytime:Beam", "beam searches of growing width: good plans in large spaces"),
    ("construction", "portfolio", "portfolio:Portfolio", "A* where it is quick, else beams of growing width"),
    (
        "construction",
        "evolution",
        "learning:Evolution",
        "evolutionary algorithm of Merleau et al. 2024, and our variant",
    ),
    ("construction", "q-learning", "learning:QLearning", "Q-learning of Merleau et al. 2024, and our variant"),
    ("neighbourhood", "shortcut", "shortcut:Shortcut", "leave out needless moves, go shorter ways near the plan"),
    ("neighbourhood", "window", "window:Window", "replace segments of the plan by optimal ones, by exact search"),
    ("neighbourhood", "milp-window", "milp_window:MilpWindow", "the same by a time-expanded MILP, for short segments"),
    (
        "certifier",
        "exact-search",
        "certifier:ExactSearchCertifier",
        "proves a claimed optimum again with a second exact search",
    ),
]


def entries() -> list[Entry]:
    """All of them, named `PROBLEM.KIND.NAME`."""
    groups = [("edge-matching", "edge_matching", _EDGE_MATCHING)]
    groups += [(puzzle, "plans", _PLANS) for puzzle in PLAN_PUZZLES]
    return [
        Entry(f"{problem}.{kind}.{name}", f"matheur.operators.{package}.{target}", summary)
        for problem, package, lines in groups
        for kind, name, target, summary in lines
    ]
