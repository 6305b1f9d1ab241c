"""The built-in problems, each in its own folder, and code that several of them share."""

from matheur.engine.problem_types import problem_types

__all__ = ["problem_types"]
