"""Operators of linear programs."""
