"""Backend `scipy`: the function `milp` of SciPy."""
