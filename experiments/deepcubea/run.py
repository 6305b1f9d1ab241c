"""Tables 1 and 5 of Agostinelli et al. 2019 (DeepCubeA): the test sets of the paper, and exact searches beside ours.

    python experiments/deepcubea/instances.py --data DIR      # the paper's sets as instance files, once
    python experiments/deepcubea/run.py table5 --size bench --jobs 2

Each table is a campaign in `campaigns/`; the same command goes on where it stopped. `smoke` runs on what is built in.
Proofs of all positions, speeds and memory: the other scripts here.
"""

from __future__ import annotations

from pathlib import Path

from matheur.cli.experiment import experiment

if __name__ == "__main__":
    experiment(Path(__file__).resolve().parent, str(__doc__))
