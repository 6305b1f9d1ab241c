"""Kernels share code instead of repeating it."""

import ast
from collections import defaultdict
from itertools import combinations
from pathlib import Path

import matheur

RUN = 8
"""So many identical lines in a row are one piece of code in two places."""

SEARCH = "a loop that jumps: a called kernel can neither leave it nor go on with its next turn"
LAYOUT = "names of the same meaning and another value: rows of two layouts"
DATA = "reading the numbers of a domain, and the loop over rings"

ALLOWED = {
    ("matheur.problems.rubik.search.deepening_kernels", "matheur.problems.rubik.search.exact_kernels"): (18, SEARCH),
    ("matheur.problems.rubik.search.deepening_kernels", "matheur.problems.rubik.search.two_phase_kernels"): (
        10,
        SEARCH,
    ),
    ("matheur.problems.rubik.search.exact_kernels", "matheur.problems.rubik.search.two_phase_kernels"): (9, SEARCH),
    (
        "matheur.problems.edge_matching.backtracking.narrow_kernels",
        "matheur.problems.edge_matching.backtracking.wide_kernels",
    ): (12, LAYOUT),
    (
        "matheur.methods.statespace.planners.assisted_evolution_kernels",
        "matheur.methods.statespace.planners.evolution_kernels",
    ): (11, SEARCH),
    ("matheur.problems.cubical.domain_by_face_kernels", "matheur.problems.cubical.domain_kernels"): (10, DATA),
}
"""Pairs of modules: identical lines in a row that they may have, and why."""


def functions(path: Path) -> list[list[str]]:
    """Lines of the functions of a module, however they are formatted, without docstrings and comments."""
    found = []
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.FunctionDef):
            body = node.body[1:] if ast.get_docstring(node) is not None else node.body
            found.append([line.strip() for statement in body for line in ast.unparse(statement).splitlines()])
    return found


def longest(one: list[list[str]], other: list[list[str]]) -> int:
    """Most identical lines in a row of a function of one module and one of the other."""
    most = 0
    for lines in one:
        for others in other:
            places = defaultdict[str, list[int]](list)
            for place, line in enumerate(others):
                places[line].append(place)
            ends: dict[int, int] = {}
            for line in lines:
                ends = {place: ends.get(place - 1, 0) + 1 for place in places[line]}
                most = max(most, *ends.values(), 0)
    return most


def repeated() -> dict[tuple[str, str], int]:
    """Pairs of modules of kernels with at least `RUN` identical lines in a row, and how many these are."""
    package = Path(matheur.__file__).parent
    modules, windows = dict[str, list[list[str]]](), defaultdict[tuple[str, ...], set[str]](set)
    for path in sorted(package.rglob("*.py")):
        if not path.name.endswith("_kernels.py") and "@kernel" not in path.read_text(encoding="utf-8"):
            continue
        name = ".".join(("matheur", *path.relative_to(package).with_suffix("").parts))
        modules[name] = functions(path)
        for lines in modules[name]:
            for start in range(len(lines) - RUN + 1):
                windows[tuple(lines[start : start + RUN])].add(name)
    pairs = {pair for names in windows.values() for pair in combinations(sorted(names), 2)}
    return {(one, other): longest(modules[one], modules[other]) for one, other in sorted(pairs)}


def test_no_two_modules_of_kernels_repeat_lines() -> None:
    """Two modules of kernels have eight lines in a row in common only where a reason is given."""
    found = repeated()
    assert {pair: lines for pair, lines in found.items() if lines > ALLOWED.get(pair, (0, ""))[0]} == {}
    assert ALLOWED.keys() <= found.keys(), "a pair that repeats nothing any more"
