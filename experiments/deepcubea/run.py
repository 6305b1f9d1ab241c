"""Tables 1 to 5, Figures 2 to 4 of Agostinelli et al. 2019 (DeepCubeA): the paper's test sets, exact searches and ours.

    python experiments/deepcubea/instances.py --data DIR      # the paper's sets as instance files, once
    python experiments/deepcubea/run.py table5 --size bench --jobs 2

Tables 1, 4, 5 and Figure 2 are campaigns in `campaigns/`; repeat the command to continue an interrupted one. `smoke`
runs on built-in instances. `heuristics.py` makes Tables 2 and 3 (memory and speed of estimates), `estimates.py` Figure
3 (estimates by depth), `patterns.py` the counts of Figure 4 (move patterns, mirrored cubes), and `value_iteration.py`
the supplementary figures 1 and 2 (targets of value iteration). The supplementary figure 4 (weights and batches) is the
campaign `supplement4`.
The other scripts of this folder cover proofs of all positions, speeds and memory.
"""

from __future__ import annotations

from pathlib import Path

from matheur.cli.experiment import experiment

SCRIPTS = {
    "table2": ["heuristics.py"],
    "table3": ["heuristics.py"],
    "figure3": ["estimates.py"],
    "figure4": ["patterns.py"],
    "supplement1": ["value_iteration.py"],
    "supplement2": ["value_iteration.py"],
}

if __name__ == "__main__":
    experiment(Path(__file__).resolve().parent, str(__doc__), scripts=SCRIPTS)
