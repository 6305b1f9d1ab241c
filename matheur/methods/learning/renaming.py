"""A network and a domain with another goal: what the network sees is a state with other names, whose goal it knows.

A window of a plan has a goal of its own. Where tiles, pieces or rings may be renamed, distances to that goal are
distances to the trained one. If no renaming makes one goal of the other (the blank is in another cell, say), the
nearest state is taken of which one does: estimates are then lowered by the moves to it, as distances differ by no more.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from matheur.errors import ConfigurationError
from matheur.methods.learning.model_file import Model
from matheur.methods.learning.use import view_of
from matheur.methods.statespace.domain import Domain, RenamingDomain, View

__all__ = ["Sight", "check_other_goals", "sight_of"]

_STATES = 2_000  # that are tried


class Sight(NamedTuple):
    """What a network sees of the states of a domain.

    Attributes
    ----------
    view
        None for their components as they are.
    apart
        Moves by which the distance to the domain's goal may differ from the distance that the network knows.
    """

    view: View | None
    apart: int


def sight_of(model: Model, domain: Domain) -> Sight:
    """What a model sees of the states of a domain, whose goal may be another one if states can be renamed.

    Raises
    ------
    ConfigurationError
        If the model was trained for other moves, or another goal that renaming does not lead to.
    """
    other_goal = (model.domain, model.fingerprint) == (domain.name, domain.fingerprint) and not np.array_equal(
        model.goal, domain.goal
    )
    if not other_goal or not isinstance(domain, RenamingDomain):
        return Sight(view_of(model, domain), 0)
    goal = domain.packing.pack(domain.goal[None])
    level, known, apart = goal, {goal.tobytes()}, 0
    while len(level) and len(known) < _STATES:
        for state in domain.packing.unpack(level):
            view = domain.renaming(state, model.goal)
            if view is not None:
                return Sight(view, apart)
        level, apart = _next(domain, level, known), apart + 1
    raise ConfigurationError(
        f"this network was trained for another goal of '{model.domain}', and no renaming makes that of this one"
    )


def check_other_goals(model: Model, domain: Domain) -> None:
    """Refuse a network that could not be asked about other goals of a domain.

    Raises
    ------
    ConfigurationError
        If the domain cannot rename its states, or the model does not fit it.
    """
    sight_of(model, domain)
    if not isinstance(domain, RenamingDomain):
        raise ConfigurationError(
            f"a network knows one goal, and '{domain.name}' has no renaming of states that makes it of another one"
        )


def _next(domain: Domain, level: NDArray[np.uint64], known: set[bytes]) -> NDArray[np.uint64]:
    """Neighbours that are not known yet, which they then are."""
    found = np.unique(domain.expand(level).keys, axis=0)
    fresh = found[np.array([row.tobytes() not in known for row in found], dtype=bool)]
    known.update(row.tobytes() for row in fresh)
    return fresh
