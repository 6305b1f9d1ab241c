"""Operators of party building puzzles."""

__all__: list[str] = []
