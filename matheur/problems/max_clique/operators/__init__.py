"""Operators of maximum clique."""

__all__: list[str] = []
