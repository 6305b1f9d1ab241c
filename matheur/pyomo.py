"""matheur as a solver of Pyomo: `import matheur.pyomo`, then `SolverFactory("matheur").solve(model)`.

The import registers the name with both solver interfaces of Pyomo, in `pyomo.environ` and, newer, in
`pyomo.contrib.solver`.
"""

from __future__ import annotations

from matheur.engine.problem_types import of_working, working_tools

__all__: list[str] = []

for _name, _register in working_tools("pyomo"):
    list(of_working(_name, _register))
