"""Constants that kernels of other modules read."""

from __future__ import annotations

import os
from enum import IntEnum

import numpy as np

NUMBER = 10
NESTED = ((10, 1), "name")
TABLE = np.array([10, 1])
GIVEN = int(os.environ.get("GIVEN", "10"))


class Kind(IntEnum):
    """An enumeration."""

    FIRST = 10
