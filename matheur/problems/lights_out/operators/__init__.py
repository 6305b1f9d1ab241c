"""Operators specific to Lights Out; the others are shared by all plans."""

__all__: list[str] = []
