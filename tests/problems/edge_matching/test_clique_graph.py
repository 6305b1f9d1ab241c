"""Clique graphs of puzzles and of regions."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from matheur.errors import MatheurError
from matheur.methods.clique import search
from matheur.problems.edge_matching import builtin
from matheur.problems.edge_matching import clique_graph as edge_matching
from matheur.problems.edge_matching.clique_graph import build, to_board
from matheur.problems.edge_matching.instance import EMPTY, Hint, Instance

CORNER = [Hint(cell=0, piece=0)]


def random_instance(
    rows: int, columns: int, colours: int, seed: int, *, framed: bool = True
) -> tuple[Instance, np.ndarray]:
    """A puzzle with a perfect board, and that board."""
    rng = np.random.default_rng(seed)
    across = rng.integers(1, colours, (rows, columns + 1))
    down = rng.integers(1, colours, (rows + 1, columns))
    if framed:
        across[:, [0, -1]] = 0
        down[[0, -1], :] = 0
    placed = np.stack([down[:-1], across[:, 1:], down[1:], across[:, :-1]], axis=2).reshape(-1, 4)
    piece = rng.permutation(rows * columns)
    rotation = rng.integers(0, 4, rows * columns)
    pieces = np.empty_like(placed)
    for cell in range(rows * columns):
        pieces[piece[cell]] = np.roll(placed[cell], -rotation[cell])
    return Instance(rows, columns, pieces.astype(np.int16)), (4 * piece + rotation).astype(np.int32)


def naive(instance: Instance, nodes: list[tuple[int, int, int]]) -> set[tuple[int, int]]:
    """Edges between (cell, piece, rotation) nodes, straight from the definition."""
    edges = set()
    for a, (cell_a, piece_a, turn_a) in enumerate(nodes):
        for b, (cell_b, piece_b, turn_b) in enumerate(nodes[:a]):
            row, column = np.subtract(divmod(cell_a, instance.columns), divmod(cell_b, instance.columns))
            above, below = np.roll(instance.pieces[piece_b], turn_b), np.roll(instance.pieces[piece_a], turn_a)
            match = {(1, 0): above[2] == below[0], (0, 1): above[1] == below[3]}.get((int(row), int(column)), True)
            if piece_a != piece_b and cell_a != cell_b and match:
                edges.add((b, a))
    return edges


@pytest.mark.parametrize(
    ("size", "nodes", "edges"),
    [(3, 30, 291), (4, 138, 6707), (5, 478, 86183), (6, 1290, 674511), (7, 2910, 3620565), (8, 5770, 14751304)],
)
def test_graphs_have_the_size_of_the_paper(
    puzzle: Callable[[int], Instance], size: int, nodes: int, edges: int
) -> None:
    """With the first piece in a corner, nodes and edges are those of Salassa et al., table 1."""
    graph = build(puzzle(size), hints=CORNER).graph
    assert (graph.n, graph.edges) == (nodes, edges)


@pytest.mark.parametrize("framed", [True, False])
@pytest.mark.parametrize("seed", range(3))
def test_edges_follow_the_definition(seed: int, framed: bool) -> None:
    """Every pair of nodes is joined exactly if the definition says so; rows are sorted and symmetric."""
    instance, _ = random_instance(2, 3, 4, seed, framed=framed)
    placements = build(instance)
    nodes = list(zip(placements.cell.tolist(), placements.piece.tolist(), placements.rotation.tolist(), strict=True))
    expected = [
        (cell, placement // 4, placement % 4)
        for cell in range(6)
        for placement in np.flatnonzero(instance.fits[:, cell])
    ]
    assert nodes == expected
    edges = naive(instance, nodes)
    joined = {(a, b) for b in range(len(nodes)) for a in range(b) if placements.graph.adjacent(a, b)}
    assert edges == joined
    assert len(edges) == placements.graph.edges > 0
    assert all((np.diff(placements.graph.non_neighbours(v)) > 0).all() for v in range(len(nodes)))


@pytest.mark.parametrize("seed", range(3))
def test_a_region_keeps_what_fits_its_surroundings(seed: int) -> None:
    """Nodes of a region are the placements of free pieces that match all pieces lying around it."""
    instance, board = random_instance(5, 6, 4, seed)
    cells = [7, 8, 13, 14, 19, 20]
    board[9] = EMPTY
    placements = build(instance, cells=cells, board=board)
    assert placements.cells.tolist() == cells
    free = set(range(30)) - set((board[[c for c in range(30) if c not in cells and c != 9]] // 4).tolist())
    expected = []
    for cell in cells:
        for placement in range(120):
            if placement // 4 not in free or not instance.fits[placement, cell]:
                continue
            around = [(side, instance.neighbours[cell, side]) for side in range(4)]
            if all(
                other < 0
                or other in cells
                or board[other] == EMPTY
                or instance.sides[placement, side] == instance.sides[board[other], (side + 2) % 4]
                for side, other in around
            ):
                expected.append((cell, placement // 4, placement % 4))
    nodes = list(zip(placements.cell.tolist(), placements.piece.tolist(), placements.rotation.tolist(), strict=True))
    assert nodes == expected
    own = [nodes.index((cell, int(board[cell]) // 4, int(board[cell]) % 4)) for cell in cells]
    assert placements.graph.is_clique(own)
    assert np.array_equal(to_board(placements, own, board), board)


def test_the_pieces_of_a_region_can_be_given() -> None:
    """Only the pieces named are used."""
    instance, board = random_instance(4, 4, 3, 1)
    placements = build(instance, cells=[5, 6], board=board, pieces=board[[5, 6]] // 4)
    assert set(placements.piece.tolist()) == set((board[[5, 6]] // 4).tolist())


def test_hints_pin_their_pieces() -> None:
    """Hints of the instance and of the call leave one node for the cell and none for the piece elsewhere."""
    instance, board = random_instance(4, 4, 5, 2)
    hints = [Hint(cell, int(board[cell]) // 4, int(board[cell]) % 4) for cell in (0, 5)]
    for placements in (
        build(Instance(4, 4, instance.pieces, (hints[0],)), hints=hints[1:]),
        build(instance, hints=hints),
    ):
        for hint in hints:
            assert (placements.cell == hint.cell).sum() == (placements.piece == hint.piece).sum() == 1


def test_a_clique_of_all_cells_is_a_perfect_board() -> None:
    """Local search solves a small puzzle, and the board that it gives matches everywhere."""
    instance, _ = random_instance(4, 4, 5, 7)
    placements = build(instance)
    found = search(placements.graph, np.random.default_rng(1), max_selections=300_000, target=16)
    assert found.size == 16
    board = to_board(placements, found.vertices, np.full(16, EMPTY))
    sides = instance.sides[board].reshape(4, 4, 4)
    assert sorted(board // 4) == list(range(16))
    assert (sides[:, :-1, 1] == sides[:, 1:, 3]).all()
    assert (sides[:-1, :, 2] == sides[1:, :, 0]).all()


def test_vertices_that_clash_make_no_board() -> None:
    """Two vertices of one cell, or a piece that lies outside the region, are refused."""
    instance, board = random_instance(4, 4, 3, 1)
    placements = build(instance)
    with pytest.raises(ValueError, match="share cell"):
        to_board(placements, np.flatnonzero(placements.cell == 5)[:2], board)
    region = build(instance, cells=[5], board=board, pieces=range(16))
    foreign = np.flatnonzero(region.piece != board[5] // 4)
    if foreign.size:
        with pytest.raises(ValueError, match="taken"):
            to_board(region, foreign[:1], board)


def test_a_graph_that_is_too_large_is_refused(puzzle: Callable[[int], Instance]) -> None:
    """Above the limit of entries the error says how much memory would be needed."""
    with pytest.raises(MatheurError, match="GB"):
        build(puzzle(5), entries_max=50_000)
    with pytest.raises(ValueError, match="no such cell"):
        build(puzzle(3), cells=[9])


@pytest.mark.slow
def test_a_ten_by_ten_board_is_exported_small(data: Path, tmp_path: Path) -> None:
    """The graph of the 10 x 10 contest puzzle takes 19 MB in binary form, written and read below 1 GB of memory."""
    script = f"""
import numpy as np
from pathlib import Path
from matheur.problems.edge_matching.clique_graph import build
from matheur.problems.edge_matching.instance import Hint, Instance
from matheur.problems.max_clique import load_graph, save_graph
text = Path({str(data / "edge_matching/brendan_set2_meta2010/pieces_10x10.txt")!r}).read_text()
pieces = np.array(text.split()[2:], dtype=np.int16).reshape(-1, 4)
graph = build(Instance(10, 10, pieces), hints=[Hint(0, 0)]).graph
save_graph({str(tmp_path / "g.clq.b")!r}, graph, "binary")
again = load_graph({str(tmp_path / "g.clq.b")!r})
print(graph.n, int(np.array_equal(graph.ptr, again.ptr) and np.array_equal(graph.idx, again.idx)))
status = Path("/proc/self/status")  # ru_maxrss begins with that of the process that started this one
lines = status.read_text().splitlines() if status.exists() else []
print(next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM")), 0))
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    nodes, equal, peak = map(int, done.stdout.split())
    assert (nodes, equal) == (17418, 1)
    assert 18.5e6 < (tmp_path / "g.clq.b").stat().st_size < 19.5e6
    if sys.platform == "linux":
        assert peak < 1e9


def test_graphs_in_pieces_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    """However few comparisons a kernel makes at once, the conflicts are the same."""
    instance, _ = random_instance(3, 4, 3, seed=1)
    whole = build(instance).graph
    monkeypatch.setattr(edge_matching, "_COMPARISONS", 1)
    pieces = build(instance).graph
    assert np.array_equal(whole.ptr, pieces.ptr)
    assert np.array_equal(whole.idx, pieces.idx)
    with pytest.raises(MatheurError, match=r"with at least \d+ non-edges needs at least"):
        build(instance, entries_max=20)


def test_networkx_graphs_have_the_placements() -> None:
    """Nodes carry piece, cell and rotation, and there are as many edges."""
    placements = build(builtin("3x3"))
    graph = placements.to_networkx()
    vertex = 7
    expected = {name: int(getattr(placements, name)[vertex]) for name in ("piece", "cell", "rotation")}
    assert graph.nodes[vertex] == expected
    assert graph.number_of_edges() == placements.graph.edges
