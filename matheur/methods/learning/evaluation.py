"""Evaluation of networks in batches of a few fixed sizes, so that nothing is recompiled."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from matheur.methods.learning.encoding import Encoding
from matheur.methods.learning.model_file import Model
from matheur.methods.learning.networks import Arrays, infer
from matheur.methods.learning.plain import folded
from matheur.methods.learning.specification import NetworkSpec

__all__ = ["Evaluator", "fast_precision", "outputs_of"]

_SIZES = (1, 16, 128, 512, 2048)  # rows of a batch; other numbers of rows are split, and the last batch is padded
_LARGER = (8192,)  # for devices without caches to fit into
_KINDS = {"float32": jnp.float32, "bfloat16": jnp.bfloat16}


@lru_cache(maxsize=16)
def _compiled(spec: NetworkSpec, encoding: Encoding) -> Any:
    """Function from arrays and states to outputs; all networks of the same shape share one compiled function."""

    def run(plain: Arrays, states: Any) -> Any:
        return infer(spec, encoding, plain, states).astype(jnp.float32)

    return jax.jit(run)


class Evaluator:
    """The outputs of a network.

    Parameters
    ----------
    spec, arrays
        The network.
    encoding
        Encoding of the states.
    precision
        `float32`, or `bfloat16` to store weights and compute products in half the size.
    """

    def __init__(self, spec: NetworkSpec, arrays: Arrays, encoding: Encoding, *, precision: str = "float32") -> None:
        self.spec = spec
        kind = _KINDS[precision]
        self._arrays = {name: jnp.asarray(array, dtype=kind) for name, array in folded(arrays).items()}
        self._run = _compiled(spec, encoding)
        self._sizes = _SIZES if jax.default_backend() == "cpu" else _SIZES + _LARGER

    def __call__(self, states: NDArray[np.uint8]) -> NDArray[np.float32]:
        """Outputs float32[n, outputs] for states uint8[n, components]."""
        found = np.empty((len(states), self.spec.outputs), dtype=np.float32)
        begin = 0
        while begin < len(states):
            size = _size_for(len(states) - begin, self._sizes)
            part = states[begin : begin + size]
            rows = np.zeros((size, states.shape[1]), dtype=np.uint8)
            rows[: len(part)] = part
            found[begin : begin + len(part)] = np.asarray(self._run(self._arrays, rows))[: len(part)]
            begin += size
        return found


def fast_precision() -> str:
    """The precision with the fastest products here: `bfloat16` on accelerators and on processors with matrix units."""
    if jax.default_backend() != "cpu":
        return "bfloat16"
    try:
        return "bfloat16" if "amx_bf16" in Path("/proc/cpuinfo").read_text() else "float32"
    except OSError:
        return "float32"


def _size_for(rows: int, sizes: tuple[int, ...]) -> int:
    """Size of the next batch: the largest that is full, or the next larger one if at least a third of it is full."""
    filled = max(size for size in sizes if size <= rows)
    larger = next((size for size in sizes if size > filled), filled)
    return larger if 3 * rows >= larger else filled


def outputs_of(model: Model, *, precision: str = "float32") -> Evaluator:
    """The evaluator of a model."""
    return Evaluator(model.spec, dict(model.arrays), model.encoding, precision=precision)
