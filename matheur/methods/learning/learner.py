"""A network that learns: one compiled step of Adam on a batch (Kingma and Ba 2015)."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import Any, Literal

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning.encoding import Encoding
from matheur.methods.learning.networks import STATISTICS, Arrays, one_hot, train_output
from matheur.methods.learning.specification import NetworkSpec

__all__ = ["Learner", "Loss"]

Loss = Literal["squares", "choices"]


class Learner:
    """Arrays of a network and the state of their optimiser.

    Parameters
    ----------
    spec
        The network.
    arrays
        Initial values.
    encoding
        Encoding of the states.
    loss
        `squares`: mean squared difference of targets and outputs, only of the first output if there is one target for
        each state; targets that are NaN do not count. `choices`: cross entropy of the target, the index of an output.
    rate, halving
        Learning rate, and the number of steps in which it falls to a half; 0 for a constant rate.
    seed
        Seed of dropout.
    precision
        Precision of the products of a step: `float32` or `bfloat16`. Weights and sums are always in single precision.
    inputs
        uint8[units, inputs]: inputs of the network that are 1 if a unit of the encoding is; None if the inputs are the
        units.
    """

    def __init__(
        self,
        spec: NetworkSpec,
        arrays: Mapping[str, NDArray[np.float32]],
        encoding: Encoding,
        *,
        loss: Loss,
        rate: float,
        halving: int = 0,
        seed: int,
        precision: str = "float32",
        inputs: NDArray[np.uint8] | None = None,
    ) -> None:
        self.spec, self._rate = spec, rate
        shared = None if inputs is None else (inputs.shape, np.ascontiguousarray(inputs, dtype=np.uint8).tobytes())
        begin, self._step = _compiled(spec, rate, halving, encoding, loss, precision, shared)
        self._learnt = {name: jnp.asarray(one) for name, one in arrays.items() if not _averaged(name)}
        self._averages = {name: jnp.asarray(one) for name, one in arrays.items() if _averaged(name)}
        self._state = begin(self._learnt)
        self._key = jax.random.key(seed)

    @property
    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """Current arrays of the network; raises the same error as `learn`."""
        found = {name: np.asarray({**self._learnt, **self._averages}[name]) for name in self.spec.shapes}
        self._check_finite(*found.values())
        return found

    def learn(self, states: NDArray[np.uint8], targets: NDArray[Any]) -> float:
        """Make one step and return the loss before it. A different number of states makes JAX recompile the step.

        Raises
        ------
        ConfigurationError
            If the loss is infinite or NaN: such a network is useless, and further steps do not repair it.
        """
        self._key, now = jax.random.split(self._key)
        loss, self._learnt, self._averages, self._state = self._step(
            self._learnt, self._averages, self._state, now, states, targets
        )
        value = float(loss)
        self._check_finite(value)
        return value

    def _check_finite(self, *numbers: Any) -> None:
        if not all(np.isfinite(one).all() for one in numbers):
            raise ConfigurationError(
                f"the training has diverged: its numbers are infinite. Maybe a rate below {self._rate:g}?"
            )

    def state(self) -> dict[str, NDArray[Any]]:
        """Everything that a later `restore` needs, as arrays by name."""
        moments = {f"optimiser.{number}": np.asarray(one) for number, one in enumerate(jax.tree.leaves(self._state))}
        return {**self.arrays, **moments, "key": np.asarray(jax.random.key_data(self._key))}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Continue from a `state` of a learner with the same network."""
        self._learnt = {name: jnp.asarray(state[name]) for name in self._learnt}
        self._averages = {name: jnp.asarray(state[name]) for name in self._averages}
        leaves, shape = jax.tree.flatten(self._state)
        self._state = jax.tree.unflatten(shape, [jnp.asarray(state[f"optimiser.{i}"]) for i in range(len(leaves))])
        self._key = jax.random.wrap_key_data(jnp.asarray(state["key"]))


@lru_cache(maxsize=16)
def _compiled(
    spec: NetworkSpec,
    rate: float,
    halving: int,
    encoding: Encoding,
    loss: Loss,
    precision: str,
    shared: tuple[tuple[int, ...], bytes] | None,
) -> tuple[Any, Any]:
    """The first state of the optimiser and a step: trainings that differ only in their data share what is compiled.

    `shared` holds the shape and the bytes of the inputs of a `Learner`.
    """
    inputs = None if shared is None else np.frombuffer(shared[1], dtype=np.uint8).reshape(shared[0])
    rule = optax.adam(optax.exponential_decay(rate, halving, 0.5) if halving else rate)
    return jax.jit(rule.init), jax.jit(partial(_step, spec, rule, encoding, loss, precision, inputs))


def _averaged(name: str) -> bool:
    return name.rpartition(".")[2] in STATISTICS


def _step(
    spec: NetworkSpec,
    rule: Any,
    encoding: Encoding,
    loss: Loss,
    precision: str,
    inputs: NDArray[np.uint8] | None,
    learnt: Arrays,
    averages: Arrays,
    state: Any,
    key: Any,
    states: Any,
    targets: Any,
) -> tuple[Any, Arrays, Arrays, Any]:
    units = one_hot(encoding, states, precision)
    if inputs is not None:
        units = units @ jnp.asarray(inputs, dtype=units.dtype)

    def cost(learnt: Arrays) -> tuple[Any, Arrays]:
        outputs, now = train_output(spec, {**learnt, **averages}, units, key, precision=precision)
        if loss == "squares":
            known = jnp.isfinite(targets)
            missed = jnp.where(known, targets, 0) - jnp.where(known, outputs[:, 0] if targets.ndim == 1 else outputs, 0)
            return jnp.sum(missed**2) / jnp.sum(known), now
        return jnp.mean(optax.softmax_cross_entropy_with_integer_labels(outputs, targets)), now

    (value, now), slopes = jax.value_and_grad(cost, has_aux=True)(learnt)
    change, state = rule.update(slopes, state, learnt)
    return value, optax.apply_updates(learnt, change), {**averages, **now}, state
