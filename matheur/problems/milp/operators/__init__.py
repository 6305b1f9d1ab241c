"""Operators of linear programs."""

__all__: list[str] = []
