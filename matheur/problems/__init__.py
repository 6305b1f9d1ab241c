"""The problems that come with matheur: a folder each, with all that is about it, and what several of them share."""

from matheur.engine.problem_types import problem_types

__all__ = ["problem_types"]
