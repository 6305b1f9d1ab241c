"""Neural heuristics: networks that learn how far a state is from the goal, or which move leads there.

JAX and Optax are imported only where a network is trained or asked (`pip install 'matheur[neural]'`); a network is a
dictionary of plain arrays, and so is its file.
"""

from matheur.learning.deferred import deferred
from matheur.learning.encoding import Encoding
from matheur.learning.heuristic import learnt_heuristic
from matheur.learning.labelling import LabellingOptions, make_labels
from matheur.learning.labels import Labels, labelled_states, read_labels, write_labels
from matheur.learning.model_file import Model, read_model, write_model
from matheur.learning.policy import learnt_policy
from matheur.learning.shipped import shipped_model
from matheur.learning.specification import PRESETS, NetworkSpec
from matheur.learning.training import Progress, TrainingOptions, train
from matheur.learning.use import Use

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
