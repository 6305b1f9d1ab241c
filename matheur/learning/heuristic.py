"""A trained distance as a heuristic of the searches. It bounds nothing: a plan found by it is proved by other means."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.learning.extra import need_jax
from matheur.learning.model_file import Model, read_model
from matheur.statespace.domain import Domain
from matheur.statespace.heuristics import Heuristic

__all__ = ["learnt_heuristic"]


def learnt_heuristic(domain: Domain, model: Model | Path, *, precision: str = "float32") -> Heuristic:
    """Estimates of a network, rounded to whole numbers; 0 at the goal, and at least 1 elsewhere.

    Parameters
    ----------
    model
        A model or its file, trained for this domain's moves and goal.
    precision
        `float32` or `bfloat16`.

    Raises
    ------
    ConfigurationError
        If the model was trained for something else, gives no distances, or JAX is not installed.
    InputError
        If the file is none.
    """
    need_jax("a trained network")
    from matheur.learning.evaluation import outputs_of

    given = model if isinstance(model, Model) else read_model(model)
    if given.output != "distance":
        raise ConfigurationError("this network chooses moves, it does not estimate distances")
    _check_domain(given, domain)
    evaluate = outputs_of(given, precision=precision)

    def batch(keys: NDArray[np.uint64]) -> NDArray[np.int32]:
        values = np.rint(evaluate(domain.packing.unpack(keys))[:, 0])
        found = np.clip(values, 1, 1 << 20).astype(np.int32)
        found[domain.is_goal(keys)] = 0
        return found

    size = sum(array.nbytes for array in given.arrays.values())
    return Heuristic(f"network {given.training.get('method', '')}".strip(), False, False, batch=batch, memory=size)


def _check_domain(model: Model, domain: Domain) -> None:
    """Whether a model was trained for this domain.

    Raises
    ------
    ConfigurationError
        If not.
    """
    same = len(model.encoding.sizes) == domain.packing.size and np.array_equal(model.goal, domain.goal)
    if not same or model.fingerprint != domain.fingerprint:
        raise ConfigurationError(f"this network was trained for '{model.domain}', not for '{domain.name}'")
