"""The operators that come with matheur: where each lives, and one line about it."""

from __future__ import annotations

from matheur.engine.registry import Entry

__all__ = ["PLAN_PUZZLES", "entries"]

PLAN_PUZZLES = ("cubical", "sliding-tile", "lights-out", "sokoban", "rubik")
"""Puzzles whose solutions are plans in a state space (`matheur.problems.domains`): they share their operators."""

_Line = tuple[str, str, str, str]  # kind, name, module:class in the package, summary

_EDGE_MATCHING: list[_Line] = [
    ("construction", "random", "operators.random_board:RandomBoard", "a random board that keeps frame and hints"),
    (
        "construction",
        "milp-full",
        "operators.milp_full:MilpFull",
        "the whole board as one MILP, equations (1)-(14) of Salassa et al. 2017",
    ),
    (
        "construction",
        "milp-greedy",
        "operators.milp_greedy:MilpGreedy",
        "rows, columns or blocks one after the other, each an optimal MILP (Algorithm 1)",
    ),
    (
        "construction",
        "milp-backtracking",
        "operators.milp_backtracking:MilpBacktracking",
        "perfect regions with backtracking and exclusion cuts, then greedy (Algorithm 2)",
    ),
    (
        "construction",
        "clique",
        "operators.clique_board:CliqueBoard",
        "maximum clique of the whole board's graph, then completion",
    ),
    (
        "construction",
        "structured-clique",
        "operators.structured_clique:StructuredClique",
        "a clique with one vertex of every cell, systematically, with few slips and restarts",
    ),
    (
        "construction",
        "backtracking",
        "backtracking.operator:Backtracking",
        "cell by cell with few and late mismatches, rare colours first, restarted: the best scores",
    ),
    (
        "construction",
        "beam",
        "operators.beam:Beam",
        "the best of many partial boards, cell by cell, ever wider: good at once",
    ),
    (
        "construction",
        "evolution",
        "operators.evolution:Evolution",
        "whole boards that exchange regions, after Munoz et al. 2009: a baseline",
    ),
    ("neighbourhood", "assignment", "operators.assignment:Assignment", "[TA] reassign k non-adjacent tiles optimally"),
    (
        "neighbourhood",
        "border",
        "operators.border:Border",
        "[BO] the optimal border around the fixed inside, as a MILP",
    ),
    (
        "neighbourhood",
        "checkerboard",
        "operators.checkerboard:Checkerboard",
        "[BW] reassign all black or all white cells optimally, in turn",
    ),
    (
        "neighbourhood",
        "swap-rotate",
        "operators.swap_rotate:SwapRotate",
        "[TSR] swap two tiles with all rotations, to a local optimum",
    ),
    (
        "neighbourhood",
        "exchange",
        "operators.exchange:Exchange",
        "random exchanges under late acceptance, guided by mismatches or by complete blocks",
    ),
    (
        "neighbourhood",
        "region",
        "operators.region:Region",
        "[RO] rearrange a window, or a region grown around mismatches, by max-clique, beam, MILP or exact search",
    ),
    (
        "neighbourhood",
        "merge",
        "operators.merge:Merge",
        "what the board and another good one do not agree on, laid anew with the pieces set free",
    ),
    (
        "certifier",
        "milp-full",
        "operators.certifier:MilpCertifier",
        "proves a claimed optimum again with a second MILP solver",
    ),
    ("model", "gap", "operators.whole_model:Gap", "mismatches counted by gap variables, as in the paper"),
    ("model", "match", "operators.whole_model:Match", "matched colours counted"),
    ("model", "exact", "operators.whole_model:Exact", "no mismatch allowed"),
]

_PLANS: list[_Line] = [
    ("construction", "bfs", "exact:BreadthFirst", "breadth-first search: an optimal plan"),
    ("construction", "bidirectional", "exact:Bidirectional", "breadth-first search from both ends: an optimal plan"),
    ("construction", "astar", "exact:AStar", "A*: an optimal plan, guided by a heuristic"),
    ("construction", "ida-star", "exact:IdaStar", "iterative-deepening A*: an optimal plan in little memory"),
    ("construction", "batch-astar", "anytime:BatchAStar", "batch weighted A*: a good plan soon, or to the proof"),
    ("construction", "beam", "anytime:Beam", "beam searches of growing width: good plans in large spaces"),
    (
        "construction",
        "portfolio",
        "portfolio:Portfolio",
        "exact searches as far as they promise an end, and beams of growing width",
    ),
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


_NOT_FOR: dict[str, set[str]] = {
    "lights-out": {"milp-window"},  # no piece moves
    "rubik": {"milp-window"},  # eight pieces move at once
    "sokoban": {"bidirectional", "milp-window"},  # pushes cannot be taken back
}
"""Operators of plans that a puzzle does not have."""

_OWN: dict[str, list[_Line]] = {
    "lights-out": [
        (
            "construction",
            "linear-algebra",
            "operators.linear_algebra:LinearAlgebra",
            "elimination over GF(2), and the lightest of all solutions",
        ),
    ],
    "sliding-tile": [
        (
            "construction",
            "rule-based",
            "operators.rule_based:RuleBased",
            "line by line: a long plan for any board, at once",
        ),
        (
            "construction",
            "guided-beam",
            "operators.guided_beam:GuidedBeam",
            "beams guided by several additive pattern databases: near-optimal plans of large boards",
        ),
        (
            "neighbourhood",
            "guided-window",
            "operators.guided_window:GuidedWindow",
            "long segments of the plan again, by beams guided by pattern databases",
        ),
    ],
    "sokoban": [
        (
            "construction",
            "push-astar",
            "operators.push_astar:PushAStar",
            "A* over pushes, optimal in moves or in pushes",
        ),
        (
            "construction",
            "feature-search",
            "operators.feature_search:FeatureSearch",
            "feature space search: plans of levels with many boxes",
        ),
    ],
    "rubik": [
        (
            "construction",
            "two-phase",
            "operators.two_phase:TwoPhase",
            "two-phase search (Kociemba): a plan at once, then shorter ones",
        ),
        (
            "construction",
            "guided-beam",
            "operators.guided_beam:GuidedBeam",
            "beams guided by exact distances of parts: near-optimal plans in seconds",
        ),
    ],
}
"""Operators that a plan puzzle adds, their modules with the package."""

_PARTY: list[_Line] = [
    (
        "construction",
        "portfolio",
        "operators.portfolio:Portfolio",
        "annealing, and where it finds nothing the MILP, which says which demands contradict each other",
    ),
    (
        "construction",
        "constructive",
        "operators.constructive:Constructive",
        "slot by slot with forward checking and look-ahead (Algorithm 1 of the paper)",
    ),
    ("construction", "annealing", "operators.annealing:Annealing", "simulated annealing with penalties, restarted"),
    (
        "construction",
        "genetic",
        "operators.genetic:Genetic",
        "graph-based genetic algorithm with healing (section V-A)",
    ),
    ("construction", "islands", "operators.islands:Islands", "the same on islands that exchange parties (section V-B)"),
    (
        "construction",
        "map-elites",
        "operators.map_elites:MapElites",
        "the best party of each kind, by chosen descriptors",
    ),
    (
        "construction",
        "milp-full",
        "operators.milp_full:MilpFull",
        "the whole puzzle as one MILP: an optimum with its proof",
    ),
    (
        "construction",
        "branch-and-bound",
        "operators.branch_and_bound:BranchAndBound",
        "the whole puzzle by Lagrangian bounds: an optimum with its proof",
    ),
    ("neighbourhood", "replace", "operators.replace:Replace", "another item in one slot, to a local optimum"),
    ("neighbourhood", "swap", "operators.swap:Swap", "exchange two slots, then replace, to a local optimum"),
    ("neighbourhood", "region", "operators.region:Region", "some slots anew by a MILP, the others as they are"),
    (
        "neighbourhood",
        "branch-and-bound",
        "operators.branch_and_bound:BelowIncumbent",
        "the whole puzzle below the incumbent's price: bounds and proofs",
    ),
    (
        "certifier",
        "milp-full",
        "operators.certifier:MilpCertifier",
        "proves a claimed optimum again with a second MILP solver",
    ),
    (
        "model",
        "same-value",
        "operators.whole_model:SameValue",
        "neighbours compared by the values of their traits, not in pairs",
    ),
]

_QUADRATIC_ASSIGNMENT: list[_Line] = [
    ("construction", "random", "operators.random_permutation:RandomPermutation", "a random permutation"),
    ("construction", "faq", "operators.faq:Faq", "the fast approximate algorithm of SciPy, restarted"),
    (
        "construction",
        "portfolio",
        "operators.portfolio:Portfolio",
        "branch and bound for a moment, then the memetic algorithm",
    ),
    ("construction", "genetic", "operators.genetic:Genetic", "memetic: uniform crossover, tabu search, perturbation"),
    ("construction", "milp-full", "operators.milp_full:MilpFull", "Adams-Johnson, Kaufman-Broeckx or flow MILP"),
    (
        "construction",
        "branch-and-bound",
        "operators.branch_and_bound:BranchAndBound",
        "dual ascent bounds (Hahn, Grant 1998) in exact integers: an optimum with its proof",
    ),
    ("neighbourhood", "swap", "operators.swap:Swap", "exchange two locations, to a local optimum"),
    ("neighbourhood", "robust-tabu", "operators.robust_tabu:RobustTabu", "robust tabu search (Taillard 1991)"),
    ("neighbourhood", "region", "operators.region:Region", "some facilities anew, by enumeration or a MILP"),
    ("neighbourhood", "assignment", "operators.assignment:Assignment", "facilities without mutual flow, optimally"),
    (
        "neighbourhood",
        "branch-and-bound",
        "operators.branch_and_bound:BranchAndBound",
        "the same below the incumbent: a better permutation, a proof, or a bound",
    ),
    (
        "certifier",
        "exact",
        "operators.certifier:ExactCertifier",
        "proves a claimed optimum again by another exact method",
    ),
    (
        "model",
        "adams-johnson",
        "operators.whole_model:AdamsJohnson",
        "the level-1 RLT (Adams, Johnson 1994): tight and large",
    ),
    ("model", "flow", "operators.whole_model:Flow", "products of linked pairs only: for sparse flows or distances"),
    (
        "model",
        "kaufman-broeckx",
        "operators.whole_model:KaufmanBroeckx",
        "one cost variable a facility and location: weak",
    ),
]

_MAX_CLIQUE: list[_Line] = [
    (
        "construction",
        "portfolio",
        "operators.portfolio:Portfolio",
        "all searches in turn, by what each has reached, to the proof",
    ),
    (
        "construction",
        "local-search",
        "operators.heuristics:Iterated",
        "iterated local search (Grosso, Locatelli, Pullan 2008)",
    ),
    (
        "construction",
        "phased",
        "operators.heuristics:Phased",
        "phased local search with penalties that adjust themselves (Pullan 2006)",
    ),
    (
        "construction",
        "vertex-cover",
        "operators.heuristics:Cover",
        "vertex cover of the complement by edge weights (NuMVC)",
    ),
    (
        "construction",
        "partition",
        "operators.heuristics:Partition",
        "one vertex of every class, tabu search on the conflicts",
    ),
    (
        "construction",
        "hubs",
        "operators.heuristics:Hubs",
        "tabu search over the vertices between clusters of conflicts (MANN)",
    ),
    (
        "construction",
        "exact",
        "operators.branch_and_bound:Exact",
        "bitset branch and bound: an optimum with its proof, or a bound",
    ),
    (
        "construction",
        "milp-full",
        "operators.milp_full:MilpFull",
        "a binary variable per vertex: small or very dense graphs",
    ),
    (
        "construction",
        "external",
        "operators.external:External",
        "another program, by its adapter or command; answers are checked",
    ),
    ("neighbourhood", "local-search", "operators.heuristics:Iterated", "the same from the incumbent"),
    ("neighbourhood", "phased", "operators.heuristics:Phased", "the same from the incumbent"),
    ("neighbourhood", "vertex-cover", "operators.heuristics:Cover", "the same from the incumbent"),
    ("neighbourhood", "partition", "operators.heuristics:Partition", "the same from the incumbent"),
    ("neighbourhood", "hubs", "operators.heuristics:Hubs", "the same from the incumbent"),
    (
        "neighbourhood",
        "exact",
        "operators.branch_and_bound:Exact",
        "anything larger than the incumbent: a clique, a proof, or a bound",
    ),
    (
        "certifier",
        "second-method",
        "operators.certifier:CliqueCertifier",
        "proves a claimed optimum again by another method",
    ),
    ("model", "clique-cover", "operators.whole_model:CliqueCover", "rows are sets of pairwise non-adjacent vertices"),
    ("model", "edge", "operators.whole_model:Edge", "one row per pair that is not joined: weak"),
]


def entries() -> list[Entry]:
    """All of them, named `PROBLEM.KIND.NAME`."""
    groups = [
        ("edge-matching", "edge_matching", _EDGE_MATCHING),
        ("party", "party", _PARTY),
        ("quadratic-assignment", "quadratic_assignment", _QUADRATIC_ASSIGNMENT),
        ("max-clique", "max_clique", _MAX_CLIQUE),
    ]
    for puzzle in PLAN_PUZZLES:
        shared = [line for line in _PLANS if line[1] not in _NOT_FOR.get(puzzle, set())]
        groups += [(puzzle, puzzle.replace("-", "_"), _OWN.get(puzzle, [])), (puzzle, "plans", shared)]
    return [
        Entry(f"{problem}.{kind}.{name}", f"matheur.problems.{package}.{target}", summary)
        for problem, package, lines in groups
        for kind, name, target, summary in lines
    ]
