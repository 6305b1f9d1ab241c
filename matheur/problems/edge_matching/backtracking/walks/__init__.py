"""Walks that fill boards along an order: one board at a time, many at a time, or first one way and then the other."""

__all__: list[str] = []
