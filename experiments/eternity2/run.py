"""Tables 1, 3, 4 and 5 of Salassa et al. 2017, HiGHS compared with SCIP, and the gain of each neighbourhood.

    python experiments/eternity2/run.py table1 --size smoke
    python experiments/eternity2/run.py table3 --size bench --solver scip --jobs 2
    python experiments/eternity2/run.py solvers --size full --data DIR

Each table is a campaign in `campaigns/`; repeat the command to continue an interrupted one. `smoke` runs on built-in
boards, `bench` and `full` on Brendan Owen's set 2 (the boards of META 2010) from `--data` or `MATHEUR_DATA`.
"""

from __future__ import annotations

from pathlib import Path

from matheur.cli.experiment import experiment

if __name__ == "__main__":
    experiment(Path(__file__).resolve().parent, str(__doc__))
