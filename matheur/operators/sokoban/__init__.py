"""Operators of Sokoban alone; the others are those of all plans."""
