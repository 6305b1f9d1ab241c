"""Generalised assignment: each job to an agent that has room for it, at the least cost."""
