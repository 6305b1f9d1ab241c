"""Networks at work: states in, numbers out, in batches of a few fixed sizes so that nothing is compiled anew."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from matheur.learning.model_file import Model
from matheur.learning.networks import Arrays, folded, infer
from matheur.learning.specification import NetworkSpec

__all__ = ["Evaluator", "outputs_of"]

_SIZES = (1, 32, 1024, 8192)  # rows of a batch; what is between is filled up


def _padded(rows: int) -> int:
    return next(size for size in _SIZES if rows <= size)


class Evaluator:
    """The outputs of a network.

    Parameters
    ----------
    spec, arrays
        The network.
    sizes
        Values of each component of a state.
    precision
        `float32`, or `bfloat16` for weights and products of half the size.
    """

    def __init__(
        self, spec: NetworkSpec, arrays: Arrays, sizes: tuple[int, ...], *, precision: str = "float32"
    ) -> None:
        self.spec, self.sizes = spec, sizes
        kind = {"float32": jnp.float32, "bfloat16": jnp.bfloat16}[precision]
        self._arrays = {name: jnp.asarray(array, dtype=kind) for name, array in folded(spec, arrays).items()}
        offsets = np.cumsum([0, *sizes[:-1]]).astype(np.int32)

        def run(plain: Arrays, states: Any) -> Any:
            numbers = states.astype(jnp.int32) + offsets
            units = jnp.zeros((states.shape[0], spec.inputs), dtype=kind)
            units = units.at[jnp.arange(states.shape[0])[:, None], numbers].set(1)
            return infer(spec, plain, units).astype(jnp.float32)

        self._run = jax.jit(run)

    def __call__(self, states: NDArray[np.uint8]) -> NDArray[np.float32]:
        """float32[n, outputs] of states uint8[n, components]."""
        found = np.empty((len(states), self.spec.outputs), dtype=np.float32)
        largest = _SIZES[-1]
        for begin in range(0, len(states), largest):
            part = states[begin : begin + largest]
            rows = np.zeros((_padded(len(part)), states.shape[1]), dtype=np.uint8)
            rows[: len(part)] = part
            found[begin : begin + len(part)] = np.asarray(self._run(self._arrays, rows))[: len(part)]
        return found


def outputs_of(model: Model, *, precision: str = "float32") -> Evaluator:
    """The evaluator of a model."""
    return Evaluator(model.spec, dict(model.arrays), model.encoding.sizes, precision=precision)
