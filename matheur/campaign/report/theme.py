"""Style and script of the page. Colours are variables with a light and a dark value."""

from __future__ import annotations

from matheur.campaign.report.drawing import COLOURS, DARK, PLOT_STYLE

__all__ = ["SCRIPT", "STYLE"]

_LIGHT = {
    "paper": "#ffffff", "ink": "#1c2126", "muted": "#59636e", "faint": "#e3e6ea", "line": "#c4cad1",
    "card": "#f6f7f9", "good": "#0a6b3d", "bad": "#b42318", "link": "#0b5cad",
}  # fmt: skip
_DARK = {
    "paper": "#14181c", "ink": "#e6e9ec", "muted": "#a3adb8", "faint": "#2b3238", "line": "#465059",
    "card": "#1c2227", "good": "#5fd39a", "bad": "#ff8f80", "link": "#7db8ff",
}  # fmt: skip


def _variables(theme: dict[str, str], colours: tuple[str, ...]) -> str:
    numbered = {f"c{i}": colour for i, colour in enumerate(colours)}
    return "".join(f"--{name}:{value};" for name, value in {**theme, **numbered}.items())


STYLE = (
    f":root{{color-scheme:light dark;{_variables(_LIGHT, COLOURS)}}}"
    f"@media (prefers-color-scheme:dark){{:root{{{_variables(_DARK, DARK)}}}}}"
    """
*{box-sizing:border-box}
html{scroll-behavior:smooth;scroll-padding-top:1rem}
body{margin:0 auto;max-width:84rem;padding:1rem 1.25rem 4rem;background:var(--paper);color:var(--ink);
font:15px/1.5 system-ui,sans-serif;overflow-wrap:anywhere}
h1{font-size:1.6rem;line-height:1.2;margin:.4rem 0}
h2{font-size:1.25rem;margin:2.6rem 0 .6rem;padding-top:.5rem;border-top:1px solid var(--line)}
h3{font-size:1rem;margin:0 0 .5rem}
p{margin:.3rem 0 .7rem;max-width:50rem}
a{color:var(--link);text-underline-offset:.15em}
.skip{position:absolute;left:-99rem}.skip:focus{left:1rem;background:var(--paper);padding:.4rem}
nav ul{list-style:none;display:flex;flex-wrap:wrap;gap:.2rem 1.1rem;padding:0;margin:.8rem 0}
.facts{display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:.8rem 0}
.facts dt{color:var(--muted);font-size:.82rem}.facts dd{margin:0}
.note,figcaption p{color:var(--muted);font-size:.88rem}
.wide{overflow-x:auto;max-width:100%;margin:.4rem 0}
table{border-collapse:collapse;font-size:.88rem;line-height:1.35}
th,td{padding:.3rem .65rem;border-bottom:1px solid var(--faint);text-align:left;vertical-align:top;overflow-wrap:normal}
td,tbody th{max-width:24rem;overflow-wrap:break-word}
tbody th{min-width:9rem}
tbody th,thead th:first-child{position:sticky;left:0;z-index:1;background:var(--paper)}
thead th{border-bottom:1px solid var(--line);vertical-align:bottom;padding:.2rem .3rem;white-space:normal}
tbody th{font-weight:600}
th.n,td.n{text-align:right;font-variant-numeric:tabular-nums}
td.n{white-space:nowrap}
tbody tr:hover>*{background:var(--card)}
th button{all:unset;cursor:pointer;position:relative;padding:.15rem 1rem .15rem .35rem;border-radius:.2rem;
color:var(--muted);font-weight:600;box-sizing:border-box}
th.n button{padding:.15rem .35rem .15rem 1rem}
th button:hover{color:var(--ink);background:var(--card)}
th button::after{position:absolute;right:.1rem;font-size:.75em;line-height:2}
th.n button::after{right:auto;left:.1rem}
th[aria-sort=ascending] button::after{content:"▲"}th[aria-sort=descending] button::after{content:"▼"}
th[aria-sort=ascending] button,th[aria-sort=descending] button{color:var(--ink)}
.good{color:var(--good);font-weight:600}.bad{color:var(--bad);font-weight:600}
.good a{color:inherit}
.cards{display:grid;grid-template-columns:repeat(auto-fill,minmax(min(100%,25rem),1fr));gap:1rem;margin:1rem 0}
figure{margin:0;padding:.9rem;border:1px solid var(--faint);border-radius:.5rem;background:var(--paper);min-width:0}
.plot{display:block;width:100%;height:auto;max-width:36rem}
.legend{list-style:none;display:flex;flex-wrap:wrap;gap:.1rem 1rem;padding:0;margin:.3rem 0 .4rem;font-size:.88rem}
.legend li{max-width:100%}
.swatch{vertical-align:middle;margin-right:.35rem}
.frame{overflow:auto;max-height:90vh;border-radius:.3rem;background:#fff}
.frame img{display:block;max-width:100%;height:auto;margin:0 auto}
.frame.full img{max-width:none}
.cards figure:has(.full){grid-column:1/-1}
details{margin:.3rem 0}
summary{cursor:pointer;color:var(--muted);font-size:.88rem}
details ul{margin:.3rem 0;padding-left:1.2rem;font-size:.85rem;max-height:16rem;overflow:auto}
pre{background:var(--card);padding:.7rem;border-radius:.4rem;overflow:auto;font-size:.82rem;max-height:30rem;
overflow-wrap:normal}
.zoom{font:inherit;font-size:.85rem;padding:.15rem .7rem;margin:.4rem 0;color:var(--ink);background:var(--card);
border:1px solid var(--line);border-radius:.3rem;cursor:pointer}
.said{position:absolute;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}
:focus-visible{outline:2px solid var(--link);outline-offset:2px}
@media (max-width:40rem){body{padding:.6rem .8rem 3rem}figure{padding:.6rem}.zoom{padding:.4rem .8rem}
tbody th{min-width:7rem;max-width:10.5rem}}
@media (prefers-reduced-motion:reduce){html{scroll-behavior:auto}}
@media print{nav,.zoom,.skip{display:none}figure{break-inside:avoid}.wide,.frame{overflow:visible;max-height:none}}
""" + PLOT_STYLE
)

SCRIPT = """
"use strict";
const said = document.getElementById("said");
function keyOf(row, column, numeric) {
  const cell = row.cells[column];
  if (!numeric) return cell.textContent.trim() || null;
  const text = cell.dataset.v;
  return text === undefined ? null : Number(text);
}
function sortBy(head) {
  const table = head.closest("table"), body = table.tBodies[0], column = head.cellIndex;
  const numeric = head.classList.contains("n");
  const down = head.getAttribute("aria-sort") === "ascending";
  const words = new Intl.Collator("en", { numeric: true });
  const rows = Array.from(body.rows, row => [keyOf(row, column, numeric), row]);
  rows.sort(([a], [b]) => {
    if (a === null || b === null) return (a === null) - (b === null);
    const order = numeric ? a - b : words.compare(a, b);
    return down ? -order : order;
  });
  body.append(...rows.map(([, row]) => row));
  for (const other of head.parentElement.cells) other.setAttribute("aria-sort", "none");
  head.setAttribute("aria-sort", down ? "descending" : "ascending");
  said.textContent = "Sorted by " + head.textContent.trim() + ", " + (down ? "descending" : "ascending");
}
document.addEventListener("click", event => {
  const sorter = event.target.closest("th button");
  if (sorter) sortBy(sorter.parentElement);
  const zoom = event.target.closest(".zoom");
  if (zoom) {
    const full = zoom.previousElementSibling.classList.toggle("full");
    zoom.setAttribute("aria-pressed", full);
  }
});
function reveal() {
  const wanted = document.getElementById(location.hash.slice(1));
  const folded = wanted && wanted.closest("details");
  if (folded) { folded.open = true; wanted.scrollIntoView(); }
}
addEventListener("hashchange", reveal);
reveal();
"""
