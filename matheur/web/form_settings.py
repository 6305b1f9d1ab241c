"""Conversion of form fields to the parameters of `matheur.running.configuration.resolve`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from matheur.errors import ConfigurationError
from matheur.running.earlier_words import NOW

__all__ = ["settings_of"]

_NAMES = ("construction", "schedule", "acceptance", "solver")
_NUMBERS: Mapping[str, Callable[[str], int | float]] = {
    "seconds": float, "iterations": int, "work": int, "target": float, "seed": int, "jobs": int,
}  # fmt: skip


def settings_of(form: Mapping[str, Any]) -> dict[str, Any]:
    """The parameters `preset`, `settings` and `overrides`; empty fields change nothing.

    Raises
    ------
    ConfigurationError
        If a numeric field does not hold a number, or if two fields contradict each other.
    """
    form = {NOW.get(name, name): value for name, value in form.items()}
    overrides: dict[str, Any] = {name: form[name] for name in _NAMES if form.get(name)}
    for name, kind in _NUMBERS.items():
        text = str(form.get(name, "")).strip()
        if text:
            try:
                overrides[name] = kind(text)
            except ValueError:
                what = "a whole number" if kind is int else "a number"
                raise ConfigurationError(f"'{name}' must be {what} ({text[:40]!r})") from None
    neighbourhoods = list(form.get("neighbourhood", ()))
    if form.get("chosen") == "these":
        overrides["neighbourhoods"] = neighbourhoods
    elif neighbourhoods:
        raise ConfigurationError("neighbourhoods are ticked, but those of the preset are chosen. Maybe choose 'these'?")
    settings = [line.strip() for line in str(form.get("settings", "")).splitlines() if line.strip()]
    return {"preset": form.get("preset") or None, "settings": settings, "overrides": overrides}
