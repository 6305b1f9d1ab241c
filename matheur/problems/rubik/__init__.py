"""Rubik's cube."""
