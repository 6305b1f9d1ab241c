"""Generalised assignment: assign each job to an agent with enough capacity, at the least cost."""
