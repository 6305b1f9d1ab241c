"""What the tests of networks share: a small puzzle, its domain, and a network that is none of the best."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from matheur.learning import PRESETS, Encoding, Model, NetworkSpec
from matheur.problems.sliding_tile import Instance, SlidingTile
from matheur.statespace.domain import Domain
from matheur.statespace.domains import domain_of


@pytest.fixture(scope="package", autouse=True)
def compiled_once(own_cache: Path) -> Iterator[None]:
    """What JAX compiles is kept for the next test, as the same small networks are trained again and again."""
    if find_spec("jax") is None:
        yield
        return
    import jax

    wanted = {
        "jax_compilation_cache_dir": str(own_cache.parent / "jax"),
        "jax_persistent_cache_min_compile_time_secs": 0.0,
        "jax_persistent_cache_min_entry_size_bytes": -1,
    }
    former = {name: getattr(jax.config, name) for name in wanted}
    for name, value in wanted.items():
        jax.config.update(name, value)
    yield
    for name, value in former.items():
        jax.config.update(name, value)


@pytest.fixture
def domain() -> Domain:
    """A board of 2 x 3 tiles: 360 states, at most 21 slides from the goal."""
    return domain_of(SlidingTile(Instance(2, 3, (4, 1, 3, 0, 2, 5))))  # type: ignore[no-any-return]


@pytest.fixture
def model(domain: Domain) -> Model:
    """Untrained, for the domain."""
    from matheur.learning.networks import initial

    encoding = Encoding.of(domain)
    spec = NetworkSpec(encoding.units, 1, hidden=(12, 8), blocks=1)
    arrays = initial(spec, np.random.default_rng(0))
    rng = np.random.default_rng(1)
    for name, array in arrays.items():  # averages as they might be after a training
        array += rng.random(array.shape, dtype=np.float32) if not name.endswith("weight") else np.float32(0)
    assert "small" in PRESETS
    return Model(spec, arrays, encoding, "distance", domain.name, domain.fingerprint, domain.goal, {"method": "none"})
