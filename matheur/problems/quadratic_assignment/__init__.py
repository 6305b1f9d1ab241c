"""Quadratic assignment (Koopmans, Beckmann 1957)."""
