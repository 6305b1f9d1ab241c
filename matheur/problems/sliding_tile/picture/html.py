"""A page that plays a plan; a single file that loads no external resources."""

from __future__ import annotations

from html import escape

from matheur.problems.plan_pictures import PAGE_STYLE, PLAN_CONTROLS, page, player
from matheur.problems.sliding_tile.picture.scene import Scene
from matheur.problems.sliding_tile.picture.svg import COLOURS

__all__ = ["draw_html"]

_STYLE = (
    PAGE_STYLE
    + """\
#board{position:relative;width:min(92vw,70vh,30rem);background:FLOOR;border-radius:6px;margin:.8rem 0}
.tile{position:absolute;display:grid;place-items:center;font-weight:bold;color:#222;background:AWAY;
border-radius:12%;transition:left .18s,top .18s;border:2px solid FLOOR;box-sizing:border-box}
.tile.home{background:HOME}.tile.now{background:MOVED}
@media(prefers-reduced-motion:reduce){.tile{transition:none}}
button{font:inherit;padding:.3rem .8rem}
#moves{overflow-wrap:anywhere;max-width:40rem;font-family:monospace}
"""
)

_SCRIPT = (
    """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const board = document.getElementById("board"), words = document.getElementById("words");
const range = document.getElementById("range"), play = document.getElementById("play");
const tiles = new Map();
let step = 0, timer = null;
board.style.aspectRatio = data.columns + "/" + data.rows;
data.frames[0].forEach(tile => {
  if (!tile) return;
  const box = document.createElement("div");
  box.className = "tile";
  box.textContent = tile;
  box.style.width = 100 / data.columns + "%";
  box.style.height = 100 / data.rows + "%";
  box.style.fontSize = "min(" + 30 / data.columns + "vw," + 11 / data.columns + "rem)";
  board.append(box);
  tiles.set(tile, box);
});
function show() {
  data.frames[step].forEach((tile, cell) => {
    if (!tile) return;
    const box = tiles.get(tile);
    box.style.left = 100 * (cell % data.columns) / data.columns + "%";
    box.style.top = 100 * Math.floor(cell / data.columns) / data.rows + "%";
    box.classList.toggle("home", data.target[cell] === tile);
    box.classList.toggle("now", data.moved[step] === cell);
  });
  words.textContent = "slide " + step + " of " + (data.frames.length - 1) + ": " + data.captions[step];
  range.value = step;
}
function go(to) { step = Math.max(0, Math.min(data.frames.length - 1, to)); show(); }
"""
    + player("data.frames.length - 1", 350)
    + """\
show();
"""
)


def draw_html(scene: Scene) -> str:
    """The board with buttons, a slider and arrow keys to step through the plan."""
    style = _STYLE
    for word in ("floor", "away", "home", "moved"):
        style = style.replace(word.upper(), COLOURS[word])
    data = {
        "rows": scene.rows,
        "columns": scene.columns,
        "target": scene.target,
        "frames": [frame.tiles for frame in scene.frames],
        "moved": [frame.moved for frame in scene.frames],
        "captions": [frame.caption for frame in scene.frames],
    }
    moves = "".join(frame.caption.split()[1] for frame in scene.frames[1:])
    body = f'{PLAN_CONTROLS.replace("UNIT", "slide")}<div id="board"></div><p id="moves">{escape(moves)}</p>'
    return page(scene.title, scene.state, style, body, data, _SCRIPT)
