"""Presets, a TOML file each."""
