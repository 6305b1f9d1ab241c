"""What every domain promises, see `matheur.methods.statespace.domain`."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from contracts.domains import BENCHES, Bench
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.methods.statespace.domain import Domain, IllegalMoveError
from matheur.methods.statespace.domains import domains
from matheur.problems import problem_types


def halves(domain: Domain) -> list[list[int]]:
    """The first and the last components of a state."""
    middle = domain.packing.size // 2
    return [list(range(middle)), list(range(middle, domain.packing.size))]


def over(benches: dict[str, Bench]) -> pytest.MarkDecorator:
    """Run a test on each of these."""
    return pytest.mark.parametrize("bench", benches.values(), ids=benches.keys())


each = over(BENCHES)
SYMMETRIC = {name: bench for name, bench in BENCHES.items() if bench.domain.automorphisms() is not None}
PROJECTED = {name: bench for name, bench in BENCHES.items() if bench.domain.project([0]) is not None}


@pytest.fixture
def rng() -> Generator:
    """Fixed random numbers."""
    return np.random.default_rng(7)


def walk(domain: Domain, rng: Generator, steps: int) -> tuple[NDArray[np.uint64], list[int]]:
    """A random walk from the start: the keys passed, and the moves."""
    keys, moves = [domain.packing.pack(domain.start[None])], []
    for _ in range(steps):
        found = domain.expand(keys[-1])
        if len(found.keys) == 0:
            break
        chosen = int(rng.integers(len(found.keys)))
        keys.append(found.keys[chosen : chosen + 1])
        moves.append(int(found.moves[chosen]))
    return np.concatenate(keys), moves


def row(state: NDArray[np.uint8]) -> tuple[int, ...]:
    """A state that can be put into a set."""
    return tuple(int(value) for value in state)


def test_every_domain_is_here() -> None:
    """Each registered domain belongs to a problem and has a bench."""
    known = {*domains.names(), "pancakes"}
    assert {next(one for one in known if name.startswith(one)) for name in BENCHES} == known
    assert set(domains.names()) <= {*problem_types.names(), "cubical"}


@each
def test_packing_keeps_states(bench: Bench, rng: Generator) -> None:
    """Packed and unpacked, a state is the same, and different states have different keys."""
    domain = bench.domain
    keys, _ = walk(domain, rng, 50)
    states = domain.packing.unpack(keys)
    assert (domain.packing.pack(states) == keys).all()
    assert len({row(state) for state in states}) == len({row(key) for key in keys})
    widest = np.array([[(1 << width) - 1 for width in domain.packing.widths]], dtype=np.uint8)
    assert (domain.packing.unpack(domain.packing.pack(widest)) == widest).all()


@each
def test_successors_are_those_of_the_definition(bench: Bench, rng: Generator) -> None:
    """Expansion agrees with plain Python in states, moves and costs, names each move once and keeps its bounds."""
    domain = bench.domain
    keys, _ = walk(domain, rng, 30)
    found = domain.expand(keys)
    assert (np.diff(found.parents) >= 0).all()
    children = domain.packing.unpack(found.keys)
    for parent, state in enumerate(domain.packing.unpack(keys)):
        mine = np.flatnonzero(found.parents == parent)
        edges = [(row(children[i]), int(found.moves[i]), int(found.costs[i])) for i in mine]
        assert set(edges) == bench.successors(row(state))
        assert len(edges) == len(set(edges)) <= domain.branching
        assert len({move for _, move, _ in edges}) == len(edges)
    assert ((found.moves >= 0) & (found.moves < domain.moves)).all()
    assert not domain.unit_costs or (found.costs == 1).all()


@each
def test_expanding_one_by_one_is_expanding_a_batch(bench: Bench, rng: Generator) -> None:
    """The successors of a state depend on it alone, in their order too; of no state there are none."""
    domain = bench.domain
    keys, _ = walk(domain, rng, 20)
    whole = domain.expand(keys)
    for parent in range(len(keys)):
        alone = domain.expand(keys[parent : parent + 1])
        mine = whole.parents == parent
        assert (alone.keys == whole.keys[mine]).all()
        assert (alone.moves == whole.moves[mine]).all()
    assert len(domain.expand(keys[:0]).keys) == 0


@each
def test_applying_a_plan_follows_the_walk(bench: Bench, rng: Generator) -> None:
    """`apply` passes through the states of the walk; a move that is not possible is an error with its step."""
    domain = bench.domain
    keys, moves = walk(domain, rng, 25)
    states = domain.apply(domain.start, moves)
    assert (domain.packing.pack(states) == keys).all()
    impossible = [*sorted(set(range(domain.moves)) - set(domain.expand(keys[-1:]).moves.tolist())), domain.moves]
    with pytest.raises(IllegalMoveError) as caught:
        domain.apply(domain.start, [*moves, impossible[0]])
    assert (caught.value.step, caught.value.move) == (len(moves), impossible[0])


@each
def test_there_is_a_way_back(bench: Bench, rng: Generator) -> None:
    """In a reversible domain every move can be taken back at the same cost."""
    domain = bench.domain
    if not domain.reversible:
        pytest.skip("moves of this domain cannot be taken back")
    keys, _ = walk(domain, rng, 15)
    found = domain.expand(keys)
    some = rng.permutation(len(found.keys))[:60]
    back = domain.expand(found.keys[some])
    for position, child in enumerate(some):
        returning = (back.parents == position) & (back.keys == keys[found.parents[child]]).all(axis=1)
        assert int(found.costs[child]) in back.costs[returning].tolist()


@each
def test_the_goal_is_a_goal(bench: Bench, rng: Generator) -> None:
    """The goal passes the test; a state that differs in a masked component does not."""
    domain = bench.domain
    keys, _ = walk(domain, rng, 25)
    assert domain.is_goal(domain.packing.pack(domain.goal[None])).all()
    expected = (domain.packing.unpack(keys) == domain.goal)[:, domain.goal_mask].all(axis=1)
    assert (domain.is_goal(keys) == expected).all()


@each
def test_other_endpoints_keep_the_moves(bench: Bench, rng: Generator) -> None:
    """`between` changes start and goal and nothing else, and leaves the domain as it was."""
    domain = bench.domain
    start, goal = domain.start.copy(), domain.goal.copy()
    keys, _ = walk(domain, rng, 10)
    states = domain.packing.unpack(keys)
    other = domain.between(states[-1], states[0])
    assert (other.start == states[-1]).all()
    assert (other.goal == states[0]).all()
    assert (domain.start == start).all()
    assert (domain.goal == goal).all()
    assert (other.expand(keys).keys == domain.expand(keys).keys).all()
    assert other.is_goal(keys[:1]).all()


@over(SYMMETRIC)
def test_automorphisms_keep_edges_and_goal(bench: Bench, rng: Generator) -> None:
    """Images of the goal are the goal, images of neighbours are neighbours, and the first one is the identity."""
    domain = bench.domain
    symmetries = domain.automorphisms()
    assert symmetries is not None
    assert (symmetries.images(domain.goal) == domain.goal).all()
    keys, _ = walk(domain, rng, 6)
    states = domain.packing.unpack(keys)
    assert (symmetries.images(states[-1])[0] == states[-1]).all()
    for here, there in pairwise(states):
        for image, target in zip(symmetries.images(here)[:30], symmetries.images(there)[:30], strict=True):
            found = domain.expand(domain.packing.pack(image[None]))
            assert (found.keys == domain.packing.pack(target[None])).all(axis=1).any()


@over(PROJECTED)
def test_projections_only_relax(bench: Bench, rng: Generator) -> None:
    """A move of the domain is a move or nothing in a projection, and disjoint projections never pay for it twice."""
    domain = bench.domain
    parts = halves(domain)
    projections = [domain.project(part) for part in parts]
    keys, _ = walk(domain, rng, 10)
    found = domain.expand(keys)
    states, children = domain.packing.unpack(keys), domain.packing.unpack(found.keys)
    for child in rng.permutation(len(found.keys))[:200]:
        parent, paid = found.parents[child], 0
        for part, projection in zip(parts, projections, strict=True):
            assert projection is not None
            here, there = states[parent][part], children[child][part]
            if (here == there).all():
                continue
            small = projection.expand(projection.packing.pack(here[None]))
            same = (small.keys == projection.packing.pack(there[None])).all(axis=1)
            assert same.any()
            paid += int(small.costs[same].min())
        assert paid <= found.costs[child]
