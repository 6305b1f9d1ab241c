"""Pyomo models of the edge-matching puzzle."""

__all__: list[str] = []
