"""A page that presses cell by cell; all in one file, nothing is loaded from elsewhere."""

from __future__ import annotations

from matheur.problems.lights_out.picture.scene import Scene
from matheur.problems.lights_out.picture.svg import COLOURS
from matheur.problems.plan_pictures import PAGE_STYLE, page

__all__ = ["draw_html"]

_STYLE = (
    PAGE_STYLE
    + """\
#board{display:grid;gap:2px;width:min(94vw,80vh,40rem);margin:.8rem 0}
.cell{aspect-ratio:1;border-radius:12%;background:OFF;display:grid;place-items:center;font-weight:bold;
font-size:min(2.2vw,.8rem);color:#fff;border:0;padding:0}
.cell.on{background:ON;color:#222}
.cell.press{box-shadow:inset 0 0 0 3px PRESS}
.cell.now{outline:3px solid PRESS;outline-offset:1px}
button.control{font:inherit;padding:.3rem .8rem}
"""
)

_SCRIPT = """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const cells = [...document.querySelectorAll(".cell")];
const words = document.getElementById("words");
let step = 0;
function show() {
  const on = [...data.lights];
  data.presses.slice(0, step).forEach(cell => data.reach[cell].forEach(other => { on[other] ^= 1; }));
  cells.forEach((cell, i) => {
    cell.classList.toggle("on", Boolean(on[i]));
    cell.classList.toggle("now", step > 0 && data.presses[step - 1] === i);
  });
  words.textContent = "press " + step + " of " + data.presses.length + ", " + on.filter(Boolean).length + " lights on";
}
function go(to) { step = Math.max(0, Math.min(data.presses.length, to)); show(); }
document.getElementById("first").onclick = () => go(0);
document.getElementById("back").onclick = () => go(step - 1);
document.getElementById("next").onclick = () => go(step + 1);
document.getElementById("last").onclick = () => go(data.presses.length);
document.addEventListener("keydown", event => {
  const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: data.presses.length }[event.key];
  if (to !== undefined) { event.preventDefault(); go(to); }
});
show();
"""


def draw_html(scene: Scene) -> str:
    """The board with buttons and arrow keys for the presses."""
    style = _STYLE.replace("OFF", COLOURS["off"]).replace("ON", COLOURS["on"]).replace("PRESS", COLOURS["press"])
    cells = []
    for cell, on in enumerate(scene.lights):
        row, column = divmod(cell, scene.columns)
        order = scene.order[cell]
        label = f"row {row}, column {column}" + (f", press {order}" if order else "")
        classes = "cell" + (" on" if on else "") + (" press" if order else "")
        cells.append(f'<div class="{classes}" title="{label}">{order or ""}</div>')
    controls = "".join(
        f'<button class="control" id="{name}" type="button">{text}</button> '
        for name, text in (("first", "Start"), ("back", "Back"), ("next", "Next"), ("last", "End"))
    )
    data = {"lights": [int(on) for on in scene.lights], "presses": scene.presses, "reach": scene.reach}
    body = (
        f"<p>{controls}</p>"
        f'<p id="words" aria-live="polite"></p>'
        f'<div id="board" style="grid-template-columns:repeat({scene.columns},1fr)">{"".join(cells)}</div>'
    )
    return page(scene.title, scene.state, style, body, data, _SCRIPT)
