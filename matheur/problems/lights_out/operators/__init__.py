"""Operators of Lights Out alone; the others are those of all plans."""

__all__: list[str] = []
