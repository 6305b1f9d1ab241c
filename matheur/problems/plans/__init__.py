"""Operators of every puzzle whose solutions are plans: paths in the state space of its `Domain`.

Constructions are searches, neighbourhoods improve parts of a plan. None of them knows a puzzle; which puzzles have
them is said in `matheur.problems.builtin`.
"""

__all__: list[str] = []
