"""Identity of a search, by which a checkpoint belongs to it."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from matheur.running.configuration import Configuration
from matheur.running.earlier_words import as_before

__all__ = ["DIFFERENT", "options_digest", "search_identity"]

DIFFERENT: Mapping[str, str] = MappingProxyType(
    {"instance": "of another instance", "search": "with other operators or options, or another number of jobs"}
)
"""Phrases on the digests in an identity, for the message if they differ."""


def search_identity(problem: Any, configuration: Configuration) -> dict[str, Any]:
    """Identity of a checkpoint: the instance and the search (limits and seed may change)."""
    found = as_before(configuration.to_dict())
    way = {key: found[key] for key in ("construct", "neighbourhoods", "schedule", "accept", "jobs")}
    way |= {key: found[key] for key in ("guides", "guide_calls") if found["guides"]}
    if configuration.jobs > 1 and "members" in found["portfolio"]:
        way["members"] = found["portfolio"]["members"]
    return {"problem": problem.name, "instance": problem.fingerprint, "search": _digest(way)}


def options_digest(configuration: Configuration) -> str:
    """Digest of the options of the operators and of the solver, which may change when a search is resumed."""
    c = configuration
    return _digest([c.construction, [c.neighbourhood.get(name, {}) for name in c.neighbourhoods], c.solver])


def _digest(values: Any) -> str:
    text = json.dumps(values, sort_keys=True, default=list)
    return hashlib.blake2b(text.encode(), digest_size=8).hexdigest()
