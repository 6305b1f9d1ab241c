"""Encodings, networks and their evaluation, against plain NumPy."""

import numpy as np
import pytest
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning import Encoding, Model, NetworkSpec
from matheur.methods.learning.evaluation import Evaluator, outputs_of
from matheur.methods.learning.learner import Learner
from matheur.methods.learning.networks import initial
from matheur.methods.learning.networks import one_hot as inputs_of
from matheur.methods.statespace.domain import Domain
from matheur.methods.statespace.domains import domain_of
from matheur.problems.lights_out import LightsOut
from matheur.problems.lights_out.problem_type import TYPE as LIGHTS_OUT


def plain_output(spec: NetworkSpec, arrays: dict[str, NDArray[np.float32]], units: NDArray[np.float32]) -> NDArray:
    """A network as the textbooks have it, one layer after the other, normalised by the averages."""

    def layer(name: str, values: NDArray) -> NDArray:
        found = values @ arrays[f"{name}.weight"].astype(float) + arrays[f"{name}.bias"]
        if spec.normalised and name != "output":
            found = (found - arrays[f"{name}.mean"]) / np.sqrt(arrays[f"{name}.variance"] + 1e-5)
            found = found * arrays[f"{name}.scale"] + arrays[f"{name}.shift"]
        return found

    def active(values: NDArray) -> NDArray:
        return np.maximum(values, 0) if spec.activation == "relu" else np.where(values > 0, values, np.expm1(values))

    values = units.astype(float)
    for number in range(len(spec.hidden)):
        values = active(layer(f"hidden{number}", values))
    for number in range(spec.blocks):
        values = active(layer(f"block{number}b", active(layer(f"block{number}a", values))) + values)
    return layer("output", values)


def one_hot(states: NDArray[np.uint8], sizes: tuple[int, ...]) -> NDArray[np.float32]:
    """Rows of units, component after component."""
    return np.concatenate(
        [np.eye(size, dtype=np.float32)[column] for column, size in zip(states.T, sizes, strict=True)], axis=1
    )


def test_encoding(domain: Domain) -> None:
    """One unit per component and value; where all components differ there are as many values as symbols."""
    encoding = Encoding.of(domain)
    assert encoding.sizes == (6,) * 6
    assert (encoding.units, encoding.offsets.tolist()) == (36, [0, 6, 12, 18, 24, 30])
    rows = np.stack([domain.goal, domain.start])
    np.testing.assert_array_equal(inputs_of(encoding, rows, np.float32), one_hot(rows, encoding.sizes))


def test_encoding_of_lights() -> None:
    """Components that repeat values are as wide as they are packed."""
    problem = LIGHTS_OUT.builtin("demo", {})
    assert isinstance(problem, LightsOut)
    lights = domain_of(problem)
    assert set(Encoding.of(lights).sizes) == {2}


@pytest.mark.parametrize("activation", ["relu", "elu"])
@pytest.mark.parametrize("normalised", [True, False])
def test_evaluation(activation: str, normalised: bool) -> None:
    """Batches of any size give what plain arithmetic gives."""
    rng = np.random.default_rng(3)
    spec = NetworkSpec(36, 4, (20, 10), 2, activation, normalised)  # type: ignore[arg-type]
    arrays = initial(spec, rng)
    for name, array in arrays.items():
        if not name.endswith("weight"):
            array += rng.random(array.shape, dtype=np.float32)
    states = np.array([rng.permutation(6) for _ in range(70)], dtype=np.uint8)
    wanted = plain_output(spec, arrays, one_hot(states, (6,) * 6))
    evaluate = Evaluator(spec, arrays, Encoding((6,) * 6))
    np.testing.assert_allclose(evaluate(states), wanted, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(evaluate(states[:1]), wanted[:1], rtol=1e-4, atol=1e-4)
    assert evaluate(states[:0]).shape == (0, 4)
    rough = Evaluator(spec, arrays, Encoding((6,) * 6), precision="bfloat16")(states)
    assert np.abs(rough - wanted).max() < 0.1 * (1 + np.abs(wanted).max())


def test_learning_lowers_the_loss_and_goes_on_where_it_was() -> None:
    """A learner learns, in the same way from a kept state as without a break."""
    rng = np.random.default_rng(0)
    spec = NetworkSpec(36, 1, (16,), dropout=0.1)
    states = np.array([rng.permutation(6) for _ in range(64)], dtype=np.uint8)
    targets = states[:, 0].astype(np.float32)

    def fresh() -> Learner:
        return Learner(
            spec, initial(spec, np.random.default_rng(5)), Encoding((6,) * 6), loss="squares", rate=0.01, seed=1
        )

    learner = fresh()
    losses = [learner.learn(states, targets) for _ in range(60)]
    assert losses[-1] < 0.3 * losses[0]
    other = fresh()
    for _ in range(30):
        other.learn(states, targets)
    third = fresh()
    third.restore(other.state())
    for _ in range(30):
        third.learn(states, targets)
    for name, array in learner.arrays.items():
        np.testing.assert_array_equal(third.arrays[name], array)


def test_steps_in_bfloat16_go_the_same_way() -> None:
    """Slopes differ in the third digit: ten steps of both precisions end near each other, far from the beginning."""
    rng = np.random.default_rng(0)
    spec = NetworkSpec(36, 1, (32, 16), blocks=1)
    begin = initial(spec, np.random.default_rng(5))
    states = np.array([rng.permutation(6) for _ in range(256)], dtype=np.uint8)
    ends = []
    for precision in ("float32", "bfloat16"):
        learner = Learner(
            spec, begin, Encoding((6,) * 6), loss="squares", rate=0.003, seed=1, precision=precision
        )  # fmt: skip
        for _ in range(10):
            learner.learn(states, states[:, 0].astype(np.float32))
        ends.append(np.concatenate([one.ravel() for one in learner.arrays.values()]))
    start = np.concatenate([one.ravel() for one in begin.values()])
    assert np.linalg.norm(ends[0] - ends[1]) < 0.2 * np.linalg.norm(ends[0] - start)
    assert (ends[0] != ends[1]).any()


def test_choices_are_learnt() -> None:
    """Cross entropy makes the wanted output the largest."""
    rng = np.random.default_rng(0)
    spec = NetworkSpec(36, 6, (32,), normalised=False)
    states = np.array([rng.permutation(6) for _ in range(64)], dtype=np.uint8)
    learner = Learner(spec, initial(spec, rng), Encoding((6,) * 6), loss="choices", rate=0.01, seed=1)
    for _ in range(80):
        learner.learn(states, states[:, 2].astype(np.int32))
    found = Evaluator(spec, learner.arrays, Encoding((6,) * 6))(states)
    assert (found.argmax(axis=1) == states[:, 2]).mean() > 0.95


def test_specifications_are_checked(model: Model) -> None:
    """Plain values and back; what is impossible is refused."""
    assert NetworkSpec.from_dict(model.spec.to_dict()) == model.spec
    for change in (
        {"hidden": []},
        {"hidden": [0]},
        {"blocks": -1},
        {"activation": "tanh"},
        {"dropout": 1.0},
        {"more": 1},
    ):
        with pytest.raises(ConfigurationError):
            NetworkSpec.from_dict({**model.spec.to_dict(), **change})
    assert outputs_of(model)(model.goal[None]).shape == (1, 1)
