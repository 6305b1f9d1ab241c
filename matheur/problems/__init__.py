"""What each problem is: instance, solution, evaluator, formats, generator and picture; nothing that searches."""

from matheur.engine.registry import Entry, Registry

__all__ = ["problem_types"]

problem_types = Registry(
    "problem",
    "matheur.problems",
    [
        Entry(
            "edge-matching",
            "matheur.problems.edge_matching:TYPE",
            "Place square pieces on a board so that touching sides match (Eternity II, META 2010)",
        ),
        Entry(
            "cubical",
            "matheur.problems.cubical:TYPE",
            "Slide rings over the faces of a hypercube to their targets in few moves (Merleau et al. 2024)",
        ),
    ],
)
