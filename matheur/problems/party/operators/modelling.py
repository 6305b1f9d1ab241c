"""The MILP of a puzzle, built within the limits of a run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from matheur.engine.budget import Budget
from matheur.problems.party.instance import Instance
from matheur.problems.party.operators.reduction import undominated

__all__ = ["party_model"]


def party_model(
    instance: Instance,
    budget: Budget,
    candidates: Sequence[NDArray[np.int32]] | None = None,
    *,
    reduce: bool = False,
    **options: Any,
) -> Any:
    """Build the model with `matheur.models.party.build`, which describes the options.

    Parameters
    ----------
    candidates
        Candidates of each slot; all candidates of the instance if None.
    reduce
        Whether to use only the undominated candidates of the instance.

    Returns
    -------
    matheur.models.party.PartyModel

    Raises
    ------
    OutOfBudgetError
        If the time ends, or the user interrupts, before the model is built.
    """
    from matheur.models.party import build  # late: most puzzles are solved without Pyomo, which takes long to load

    with budget.watched():
        return build(instance, undominated(instance) if reduce else candidates, **options)
