"""Operators of every puzzle whose solutions are plans: paths in the state space of its `Domain`.

Constructions are searches; neighbourhoods improve parts of a plan. None of them depends on a particular puzzle. A
puzzle gets them by the line `shares = "matheur.problems.plans"` in its registration (`matheur.engine.registration`).
"""

__all__: list[str] = []
