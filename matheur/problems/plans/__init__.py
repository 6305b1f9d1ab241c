"""Operators of every puzzle whose solutions are plans: paths in the state space of its `Domain`.

Constructions are searches, neighbourhoods improve parts of a plan. None of them knows a puzzle. A puzzle has
them by the line `shares = "matheur.problems.plans"` of its registration (`matheur.engine.registration`).
"""

__all__: list[str] = []
