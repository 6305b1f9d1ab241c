"""Conversion of a Pyomo model to the arrays of SciPy."""

import numpy as np
from pyomo.repn.plugins.standard_form import LinearStandardFormCompiler
from scipy.optimize import Bounds, LinearConstraint
from scipy.sparse import hstack


def arrays(model):
    """Return the variables, the weights and the constant of the objective, the rows and the bounds.

    A column of zeros follows the variables, because SciPy refuses a model without variables.
    """
    form = LinearStandardFormCompiler().write(model, mixed_form=True)  # negates a maximised objective
    weights, constant = np.append(form.c.sum(axis=0), 0), sum(form.c_offset)
    kind, rhs = np.array([row.bound_type for row in form.rows]), np.array(form.rhs, dtype=float)
    matrix = hstack([form.A, np.zeros((len(rhs), 1))])
    rows = LinearConstraint(matrix, np.where(kind <= 0, rhs, -np.inf), np.where(kind >= 0, rhs, np.inf))
    low = [*(v.lb if v.has_lb() else -np.inf for v in form.columns), 0]
    high = [*(v.ub if v.has_ub() else np.inf for v in form.columns), 0]
    return form.columns, weights, constant, rows, Bounds(low, high)
