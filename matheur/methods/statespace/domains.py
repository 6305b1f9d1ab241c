"""State spaces by the name of their problem, from registrations and entry points `matheur.domains`.

The searches depend only on the protocol `matheur.methods.statespace.domain.Domain`.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from matheur.engine.registration import Registration, built_in, installed
from matheur.engine.registry import Entry, Registry

__all__ = ["domain_of", "domains"]


def _of(registrations: Iterable[Registration]) -> list[Entry]:
    return [one.domain for one in registrations if one.domain is not None]


domains: Registry = Registry(
    "domain", "matheur.domains", lambda: _of(built_in().values()), lambda: _of(installed().values())
)


def domain_of(problem: Any) -> Any:
    """The `Domain` of a problem: from its method `domain()`, or registered under its name."""
    own = getattr(problem, "domain", None)
    return own() if callable(own) else domains.get(problem.name)(problem)
