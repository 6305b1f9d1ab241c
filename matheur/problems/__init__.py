"""What each problem is: instance, solution, evaluator, formats, generator and picture; nothing that searches."""

from matheur.engine.registry import Entry, Registry

__all__ = ["problem_types"]

problem_types: Registry = Registry(
    "problem",
    "matheur.problems",
    [
        Entry(
            "edge-matching",
            "matheur.problems.edge_matching:TYPE",
            "Place square pieces on a board so that touching sides match (Eternity II, META 2010)",
        ),
        Entry(
            "max-clique",
            "matheur.problems.max_clique:TYPE",
            "Find a largest set of pairwise adjacent vertices of a graph (DIMACS, BHOSLIB)",
        ),
        Entry(
            "cubical",
            "matheur.problems.cubical:TYPE",
            "Slide rings over the faces of a hypercube to their targets in few moves (Merleau et al. 2024)",
        ),
        Entry(
            "sliding-tile",
            "matheur.problems.sliding_tile:TYPE",
            "Slide numbered tiles over the blank into their order in few slides (8-, 15-, 24-puzzle and more)",
        ),
        Entry(
            "lights-out",
            "matheur.problems.lights_out:TYPE",
            "Press cells that toggle themselves and their neighbours until all lights are off",
        ),
        Entry(
            "sokoban",
            "matheur.problems.sokoban:TYPE",
            "Push boxes onto goals through a warehouse in few moves or pushes",
        ),
        Entry(
            "rubik",
            "matheur.problems.rubik:TYPE",
            "Turn the faces of Rubik's cube until each shows one colour, in few quarter or half turns",
        ),
        Entry(
            "party",
            "matheur.problems.party:TYPE",
            "Choose items for the slots of a formation: all demands met, at the least price (party building)",
        ),
        Entry(
            "quadratic-assignment",
            "matheur.problems.quadratic_assignment:TYPE",
            "Place facilities on locations so that flows times distances are least (QAPLIB)",
        ),
    ],
)
