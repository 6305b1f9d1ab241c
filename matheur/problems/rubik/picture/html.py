"""A page with a three-dimensional cube that plays a plan, in one file without external resources."""

from __future__ import annotations

from matheur.problems.plan_pictures import PAGE_STYLE, PLAN_CONTROLS, page, player
from matheur.problems.rubik.picture.scene import COLOURS, Scene
from matheur.problems.rubik.stickers import places

__all__ = ["draw_html"]

_STYLE = (
    PAGE_STYLE
    + """\
#stage{--u:min(4.2rem,15vw);height:calc(6.6*var(--u));width:min(94vw,calc(8*var(--u)));perspective:calc(14*var(--u));
touch-action:none;cursor:grab;position:relative}
#cube,#layer{position:absolute;left:50%;top:50%;transform-style:preserve-3d}
.s{position:absolute;width:calc(.94*var(--u));height:calc(.94*var(--u));margin:calc(-.47*var(--u));border-radius:12%;
border:2px solid #111;box-sizing:border-box;backface-visibility:hidden;background:#111}
.s::after{content:"";position:absolute;inset:4%;border-radius:12%;background:var(--c)}
button{font:inherit;padding:.3rem .8rem}
#moves button{padding:.1rem .4rem;margin:.1rem;font-family:monospace}
#moves button.now{outline:2px solid #c2185b}
"""
)

_POINTER = """\
stage.onpointermove = event => {
  if (!event.buttons) return;
  spin += event.movementX / 2;
  tilt = Math.max(-90, Math.min(90, tilt - event.movementY / 2));
  view();
};
"""

_KEYS = """\
  const turn = { a: [0, -15], d: [0, 15], w: [-15, 0], s: [15, 0] }[event.key];
  if (turn) { tilt = Math.max(-90, Math.min(90, tilt + turn[0])); spin += turn[1]; view(); return; }
"""

_SCRIPT = (
    """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const cube = document.getElementById("cube"), stage = document.getElementById("stage");
const words = document.getElementById("words"), range = document.getElementById("range");
const play = document.getElementById("play"), list = document.getElementById("moves");
const calm = matchMedia("(prefers-reduced-motion: reduce)").matches;
let tilt = -28, spin = -35, step = 0, timer = null, turning = null;
const layer = document.createElement("div");
layer.id = "layer";
cube.append(layer);
const stickers = data.places.map(([place, direction]) => {
  const box = document.createElement("div");
  box.className = "s";
  const [x, y, z] = place, [a, b, c] = direction;
  const face = a ? "rotateY(" + 90 * a + "deg)" : b ? "rotateX(" + 90 * b + "deg)" : c < 0 ? "rotateY(180deg)" : "";
  const at = [x + .5 * a, -(y + .5 * b), z + .5 * c].map(v => "calc(" + v + "*var(--u))").join(",");
  box.style.transform = "translate3d(" + at + ") " + face;
  cube.append(box);
  return box;
});
const buttons = data.moves.map((name, i) => {
  const button = document.createElement("button");
  button.type = "button";
  button.textContent = name;
  button.onclick = () => { stop(); go(i + 1); };
  list.append(button);
  return button;
});
function view() { cube.style.transform = "rotateX(" + tilt + "deg) rotateY(" + spin + "deg)"; }
function paint(at) { stickers.forEach((box, i) => box.style.setProperty("--c", data.colours[data.frames[at][i]])); }
function settle() {
  if (!turning) return;
  turning.cancel();
  turning = null;
  stickers.forEach(box => cube.append(box));
}
function show(animate) {
  settle();
  buttons.forEach((button, i) => button.classList.toggle("now", i === step - 1));
  words.textContent = "turn " + step + " of " + data.moves.length + (step ? ": " + data.moves[step - 1] : "");
  range.value = step;
  const name = step ? data.moves[step - 1] : "?";
  if (!animate || calm || name === "?") { paint(step); return; }
  paint(step - 1);
  const axis = data.axes[name[0]];
  const angle = (name.endsWith("'") ? -1 : name.endsWith("2") ? 2 : 1) * 90;
  stickers.forEach((box, i) => {
    const place = data.places[i][0];
    if (place[0] * axis[0] + place[1] * axis[1] + place[2] * axis[2] === 1) layer.append(box);
  });
  const about = "rotate3d(" + axis[0] + "," + -axis[1] + "," + axis[2] + ",";
  turning = layer.animate([{ transform: about + "0deg)" }, { transform: about + angle + "deg)" }],
    { duration: 260, fill: "forwards" });
  turning.onfinish = () => { settle(); paint(step); };
}
function go(to) {
  const before = step;
  step = Math.max(0, Math.min(data.moves.length, to));
  show(step === before + 1);
}
"""
    + player("data.moves.length", 450, pointer=_POINTER, keys=_KEYS)
    + """\
view();
show(false);
"""
)

_AXES = {"U": (0, 1, 0), "D": (0, -1, 0), "R": (1, 0, 0), "L": (-1, 0, 0), "F": (0, 0, 1), "B": (0, 0, -1)}


def draw_html(scene: Scene) -> str:
    """The cube, rotated by pointer or the keys w a s d, with buttons and arrow keys for the plan."""
    data = {
        "places": places(),
        "axes": _AXES,
        "colours": COLOURS,
        "frames": [frame.facelets for frame in scene.frames],
        "moves": scene.names,
    }
    body = (
        PLAN_CONTROLS.replace("UNIT", "turn")
        + '<div id="stage" role="img" aria-label="the cube; keys w, a, s and d turn it"><div id="cube"></div></div>'
        '<p id="moves"></p>'
    )
    return page(scene.title, scene.state, _STYLE, body, data, _SCRIPT)
