"""The ways to fill a window again: max-clique with a MILP for the holes, structured clique, beam, MILP, exact."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.limits import check_options, option
from matheur.methods.clique.external import solve_external
from matheur.methods.clique.local_search import search
from matheur.methods.clique.partition import PartitionSearch
from matheur.methods.milp import SolverOptions, solve_model
from matheur.problems.edge_matching import clique_graph as placements
from matheur.problems.edge_matching.instance import EMPTY, Board, Instance
from matheur.problems.edge_matching.operators.board_tools import unused_pieces
from matheur.problems.edge_matching.operators.completion import complete, filling_model
from matheur.problems.edge_matching.operators.exact_region import TILES_MAX, RegionStatus, region_cost, solve_region
from matheur.problems.edge_matching.operators.region_beam import BEAM_MAX, beam_fill
from matheur.problems.edge_matching.operators.scanning import Scan
from matheur.solvers.proving import is_proof

__all__ = ["CliqueOptions", "Refill", "RefillOptions", "refill"]

Cells = NDArray[np.intp]

_SELECTIONS_PER_WORK = 100
_NODES_PER_WORK = 1_000
_SCREEN_NODES = 50_000
_SCAN_NODES = 40_000_000
_SCAN_CHUNK = 500_000
_SCAN_SLIPS = 6
_ASSIGN_CHUNK = 10_000


@dataclass(frozen=True, slots=True)
class CliqueOptions:
    """The clique search of a region.

    Attributes
    ----------
    selections
        Maximum number of selections per search (q in the paper).
    search
        `local-search`, or `partition`: tabu search on the conflicts of one placement per cell
        (`matheur.methods.clique.partition`).
    delta, rule
        Strength of a perturbation and choice among candidates; see `matheur.methods.clique.local_search`.
    tries
        Searches per window; the filling with the fewest mismatches is used.
    command
        Command of an external solver that replaces the search, such as `cliquer -qq {file}`; it runs once per window.
    """

    selections: int = option(10_000, minimum=1)
    search: Literal["local-search", "partition"] = "local-search"
    delta: int = 4
    rule: Literal["random", "degree", "penalty", "phased"] = "degree"
    tries: int = option(3, minimum=1)
    command: str | None = None

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True, slots=True)
class RefillOptions:
    """How regions are refilled: the options shared by `region` and `merge`.

    Attributes
    ----------
    method
        Method of refilling. `clique`: a maximum clique of the window's graph, then a MILP for the holes, as in the
        paper; `structured`: one placement for every cell of the window in order, with few slips
        (`matheur.problems.edge_matching.operators.scanning`); `beam`: the best of many partial fillings, cell by cell;
        `milp`: the region model; `exact`: branch and bound (for windows of up to about 20 cells).
    iterations
        Regions per call.
    sideways
        Whether to accept a different filling of the same cost.
    formulation
        Formulation of the MILP: `match` or `gap`.
    seconds, nodes
        Limits per region: seconds (in timed runs only), and nodes of the MILP, the branch and bound or `structured`.
    beam
        Partial fillings that `beam` keeps, 1 to 65,536; 1 gives a greedy repair.
    clique
        Options of the clique search.
    solver
        The MILP backend.
    """

    method: Literal["clique", "structured", "beam", "milp", "exact"] = "exact"
    iterations: int = option(10, minimum=1)
    sideways: bool = True
    formulation: Literal["match", "gap"] = "match"
    seconds: float | None = option(10.0, minimum=0)
    nodes: int | None = option(None, minimum=0)
    beam: int = option(256, minimum=1, maximum=BEAM_MAX)
    clique: CliqueOptions = field(default_factory=CliqueOptions)
    solver: SolverOptions = field(default_factory=SolverOptions)

    def __post_init__(self) -> None:
        check_options(self)


@dataclass(frozen=True, slots=True)
class Refill:
    """A filling of a window: the whole board, the change of the objective, and whether it is proved optimal."""

    board: Board
    delta: int
    proved: bool


def refill(
    instance: Instance, board: Board, cells: Cells, options: RefillOptions, budget: Budget, rng: Generator
) -> Refill:
    """Refill the window by the chosen method; the result is never worse than the board."""
    methods = {"clique": _by_clique, "structured": _by_scan, "beam": _by_beam, "milp": _by_milp, "exact": _by_exact}
    try:
        return methods[options.method](instance, board, cells, options, budget, rng)
    except OutOfBudgetError:
        return Refill(board, 0, False)


def _by_exact(
    instance: Instance, board: Board, cells: Cells, options: RefillOptions, budget: Budget, rng: Generator
) -> Refill:
    limit = budget.affordable(options.nodes, _NODES_PER_WORK)
    clock = budget.child(seconds=options.seconds) if budget.timed else budget
    spare, room = unused_pieces(instance, board), TILES_MAX - cells.size
    whole = spare.size <= room
    if not whole:
        spare = rng.permutation(spare)[:room]  # a proof would hold for these pieces only

    def stopped() -> bool:
        return clock.exhausted

    result = solve_region(instance, board, cells, spare=spare, node_limit=limit, rng=rng, interrupt=stopped)
    budget.spend(work=1 + result.nodes // _NODES_PER_WORK)
    proved = result.status is RegionStatus.OPTIMAL and whole
    if result.delta == 0 and proved and options.sideways:
        other = solve_region(
            instance, board, cells, spare=spare, equal=True, node_limit=max(10_000, 2 * result.nodes), rng=rng,
            interrupt=stopped,
        )  # fmt: skip
        budget.spend(work=1 + other.nodes // _NODES_PER_WORK)
        return Refill(other.board, other.delta, True)
    return Refill(result.board, result.delta, proved)


def _by_scan(
    instance: Instance, board: Board, cells: Cells, options: RefillOptions, budget: Budget, rng: Generator
) -> Refill:
    pieces = np.concatenate([board[cells][board[cells] != EMPTY] >> 2, unused_pieces(instance, board)])
    slips = _modelled_cost(instance, board, cells) - (0 if options.sideways else 1)
    if slips < 0:
        return Refill(board, 0, True)
    limit = budget.affordable(options.nodes, _NODES_PER_WORK)
    limit = _SCAN_NODES if limit is None else limit
    clock = budget.child(seconds=options.seconds) if budget.timed else budget
    with budget.watched():
        scan = Scan(
            instance, board, cells, pieces, rng, slips=min(slips, _SCAN_SLIPS), restart=max(1, limit // 4), opening=0.7
        )
    while not (scan.done or clock.exhausted) and scan.nodes < limit:
        before = scan.nodes
        scan.advance(min(_SCAN_CHUNK, limit - before))
        budget.spend(work=1 + (scan.nodes - before) // _NODES_PER_WORK)
    if scan.best is None:
        return Refill(board, 0, False)
    return _better(instance, board, scan.best, cells, scan.slips == 0)


def _by_beam(
    instance: Instance, board: Board, cells: Cells, options: RefillOptions, budget: Budget, rng: Generator
) -> Refill:
    clock = budget.child(seconds=options.seconds) if budget.timed else budget
    limit = _modelled_cost(instance, board, cells) - (0 if options.sideways else 1)
    filled = beam_fill(instance, board, cells, options.beam, limit, clock, rng)
    return Refill(board, 0, False) if filled is None else _better(instance, board, filled, cells, False)


def _by_milp(
    instance: Instance, board: Board, cells: Cells, options: RefillOptions, budget: Budget, rng: Generator
) -> Refill:
    built = filling_model(instance, board, cells, options.formulation, budget)
    answer = solve_model(
        built.model, options.solver, budget, rng,
        seconds=options.seconds, nodes=options.nodes, cutoff=float(_modelled_cost(instance, board, cells)),
    )  # fmt: skip
    proved = is_proof(answer)
    if not answer.has_solution:
        return Refill(board, 0, proved)
    filled = built.read(answer.values)
    return _better(instance, board, filled, cells, proved)


def _modelled_cost(instance: Instance, board: Board, cells: Cells) -> int:
    """Mismatches of a window that its model counts: all except those with empty cells outside, which are constant."""
    inside = np.zeros(instance.cells, dtype=bool)
    inside[cells] = True
    neighbour = instance.neighbours[cells]
    empty_outside = (neighbour >= 0) & ~inside[neighbour] & (board[neighbour] == EMPTY)
    return region_cost(instance, board, cells) - int(empty_outside.sum())


def _by_clique(
    instance: Instance, board: Board, cells: Cells, options: RefillOptions, budget: Budget, rng: Generator
) -> Refill:
    pieces = np.concatenate([board[cells][board[cells] != EMPTY] >> 2, unused_pieces(instance, board)])
    with budget.watched():
        graph = placements.build(instance, cells=cells, board=board, pieces=pieces)
    best = Refill(board, 0 if options.sideways else -1, False)
    for _ in range(1 if options.clique.command else options.clique.tries):
        partial = placements.to_board(graph, _clique(graph, options, budget, rng), board)
        holes = np.asarray(cells)[partial[cells] == EMPTY]
        if not holes.size:
            return _better(instance, board, partial, cells, True)  # nothing is better than a perfect filling
        if _hopeless(instance, board, partial, cells, holes, best.delta, rng):
            continue
        built = filling_model(instance, partial, holes, options.formulation, budget)
        answer = solve_model(built.model, options.solver, budget, rng, seconds=options.seconds, nodes=options.nodes)
        filled = built.read(answer.values) if answer.has_solution else complete(instance, partial, rng)
        found = _better(instance, board, filled, cells, False)
        if found.delta <= best.delta:
            best = found
        if budget.exhausted:
            break
    return best if best.board is not board else Refill(board, 0, False)


def _hopeless(
    instance: Instance, board: Board, partial: Board, cells: Cells, holes: Cells, worst: int, rng: Generator
) -> bool:
    """True if a quick check shows that no filling of the holes changes the objective by `worst` or less.

    If the clique is maximal, any piece in a hole mismatches a placed piece, so there are at least as many mismatches
    as holes. A search cut short by its limit may leave a clique that is not maximal; a filling may then be missed, but
    nothing is wrongly claimed. If the number of holes does not decide, a short exact search of up to 64 holes may.
    """
    limit = region_cost(instance, board, cells) + worst
    if holes.size > limit:
        return True
    if holes.size > TILES_MAX:
        return False
    rough = complete(instance, partial, rng)
    found = solve_region(instance, rough, holes, node_limit=_SCREEN_NODES, rng=rng)
    return found.status is RegionStatus.OPTIMAL and region_cost(instance, found.board, cells) > limit


def _clique(
    graph: placements.PlacementGraph, options: RefillOptions, budget: Budget, rng: Generator
) -> NDArray[np.int32]:
    if options.clique.command is not None:
        limits = [s for s in (options.seconds, budget.seconds_left if budget.timed else None) if s is not None]
        budget.spend(work=1)
        found = solve_external(
            options.clique.command,
            graph.graph,
            seconds=min(limits) if limits else None,
            seed=int(rng.integers(1 << 30)),
            target=len(graph.cells),
            interrupt=budget.interrupt,
        )
        return found.vertices
    limit = budget.affordable(options.clique.selections, _SELECTIONS_PER_WORK)
    limits = [budget.seconds_left] if options.seconds is None else [options.seconds, budget.seconds_left]
    if options.clique.search == "partition" and graph.graph.n:
        return _assigned(graph, max(1, limit), options, budget, rng)
    found_here = search(
        graph.graph,
        rng,
        max_selections=max(1, limit),
        seconds=min(limits) if budget.timed else None,
        target=len(graph.cells),
        delta=options.clique.delta,
        rule=options.clique.rule,
        stop=budget.interrupt,
    )
    budget.spend(work=1 + found_here.selections // _SELECTIONS_PER_WORK)
    return found_here.vertices


def _assigned(
    graph: placements.PlacementGraph, limit: int, options: RefillOptions, budget: Budget, rng: Generator
) -> NDArray[np.int32]:
    """The clique of an assignment of the cells that have at least one placement."""
    label = np.unique(graph.cell, return_inverse=True)[1].astype(np.int32)
    one = PartitionSearch(graph.graph, rng, classes=label)
    clock = budget.child(seconds=options.seconds) if budget.timed else budget
    while one.selections < limit and one.conflicts > 0 and not clock.exhausted:
        before = one.selections
        one.advance(min(_ASSIGN_CHUNK, limit - before))
        budget.spend(work=1 + (one.selections - before) // _SELECTIONS_PER_WORK)
        if one.selections == before:
            break
    return one.vertices


def _better(instance: Instance, board: Board, filled: Board, cells: Cells, proved: bool) -> Refill:
    delta = region_cost(instance, filled, cells) - region_cost(instance, board, cells)
    return Refill(filled, delta, proved) if delta <= 0 else Refill(board, 0, False)
