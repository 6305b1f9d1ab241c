"""What the tests of networks share: a small puzzle, its domain, and a network that is none of the best."""

import numpy as np
import pytest

from matheur.methods.learning import PRESETS, Encoding, Model, NetworkSpec
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.sliding_tile import Instance, SlidingTile


@pytest.fixture(scope="package", autouse=True)
def compiled_once(jax_cache: None) -> None:
    """The same small networks are trained again and again."""


@pytest.fixture
def domain() -> Domain:
    """A board of 2 x 3 tiles: 360 states, at most 21 slides from the goal."""
    return domain_of(SlidingTile(Instance(2, 3, (4, 1, 3, 0, 2, 5))))  # type: ignore[no-any-return]


@pytest.fixture
def model(domain: Domain) -> Model:
    """Untrained, for the domain."""
    from matheur.methods.learning.networks import initial

    encoding = Encoding.of(domain)
    spec = NetworkSpec(encoding.units, 1, hidden=(12, 8), blocks=1)
    arrays = initial(spec, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for name, array in arrays.items():  # averages as they might be after a training
        array += rng.random(array.shape, dtype=np.float32) if not name.endswith("weight") else np.float32(0)
    assert "small" in PRESETS
    return Model(spec, arrays, encoding, "distance", domain.name, domain.fingerprint, domain.goal, {"method": "none"})
