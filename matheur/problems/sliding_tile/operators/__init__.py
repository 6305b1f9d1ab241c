"""Operators for sliding tiles only; all other operators are shared by the plan problems."""

__all__: list[str] = []
