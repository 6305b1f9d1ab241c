"""A trained distance as a heuristic of the searches. It is not admissible, so it proves no plan optimal."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning.model_file import Model, read_model
from matheur.methods.learning.plain import estimate_limits
from matheur.methods.learning.renaming import sight_of
from matheur.methods.learning.use import Use, outputs_through
from matheur.methods.statespace.domain import Domain, View
from matheur.methods.statespace.heuristics import Heuristic, minimum

__all__ = ["learnt_heuristic", "scaled"]

_USE = Use()
_OTHERS = {
    "actions": ("says what moves are worth", "--construction batch-astar"),
    "policy": ("chooses moves", "the option policy of beam"),
    "difference": ("compares states", "the option order of astar"),
}
"""What networks without distances do, and what they are for."""


def learnt_heuristic(domain: Domain, model: Model | Path, use: Use = _USE, *, scale: int = 1) -> Heuristic:
    """Estimates of a network, rounded to whole numbers; 0 at the goal, and at least 1 elsewhere.

    A small network is compiled, so that every search accepts it; a large one is evaluated in batches by JAX. The domain
    may have another goal than the network if its states can be renamed (`matheur.methods.learning.renaming`).

    Parameters
    ----------
    model
        A model or its file, trained for this domain's moves.
    use
        How the network is computed.
    scale
        `REAL` for estimates rounded to this part of a move instead of whole moves, and at least 0; only `batch_astar`
        accepts them.

    Raises
    ------
    ConfigurationError
        If the model was trained for other moves, or for a goal that cannot be renamed, does not estimate distances, or
        needs JAX and JAX is not installed.
    InputError
        If the file is not a model file.
    """
    given = model if isinstance(model, Model) else read_model(model)
    if given.output != "distance":
        what, maybe = _OTHERS[given.output]
        raise ConfigurationError(f"this network {what}, it does not estimate distances. Maybe {maybe}?")
    view, apart = sight_of(given, domain)
    given = replace(use, less=use.less + apart).applied(given)
    if use.images > 1:
        images = _images(given, domain, use.images)
        return minimum(domain.packing, [_heuristic(domain, one, view, use, scale) for one in images])
    return _heuristic(domain, given, view, use, scale)


def _heuristic(domain: Domain, given: Model, view: View | None, use: Use, scale: int) -> Heuristic:
    """Estimates of a network with this view of the states; `use` has already been applied to the network."""
    name = f"network {given.training.get('method', '')}".strip()
    if use.compiles(given):
        from matheur.methods.learning.compiled import CompiledNetwork

        network = CompiledNetwork(given, domain, view, precision=use.precision, cache=use.cache, scale=scale)
        return Heuristic(name, False, False, network.kernel, memory=network.nbytes, scale=scale)
    outputs = outputs_through(view, given, domain, use)

    def batch(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        found = scaled(outputs(keys)[:, 0], scale)
        found[domain.is_goal(keys)] = 0
        return found

    size = given.parameters * (2 if use.precision == "bfloat16" else 4)
    return Heuristic(name, False, False, batch=batch, memory=size, scale=scale)


def scaled(values: NDArray[np.float32], scale: int) -> NDArray[np.int32]:
    """Outputs of a network as estimates of this scale, within `estimate_limits`."""
    return np.clip(np.rint(values * np.float32(scale)), *estimate_limits(scale)).astype(np.int32)


def _images(model: Model, domain: Domain, count: int) -> list[Model]:
    """The network, and its copies that evaluate images of a state by permuted inputs.

    Raises
    ------
    ConfigurationError
        If the domain has fewer symmetries, or the network does not see components as they are.
    """
    plain = model.fingerprint == domain.fingerprint  # else it sees a larger domain
    symmetries = domain.between(domain.start, model.goal).automorphisms() if plain else None
    known = 1 if symmetries is None else len(symmetries)
    if symmetries is None or known < count:
        raise ConfigurationError(f"'{domain.name}' has {known} images of a state ({count})")
    offsets, sizes, weight = model.encoding.offsets, model.encoding.sizes, model.arrays["hidden0.weight"]
    found = []
    for components, values in zip(symmetries.components[:count], symmetries.values[:count], strict=True):
        order = [offsets[components[i]] + values[:size] for i, size in enumerate(sizes)]
        found.append(replace(model, arrays={**model.arrays, "hidden0.weight": weight[np.concatenate(order)]}))
    return found
