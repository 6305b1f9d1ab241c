"""The state spaces of the built-in puzzles, and those that other packages add (entry points `matheur.domains`).

The searches know none of them: they see the protocol `matheur.methods.statespace.domain.Domain`.
"""

from __future__ import annotations

from typing import Any

from matheur.engine.registry import Entry, Registry

__all__ = ["domain_of", "domains"]

domains: Registry = Registry(
    "domain",
    "matheur.domains",
    [
        Entry("cubical", "matheur.problems.cubical.domain:cubical_domain", "rings on a hypercube"),
        Entry("sliding-tile", "matheur.problems.sliding_tile.domain:sliding_tile_domain", "tiles and a blank"),
        Entry("lights-out", "matheur.problems.lights_out.domain:lights_out_domain", "lights and presses"),
        Entry("sokoban", "matheur.problems.sokoban.domain:sokoban_domain", "steps and pushes"),
        Entry("rubik", "matheur.problems.rubik.domain:rubik_domain", "turns of a cube"),
    ],
)


def domain_of(problem: Any) -> Any:
    """The `Domain` of a problem: its own method `domain()`, or the one registered under its name."""
    own = getattr(problem, "domain", None)
    return own() if callable(own) else domains.get(problem.name)(problem)
