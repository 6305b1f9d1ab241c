"""The operators that find or prove optima, and the simple constructions."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from problems.quadratic_assignment.operators.assignments import SHAPES, check, optimum, problem, random_permutation

from matheur.engine import Budget, ProofMemory, Status
from matheur.errors import ConfigurationError, OperatorError, SolverError
from matheur.methods.milp import SolverOptions
from matheur.problems.quadratic_assignment import Instance, QuadraticAssignment, builtin, generate
from matheur.problems.quadratic_assignment.operators.branch_and_bound import BranchAndBound
from matheur.problems.quadratic_assignment.operators.certifier import ExactCertifier
from matheur.problems.quadratic_assignment.operators.faq import Faq
from matheur.problems.quadratic_assignment.operators.milp_full import MilpFull
from matheur.problems.quadratic_assignment.operators.random_permutation import RandomPermutation
from matheur.problems.quadratic_assignment.operators.region import Region
from matheur.problems.quadratic_assignment.operators.region_choice import Chooser

CONSTRUCTIONS: list[Any] = [
    RandomPermutation(),
    Faq(starts=3),
    Faq(starts=2, polish=False),
    BranchAndBound(starts=2),
    MilpFull(starts=1),
    MilpFull(starts=1, ascent=0, formulation="adams-johnson"),
    MilpFull(starts=1, ascent=0, formulation="kaufman-broeckx", solver=SolverOptions("scip")),
]
EXACT = [one for one in CONSTRUCTIONS if isinstance(one, BranchAndBound | MilpFull)]
REGIONS = [
    Region(method="auto", size=5, iterations=8),
    Region(method="branch-and-bound", size=6, iterations=5),
    Region(method="milp", size=4, iterations=3),
    Region(method="milp", size=4, iterations=3, formulation="flow", solver=SolverOptions("scip")),
]


def rng(seed: int = 5) -> np.random.Generator:
    return np.random.default_rng(seed)


@pytest.fixture(scope="module")
def demo() -> QuadraticAssignment:
    return QuadraticAssignment(builtin("demo"))


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("operator", CONSTRUCTIONS, ids=repr)
def test_constructions_make_permutations(operator: Any, shape: str) -> None:
    """Of any size and symmetry, with the objective that the evaluator finds, and a bound below it."""
    for n in (1, 2, 5):
        one = problem(n, shape, 3)
        outcome = operator.build(one, Budget(), rng())
        value = check(one, outcome)
        best = optimum(one)
        assert value >= best
        if operator in EXACT:
            assert (outcome.status, value, outcome.bound) == (Status.IMPROVED, best, best)
            assert outcome.certificate is None or "backend" in outcome.certificate


@pytest.mark.parametrize("operator", CONSTRUCTIONS, ids=repr)
def test_the_same_seed_gives_the_same_permutation(operator: Any) -> None:
    """In work units nothing depends on the clock."""
    one = problem(7, "both", 1)
    budgets = [Budget(work=10_000) for _ in range(2)]
    first, again = (operator.build(one, budget, rng(3)) for budget in budgets)
    assert first.solution is not None
    assert first.solution.tolist() == again.solution.tolist()
    assert budgets[0].spent_work == budgets[1].spent_work >= 1


def test_random_permutations_differ(demo: QuadraticAssignment) -> None:
    """From call to call of one generator."""
    source = rng()
    assert len({demo.digest(RandomPermutation().build(demo, Budget(), source).solution) for _ in range(5)}) == 5


def test_faq_comes_near_the_optimum(demo: QuadraticAssignment) -> None:
    """A few starts end within some percent of it; each improvement is handed out."""
    seen: list[int] = []
    budget = Budget(on_incumbent=lambda _solution, value: seen.append(int(value)))
    value = check(demo, Faq().build(demo, budget, rng()))
    best = check(demo, BranchAndBound().build(demo, Budget(), rng()))
    assert best <= value <= 1.05 * best
    assert seen == sorted(seen, reverse=True)
    assert seen[-1] == value
    rough = check(demo, Faq(starts=1, polish=False).build(demo, Budget(), rng()))
    assert rough >= value


def test_faq_stops_at_its_target_and_in_time(demo: QuadraticAssignment) -> None:
    """A target that the first start reaches ends it; without any time there is one start all the same."""
    one = Faq(starts=1000)
    budget = Budget(target=10**9)
    one.build(demo, budget, rng())
    assert budget.spent_work < 1000
    outcome = one.build(demo, Budget(seconds=0.0), rng())
    assert outcome.status is Status.EXHAUSTED
    check(demo, outcome)


def test_branch_and_bound_proves_its_optimum(demo: QuadraticAssignment) -> None:
    """As a construction, and as a neighbourhood of the optimum and of something worse."""
    built = BranchAndBound().build(demo, Budget(), rng())
    best = check(demo, built)
    assert (built.status, built.bound) == (Status.IMPROVED, best)
    assert built.certificate is not None
    assert built.certificate["backend"] == "branch-and-bound"
    again = BranchAndBound().explore(demo, built.solution, Budget(), rng())
    assert (again.status, again.solution, again.bound) == (Status.LOCAL_OPTIMUM, None, best)
    worse = BranchAndBound().explore(demo, random_permutation(12), Budget(), rng())
    assert (worse.status, check(demo, worse), worse.bound) == (Status.IMPROVED, best, best)


def test_branch_and_bound_in_little_time_gives_a_bound() -> None:
    """When the budget ends there is a bound, better than the trivial one, and no wrong claim."""
    one = QuadraticAssignment(builtin("grid30"))
    for operator, budget in (
        (BranchAndBound(starts=1, effort=9), Budget()),
        (BranchAndBound(starts=1), Budget(work=150)),
    ):
        outcome = operator.build(one, budget, rng())
        assert outcome.status is Status.EXHAUSTED
        assert one.trivial_bound < outcome.bound < check(one, outcome)
    incumbent = random_permutation(30)
    stopped = BranchAndBound().explore(one, incumbent, Budget(interrupt=lambda: True), rng())
    assert (stopped.status, stopped.solution) == (Status.EXHAUSTED, None)


def test_branch_and_bound_leaves_large_instances_alone() -> None:
    """A construction says so, a neighbourhood does nothing."""
    for one in (problem(46), QuadraticAssignment(Instance(*rng().integers(0, 1 << 26, size=(2, 5, 5))))):
        with pytest.raises(ConfigurationError, match="'branch-and-bound' takes"):
            BranchAndBound().build(one, Budget(), rng())
        outcome = BranchAndBound().explore(one, random_permutation(one.instance.n), Budget(), rng())
        assert (outcome.status, outcome.solution, outcome.bound) == (Status.NO_IMPROVEMENT, None, None)


@pytest.mark.parametrize("name", ["highs", "scip"])
def test_milp_proves_an_optimum_by_itself(name: str) -> None:
    """Without the dual ascent the proof is the solver's, with its gaps in the certificate."""
    one = QuadraticAssignment(generate("tree", 8, seed=3)[0])
    outcome = MilpFull(ascent=0, starts=1, solver=SolverOptions(name)).build(one, Budget(), rng())
    assert check(one, outcome) == optimum(one) == outcome.bound
    assert outcome.certificate is not None
    assert (outcome.certificate["backend"], outcome.certificate["formulation"]) == (name, "flow")
    assert outcome.certificate["absolute_gap"] == pytest.approx(1.999)


def test_milp_within_limits_keeps_what_it_has() -> None:
    """Without time the best local optimum is returned, with the bound of the dual ascent."""
    one = QuadraticAssignment(builtin("uniform25"))
    outcome = MilpFull(starts=1).build(one, Budget(work=60), rng())
    assert outcome.status is Status.EXHAUSTED
    assert one.trivial_bound < outcome.bound < check(one, outcome)
    limited = MilpFull(starts=1, nodes=1, ascent=0).build(QuadraticAssignment(builtin("tiny8")), Budget(), rng())
    assert limited.bound <= limited.objective


def test_milp_refuses_what_is_too_large() -> None:
    """With the number of non-zeros."""
    one = QuadraticAssignment(generate("uniform", 60, seed=1)[0])
    with pytest.raises(ConfigurationError, match=r"model 'kaufman-broeckx' would have [\d,]{9,} non-zeros"):
        MilpFull().build(one, Budget(), rng())


@pytest.mark.parametrize("operator", REGIONS, ids=repr)
@pytest.mark.parametrize("shape", SHAPES)
def test_regions_improve(operator: Region, shape: str) -> None:
    """A random permutation gets better, each gain is handed out, and the incumbent stays as it is."""
    one, incumbent = problem(9, shape, 2), random_permutation(9)
    before, seen = one.evaluate(incumbent).objective, []
    budget = Budget(on_incumbent=lambda _solution, value: seen.append(value))
    outcome = operator.explore(one, incumbent, budget, rng())
    value = check(one, outcome)
    assert (outcome.status, outcome.bound) == (Status.IMPROVED, None)
    assert seen == sorted(seen, reverse=True)
    assert value == seen[-1] < before


@pytest.mark.parametrize("method", ["enumeration", "branch-and-bound", "milp"])
def test_all_free_is_the_optimum(method: str) -> None:
    """A region of all facilities proves the optimum, and says so again without work."""
    one, proofs = problem(5, "none", 4), ProofMemory()
    operator = Region(method=method, size=8)  # type: ignore[arg-type]
    outcome = operator.explore(one, random_permutation(5), Budget(proofs=proofs), rng())
    assert outcome.status is Status.LOCAL_OPTIMUM
    assert check(one, outcome) == optimum(one)
    budget = Budget(proofs=proofs)
    again = operator.explore(one, outcome.solution, budget, rng(6))
    assert (again.status, again.solution, budget.spent_work) == (Status.LOCAL_OPTIMUM, None, 0)


def test_proved_sets_are_not_solved_again() -> None:
    """When all sets are proved nothing is done; for another permutation it is."""
    one, proofs = problem(5, "both", 1), ProofMemory()
    operator = Region(method="enumeration", size=4, choice="random", iterations=200)
    first = operator.explore(one, random_permutation(5), Budget(proofs=proofs), rng())
    best = first.solution
    operator.explore(one, best, Budget(proofs=proofs), rng(1))
    assert len(proofs) >= 5
    idle, busy = Budget(proofs=proofs), Budget(proofs=proofs)
    again = operator.explore(one, best, idle, rng(2))
    assert (again.status, idle.spent_work) == (Status.NO_IMPROVEMENT, 0)
    operator.explore(one, random_permutation(5, 3), busy, rng(2))
    assert busy.spent_work > 0


@pytest.mark.parametrize("rule", ["linked", "near", "costly", "random"])
def test_sets_of_a_region(rule: str) -> None:
    """Different facilities, ascending, as many as asked for, also of instances without any flow or distance."""
    nothing = Instance(np.zeros((6, 6), dtype=np.int64), np.zeros((6, 6), dtype=np.int64))
    for instance in (problem(6, "none", 1).instance, nothing, Instance(nothing.flows - 3, nothing.distances)):
        chooser = Chooser(instance, 4)
        for seed in range(10):
            drawn = chooser.draw(rule, random_permutation(6, seed), rng(seed))  # type: ignore[arg-type]
            assert len(drawn) == 4
            assert (np.diff(drawn) > 0).all()
            assert drawn.min() >= 0
            assert drawn.max() < 6


def test_linked_sets_follow_the_flow_and_near_ones_the_distances() -> None:
    """In an instance of two separate halves, groups stay within them far more often than chance would have it."""
    half = np.kron(np.eye(2, dtype=np.int64), np.ones((8, 8), dtype=np.int64))
    places = random_permutation(16, 1)
    instance = Instance(100 * half, 1 + 99 * (1 - half))
    chooser = Chooser(instance, 4)

    def split(rule: str, side: np.ndarray) -> float:
        draws = [side[chooser.draw(rule, places, rng(seed))].sum() for seed in range(60)]  # type: ignore[arg-type]
        return float(np.mean([count in (0, 4) for count in draws]))

    facilities = np.arange(16) // 8
    assert split("linked", facilities) > 0.5 > split("random", facilities)
    assert split("near", places // 8) > 0.5


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Region(size=1), "size' must be from 2 to 45"),
        (lambda: Region(iterations=0), "iterations"),
        (lambda: Region(size=46), "size' must be from 2 to 45"),
        (lambda: Faq(starts=0), "starts"),
        (lambda: Faq(iterations=0), "iterations"),
        (lambda: BranchAndBound(rounds=0), "rounds"),
        (lambda: BranchAndBound(effort=0), "effort"),
    ],
)
def test_options_are_checked(make: Any, words: str) -> None:
    """What makes no sense is refused."""
    with pytest.raises(ConfigurationError, match=words):
        make()


@pytest.mark.parametrize(("first", "second"), [("highs", "branch-and-bound"), ("branch-and-bound", "enumeration")])
def test_certificates(demo: QuadraticAssignment, first: str, second: str) -> None:
    """The other exact method confirms an optimum, finds a wrong claim out, and stops when asked."""
    best = check(demo, BranchAndBound().build(demo, Budget(), rng()))
    certifier = ExactCertifier()
    facts = certifier.certify(demo, best, first=first, interrupt=lambda: False)
    assert facts["backend"] == second
    assert facts["arithmetic"] == "exact integers"
    assert second in facts["method"]
    with pytest.raises(OperatorError, match=f"'{first}' claims the optimum {best + 2}, but '{second}' found {best}"):
        certifier.certify(demo, best + 2, first=first, interrupt=lambda: False)
    with pytest.raises(SolverError, match="interrupted"):
        certifier.certify(demo, best, first=first, interrupt=lambda: True)


def test_what_cannot_be_certified() -> None:
    """Instances that are too large for the second method."""
    with pytest.raises(SolverError, match="up to 5 facilities, not of 6"):
        replace(ExactCertifier(), enumeration_max=5).certify(
            problem(6), 0, first="branch-and-bound", interrupt=lambda: False
        )
    with pytest.raises(SolverError, match="cannot confirm an optimum of 46 facilities"):
        ExactCertifier().certify(problem(46), 0, first="highs", interrupt=lambda: False)
