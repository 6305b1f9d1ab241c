"""Built-in boards: boards with all lights on in sizes of interest, and random boards."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from matheur.problems.builtin_instances import Builtins
from matheur.problems.lights_out.generator import generate
from matheur.problems.lights_out.instance import Instance

__all__ = ["BUILTINS", "builtin"]

_FULL = (4, 5, 7, 9, 11, 14, 16, 17, 19, 23)

BUILTINS: Mapping[str, str] = MappingProxyType(
    {
        "demo": "7 x 7, random lights; the only set of presses is found at once",
        "random-5x5": "5 x 5, random lights of the classic toy: the best of four sets of presses",
        "random-19x19": "19 x 19, random lights: the best of 65,536 sets of presses",
        "king-8x8": "8 x 8, random lights, a press toggles all nine cells around",
        "odd-5x5": "5 x 5, one light in the corner: it cannot be put out",
        **{f"all-{n}x{n}": f"{n} x {n}, all lights on" for n in _FULL},
    }
)
"""Names of the built-in boards, with one line about each."""


def _make(name: str) -> Instance:
    if name == "odd-5x5":
        return Instance(5, 5, (True,) + (False,) * 24, title=name)
    if name.startswith("all-"):
        n = int(name.rpartition("x")[2])
        return Instance(n, n, (True,) * (n * n), title=name)
    n = 7 if name == "demo" else int(name.rpartition("x")[2])
    return generate(n, n, seed=2026, pattern="king" if name.startswith("king") else "plus", title=name)[0]


builtin = Builtins("lights-out", BUILTINS, _make)
"""A built-in board."""
