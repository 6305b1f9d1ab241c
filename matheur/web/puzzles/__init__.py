"""What the workbench can do with the problems that it knows: write them as text, edit cells, let people play."""

from __future__ import annotations

from matheur.web.puzzles.editing import editor_of
from matheur.web.puzzles.playing import has_game, position
from matheur.web.puzzles.texts import companions_of, options_beside, text_of

__all__ = ["companions_of", "editor_of", "has_game", "options_beside", "position", "text_of"]
