"""The event stream of a run, read by all observers.

Events: `start, operator, incumbent, bound, proof, migration, checkpoint, end`. Each carries at least
`event, seconds, work`; an `incumbent` carries `objective, score, operator`, a `bound` carries `bound, score, operator`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

__all__ = ["Event", "Observer", "plain"]

Event = Mapping[str, Any]
Observer = Callable[[Event], None]


def plain(value: Any) -> Any:
    """Plain JSON values from numpy scalars and arrays, tuples and mappings; infinities become None."""
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, np.ndarray):
        return plain(value.tolist())
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not np.isfinite(value):
        return None
    return value
