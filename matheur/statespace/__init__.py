"""Search over the states of a puzzle, exact and heuristic, for any domain that follows one protocol."""
