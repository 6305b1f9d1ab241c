"""Problem-agnostic local search: protocols, budget, acceptance, schedules, the loop, events, checkpoints, portfolio."""

from matheur.engine.acceptance import Acceptance
from matheur.engine.array_problem import ArrayProblem
from matheur.engine.budget import Budget, OutOfBudgetError
from matheur.engine.checkpoint import Checkpointer
from matheur.engine.elites import Elite, ElitePool
from matheur.engine.events import Event, Observer
from matheur.engine.guidance import Guidance, Guiding
from matheur.engine.interface import Named, Pause, SearchResult
from matheur.engine.interrupt import Interrupt
from matheur.engine.limits import check_options, option
from matheur.engine.loop import LocalSearch
from matheur.engine.outcome import Evaluation, Outcome, Status
from matheur.engine.proofs import ProofMemory, proof_key
from matheur.engine.protocols import (
    Comparable,
    Construction,
    Given,
    Neighbourhood,
    Problem,
    Remarking,
    Reporting,
    Symmetric,
)
from matheur.engine.registry import Entry, Registry
from matheur.engine.schedules import Call, Schedule
from matheur.engine.shared_elites import SharedElites
from matheur.engine.statistics import OperatorStatistics
from matheur.engine.trace import Trace

__all__ = [
    "Acceptance",
    "ArrayProblem",
    "Budget",
    "Call",
    "Checkpointer",
    "Comparable",
    "Construction",
    "Elite",
    "ElitePool",
    "Entry",
    "Evaluation",
    "Event",
    "Given",
    "Guidance",
    "Guiding",
    "Interrupt",
    "LocalSearch",
    "Named",
    "Neighbourhood",
    "Observer",
    "OperatorStatistics",
    "OutOfBudgetError",
    "Outcome",
    "Pause",
    "Problem",
    "ProofMemory",
    "Registry",
    "Remarking",
    "Reporting",
    "Schedule",
    "SearchResult",
    "SharedElites",
    "Status",
    "Symmetric",
    "Trace",
    "acceptance_criteria",
    "check_options",
    "option",
    "proof_key",
    "schedules",
]

schedules: Registry = Registry(
    "schedule",
    "matheur.schedules",
    [
        Entry("cycle", "matheur.engine.schedules:Cycle", "the list in order, each with its own repetitions"),
        Entry("descent", "matheur.engine.schedules:Descent", "variable neighbourhood descent"),
        Entry("gvns", "matheur.engine.shaking:GeneralVNS", "general variable neighbourhood search: shakes and descent"),
        Entry("roulette", "matheur.engine.schedules:Roulette", "random by adaptive weights"),
        Entry("gain-per-second", "matheur.engine.schedules:GainPerSecond", "a bandit on discounted gain per second"),
        Entry("q-learning", "matheur.engine.schedules:QLearning", "a learning hyper-heuristic"),
    ],
)
acceptance_criteria: Registry = Registry(
    "acceptance criterion",
    "matheur.acceptance",
    [
        Entry("improving", "matheur.engine.acceptance:Improving", "only better solutions"),
        Entry("non-worsening", "matheur.engine.acceptance:NonWorsening", "better or equal solutions"),
        Entry("annealing", "matheur.engine.acceptance:Annealing", "worse ones with a falling temperature"),
        Entry("late-acceptance", "matheur.engine.acceptance:LateAcceptance", "better than some decisions ago"),
        Entry("record-to-record", "matheur.engine.acceptance:RecordToRecord", "within a deviation of the best"),
    ],
)
