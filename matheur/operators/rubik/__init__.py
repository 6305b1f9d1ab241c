"""Operators of Rubik's cube alone; the others are those of all plans."""
