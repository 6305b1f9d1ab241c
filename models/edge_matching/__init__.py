"""Pyomo models of the edge-matching puzzle."""
