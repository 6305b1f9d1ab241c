"""Operators of quadratic assignment."""

__all__: list[str] = []
