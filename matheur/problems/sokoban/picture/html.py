"""A page that plays a plan; a single file that loads no external resources."""

from __future__ import annotations

from html import escape

from matheur.problems.plan_pictures import PAGE_STYLE, PLAN_CONTROLS, page, player
from matheur.problems.sokoban.picture.scene import Scene
from matheur.problems.sokoban.picture.svg import COLOURS

__all__ = ["draw_html"]

_STYLE = (
    PAGE_STYLE
    + """\
svg{width:min(94vw,75vh,40rem);height:auto;display:block;margin:.8rem 0}
.thing{transition:transform .12s}
@media(prefers-reduced-motion:reduce){.thing{transition:none}}
button{font:inherit;padding:.3rem .8rem}
#moves{overflow-wrap:anywhere;max-width:40rem;font-family:monospace}
"""
)

_SCRIPT = (
    """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const words = document.getElementById("words"), range = document.getElementById("range");
const play = document.getElementById("play");
const boxes = [...document.querySelectorAll(".box")], player = document.getElementById("player");
const goals = new Set(data.goals);
let step = 0, timer = null;
// Which drawn box stands where, move by move, so that each one moves by itself.
const order = [data.boxes[0].slice()];
for (let i = 1; i < data.boxes.length; i++) {
  const before = order[i - 1], after = new Set(data.boxes[i]);
  const fresh = data.boxes[i].find(cell => !before.includes(cell));
  order.push(before.map(cell => after.has(cell) ? cell : fresh));
}
function place(thing, cell) {
  const x = cell % data.columns, y = Math.floor(cell / data.columns);
  thing.style.transform = "translate(" + x + "px," + y + "px)";
}
function show() {
  order[step].forEach((cell, i) => {
    place(boxes[i], cell);
    boxes[i].setAttribute("fill", goals.has(cell) ? data.done : data.box);
  });
  place(player, data.players[step]);
  words.textContent = "move " + step + " of " + (data.players.length - 1) + ": " + data.captions[step];
  range.value = step;
}
function go(to) { step = Math.max(0, Math.min(data.players.length - 1, to)); show(); }
"""
    + player("data.players.length - 1", 200)
    + """\
show();
"""
)


def draw_html(scene: Scene) -> str:
    """The level with buttons, a slider and arrow keys to step through the plan."""
    one = scene.instance
    inside = set(one.region)
    parts = [f'<svg viewBox="0 0 {one.columns} {one.rows}" role="img" aria-label="{escape(scene.title)}">']
    for cell in range(one.rows * one.columns):
        kind = "wall" if one.walls[cell] else "floor" if cell in inside else None
        if kind is not None:
            x, y = cell % one.columns, cell // one.columns
            parts.append(f'<rect x="{x}" y="{y}" width="1.02" height="1.02" fill="{COLOURS[kind]}"/>')
    for goal in one.goals:
        middle = goal % one.columns + 0.5, goal // one.columns + 0.5
        parts.append(f'<circle cx="{middle[0]:g}" cy="{middle[1]:g}" r=".17" fill="{COLOURS["goal"]}"/>')
    box = '<rect class="thing box" x=".1" y=".1" width=".8" height=".8" rx=".12" stroke="#222" stroke-width=".04"/>'
    parts += [box] * len(one.boxes)
    parts.append(f'<circle class="thing" id="player" cx=".5" cy=".5" r=".34" fill="{COLOURS["player"]}"/></svg>')
    data = {
        "columns": one.columns,
        "goals": one.goals,
        "box": COLOURS["box"],
        "done": COLOURS["done"],
        "boxes": [frame.boxes for frame in scene.frames],
        "players": [frame.player for frame in scene.frames],
        "captions": [frame.caption for frame in scene.frames],
    }
    body = f'{PLAN_CONTROLS.replace("UNIT", "move")}{"".join(parts)}<p id="moves">{escape(scene.letters)}</p>'
    return page(scene.title, scene.state, _STYLE, body, data, _SCRIPT)
