"""A page that plays a plan; all in one file, nothing is loaded from elsewhere."""

from __future__ import annotations

import json
from html import escape

from matheur.problems.sokoban.picture.scene import Scene
from matheur.problems.sokoban.picture.svg import COLOURS

__all__ = ["draw_html"]

_STYLE = """
:root{color-scheme:light dark;--ink:#222;--paper:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#15191c}}
body{font:15px/1.4 sans-serif;color:var(--ink);background:var(--paper);margin:1.2rem}
h1{font-size:1.15rem;margin:.2rem 0}
svg{width:min(94vw,75vh,40rem);height:auto;display:block;margin:.8rem 0}
.thing{transition:transform .12s}
@media(prefers-reduced-motion:reduce){.thing{transition:none}}
button{font:inherit;padding:.3rem .8rem}
#moves{overflow-wrap:anywhere;max-width:40rem;font-family:monospace}
"""

_SCRIPT = """
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
function stop() { clearInterval(timer); timer = null; play.textContent = "Play"; }
document.getElementById("back").onclick = () => { stop(); go(step - 1); };
document.getElementById("next").onclick = () => { stop(); go(step + 1); };
play.onclick = () => {
  if (timer) { stop(); return; }
  if (step === data.players.length - 1) go(0);
  play.textContent = "Pause";
  timer = setInterval(() => { go(step + 1); if (step === data.players.length - 1) stop(); }, 200);
};
range.max = data.players.length - 1;
range.oninput = () => { stop(); go(Number(range.value)); };
document.addEventListener("keydown", event => {
  if (event.target === range) return;
  const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: data.players.length - 1 }[event.key];
  if (to !== undefined) { event.preventDefault(); stop(); go(to); }
});
show();
"""


def draw_html(scene: Scene) -> str:
    """The level with buttons, a slider and arrow keys for the plan."""
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
    data = json.dumps(
        {
            "columns": one.columns,
            "goals": one.goals,
            "box": COLOURS["box"],
            "done": COLOURS["done"],
            "boxes": [frame.boxes for frame in scene.frames],
            "players": [frame.player for frame in scene.frames],
            "captions": [frame.caption for frame in scene.frames],
        },
        separators=(",", ":"),
    )
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(scene.title)}</title><style>{_STYLE}</style></head><body>"
        f"<h1>{escape(scene.title)}</h1><p>{escape(scene.state)}</p>"
        '<p><button id="back" type="button">Back</button> <button id="play" type="button">Play</button> '
        '<button id="next" type="button">Next</button> '
        '<input id="range" type="range" min="0" value="0" aria-label="move"></p>'
        f'<p id="words" aria-live="polite"></p>{"".join(parts)}<p id="moves">{escape(scene.letters)}</p>'
        f'<script type="application/json" id="data">{data}</script><script>{_SCRIPT}</script></body></html>\n'
    )
