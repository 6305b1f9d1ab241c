"""Planners that learn: evolution and Q-learning, as in Merleau et al. 2024 and improved."""

__all__: list[str] = []
