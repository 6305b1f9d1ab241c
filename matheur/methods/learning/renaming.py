"""A network for a domain with another goal: states are renamed so that their goal is the goal of the network.

A window of a plan has its own goal. If tiles, pieces or rings may be renamed, distances to this goal equal distances to
the trained goal. If no renaming maps one goal to the other (for example, because the blank is in another cell), the
nearest state that can be mapped is used instead. Estimates are then lowered by the number of moves to this state,
because distances differ by at most that number.
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

_STATES = 2_000  # most states that are tried


class Sight(NamedTuple):
    """How a network sees the states of a domain.

    Attributes
    ----------
    view
        View of the states; None for the components themselves.
    apart
        Moves by which the distance to the domain's goal may differ from the distance to the network's goal.
    """

    view: View | None
    apart: int


def sight_of(model: Model, domain: Domain) -> Sight:
    """How a model sees the states of a domain, whose goal may differ from the model's if states can be renamed.

    Raises
    ------
    ConfigurationError
        If the model was trained for other moves, or for a goal that renaming does not reach.
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
        f"this network was trained for another goal of '{model.domain}', and no renaming of states turns that goal "
        "into this one"
    )


def check_other_goals(model: Model, domain: Domain) -> None:
    """Check that a network can be used for other goals of a domain.

    Raises
    ------
    ConfigurationError
        If the domain cannot rename its states, or the model does not fit it.
    """
    sight_of(model, domain)
    if not isinstance(domain, RenamingDomain):
        raise ConfigurationError(
            f"a network knows one goal, and '{domain.name}' has no renaming of states that turns another goal into it"
        )


def _next(domain: Domain, level: NDArray[np.uint64], known: set[bytes]) -> NDArray[np.uint64]:
    """Neighbours that are not in `known`; they are added to it."""
    found = np.unique(domain.expand(level).keys, axis=0)
    fresh = found[np.array([row.tobytes() not in known for row in found], dtype=bool)]
    known.update(row.tobytes() for row in fresh)
    return fresh
