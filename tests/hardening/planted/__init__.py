"""Errors planted in one part of matheur, and what the rest of it says."""
