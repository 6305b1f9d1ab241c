"""A self-contained page that plays a plan; its policy forbids external resources and all scripts but its own."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Any

from matheur.problems.cubical.picture.layout import Layout, layout_of, legend_of
from matheur.problems.cubical.picture.palette import dark_text
from matheur.problems.cubical.picture.scene import Scene
from matheur.problems.cubical.picture.svg import (
    HEAD,
    THEME,
    arrow,
    disc,
    face_path,
    number,
    style,
    vertices,
    wires,
)
from matheur.problems.pictures import json_for_script

__all__ = ["draw_html"]

_DARK = {
    "ink": "#e8e8e8",
    "line": "#858b92",
    "far": "#494e54",
    "paper": "#1b1d20",
    "face": "#1f4f4a",
    "rim": "#46b8a8",
    "bad": "#ff7b72",
}

_CSS = """
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--paper);color:var(--ink);font:15px/1.4 system-ui,sans-serif}
h1{font-size:1.15rem;margin:0 0 .2rem;overflow-wrap:anywhere}
p{margin:.2rem 0 .6rem;overflow-wrap:anywhere}
main{display:flex;flex-wrap:wrap;gap:1.2rem;align-items:flex-start}
#stage{flex:3 1 24rem;min-width:0}
#side{flex:1 1 13rem;min-width:0}
svg{display:block;width:100%;max-height:70vh;margin:auto}
svg text{font-family:system-ui,sans-serif}
.ring{transition:transform var(--pace,.4s) ease-in-out}
#controls{display:flex;flex-wrap:wrap;gap:.4rem;align-items:center;margin:.6rem 0}
#slider{flex:1 1 9rem;min-width:6rem}
button,select{font:inherit;color:inherit;background:transparent;border:1px solid var(--line);border-radius:.35rem;
padding:.2rem .6rem;min-width:2.4rem;cursor:pointer}
select option{color:#000;background:#fff}
:focus-visible{outline:2px solid var(--rim);outline-offset:1px}
#play{min-width:4.5rem}
#now{display:block;min-height:1.5em;font-weight:600;overflow-wrap:anywhere}
#moves{max-height:70vh;overflow:auto;margin:.3rem 0;padding-left:3.2rem;position:relative}
#moves li{cursor:pointer;padding:0 .3rem;overflow-wrap:anywhere}
#moves li[aria-current]{background:var(--face)}
li.wrong,.violations{color:var(--bad)}
#legend{display:flex;flex-wrap:wrap;gap:.2rem .9rem;list-style:none;margin:.4rem 0;padding:0}
#legend li{overflow-wrap:anywhere}
.chip{display:inline-block;min-width:1.5em;padding:0 .25em;border-radius:.75em;border:1px solid var(--ink);
text-align:center;font-weight:bold;font-size:.85em}
.keys{font-size:.85em;opacity:.75}
@media (prefers-reduced-motion:reduce){.ring{transition:none}}
@media print{#controls,.keys{display:none}#moves{max-height:none}}
"""

_SCRIPT = """
"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const find = (id) => document.getElementById(id);
const last = data.moves.length;
const items = [...find("moves").children];
let step = 0, timer = null;

function placesAt(index) {
  const places = data.start.slice();
  for (const [ring, vertex] of data.moves.slice(0, index)) if (ring >= 0) places[ring] = vertex;
  return places;
}

function show(index) {
  step = Math.max(0, Math.min(last, index));
  placesAt(step).forEach((vertex, ring) => {
    const [x, y] = data.points[vertex];
    find("r" + ring).style.transform = `translate(${x}px,${y}px)`;
  });
  const [ring, vertex, face, path, wrong] = step ? data.moves[step - 1] : [-1, 0, -1, "", 0];
  find("outline").setAttribute("d", face < 0 ? "" : data.faces[face][0]);
  find("rim").setAttribute("d", face < 0 ? "" : data.faces[face][1]);
  find("arrow").setAttribute("d", path);
  find("mover").setAttribute("class", wrong ? "wrong" : "");
  const ghost = find("ghost");
  ghost.style.display = ring < 0 ? "none" : "";
  if (ring >= 0) {
    const [x, y] = data.points[placesAt(step - 1)[ring]];
    ghost.setAttribute("cx", x);
    ghost.setAttribute("cy", y);
    find("rings").append(find("r" + ring));
  }
  find("slider").value = step;
  find("now").textContent = step ? `${step} / ${last}: ${items[step - 1].textContent}` : `start (${last} moves)`;
  items.forEach((item, i) => {
    if (i === step - 1) item.setAttribute("aria-current", "step"); else item.removeAttribute("aria-current");
  });
  if (step) {
    const list = find("moves"), item = items[step - 1];
    const below = item.offsetTop + item.offsetHeight - list.clientHeight;
    list.scrollTop = Math.max(below, Math.min(list.scrollTop, item.offsetTop));
  } else find("moves").scrollTop = 0;
}

function stop() {
  clearInterval(timer);
  timer = null;
  find("play").textContent = "play";
}

function play() {
  if (step === last) show(0);
  const pace = Number(find("pace").value);
  document.body.style.setProperty("--pace", Math.min(0.5, pace / 2000) + "s");
  find("play").textContent = "pause";
  timer = setInterval(() => { show(step + 1); if (step === last) stop(); }, pace);
}

const toggle = () => (timer === null ? play() : stop());
const go = (index) => { stop(); show(index); };
const actions = {
  " ": toggle, Home: () => go(0), End: () => go(last), ArrowLeft: () => go(step - 1), ArrowRight: () => go(step + 1),
};
find("play").onclick = toggle;
find("first").onclick = () => go(0);
find("back").onclick = () => go(step - 1);
find("next").onclick = () => go(step + 1);
find("end").onclick = () => go(last);
find("slider").oninput = (event) => go(Number(event.target.value));
find("pace").onchange = () => { if (timer !== null) { stop(); play(); } };
items.forEach((item, i) => { item.onclick = () => go(i + 1); });
document.addEventListener("keydown", (event) => {
  const at = event.target.tagName;
  if (event.ctrlKey || event.altKey || event.metaKey || at === "SELECT") return;
  if ((at === "BUTTON" && event.key === " ") || (at === "INPUT" && event.key !== " ")) return;
  const action = actions[event.key];
  if (action) { event.preventDefault(); action(); }
});
show(0);
"""

_CONTROLS = """<div id="controls">
<button id="first" aria-label="to the start">&laquo;</button>
<button id="back" aria-label="one move back">&lsaquo;</button>
<button id="play">play</button>
<button id="next" aria-label="one move on">&rsaquo;</button>
<button id="end" aria-label="to the end">&raquo;</button>
<input id="slider" type="range" min="0" max="{last}" value="0" aria-label="move">
<select id="pace" aria-label="pace"><option value="2000">slow</option><option value="1000" selected>normal</option>
<option value="350">fast</option><option value="100">very fast</option></select>
</div>
<output id="now" aria-live="polite">start ({last} moves)</output>
<p class="keys">Space plays and pauses, the arrow keys step, Home and End go to the start and the end.</p>
"""


def draw_html(scene: Scene) -> str:
    """The scene as a page; a page without a plan has no script."""
    layout = layout_of(scene, 1)
    digest = b64encode(sha256(_SCRIPT.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"
    variables = {name: f"var(--{name})" for name in THEME}
    themes = f":root{{color-scheme:light dark;{_variables(THEME)}}}"
    themes += f"@media (prefers-color-scheme:dark){{:root{{{_variables(_DARK)}}}}}"
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(scene.title)}</title>",
        f"<style>{themes}{_CSS}{style(layout.radius, variables)}</style>",
        f"</head>\n<body>\n<h1>{escape(scene.title)}</h1>",
        f"<p{' class=' + chr(34) + 'violations' + chr(34) if scene.violations else ''}>{escape(scene.state)}</p>",
        f'<main>\n<div id="stage">\n{_board(scene, layout)}',
    ]
    if scene.planned:
        parts.append(_CONTROLS.format(last=len(scene.frames) - 1))
    parts.append(f'</div>\n<div id="side">\n{_legend(scene)}')
    if scene.planned:
        items = (
            f"<li{' class=wrong' if frame.wrong else ''}>{escape(frame.caption)}</li>" for frame in scene.frames[1:]
        )
        parts.append(f'<ol id="moves">{"".join(items)}</ol>')
    parts.append("</div>\n</main>")
    if scene.planned:
        parts.append("<noscript><p>Without scripts the page shows the start only.</p></noscript>")
        parts.append(f'<script type="application/json" id="data">{_data(scene, layout)}</script>')
        parts.append(f"<script>{_SCRIPT}</script>")
    return "\n".join([*parts, "</body>\n</html>\n"])


def _variables(theme: dict[str, str]) -> str:
    return "".join(f"--{name}:{value};" for name, value in theme.items())


def _board(scene: Scene, layout: Layout) -> str:
    width, height = layout.frame
    radius = number(layout.radius)
    rings = "".join(
        f'<g class="ring" id="r{ring}" style="transform:translate({_pixels(layout, vertex)})">'
        f"{disc(scene, ring, layout.radius)}</g>"
        for ring, vertex in enumerate(scene.start)
    )
    return (
        f'<svg viewBox="0 0 {number(width)} {number(height)}" '
        f'role="img" aria-label="{escape(scene.title)}"><defs>{HEAD}</defs>'
        f'<path class="face" id="outline"/>{wires(scene, layout)}<path class="rim" id="rim"/>{vertices(scene, layout)}'
        f'<g id="rings">{rings}</g><g id="mover"><circle class="ghost" id="ghost" r="{radius}" style="display:none"/>'
        '<path class="arrow" id="arrow"/></g></svg>'
    )


def _pixels(layout: Layout, vertex: int) -> str:
    x, y = layout.points[vertex]
    return f"{number(x)}px,{number(y)}px"


def _legend(scene: Scene) -> str:
    items = []
    for ring, text in enumerate(legend_of(scene)):
        colour = scene.colours[ring]
        ink = "#000" if dark_text(colour) else "#fff"
        chip = f'<span class="chip" style="background:{colour};color:{ink}">{escape(scene.marks[ring])}</span>'
        items.append(f"<li>{chip} {escape(text)}</li>")
    return f'<ul id="legend">{"".join(items)}</ul>'


def _data(scene: Scene, layout: Layout) -> str:
    """Data for the script, as JSON without characters that could end the script element."""
    faces: dict[tuple[int, ...], int] = {}
    moves: list[list[Any]] = []
    for frame in scene.frames[1:]:
        if frame.ring is None or frame.origin is None:
            moves.append([-1, 0, -1, "", 1])
            continue
        face = faces.setdefault(frame.face, len(faces)) if frame.face else -1
        vertex = frame.places[frame.ring]
        path = arrow(layout.points[frame.origin], layout.points[vertex], layout.radius)
        moves.append([frame.ring, vertex, face, path, int(frame.wrong)])
    data = {
        "start": scene.start,
        "points": [[round(x, 1), round(y, 1)] for x, y in layout.points],
        "faces": [face_path(scene, layout.points, face) for face in faces],
        "moves": moves,
    }
    return json_for_script(data)
