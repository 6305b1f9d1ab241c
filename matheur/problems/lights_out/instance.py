"""A Lights Out board: its lights, their targets, and the effect of a press."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias, get_args

from matheur.errors import InputError, nearest
from matheur.problems.lights_out.press_pattern import PATTERNS, canonical, offsets_of

__all__ = [
    "CELLS_MAX",
    "EDGES",
    "MANY_STATES_MAX",
    "PATTERNS",
    "STATES_MAX",
    "Edges",
    "Effect",
    "Instance",
    "Pattern",
    "toggled",
]

Pattern: TypeAlias = str
"""Effect of a press: a name in `PATTERNS`, or rows such as `.1./111/.1.`; see `press_pattern`."""

Edges: TypeAlias = Literal["plain", "torus", "cylinder"]

EDGES: tuple[str, ...] = get_args(Edges)
"""Edge rules: `plain` edges end the board; a `torus` wraps rows and columns, a `cylinder` columns only."""

CELLS_MAX = 4096
"""Largest number of cells of a board, and of buttons."""

MANY_STATES_MAX = 1024
"""The same for lights with more than two states, whose arithmetic is slower."""

STATES_MAX = 256
"""Largest number of states of a light."""

Effect: TypeAlias = tuple[tuple[int, int], ...]
"""The cells that a press changes, in ascending order, and the amount added to each."""


def toggled(
    rows: int, columns: int, pattern: Pattern, cell: int, *, edges: str = "plain", states: int = 2
) -> tuple[int, ...]:
    """The cells that a press of `cell` changes, in ascending order; cells are numbered row by row from 0."""
    return tuple(reached for reached, _ in _effect(rows, columns, pattern, cell, edges, states))


def _effect(rows: int, columns: int, pattern: Pattern, cell: int, edges: str, states: int) -> Effect:
    """Effect of a press; a cell reached several times around the edges gets the largest amount, once."""
    row, column = divmod(cell, columns)
    found: dict[int, int] = {}
    for down, right, amount in offsets_of(pattern, states):
        r, c = row + down, column + right
        if edges != "plain":
            c %= columns
        if edges == "torus":
            r %= rows
        if 0 <= r < rows and 0 <= c < columns:
            found[r * columns + c] = max(amount, found.get(r * columns + c, 0))
    return tuple(sorted(found.items()))


@dataclass(frozen=True)
class Instance:
    """Bring all lights to their target states by presses, each of which adds to some lights modulo `states`.

    Attributes
    ----------
    rows, columns
        Size of the board, at least 1 each and at most `CELLS_MAX` cells.
    lights
        State of each light, row by row, 0 to `states` - 1; with two states, True and 1 mean on.
    pattern
        Effect of a press, see `Pattern`; stored in canonical form.
    title
        Title for display.
    states
        Number of states of a light, 2 to `STATES_MAX`.
    edges
        Rule at the edges, see `EDGES`.
    target
        Target state of each light, row by row; empty if all lights are to be off.
    buttons
        For boards with separate buttons: for each button, pairs of a cell and the amount that a press adds there.
        `pattern` and `edges` are then unused. None if every cell is its own button.

    Raises
    ------
    InputError
        If the size is invalid, the number of lights does not match it, or a pattern or a value is invalid.
    """

    rows: int
    columns: int
    lights: tuple[int, ...]
    pattern: Pattern = "plus"
    title: str = ""
    states: int = 2
    edges: Edges = "plain"
    target: tuple[int, ...] = ()
    buttons: tuple[Effect, ...] | None = None

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1 or self.rows * self.columns > CELLS_MAX:
            raise InputError(f"a board has 1 to {CELLS_MAX} cells ({self.rows} x {self.columns})")
        if not 2 <= self.states <= STATES_MAX:
            raise InputError(f"a light has 2 to {STATES_MAX} states ({self.states})")
        if self.states > 2 and max(self.cells, len(self.buttons or ())) > MANY_STATES_MAX:
            raise InputError(
                f"boards whose lights have more than two states have up to {MANY_STATES_MAX} cells "
                f"({self.rows} x {self.columns})"
            )
        if len(self.lights) != self.cells:
            raise InputError(f"{self.rows} x {self.columns} cells, but {len(self.lights)} lights")
        if self.edges not in EDGES:
            raise InputError(f"unknown edges {self.edges!r}. {nearest(self.edges, EDGES)}")
        if self.target and len(self.target) != self.cells:
            raise InputError(f"{self.rows} x {self.columns} cells, but a target of {len(self.target)} lights")
        for name in ("lights", "target"):
            states = getattr(self, name)
            wrong = next((state for state in states if not 0 <= state < self.states or state != int(state)), None)
            if wrong is not None:
                raise InputError(f"{name} of {self.states} states are 0 to {self.states - 1} ({wrong})")
        if self.target and not any(self.target):
            object.__setattr__(self, "target", ())
        object.__setattr__(self, "pattern", canonical(self.pattern, self.states))
        if self.buttons is not None:
            self._check_buttons(self.buttons)

    def _check_buttons(self, buttons: tuple[Effect, ...]) -> None:
        if not 1 <= len(buttons) <= CELLS_MAX:
            raise InputError(f"there are 1 to {CELLS_MAX} buttons ({len(buttons)})")
        for number, effect in enumerate(buttons):
            cells = [cell for cell, _ in effect]
            wrong = next((cell for cell in cells if not 0 <= cell < self.cells), None)
            if wrong is not None:
                raise InputError(f"button {number}: there is no light {wrong}; they are 0 to {self.cells - 1}")
            if len(set(cells)) < len(cells):
                raise InputError(f"button {number} names a light twice")
            if any(not 0 < amount < self.states for _, amount in effect):
                raise InputError(f"button {number} adds 1 to {self.states - 1} to each of its lights")
        if not any(buttons):
            raise InputError("no button changes a light")

    @property
    def cells(self) -> int:
        """Number of cells."""
        return self.rows * self.columns

    @property
    def presses(self) -> int:
        """Number of different presses: that many cells, or buttons if there are any."""
        return self.cells if self.buttons is None else len(self.buttons)

    @property
    def press_word(self) -> str:
        """The word for what is pressed: cell or button."""
        return "cell" if self.buttons is None else "button"

    @cached_property
    def effects(self) -> tuple[Effect, ...]:
        """For each press, the cells that it changes and the amount that it adds there."""
        if self.buttons is not None:
            return tuple(tuple(sorted(effect)) for effect in self.buttons)
        size = (self.rows, self.columns, self.pattern)
        return tuple(_effect(*size, cell, self.edges, self.states) for cell in range(self.cells))

    @cached_property
    def reach(self) -> tuple[tuple[int, ...], ...]:
        """For each press, the cells that it changes."""
        return tuple(tuple(cell for cell, _ in effect) for effect in self.effects)

    @cached_property
    def masks(self) -> tuple[int, ...]:
        """The same as integers: bit j of number i is set if press i changes cell j."""
        return tuple(sum(1 << other for other in reached) for reached in self.reach)

    @cached_property
    def largest(self) -> int:
        """Largest total amount that a press adds, at least 1."""
        return max(1, *(sum(amount for _, amount in effect) for effect in self.effects))

    @cached_property
    def goal(self) -> tuple[int, ...]:
        """Target state of each light; never empty, unlike `target`."""
        return self.target or (0,) * self.cells

    @cached_property
    def needed(self) -> tuple[int, ...]:
        """Amount to be added to each light, 0 to `states` - 1."""
        return tuple((goal - light) % self.states for goal, light in zip(self.goal, self.lights, strict=True))

    @cached_property
    def lit(self) -> int:
        """The lights that have to change, as an integer with bit i for cell i; the lit ones if all are to be off."""
        return sum(1 << cell for cell, amount in enumerate(self.needed) if amount)
