"""Sliding tiles by their own engines: additive pattern databases and iterative deepening on them."""

__all__: list[str] = []
