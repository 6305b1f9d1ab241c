"""Compiled networks: the numbers of the batched ones, and the same search from all that search with them."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from matheur.engine import Budget
from matheur.errors import ConfigurationError
from matheur.methods.learning import Encoding, Model, NetworkSpec, Use, learnt_heuristic, train, write_model
from matheur.methods.learning.compiled import CompiledNetwork
from matheur.methods.learning.evaluation import outputs_of
from matheur.methods.learning.networks import initial
from matheur.methods.learning.sampling import ball, walks
from matheur.methods.learning.training import TrainingOptions
from matheur.methods.learning.use import outputs_by_key
from matheur.methods.statespace import astar, batch_astar, beam, ida_star
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.methods.statespace.heuristics import INFINITE, REAL, Heuristic, heuristic_by_name
from matheur.problems.plans.anytime import BatchAStar
from matheur.problems.plans.exact import AStar, IdaStar
from matheur.problems.plans.training import learnt_domain
from matheur.problems.sliding_tile import Instance, SlidingTile
from matheur.running.loading import load_instance


def problem(name: str) -> Any:
    """A built-in instance."""
    return load_instance(name)[1]


def untrained(domain: Domain, outputs: int = 1, **network: Any) -> Model:
    """A network with numbers of some size."""
    encoding, rng = Encoding.of(domain), np.random.default_rng(0)
    spec = NetworkSpec(encoding.units, outputs, **{"hidden": (30, 20), "blocks": 1, **network})
    arrays = initial(spec, rng)
    for name, array in arrays.items():
        if not name.endswith("weight"):
            array += rng.random(array.shape, dtype=np.float32)
    arrays["output.weight"] *= 10
    arrays["output.bias"] += 15
    return Model(spec, arrays, encoding, "distance", domain.name, domain.fingerprint, domain.goal)


@pytest.mark.parametrize("name", ["sliding-tile/3x3", "lights-out/demo", "rubik/demo", "cubical/demo"])
@pytest.mark.parametrize("network", [{}, {"activation": "elu", "blocks": 0, "hidden": (17, 9, 5)}, {"hidden": (8,)}])
def test_compiled_or_batched_is_the_same(name: str, network: dict[str, Any]) -> None:
    """Outputs agree in single precision, for all activations and kinds of layers."""
    domain = domain_of(problem(name))
    model = untrained(domain, outputs=3, **network)
    keys = walks(domain, 20, 12, np.random.default_rng(1)).keys
    wanted = outputs_of(model)(domain.packing.unpack(keys))
    np.testing.assert_allclose(CompiledNetwork(model, domain)(keys), wanted, rtol=1e-4, atol=1e-3)
    assert np.array_equal(outputs_by_key(model, domain, Use(engine="jax"))(keys), wanted)
    rough = CompiledNetwork(model, domain, precision="int8")(keys)
    assert 0 < np.abs(rough - wanted).max() < 0.1 * np.abs(wanted).max()


def test_walls_and_goals_of_a_level_are_seen() -> None:
    """One network for all levels of a size: compiled for a level it gives what it gives for the boards."""
    levels = [problem("sokoban/two-in-a-row"), problem("sokoban/random-10x10")]
    seen = []
    for one in levels:
        boards, domain = learnt_domain([one]), domain_of(one)
        model = untrained(boards)
        keys = domain.packing.pack(domain.start[None])
        for _ in range(5):
            keys = np.unique(domain.expand(keys).keys, axis=0)
        wanted = outputs_of(model)(domain.view()(domain.packing.unpack(keys)))
        np.testing.assert_allclose(outputs_by_key(model, domain, Use())(keys), wanted, rtol=1e-4, atol=1e-3)
        assert np.array_equal(outputs_by_key(model, domain, Use(engine="jax"))(keys), wanted)
        assert learnt_heuristic(domain, model).estimate(domain.packing.pack(domain.goal[None])) == [0]
        seen.append(model)
    with pytest.raises(ConfigurationError, match="not for"):
        learnt_heuristic(domain_of(levels[0]), seen[1])


def test_estimates_are_whole_and_at_least_one() -> None:
    """Except 0 at the goal; remembered ones are the same."""
    domain = domain_of(problem("sliding-tile/3x3"))
    model = untrained(domain)
    low = replace(model, arrays={**model.arrays, "output.bias": np.float32([-10])})
    keys = np.concatenate([domain.packing.pack(domain.goal[None]), walks(domain, 9, 30, np.random.default_rng(2)).keys])
    for given in (model, low):
        wanted = learnt_heuristic(domain, given, Use(engine="jax")).estimate(keys)
        remembering = learnt_heuristic(domain, given, Use(cache=50))
        for heuristic in (learnt_heuristic(domain, given), remembering, remembering):
            found = heuristic.estimate(keys)
            assert np.abs(found - wanted).max() <= 1
            assert (found == wanted).mean() > 0.99
            assert found.min() == found[0] == 0
            assert found[(keys != keys[0]).any(axis=1)].min() >= 1


@pytest.mark.parametrize("name", ["sliding-tile/3x3", "lights-out/demo", "sokoban/two-in-a-row"])
def test_batch_astar_with_weight_and_batch_one_is_astar(name: str) -> None:
    """With the same network the same states are expanded and the same plan comes out."""
    domain = domain_of(problem(name))
    model = untrained(learnt_domain([problem(name)]))
    heuristic = learnt_heuristic(domain, model)
    one = astar(domain, heuristic, block=1, budget=Budget(work=20_000))
    two = batch_astar(domain, heuristic, weight=1, batch=1, budget=Budget(work=20_000))
    assert (one.cost, one.expanded, one.generated) == (two.cost, two.expanded, two.generated)
    assert (one.plan is None) == (two.plan is None)
    assert one.plan is None or np.array_equal(one.plan, two.plan)
    assert not (one.proved and one.cost != 0)


def test_all_searches_take_a_trained_network(domain: Domain) -> None:
    """A network that knows the 360 boards of 2 x 3 by heart: optimal plans, never more than Manhattan's expansions."""
    options = TrainingOptions(method="distances", batch=200, longest=40)
    model = train(domain, options, Budget(iterations=500), 0)
    exact = batch_astar(domain, domain.heuristics()["manhattan"]())
    for precision in ("float32", "int8"):
        heuristic = learnt_heuristic(domain, model, Use(precision=precision))  # type: ignore[arg-type]
        rng = np.random.default_rng(0)
        for answer in (
            astar(domain, heuristic), ida_star(domain, heuristic), batch_astar(domain, heuristic, batch=10),
            beam(domain, heuristic, width=10, rng=rng),
        ):  # fmt: skip
            assert answer.cost is not None
            assert answer.cost <= exact.cost + 2
        assert astar(domain, heuristic).expanded < exact.expanded


@pytest.mark.parametrize("construction", [AStar, IdaStar])
def test_searches_of_one_state_after_another_take_a_network_above_a_million_parameters(
    construction: type[AStar | IdaStar], tmp_path: Path
) -> None:
    """Without a word about engines, in brackets and in a maximum; batches by JAX are refused with what to do."""
    given = SlidingTile(Instance(2, 3, (4, 1, 3, 0, 2, 5)))
    model = untrained(domain_of(given), hidden=(1024, 1024), blocks=0, normalised=False)
    quiet = replace(model, arrays={**model.arrays, "output.weight": np.float32(0) * model.arrays["output.weight"]})
    assert quiet.parameters > 1 << 20
    path = tmp_path / "large.npz"
    write_model(path, replace(quiet, arrays={**quiet.arrays, "output.bias": np.float32([4])}))
    for name in (f"{path}", f"max({path}(less=1),manhattan)"):
        found = construction(heuristic=name).build(given, Budget(work=100_000), np.random.default_rng(0))
        assert found.solution is not None
        assert given.evaluate(found.solution).feasible
    with pytest.raises(ConfigurationError, match="engine=compiled"):
        construction(heuristic=f"{path}(engine=jax)").build(given, Budget(work=10), np.random.default_rng(0))


def test_without_jax_small_networks_work_and_large_ones_say_what_is_missing(
    domain: Domain, model: Model, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A compiled network needs no library of its own."""
    monkeypatch.setattr("matheur.methods.learning.extra.find_spec", lambda _: None)
    assert astar(domain, learnt_heuristic(domain, model)).cost is not None
    with pytest.raises(ConfigurationError, match=r"pip install 'matheur\[neural\]'"):
        learnt_heuristic(domain, model, Use(engine="jax"))
    with pytest.raises(ConfigurationError, match="needs JAX"):
        learnt_heuristic(domain, model, Use(precision="bfloat16"))


def test_options_in_brackets(domain: Domain, model: Model, tmp_path: Path) -> None:
    """`FILE.npz(precision=int8,cache=100)`; nonsense is refused in one line."""
    from matheur.problems.plans.searching import heuristic_of

    write_model(tmp_path / "m.npz", model)
    for text in ("", "(precision=int8)", "(cache=100)", "(engine=compiled)", "(precision=bfloat16)"):
        heuristic = heuristic_of(domain, f"{tmp_path}/m.npz{text}", memory=1 << 20)
        assert heuristic.estimate(domain.packing.pack(domain.start[None])) >= 1
        assert (heuristic.estimator is None) == ("bfloat16" in text)
    for text in ("precision=int4", "engine=gpu", "cache=x", "cash=1", "precision=int8,engine=jax", "cache=999999999"):
        with pytest.raises(ConfigurationError):
            heuristic_of(domain, f"{tmp_path}/m.npz({text})", memory=1 << 20)


def test_estimates_that_are_not_rounded(domain: Domain, model: Model) -> None:
    """They are the outputs, at least 0, and 0 at the goal; with images the least of them; not mixed with whole ones."""
    keys = walks(domain, 10, 15, np.random.default_rng(1)).keys
    outputs = outputs_of(model)(domain.packing.unpack(keys))[:, 0]
    assert (outputs != np.rint(outputs)).any()
    expected = np.where(domain.is_goal(keys), 0, np.maximum(outputs, 0))
    for use in (Use(), Use(engine="jax")):
        found = learnt_heuristic(domain, model, use, scale=REAL)
        assert found.scale == REAL
        np.testing.assert_allclose(found.estimate(keys) / REAL, expected, atol=1e-4)
    huge = replace(model, arrays={**model.arrays, "output.bias": np.full(1, 1e9, dtype=np.float32)})
    assert learnt_heuristic(domain, huge, scale=REAL).estimate(keys).max() < INFINITE
    with pytest.raises(ConfigurationError, match="rounded"):
        heuristic_by_name(domain, "max(one.npz,zero)", files=lambda *_: learnt_heuristic(domain, model, scale=REAL))


def test_batch_astar_goes_by_real_estimates(domain: Domain) -> None:
    """Half of the distances with the weight 1/2 lead straight to the goal; rounded they do not."""
    known = ball(domain, 1000)
    table = dict(zip(map(bytes, known.keys), known.distances.tolist(), strict=True))

    def estimate(scale: int) -> Heuristic:
        def batch(keys: np.ndarray) -> np.ndarray:
            return np.rint([0.5 * scale * table[bytes(key)] for key in keys]).astype(np.int32)

        return Heuristic("half", False, False, batch=batch, scale=scale)

    far = domain.between(domain.packing.unpack(known.keys[-1:])[0], domain.goal)
    real, rounded = (batch_astar(far, estimate(scale), weight=0.5, batch=1) for scale in (REAL, 1))
    assert real.cost == 21
    assert real.expanded <= 22
    assert rounded.expanded > real.expanded


def test_the_construction_takes_real_estimates(tmp_path: Path) -> None:
    """`rounded=false` finds a plan with a network of distances, and with one that says what moves are worth."""
    puzzle = SlidingTile(Instance(2, 3, (4, 1, 3, 0, 2, 5)))
    for output, outputs in (("distance", 1), ("actions", 4)):
        file = tmp_path / f"{output}.npz"
        write_model(file, replace(untrained(domain_of(puzzle), outputs), output=output))
        for rounded in (True, False):
            operator = BatchAStar(heuristic=str(file), weight=0.5, batch=10, rounded=rounded)
            outcome = operator.build(puzzle, Budget(), np.random.default_rng(0))
            assert puzzle.evaluate(outcome.solution).feasible
