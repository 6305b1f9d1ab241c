"""A page with the cube in space that plays a plan; all in one file, nothing is loaded from elsewhere."""

from __future__ import annotations

import json
from html import escape

from matheur.problems.rubik.picture.scene import COLOURS, Scene
from matheur.problems.rubik.stickers import places

__all__ = ["draw_html"]

_STYLE = """
:root{color-scheme:light dark;--ink:#222;--paper:#fff}
@media(prefers-color-scheme:dark){:root{--ink:#e8e8e8;--paper:#15191c}}
body{font:15px/1.4 sans-serif;color:var(--ink);background:var(--paper);margin:1.2rem}
h1{font-size:1.15rem;margin:.2rem 0}
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

_SCRIPT = """
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
function stop() { clearInterval(timer); timer = null; play.textContent = "Play"; }
document.getElementById("back").onclick = () => { stop(); go(step - 1); };
document.getElementById("next").onclick = () => { stop(); go(step + 1); };
play.onclick = () => {
  if (timer) { stop(); return; }
  if (step === data.moves.length) go(0);
  play.textContent = "Pause";
  timer = setInterval(() => { go(step + 1); if (step === data.moves.length) stop(); }, 450);
};
range.max = data.moves.length;
range.oninput = () => { stop(); go(Number(range.value)); };
stage.onpointermove = event => {
  if (!event.buttons) return;
  spin += event.movementX / 2;
  tilt = Math.max(-90, Math.min(90, tilt - event.movementY / 2));
  view();
};
document.addEventListener("keydown", event => {
  if (event.target === range) return;
  const turn = { a: [0, -15], d: [0, 15], w: [-15, 0], s: [15, 0] }[event.key];
  if (turn) { tilt = Math.max(-90, Math.min(90, tilt + turn[0])); spin += turn[1]; view(); return; }
  const to = { ArrowLeft: step - 1, ArrowRight: step + 1, Home: 0, End: data.moves.length }[event.key];
  if (to !== undefined) { event.preventDefault(); stop(); go(to); }
});
view();
show(false);
"""

_AXES = {"U": (0, 1, 0), "D": (0, -1, 0), "R": (1, 0, 0), "L": (-1, 0, 0), "F": (0, 0, 1), "B": (0, 0, -1)}


def draw_html(scene: Scene) -> str:
    """The cube, to be turned by pointer or the keys w a s d, with buttons and arrow keys for the plan."""
    data = json.dumps(
        {
            "places": places(),
            "axes": _AXES,
            "colours": COLOURS,
            "frames": [frame.facelets for frame in scene.frames],
            "moves": scene.names,
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
        '<input id="range" type="range" min="0" value="0" aria-label="turn"></p>'
        '<p id="words" aria-live="polite"></p>'
        '<div id="stage" role="img" aria-label="the cube; keys w, a, s and d turn it"><div id="cube"></div></div>'
        '<p id="moves"></p>'
        f'<script type="application/json" id="data">{data}</script><script>{_SCRIPT}</script></body></html>\n'
    )
