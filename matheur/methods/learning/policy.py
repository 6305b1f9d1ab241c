"""A trained policy as the costs of moves: moves that the network finds likely are cheap.

The sum of these costs along a path is minus the logarithm of the product of its probabilities. A beam search by costs
alone is therefore the policy beam of Takano (2023, EfficientCube), and a best-first search by costs is the search of
Orseau et al. (2018).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import cast

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning.model_file import Model, read_model
from matheur.methods.learning.use import Use, outputs_by_key
from matheur.methods.statespace.domain import BaseDomain, Domain, Successors
from matheur.methods.statespace.packing import Packing

__all__ = ["UNIT", "PolicyDomain", "learnt_policy"]

UNIT = 1000
"""Costs are in thousandths of a natural logarithm."""

_DEAREST = 20 * UNIT  # highest cost of a move, so that sums stay small
_USE = Use()


class PolicyDomain(BaseDomain):
    """The states and moves of a domain; the less likely a move is among the moves of its state, the more it costs.

    Parameters
    ----------
    domain
        Domain with the states and moves.
    outputs
        Function from keys [n, words] to float32[n, moves]: logarithms of probabilities, up to a constant for each
        state.
    """

    reversible = False
    unit_costs = False

    def __init__(self, domain: Domain, outputs: Callable[[NDArray[np.uint64]], NDArray[np.float32]]) -> None:
        self._domain, self._outputs = domain, outputs
        self.name: str = f"{domain.name} by a policy"
        self.packing: Packing = domain.packing
        self.branching: int = domain.branching
        self.moves: int = domain.moves
        self.start: NDArray[np.uint8] = domain.start
        self.goal: NDArray[np.uint8] = domain.goal
        self.goal_mask: NDArray[np.bool_] = domain.goal_mask

    def expand(self, keys: NDArray[np.uint64]) -> Successors:
        """All successors; the probabilities of the possible moves add up to 1."""
        found = self._domain.expand(keys)
        if not len(found.moves):
            return found
        weights = self._outputs(keys)[found.parents, found.moves].astype(np.float64)
        first = np.flatnonzero(np.diff(found.parents, prepend=-1))  # one for each state that has successors
        group = np.repeat(np.arange(len(first)), np.diff(first, append=len(weights)))
        weights -= np.maximum.reduceat(weights, first)[group]
        costs = np.log(np.add.reduceat(np.exp(weights), first))[group] - weights
        return found._replace(costs=np.minimum(np.rint(UNIT * costs), _DEAREST).astype(np.int32))

    def between(self, start: NDArray[np.uint8], goal: NDArray[np.uint8]) -> PolicyDomain:
        """The same domain with another start; the goal must be the goal of the policy."""
        return PolicyDomain(self._domain.between(start, goal), self._outputs)


def learnt_policy(domain: Domain, model: Model | Path, use: Use = _USE) -> Domain:
    """The domain with move costs from a trained policy.

    Raises
    ------
    ConfigurationError
        If the model was trained for other moves or another goal, is not a policy, or needs JAX and JAX is not
        installed.
    InputError
        If the file is not a model file.
    """
    given = model if isinstance(model, Model) else read_model(model)
    if given.output != "policy":
        raise ConfigurationError("this network estimates distances, it does not choose moves. Maybe use heuristic?")
    return cast("Domain", PolicyDomain(domain, outputs_by_key(use.applied(given), domain, use)))
