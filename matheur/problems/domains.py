"""The state spaces of the built-in puzzles, and those that other packages add (entry points `matheur.domains`).

The searches know none of them: they see the protocol `matheur.statespace.domain.Domain`.
"""

from __future__ import annotations

from typing import Any

from matheur.engine.registry import Entry, Registry

__all__ = ["domain_of", "domains"]

domains: Registry = Registry(
    "domain",
    "matheur.domains",
    [
        Entry("cubical", "matheur.statespace.domains.cubical:cubical_domain", "rings on a hypercube"),
        Entry("sliding-tile", "matheur.statespace.domains.sliding_tile:sliding_tile_domain", "tiles and a blank"),
        Entry("lights-out", "matheur.statespace.domains.lights_out:lights_out_domain", "lights and presses"),
        Entry("sokoban", "matheur.statespace.domains.sokoban:sokoban_domain", "steps and pushes"),
        Entry("rubik", "matheur.statespace.domains.rubik:rubik_domain", "turns of a cube"),
    ],
)


def domain_of(problem: Any) -> Any:
    """The `Domain` of a problem: its own method `domain()`, or the one registered under its name."""
    own = getattr(problem, "domain", None)
    return own() if callable(own) else domains.get(problem.name)(problem)
