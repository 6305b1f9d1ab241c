"""Parties that differ, parties that are excluded, and variants of puzzles."""
