"""Networks for one domain as compiled functions of its keys, without JAX."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from matheur.methods.learning import compiled_kernels as kernels
from matheur.methods.learning.model_file import Model
from matheur.methods.learning.plain import estimate_limits, folded
from matheur.methods.statespace.domain import Domain, Kernel, View
from matheur.methods.statespace.packed_goal import packed_goal

__all__ = ["CompiledNetwork"]

_PLAIN, _INNER, _OUTER, _OUTPUT = range(4)
_WITHOUT_SCALE = -1


class CompiledNetwork:
    """A network that evaluates packed states of one domain.

    Parameters
    ----------
    model
        The network.
    domain
        Domain of the states to be estimated.
    view
        View of the states that the network gets; None for the components themselves. Inputs that are equal in all
        states are merged into the biases of the first layer.
    precision
        `float32`, or `int8`: weights of all layers but the first are rounded to 8 bits, with one scale for each
        output.
    cache
        Number of states whose estimates are cached, rounded up to a power of two; 0 for no cache.
    scale
        Units of an estimate, and of an output, that make one move: a power of two, see `Heuristic`.
    """

    def __init__(
        self,
        model: Model,
        domain: Domain,
        view: View | None = None,
        *,
        precision: str = "float32",
        cache: int = 0,
        scale: int = 1,
    ) -> None:
        spec = model.spec
        self.outputs: int = model.spec.outputs
        arrays = folded(dict(model.arrays))
        for part in ("weight", "bias"):
            arrays[f"output.{part}"] = arrays[f"output.{part}"] * np.float32(scale)
        base, rows = _first_layer(model, arrays, domain, view)
        made = _Numbers()
        entries = 1 << (cache - 1).bit_length() if cache > 0 else 0
        words, packing = domain.packing.words, domain.packing
        header = np.zeros(14, dtype=np.int64)
        goal, mask = packed_goal(domain)
        header[:10] = (
            words, packing.size, len(header), len(base), made.put(base), 0, max(*spec.hidden, spec.outputs),
            spec.activation == "elu", spec.outputs, entries,
        )  # fmt: skip
        components = [
            [packing.word[i], packing.shift[i], (1 << width) - 1, made.put(rows[i][1:].ravel())]
            for i, width in enumerate(packing.widths)
        ]
        layers = []
        for number in range(1, len(spec.hidden)):
            layers.append(made.layer(arrays, f"hidden{number}", _PLAIN, precision))
        for number in range(spec.blocks):
            layers.append(made.layer(arrays, f"block{number}a", _INNER, precision))
            layers.append(made.layer(arrays, f"block{number}b", _OUTER, precision))
        layers.append(made.layer(arrays, "output", _OUTPUT, "float32"))
        header[5], header[10] = len(layers), len(header) + 2 * words
        header[11] = header[10] + 4 * len(components)
        header[12:] = estimate_limits(scale)
        self._fields = np.concatenate(
            [header, goal.view(np.int64), mask.view(np.int64), np.array(components, dtype=np.int64).ravel(),
             np.array(layers, dtype=np.int64).ravel()]
        )  # fmt: skip
        self._floats, self._small = made.arrays
        self._cache = np.zeros(max(1, entries * (words + 1)), dtype=np.uint64)
        self._words = words
        tables = (self._fields, self._floats, self._small, self._cache)
        self.kernel: Kernel = Kernel(
            kernels.estimate, np.array([len(table) for table in tables], dtype=np.int64), tables
        )

    @property
    def nbytes(self) -> int:
        """Size of weights and cache in bytes."""
        return sum(table.nbytes for table in self.kernel.tables)

    def __call__(self, keys: NDArray[np.uint64]) -> NDArray[np.float32]:
        """Outputs float32[n, outputs] for keys [n, words]."""
        flat = np.ascontiguousarray(keys, dtype=np.uint64).reshape(-1)
        found = np.empty((len(flat) // self._words, self.outputs), dtype=np.float32)
        kernels.outputs(flat, len(found), self._fields, self._floats, self._small, found)
        return found


@dataclass
class _Numbers:
    """Weights of all layers, concatenated."""

    floats: list[NDArray[np.float32]] = field(default_factory=list)
    small: list[NDArray[np.int8]] = field(default_factory=list)

    @property
    def arrays(self) -> tuple[NDArray[np.float32], NDArray[np.int8]]:
        return np.concatenate(self.floats), np.concatenate([*self.small, np.zeros(1, dtype=np.int8)])

    def put(self, values: NDArray[np.float32]) -> int:
        """Append values and return the offset of the first."""
        place = sum(map(len, self.floats))
        self.floats.append(np.ascontiguousarray(values, dtype=np.float32).ravel())
        return place

    def layer(self, arrays: dict[str, NDArray[np.float32]], name: str, kind: int, precision: str) -> list[int]:
        """Fields of a layer."""
        weight = arrays[f"{name}.weight"]
        bias = self.put(arrays[f"{name}.bias"])
        if precision != "int8":
            return [*weight.shape, self.put(weight), bias, _WITHOUT_SCALE, kind]
        scale = np.maximum(np.abs(weight).max(axis=0), np.float32(1e-30)) / np.float32(127)
        place = sum(map(len, self.small))
        self.small.append(np.rint(weight / scale).astype(np.int8).ravel())
        return [*weight.shape, place, bias, self.put(scale), kind]


def _first_layer(
    model: Model, arrays: dict[str, NDArray[np.float32]], domain: Domain, view: View | None
) -> tuple[NDArray[np.float32], list[NDArray[np.float32]]]:
    """Sums [width] for the state of zeros, and for each component the terms that its values add [values, width]."""
    weight, base = arrays["hidden0.weight"], arrays["hidden0.bias"].astype(np.float64)
    offsets, sizes = model.encoding.offsets, model.encoding.sizes
    rows = []
    if view is not None:
        shown = weight[offsets + view.ground].astype(np.float64)
        base = base + shown.sum(axis=0)
    for i, width in enumerate(domain.packing.widths):
        values = 1 << width
        part = np.zeros((values, weight.shape[1]))
        if view is None:
            part[: min(values, sizes[i])] = weight[offsets[i] : offsets[i] + min(values, sizes[i])]
        else:
            place, show = view.place[i, :values], view.shown[i, :values]
            decides = place >= 0
            part[decides] = weight[offsets[place[decides]] + show[decides]] - shown[place[decides]]
        base = base + part[0]
        rows.append((part - part[0]).astype(np.float32))
    return base.astype(np.float32), rows
