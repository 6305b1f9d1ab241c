"""Quadratic assignment with the arguments of `scipy.optimize.quadratic_assignment`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from matheur.engine.operators import operator_entries
from matheur.errors import ConfigurationError, InputError, MatheurError, nearest
from matheur.problems.decimals import decimal_parts
from matheur.problems.quadratic_assignment.given import assemble
from matheur.problems.quadratic_assignment.instance import Instance
from matheur.problems.quadratic_assignment.numbers import raised
from matheur.problems.quadratic_assignment.problem import QuadraticAssignment

if TYPE_CHECKING:
    from scipy.optimize import OptimizeResult

__all__ = ["quadratic_assignment"]

_OPTIONS = (
    "maximize", "partial_match", "rng", "seed", "P0", "shuffle_input", "maxiter", "tol", "partial_guess", "linear",
    "seconds", "work", "iterations", "jobs",
)  # fmt: skip
_ROOM, _MOST = 44, 58  # bits of rounded costs: accepted by all exact methods, and the upper limit
_DECIMALS = 15

Table = NDArray[np.float64]


def quadratic_assignment(
    A: ArrayLike,
    B: ArrayLike,
    method: str | None = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResult:
    """Match the nodes of A with nodes of B so that sum A[i, j] B[p[i], p[j]] is minimal (or maximal).

    Parameters
    ----------
    A, B
        Square matrices of finite numbers. B may be larger than A; some of its nodes then remain unmatched.
    method
        None for the search of `matheur solve`, which proves small instances optimal; `faq` for the algorithm of SciPy's
        `faq`; `2opt` for exchanges of two nodes until none improves; or the name of a construction or neighbourhood of
        matheur, such as `genetic`, `robust-tabu` and `branch-and-bound`.
    options
        Options of SciPy: `maximize`, `partial_match` (rows of a node of A and its partner), `rng` or `seed`, `P0`,
        `shuffle_input`, `maxiter` and `tol` (for `faq`), `partial_guess` (the start). In addition, `linear`, the cost
        of each node of A with each node of B, and the limits `seconds`, `work`, `iterations` and the number of `jobs`
        of `matheur.solve`. Of these limits, `2opt` accepts `seconds` and `work`; `faq` accepts none except `maxiter`.

    Returns
    -------
    scipy.optimize.OptimizeResult
        `col_ind`, the partner of each node of A; `fun`, the objective, computed from A and B; `nit`, iterations of
        `faq`, or units of work. In addition, `optimal`, whether optimality is proved; `bound` (None if unknown); and
        `exact`, whether the search used the exact numbers: numbers with many digits are rounded to about 20 bits, and a
        proof then holds for the rounded numbers.

    Raises
    ------
    InputError
        If matrices or matches are inconsistent.
    ConfigurationError
        If the method or an option is unknown or invalid.
    MatheurError
        If the search found no assignment within its limits, as `astar` may.

    Examples
    --------
    >>> A = np.array([[0, 80, 150, 170], [80, 0, 130, 100], [150, 130, 0, 120], [170, 100, 120, 0]])
    >>> B = np.array([[0, 5, 2, 7], [0, 0, 3, 8], [0, 0, 0, 3], [0, 0, 0, 0]])
    >>> found = quadratic_assignment(A, B)
    >>> found.col_ind.tolist(), int(found.fun), found.optimal
    ([0, 3, 2, 1], 3260, True)
    """
    from scipy.optimize import OptimizeResult

    given = dict(options or {})
    for name in given:
        if name not in _OPTIONS:
            raise ConfigurationError(f"no option is called {name!r}. {nearest(str(name), _OPTIONS)}")
    flows, distances = _matrix(A, "A"), _matrix(B, "B")
    linear = None if given.get("linear") is None else _table(given["linear"], "linear")
    maximize = bool(given.get("maximize", False))
    fixed = _matches(given.get("partial_match"), len(flows), len(distances), "partial_match")
    _check_limits(given)
    instance, unit = _instance(flows, distances, linear, fixed, maximize)
    problem = QuadraticAssignment(instance)
    start = _guess(problem, given.get("partial_guess"), _generator(given))
    facts: dict[str, Any] = {"optimal": False, "bound": None}
    if method == "faq":
        solution, nit = _faq(problem, given)
    elif method == "2opt":
        solution, nit = _exchanged(problem, given, start)
    else:
        solution, nit, facts = _solved(problem, method, given, start)
    places = problem.places(solution).astype(np.int64)
    bound = None if unit is None or facts["bound"] is None else float(facts["bound"] * unit)
    facts["bound"] = -bound if maximize and bound is not None else bound
    if unit is None:  # sums of integers could overflow
        flows, distances = flows.astype(np.float64), distances.astype(np.float64)
        linear = None if linear is None else linear.astype(np.float64)
    fun = (flows * distances[np.ix_(places, places)]).sum()
    if linear is not None:
        fun += linear[np.arange(len(places)), places].sum()
    return OptimizeResult(col_ind=places, fun=fun, nit=nit, exact=unit is not None, **facts)


def _matrix(values: ArrayLike, name: str) -> NDArray[Any]:
    table = _table(values, name)
    if table.shape[0] != table.shape[1]:
        raise InputError(f"{name} must be square ({table.shape[0]} x {table.shape[1]})")
    return table


def _table(values: ArrayLike, name: str) -> NDArray[Any]:
    try:
        table = np.atleast_2d(np.asarray(values))
        if np.can_cast(table.dtype, np.int64):
            table = table.astype(np.int64)
        elif not np.issubdtype(table.dtype, np.integer):
            table = table.astype(np.float64, casting="same_kind" if table.dtype != object else "unsafe")
    except (TypeError, ValueError):
        raise InputError(f"{name} must be a table of real numbers") from None
    if table.ndim != 2 or not table.size:
        raise InputError(f"{name} must be a table with rows and columns (shape {table.shape})")
    if not np.isfinite(table).all():
        raise InputError(f"{name} must have finite numbers only")
    return table


def _matches(rows: Any, m: int, n: int, name: str) -> dict[int, int]:
    """Pairs of nodes, given as in SciPy."""
    if rows is None:
        return {}
    try:
        pairs = np.asarray(rows)
    except ValueError:
        raise InputError(f"'{name}' must have rows of two whole numbers, all of one length") from None
    if pairs.size == 0:
        return {}
    pairs = np.atleast_2d(pairs)
    if pairs.ndim != 2 or pairs.shape[1] != 2 or not np.issubdtype(pairs.dtype, np.integer):
        raise InputError(f"'{name}' must have rows of two whole numbers (shape {pairs.shape})")
    for column, most, of in ((0, m, "A"), (1, n, "B")):
        nodes = pairs[:, column]
        if (nodes < 0).any() or (nodes >= most).any():
            wrong = int(nodes.min() if nodes.min() < 0 else nodes.max())
            raise InputError(f"'{name}' names nodes of {of} from 0 to {most - 1} ({wrong})")
        if len(np.unique(nodes)) < len(nodes):
            raise InputError(f"'{name}' names a node of {of} twice")
    return {int(one): int(other) for one, other in pairs}


def _instance(
    flows: NDArray[Any], distances: NDArray[Any], linear: NDArray[Any] | None, fixed: Mapping[int, int], maximize: bool
) -> tuple[Instance, Fraction | None]:
    """The instance in integers, and the unit of its objective; None if numbers were rounded."""
    sign = -1 if maximize else 1
    if len(flows) > len(distances):
        raise InputError(f"A has more nodes than B ({len(flows)} and {len(distances)}). Maybe swap them?")
    if linear is not None and linear.shape != (len(flows), len(distances)):
        shape = f"{len(flows)} x {len(distances)}"
        raise InputError(f"linear must be {shape}, a row for each node of A ({linear.shape[0]} x {linear.shape[1]})")
    try:
        (a, of_a), (b, of_b) = _decimals(flows), _decimals(distances)
        c, of_c = (None, 0) if linear is None else _decimals(linear)
        decimals = max(of_a + of_b, of_c)
        a = sign * raised(a, decimals - of_a - of_b)
        costs = None if c is None else sign * raised(c, decimals - of_c)
        made = assemble(a, b, "", (decimals - of_b, of_b), linear=costs, fixed=fixed)
        return made, Fraction(1, 10**decimals)
    except (OverflowError, ValueError):
        pass  # too many digits: rounded as precisely as 64 bits allow
    a, b, c = _rounded(flows, distances, linear)
    return assemble(sign * a, b, linear=None if c is None else sign * c, fixed=fixed), None


def _decimals(table: NDArray[Any]) -> tuple[NDArray[np.int64], int]:
    """The numbers scaled to integers, and the number of decimals by which they were scaled.

    Raises
    ------
    OverflowError
        If the numbers have too many decimals.
    """
    if np.issubdtype(table.dtype, np.integer):
        if int(table.max()) >= 1 << 62 or int(table.min()) <= -(1 << 62):
            raise OverflowError
        return table.astype(np.int64), 0
    parts = [decimal_parts(repr(value)) for value in table.ravel().tolist()]
    if any(one is None or one[1] > _DECIMALS for one in parts):
        raise OverflowError
    behind = max(one[1] for one in parts if one is not None)
    wholes = [one[0] * 10 ** (behind - one[1]) for one in parts if one is not None]
    return np.array(wholes, dtype=np.int64).reshape(table.shape), behind


def _rounded(
    flows: NDArray[Any], distances: NDArray[Any], linear: NDArray[Any] | None
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64] | None]:
    """Integers as close as the available bits allow, up to a common factor of all costs."""
    (a, of_a), (b, of_b) = _below_one(flows), _below_one(distances)
    worst = np.log2(max(float(abs(a).sum() * abs(b).max()), 0.25))
    if linear is not None:
        c, of_c = _below_one(linear)
        more = of_c - of_a - of_b
        if c.any():
            worst = np.logaddexp2(worst, np.log2(abs(c).sum()) + more)
    steps = int(max(np.floor((_ROOM - worst) / 2), min(1, np.floor((_MOST - worst) / 2))))
    whole = [np.rint(np.ldexp(one, steps)).astype(np.int64) for one in (a, b)]
    costs = None if linear is None else np.rint(np.ldexp(c, 2 * steps + more)).astype(np.int64)
    return whole[0], whole[1], costs


def _below_one(table: NDArray[Any]) -> tuple[Table, int]:
    """The numbers divided by the smallest power of two above their magnitudes, and its exponent."""
    numbers = table.astype(np.float64)
    exponent = int(np.frexp(abs(numbers).max())[1])
    return np.ldexp(numbers, -exponent), exponent


def _check_limits(given: Mapping[str, Any]) -> None:
    for name, kind in (("seconds", int | float | np.number), ("work", int | np.integer)):
        limit = given.get(name)
        if limit is not None and (not isinstance(limit, kind) or not 0 <= limit < np.inf):
            raise ConfigurationError(f"'{name}' must be a finite number from 0 ({str(limit)[:40]!r})")


def _generator(given: Mapping[str, Any]) -> np.random.Generator:
    chosen = given.get("seed") if given.get("rng") is None else given["rng"]
    try:
        return np.random.default_rng(0 if chosen is None else chosen)
    except (TypeError, ValueError):
        raise ConfigurationError(f"'rng' is a seed or a numpy.random.Generator ({str(chosen)[:40]!r})") from None


def _guess(problem: QuadraticAssignment, rows: Any, rng: np.random.Generator) -> NDArray[np.int32] | None:
    """The start for a partial guess; the remaining nodes are matched at random."""
    if rows is None:
        return None
    m, n = problem.facilities, problem.locations
    fixed = {} if problem.instance.given is None else dict(problem.instance.given.fixed)
    wanted = {**_matches(rows, m, n, "partial_guess"), **fixed}
    places = np.full(m, -1, dtype=np.int32)
    places[list(fixed)] = list(fixed.values())
    for node, partner in wanted.items():
        if places[node] < 0 and partner not in places:
            places[node] = partner
    left = np.flatnonzero(places < 0)
    places[left] = rng.permutation(np.setdiff1d(np.arange(n), places))[: len(left)]
    return problem.decode((places + 1).tolist())


def _faq(problem: QuadraticAssignment, given: Mapping[str, Any]) -> tuple[NDArray[np.int32], int]:
    """Result of SciPy's algorithm from one start."""
    from matheur.problems.quadratic_assignment.operators import frank_wolfe

    one, rng = problem.instance, _generator(given)
    n, begin = one.n, given.get("P0", "barycenter")
    start = None
    if not isinstance(begin, str):
        try:
            start = np.asarray(begin, dtype=np.float64)
        except (TypeError, ValueError):
            raise InputError("P0 is 'barycenter', 'randomized' or a matrix of numbers") from None
        sums = (start.sum(axis=0), start.sum(axis=1)) if start.shape == (n, n) else ()
        if not sums or (start < 0).any() or not all(np.allclose(line, 1) for line in sums):
            raise InputError(f"P0 must be doubly stochastic, {n} x {n}: for the nodes without a given partner")
    elif begin not in ("barycenter", "randomized"):
        raise ConfigurationError(f"P0 is 'barycenter', 'randomized' or a matrix ({begin!r})")
    steps, tolerance = given.get("maxiter", 30), given.get("tol", frank_wolfe.TOLERANCE)
    if not isinstance(steps, int | float | np.number) or not 1 <= steps < np.inf:
        raise ConfigurationError(f"'maxiter' must be a finite number from 1 ({str(steps)[:40]!r})")
    if not isinstance(tolerance, int | float | np.number) or not tolerance > 0:
        raise ConfigurationError(f"'tol' must be above 0 ({str(tolerance)[:40]!r})")
    order = rng.permutation(n) if given.get("shuffle_input") else np.arange(n)
    found, made = frank_wolfe.quadratic_assignment(
        one.flows[np.ix_(order, order)].astype(np.float64),
        one.distances.astype(np.float64),
        None if one.linear is None else one.linear[order].astype(np.float64),
        steps=int(steps),
        tolerance=float(tolerance),
        rng=rng if start is None and begin == "randomized" else None,
        start=None if start is None else start[order],
    )
    places = np.empty(n, dtype=np.int32)
    places[order] = found
    return places, made


def _exchanged(
    problem: QuadraticAssignment, given: Mapping[str, Any], start: NDArray[np.int32] | None
) -> tuple[NDArray[np.int32], int]:
    """A local optimum of exchanges, from the guess or a random start."""
    from matheur.engine.budget import Budget
    from matheur.problems.quadratic_assignment.operators.swap import Swap

    rng, budget = _generator(given), Budget(seconds=given.get("seconds"), work=given.get("work"))
    begin = rng.permutation(problem.instance.n).astype(np.int32) if start is None else start
    found = Swap().explore(problem, begin, budget, rng)
    assert found.solution is not None
    return found.solution, budget.spent_work


def _solved(
    problem: QuadraticAssignment, method: str | None, given: Mapping[str, Any], start: NDArray[np.int32] | None
) -> tuple[NDArray[np.int32], int, dict[str, Any]]:
    """Result of a search by matheur."""
    from matheur.running.solving import solve

    names = {
        kind: [entry.name for entry in operator_entries(problem.name, kind)]
        for kind in ("construction", "neighbourhood")
    }
    chosen: dict[str, Any] = {}
    if method in names["neighbourhood"] and method not in names["construction"]:
        chosen = {"construction": "random", "neighbourhoods": [method]}
    elif method in names["construction"]:
        chosen = {"construction": method, "neighbourhoods": []}
    elif method is not None:
        known = {"faq", "2opt", *names["construction"], *names["neighbourhood"]}
        raise ConfigurationError(f"no method is called {method!r}. {nearest(str(method), known)}")
    limits = {name: given[name] for name in ("seconds", "work", "iterations", "jobs") if given.get(name) is not None}
    seed = int(_generator(given).integers(1 << 31))
    found = solve(problem, start=start, seed=seed, **chosen, **limits)
    if found.solution is None:
        raise MatheurError(f"no assignment was found ({found.reason or found.stopped}). Maybe higher limits?")
    return found.solution, found.work, {"optimal": found.status == "optimal", "bound": found.bound}
