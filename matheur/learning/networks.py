"""Networks as functions of their arrays (JAX): initial values, output, and what a training step keeps.

A network is a dictionary of arrays, those of `NetworkSpec.shapes`, so that its file is the network.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.learning.encoding import Encoding
from matheur.learning.plain import EPSILON
from matheur.learning.specification import NetworkSpec

__all__ = ["STATISTICS", "Arrays", "infer", "initial", "one_hot", "train_output"]

Arrays = dict[str, Any]
STATISTICS = ("mean", "variance")
"""Last parts of the names of arrays that are averages over the training, not learnt."""

_MOMENTUM = 0.9
_VALUES_FEW = 3  # values of a component for which the product is as good


class _Passing(NamedTuple):
    """Values on their way through a network in training."""

    values: Any
    statistics: Arrays
    key: Any


def initial(spec: NetworkSpec, rng: Generator) -> dict[str, NDArray[np.float32]]:
    """Weights by He, Zhang, Ren and Sun (2015); biases 0."""
    arrays: dict[str, NDArray[np.float32]] = {}
    for name, shape in spec.shapes.items():
        part = name.rpartition(".")[2]
        if part == "weight":
            spread = np.sqrt((1.0 if name.startswith("output") else 2.0) / shape[0])
            arrays[name] = (spread * rng.standard_normal(shape)).astype(np.float32)
        else:
            arrays[name] = np.full(shape, part in ("scale", "variance"), dtype=np.float32)
    return arrays


def one_hot(encoding: Encoding, states: Any, kind: Any) -> Any:
    """Inputs [n, units] of states [n, components]: 1 for the value of each component, else 0."""
    units = jnp.zeros((states.shape[0], encoding.units), dtype=kind)
    return units.at[jnp.arange(states.shape[0])[:, None], states.astype(jnp.int32) + encoding.offsets].set(1)


def infer(spec: NetworkSpec, encoding: Encoding, plain: Arrays, states: Any) -> Any:
    """Outputs [n, outputs] of states [n, components], by the arrays of `folded`."""
    active = _activation(spec)

    def through(layer: str, values: Any) -> Any:
        return values @ plain[f"{layer}.weight"] + plain[f"{layer}.bias"]

    values = active(_first(encoding, states, plain["hidden0.weight"]) + plain["hidden0.bias"])
    for number in range(1, len(spec.hidden)):
        values = active(through(f"hidden{number}", values))
    for number in range(spec.blocks):
        inner = active(through(f"block{number}a", values))
        values = active(through(f"block{number}b", inner) + values)
    return through("output", values)


def _first(encoding: Encoding, states: Any, weight: Any) -> Any:
    """One-hot inputs of states times the weights of the first layer.

    On a processor a sum of rows, which is 2 to 7 times as fast as the product where components have many values.
    """
    components = len(encoding.sizes)
    if encoding.units <= _VALUES_FEW * components or jax.default_backend() != "cpu":
        return one_hot(encoding, states, weight.dtype) @ weight
    rows = (states.astype(jnp.int32) + encoding.offsets).T

    def add(component: Any, values: Any) -> Any:
        return values + jnp.take(weight, rows[component], axis=0).astype(jnp.float32)

    values = jnp.zeros((states.shape[0], weight.shape[1]), dtype=jnp.float32)
    return jax.lax.fori_loop(0, components, add, values).astype(weight.dtype)


def train_output(spec: NetworkSpec, arrays: Arrays, units: Any, key: Any) -> tuple[Any, Arrays]:
    """Outputs in training, with the batch's own averages and units left out; and the new running averages."""
    active = _activation(spec)
    passing = _Passing(units, {}, key)
    for number in range(len(spec.hidden)):
        passing = _layer(spec, arrays, f"hidden{number}", passing)
        passing = _dropped(spec, passing._replace(values=active(passing.values)))
    for number in range(spec.blocks):
        skipped = passing.values
        passing = _layer(spec, arrays, f"block{number}a", passing)
        passing = _layer(spec, arrays, f"block{number}b", passing._replace(values=active(passing.values)))
        passing = passing._replace(values=active(passing.values + skipped))
    outputs = passing.values @ arrays["output.weight"] + arrays["output.bias"]
    return outputs, passing.statistics


def _layer(spec: NetworkSpec, arrays: Arrays, layer: str, passing: _Passing) -> _Passing:
    values = passing.values @ arrays[f"{layer}.weight"] + arrays[f"{layer}.bias"]
    if not spec.normalised:
        return passing._replace(values=values)
    mean, variance = values.mean(axis=0), values.var(axis=0)
    statistics = dict(passing.statistics)
    for part, now in zip(STATISTICS, (mean, variance), strict=True):
        name = f"{layer}.{part}"
        statistics[name] = _MOMENTUM * arrays[name] + (1 - _MOMENTUM) * jax.lax.stop_gradient(now)
    values = (values - mean) / jnp.sqrt(variance + EPSILON) * arrays[f"{layer}.scale"] + arrays[f"{layer}.shift"]
    return passing._replace(values=values, statistics=statistics)


def _dropped(spec: NetworkSpec, passing: _Passing) -> _Passing:
    if not spec.dropout:
        return passing
    key, now = jax.random.split(passing.key)
    kept = jax.random.bernoulli(now, 1 - spec.dropout, passing.values.shape)
    return passing._replace(values=jnp.where(kept, passing.values / (1 - spec.dropout), 0.0), key=key)


def _activation(spec: NetworkSpec) -> Any:
    return {"relu": jax.nn.relu, "elu": jax.nn.elu}[spec.activation]
