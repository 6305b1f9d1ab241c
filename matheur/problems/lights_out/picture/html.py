"""A page that presses cell by cell, in one file without external resources."""

from __future__ import annotations

from matheur.problems.lights_out.picture.scene import Scene, colour_of
from matheur.problems.lights_out.picture.svg import COLOURS
from matheur.problems.plan_pictures import PAGE_STYLE, page

__all__ = ["draw_html"]

_STYLE = (
    PAGE_STYLE
    + """\
#board{display:grid;gap:2px;width:min(94vw,80vh,40rem);margin:.8rem 0}
.cell{aspect-ratio:1;border-radius:12%;display:grid;position:relative;place-items:center;font-weight:bold;
font-size:min(2.2vw,.8rem);color:#fff;border:0;padding:0}
.cell.on{color:#222}
.goal{position:absolute;left:4%;top:4%;width:25%;height:25%;border:1px solid RIM}
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
  data.presses.slice(0, step).forEach(press => data.effects[press].forEach(([cell, amount]) => {
    on[cell] = (on[cell] + amount) % data.colours.length;
  }));
  cells.forEach((cell, i) => {
    cell.classList.toggle("on", Boolean(on[i]));
    cell.style.background = data.colours[on[i]];
    cell.classList.toggle("now", !data.buttons && step > 0 && data.presses[step - 1] === i);
  });
  words.textContent = "press " + step + " of " + data.presses.length
    + (data.buttons && step > 0 ? " (button " + data.presses[step - 1] + ")" : "") + ", "
    + on.filter(Boolean).length + " lights on";
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
    style = _STYLE.replace("RIM", COLOURS["rim"]).replace("PRESS", COLOURS["press"])
    cells = []
    for cell, on in enumerate(scene.lights):
        row, column = divmod(cell, scene.columns)
        order = scene.order[cell]
        label = f"row {row}, column {column}" + (f", press {order}" if order else "")
        label += f", state {on}" * (scene.states > 2) + f", target {scene.goal[cell]}" * scene.aims
        classes = "cell" + (" on" if on else "") + (" press" if order else "")
        colour = colour_of(scene.goal[cell], scene.states)
        goal = f'<span class="goal" style="background:{colour}"></span>' if scene.aims else ""
        cells.append(f'<div class="{classes}" title="{label}">{goal}{scene.label(cell)}</div>')
    controls = "".join(
        f'<button class="control" id="{name}" type="button">{text}</button> '
        for name, text in (("first", "Start"), ("back", "Back"), ("next", "Next"), ("last", "End"))
    )
    data = {
        "lights": scene.lights, "presses": scene.presses, "effects": scene.effects,
        "colours": [colour_of(state, scene.states) for state in range(scene.states)],
        "buttons": bool(scene.presses) and not any(scene.order),
    }  # fmt: skip
    body = (
        f"<p>{controls}</p>"
        f'<p id="words" aria-live="polite"></p>'
        f'<div id="board" style="grid-template-columns:repeat({scene.columns},1fr)">{"".join(cells)}</div>'
    )
    return page(scene.title, scene.state, style, body, data, _SCRIPT)
