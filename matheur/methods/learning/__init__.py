"""Neural heuristics: networks that learn how far a state is from the goal, or which move leads there.

JAX and Optax are imported only to train a network or to evaluate a large one (`pip install 'matheur[neural]'`). A
network is a dictionary of plain arrays, and so is its file.
"""

from matheur.methods.learning.deferred import deferred
from matheur.methods.learning.encoding import Encoding
from matheur.methods.learning.heuristic import learnt_heuristic
from matheur.methods.learning.labelling import LabellingOptions, make_labels
from matheur.methods.learning.labels import Labels, labelled_states, read_labels, write_labels
from matheur.methods.learning.model_file import Model, read_model, write_model
from matheur.methods.learning.pairs import comparison
from matheur.methods.learning.policy import learnt_policy
from matheur.methods.learning.renaming import check_other_goals
from matheur.methods.learning.shipped import shipped_model
from matheur.methods.learning.specification import PRESETS, NetworkSpec
from matheur.methods.learning.training import Progress, TrainingOptions, train
from matheur.methods.learning.use import Use

__all__ = [
    "PRESETS",
    "Encoding",
    "LabellingOptions",
    "Labels",
    "Model",
    "NetworkSpec",
    "Progress",
    "TrainingOptions",
    "Use",
    "check_other_goals",
    "comparison",
    "deferred",
    "labelled_states",
    "learnt_heuristic",
    "learnt_policy",
    "make_labels",
    "read_labels",
    "read_model",
    "shipped_model",
    "train",
    "write_labels",
    "write_model",
]
