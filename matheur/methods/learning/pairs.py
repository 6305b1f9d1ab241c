"""Networks that compare two states: how much farther from the goal is the first (Cahlik and Surynek 2019, section 6).

They estimate no distance; a search orders its open list by comparisons alone
(`matheur.methods.statespace.best_first.relative`).
"""

from __future__ import annotations

from pathlib import Path
from typing import cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning.encoding import Encoding
from matheur.methods.learning.model_file import Model, read_model
from matheur.methods.learning.teaching import Teacher
from matheur.methods.learning.use import Use, outputs_by_key
from matheur.methods.statespace.best_first.relative import Farther
from matheur.methods.statespace.domain import BaseDomain, Domain
from matheur.methods.statespace.packing import Packing

__all__ = ["PairDomain", "Pairs", "comparison", "pairs_encoding"]

_USE = Use()
_NEAR = 0.5  # share of the pairs of a batch whose states are about equally far

States = NDArray[np.uint8]


class PairDomain(BaseDomain):
    """Two concatenated states of a domain; without moves."""

    def __init__(self, domain: Domain) -> None:
        self.name: str = domain.name
        self.fingerprint: str = domain.fingerprint
        self.packing: Packing = Packing((*domain.packing.widths, *domain.packing.widths))
        self.branching, self.moves = 1, 0
        self.start: NDArray[np.uint8] = np.concatenate([domain.start, domain.start])
        self.goal: NDArray[np.uint8] = np.concatenate([domain.goal, domain.goal])
        self.goal_mask: NDArray[np.bool_] = np.concatenate([domain.goal_mask, domain.goal_mask])


class Pairs:
    """Differences of the distances of two states; a `Teacher`.

    In half of the pairs both states are about equally far from the goal, like the states of an open list.

    Parameters
    ----------
    single
        Source of states with their distances.
    """

    def __init__(self, single: Teacher) -> None:
        self.single: Teacher = single

    def batch(self, count: int, rng: Generator) -> tuple[States, NDArray[np.float32]]:
        """Pairs uint8[count, 2 * components], and how much farther from the goal the first state is."""
        drawn = [self.single.batch(count, rng) for _ in range(2)]
        near = round(_NEAR * count)
        rows = [np.concatenate([np.argsort(far[:near], kind="stable"), np.arange(near, count)]) for _, far in drawn]
        (first, far), (second, less) = drawn
        return np.concatenate([first[rows[0]], second[rows[1]]], axis=1), far[rows[0]] - less[rows[1]]


def pairs_encoding(domain: Domain) -> Encoding:
    """Encoding of two concatenated states."""
    return Encoding(Encoding.of(domain).sizes * 2)


def comparison(domain: Domain, model: Model | Path, use: Use = _USE) -> Farther:
    """How much farther the first states [n, components] are than the second ones, by a trained network.

    Parameters
    ----------
    model
        Network with the output `difference`.

    Raises
    ------
    ConfigurationError
        If the model does not fit, or JAX is needed and not installed.
    InputError
        If the file is not a model file.
    """
    given = model if isinstance(model, Model) else read_model(model)
    if given.output != "difference":
        raise ConfigurationError(
            f"this network does not compare states, it gives '{given.output}'. Maybe method pairs?"
        )
    pairs = PairDomain(domain)
    outputs = outputs_by_key(use.applied(given), cast("Domain", pairs), use.one_by_one())
    pack = pairs.packing.pack

    def farther(first: States, second: States) -> NDArray[np.float32]:
        found: NDArray[np.float32] = outputs(pack(np.concatenate([first, second], axis=1)))[:, 0]
        return found

    return farther
