"""Networks as functions of their arrays (JAX): initial values, inference, and training.

A network is a dictionary of the arrays in `NetworkSpec.shapes`; its file contains nothing else.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.methods.learning.encoding import Encoding
from matheur.methods.learning.plain import EPSILON
from matheur.methods.learning.specification import NetworkSpec

__all__ = ["STATISTICS", "Arrays", "infer", "initial", "one_hot", "train_output"]

Arrays = dict[str, Any]
STATISTICS = ("mean", "variance")
"""Last parts of the names of arrays that are averages over the training, not learnt."""

_MOMENTUM = 0.9
_VALUES_FEW = 3  # values of a component up to which the product is as fast


class _Passing(NamedTuple):
    """Values that pass through a network in training."""

    values: Any
    statistics: Arrays
    key: Any


def initial(spec: NetworkSpec, rng: Generator) -> dict[str, NDArray[np.float32]]:
    """Random weights as in He, Zhang, Ren and Sun (2015); biases are 0."""
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
    """Outputs [n, outputs] of states [n, components], from the arrays of `folded`."""
    active = _activation(spec)

    def through(layer: str, values: Any) -> Any:
        weight = plain[f"{layer}.weight"]
        return _product(values.astype(weight.dtype), weight) + plain[f"{layer}.bias"]

    values = active(_first(encoding, states, plain["hidden0.weight"]) + plain["hidden0.bias"])
    for number in range(1, len(spec.hidden)):
        values = active(through(f"hidden{number}", values))
    for number in range(spec.blocks):
        inner = active(through(f"block{number}a", values))
        values = active(through(f"block{number}b", inner) + values)
    return through("output", values)


def _first(encoding: Encoding, states: Any, weight: Any) -> Any:
    """One-hot inputs of states times the weights of the first layer.

    On a CPU this is a sum of rows, which is 2 to 7 times as fast as the product for components with many values in
    single precision.
    """
    components = len(encoding.sizes)
    few = encoding.units <= _VALUES_FEW * components
    if few or weight.dtype == jnp.bfloat16 or jax.default_backend() != "cpu":
        return _product(one_hot(encoding, states, weight.dtype), weight)
    rows = (states.astype(jnp.int32) + encoding.offsets).T

    def add(component: Any, values: Any) -> Any:
        return values + jnp.take(weight, rows[component], axis=0).astype(jnp.float32)

    values = jnp.zeros((states.shape[0], weight.shape[1]), dtype=jnp.float32)
    return jax.lax.fori_loop(0, components, add, values)


def _product(values: Any, weight: Any) -> Any:
    """A matrix product, accumulated in single precision; in bfloat16 it is fast on processors with matrix units."""
    return jax.lax.dot(values, weight, preferred_element_type=jnp.float32)


@jax.custom_vjp
def _halved(values: Any, weight: Any) -> Any:
    """The product of both in bfloat16, also in the backward pass."""
    return _product(values.astype(jnp.bfloat16), weight.astype(jnp.bfloat16))


def _halved_forward(values: Any, weight: Any) -> tuple[Any, tuple[Any, Any]]:
    kept = values.astype(jnp.bfloat16), weight.astype(jnp.bfloat16)
    return _product(*kept), kept


def _halved_back(kept: tuple[Any, Any], slopes: Any) -> tuple[Any, Any]:
    values, weight = kept
    slopes = slopes.astype(jnp.bfloat16)
    before = jax.lax.dot_general(slopes, weight, (((1,), (1,)), ((), ())), preferred_element_type=jnp.float32)
    # XLA would merge a plain transposition into the product, for which it has no fast code. Taking the rows one by one
    # needs a third of the time.
    columns = jnp.take(values.T, jnp.arange(values.shape[1]), axis=0)
    return before, _product(columns, slopes)


_halved.defvjp(_halved_forward, _halved_back)
_PRODUCTS = {"float32": _product, "bfloat16": _halved}


def train_output(
    spec: NetworkSpec, arrays: Arrays, units: Any, key: Any, *, precision: str = "float32"
) -> tuple[Any, Arrays]:
    """Outputs in training, with batch averages and dropout; and the new running averages."""
    active = _activation(spec)
    passing = _Passing(units, {}, key)
    for number in range(len(spec.hidden)):
        passing = _layer(spec, arrays, f"hidden{number}", passing, precision)
        passing = _dropped(spec, passing._replace(values=active(passing.values)))
    for number in range(spec.blocks):
        skipped = passing.values
        passing = _layer(spec, arrays, f"block{number}a", passing, precision)
        passing = _layer(spec, arrays, f"block{number}b", passing._replace(values=active(passing.values)), precision)
        passing = passing._replace(values=active(passing.values + skipped))
    outputs = passing.values @ arrays["output.weight"] + arrays["output.bias"]
    return outputs, passing.statistics


def _layer(spec: NetworkSpec, arrays: Arrays, layer: str, passing: _Passing, precision: str) -> _Passing:
    values = _PRODUCTS[precision](passing.values, arrays[f"{layer}.weight"]) + arrays[f"{layer}.bias"]
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
