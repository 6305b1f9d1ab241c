"""Networks asked about other goals than their own: states under other names."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from matheur.errors import ConfigurationError
from matheur.methods.learning import Encoding, Model, NetworkSpec, Use, check_other_goals, learnt_heuristic
from matheur.methods.learning.networks import initial
from matheur.methods.learning.renaming import sight_of
from matheur.methods.learning.sampling import walks
from matheur.methods.statespace.domain import Domain, RenamingDomain
from matheur.methods.statespace.domains import domain_of
from matheur.running.loading import load_instance

NAMES = [
    "sliding-tile/3x3",
    "sliding-tile/4x4",
    "cubical/d4-k3-level4",
    "cubical/demo",
    "rubik/demo",
    "lights-out/demo",
]


def domain(name: str) -> Any:
    """The state space of a built-in instance."""
    return domain_of(load_instance(name)[1])


def untrained(one: Domain) -> Model:
    """A network with numbers of some size."""
    encoding, rng = Encoding.of(one), np.random.default_rng(0)
    spec = NetworkSpec(encoding.units, 1, hidden=(20,), normalised=False)
    arrays = initial(spec, rng)
    arrays["output.weight"] *= 10
    arrays["output.bias"] += 40
    return Model(spec, arrays, encoding, "distance", one.name, one.fingerprint, one.goal)


@pytest.mark.parametrize("name", NAMES)
def test_other_names_leave_neighbours_neighbours(name: str) -> None:
    """The goal of a walk's end becomes the usual one, and the successors of a state become those of what is seen."""
    here = domain(name)
    assert isinstance(here, RenamingDomain)
    rng = np.random.default_rng(0)
    ends = here.packing.unpack(walks(here, 30, 12, rng).keys)
    found = [(end, here.renaming(end, here.goal)) for end in ends]
    seen = [(end, view) for end, view in found if view is not None]
    assert len(seen) > 2
    for end, view in seen:
        np.testing.assert_array_equal(view(end[None])[0], here.goal)
        state = here.packing.pack(ends[rng.integers(len(ends))][None])
        named = here.packing.pack(view(here.packing.unpack(state)))
        images = here.packing.pack(view(here.packing.unpack(here.expand(state).keys)))
        np.testing.assert_array_equal(np.unique(images, axis=0), np.unique(here.expand(named).keys, axis=0))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("engine", ["compiled", "jax"])
def test_estimates_of_another_goal_are_those_of_what_is_seen(name: str, engine: Any) -> None:
    """Less the moves to the nearest state that can be renamed; 0 at the goal itself, in images too."""
    here = domain(name)
    model, rng = untrained(here), np.random.default_rng(1)
    states = here.packing.unpack(walks(here, 3, 9, rng).keys)
    moved = []
    for goal in states[-3:]:
        there = here.between(here.start, goal)
        view, apart = sight_of(model, there)
        shown = states if view is None else view(states)
        own = learnt_heuristic(here, model, Use(engine=engine, less=float(apart))).estimate(here.packing.pack(shown))
        found = learnt_heuristic(there, model, Use(engine=engine)).estimate(here.packing.pack(states))
        away = (states != goal).any(axis=1) & (shown != here.goal).any(axis=1)
        assert np.abs(found - own)[away].max() <= 1  # sums in another order
        assert not found[(states == goal).all(axis=1)].any()
        moved.append(view is not None)
    assert any(moved)


def test_the_blank_may_be_a_few_slides_from_a_corner() -> None:
    """On 4 x 4 tiles at most two slides, by which estimates are lowered."""
    here = domain("sliding-tile/4x4")
    model = untrained(here)
    for blank, apart in ((15, 0), (0, 0), (1, 1), (5, 2), (10, 2), (12, 0)):
        goal = np.insert(np.arange(1, 16, dtype=np.uint8), blank, 0)
        assert sight_of(model, here.between(here.start, goal)).apart == apart
    symmetric = learnt_heuristic(here.between(here.start, here.start), model, Use(images=2))
    assert symmetric.estimate(here.packing.pack(here.start[None])) == [0]


def test_what_cannot_be_renamed_is_refused() -> None:
    """Another puzzle, another goal without names, and levels whose walls are part of the state."""
    tiles, level = domain("sliding-tile/3x3"), domain("sokoban/demo")
    check_other_goals(untrained(tiles), tiles)
    with pytest.raises(ConfigurationError, match="trained for 'sliding-tile 3x3', not for 'sliding-tile 4x4'"):
        sight_of(untrained(tiles), domain("sliding-tile/4x4"))
    own = untrained(level)
    with pytest.raises(ConfigurationError, match="no renaming of states"):
        check_other_goals(own, level)
    with pytest.raises(ConfigurationError, match="another goal of 'sokoban"):
        sight_of(replace(own, goal=level.start), level)
