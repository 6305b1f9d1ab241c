"use strict";
const said = document.getElementById("said");
const find = id => document.getElementById(id);

// Pictures in full size, as in reports.
document.addEventListener("click", event => {
  const zoom = event.target.closest(".zoom");
  if (!zoom) return;
  const full = zoom.previousElementSibling.classList.toggle("full");
  zoom.setAttribute("aria-pressed", full);
});

// What is wrong at the moment, above the content; nothing if the text is empty.
function complain(text) {
  const former = find("wrong");
  if (!text) { if (former) former.remove(); return; }
  const place = former || make("p", { id: "wrong", className: "bad alert", role: "alert" });
  if (place.textContent !== text) place.textContent = text;
  if (!former) find("main").prepend(place);
}

// A job, live: texts, tables, picture and plot follow the stream of events.
function fill(body, rows, texts) {
  body.replaceChildren(...rows.map(row => {
    const line = document.createElement("tr");
    row.forEach((text, i) => {
      const cell = line.insertCell();
      cell.textContent = text;
      if (texts(i)) cell.className = "n";
    });
    return line;
  }));
}

function follow(live) {
  const picture = find("picture");
  let shown = live.dataset.version, wanted = shown, loading = false, plotted = null, plotting = false, before = "";
  function draw() {
    if (loading || wanted === shown) return;
    loading = true;
    shown = wanted;
    const next = new Image();
    next.onload = () => { picture.src = next.src; loading = false; draw(); };
    next.onerror = () => { loading = false; };
    next.src = live.dataset.picture + "?v=" + encodeURIComponent(shown);
  }
  async function plot(version) {
    if (plotting || version === plotted) return;
    plotting = true;
    plotted = version;
    try {
      const answer = await fetch(live.dataset.plot);
      if (answer.ok) {
        const page = new DOMParser().parseFromString(await answer.text(), "text/html");
        find("plot").replaceChildren(...page.body.childNodes);
      }
    } catch { plotted = null; }
    setTimeout(() => { plotting = false; }, 900);
  }
  // Between two events the seconds go on.
  let clock = null, heard = 0;
  setInterval(() => {
    if (clock === null) return;
    const seconds = Math.floor(clock + (performance.now() - heard) / 1000);
    document.querySelector("[data-text=seconds]").textContent = seconds.toLocaleString("en");
    if (seconds % 5 === 0) plot("clock " + seconds);
  }, 1000);
  const stream = new EventSource(live.dataset.events);
  stream.onopen = () => complain("");
  stream.onerror = () => {
    clock = null;
    complain(stream.readyState === EventSource.CLOSED
      ? "This page is not brought up to date any more. Maybe load it again?"
      : "The server does not answer; this page tries again every few seconds.");
  };
  stream.onmessage = event => {
    const now = JSON.parse(event.data);
    for (const place of document.querySelectorAll("[data-text]")) {
      place.textContent = now.texts[place.dataset.text];
    }
    clock = now.clock;
    heard = performance.now();
    fill(find("operators"), now.rows, i => i > 0);
    fill(find("log"), now.log, i => i < 2);
    if (now.has) { wanted = String(now.picture); draw(); }
    plot(now.plot);
    const score = now.texts.score;
    if (now.has && score !== before) { said.textContent = "score " + score; before = score; }
    document.body.dataset.updates = 1 + Number(document.body.dataset.updates || 0);
    if (!now.live || now.state !== find("state").textContent.trim().split(" ").pop()) {
      if (!now.live) { stream.close(); location.reload(); }
      else find("state").textContent = (now.state === "running" ? "▶ " : "… ") + now.state;
    }
  };
}

// Who ticks a neighbourhood means it, and those of the preset are without ticks.
function keepInStep(form) {
  form.addEventListener("change", ({ target }) => {
    const one = value => form.querySelector(`[name=chosen][value=${value}]`);
    if (target.name === "neighbourhood" && target.checked) one("these").checked = true;
    if (target === one("preset")) for (const box of form.querySelectorAll("[name=neighbourhood]")) box.checked = false;
  });
}

// Files can be dropped on the form.
function droppable(form) {
  const input = form.querySelector("input[type=file]");
  for (const kind of ["dragenter", "dragover"]) {
    form.addEventListener(kind, event => { event.preventDefault(); form.classList.add("over"); });
  }
  form.addEventListener("dragleave", () => form.classList.remove("over"));
  form.addEventListener("drop", event => {
    event.preventDefault();
    form.classList.remove("over");
    if (event.dataTransfer.files.length) { input.files = event.dataTransfer.files; form.requestSubmit(); }
  });
}

// Cells of an instance: the text that the server reads follows them.
function make(name, properties, ...children) {
  const found = Object.assign(document.createElement(name), properties);
  found.append(...children);
  return found;
}

function edit(place) {
  const editor = JSON.parse(place.dataset.editor), text = find("edited");
  const kinds = { cells: editCells, hints: editHints, formation: editFormation };
  kinds[editor.kind](place, editor, text);
}

// As large as a phone allows; pages of the server have the same.
function boardSize(columns) {
  return columns <= 6 ? "few" : columns <= 10 ? "" : columns <= 12 ? "small" : "tiny";
}

function editCells(place, editor, text) {
  const names = new Map(editor.palette.map(([sign, name, look]) => [sign, [name, look]]));
  let chosen = editor.palette[0][0], first = null;
  const cells = editor.cells.slice();
  const buttons = cells.map((sign, i) => {
    if (sign === null) return make("span", { className: "cell none" });
    const button = make("button", { type: "button" });
    button.addEventListener("click", () => press(i));
    return button;
  });
  function show(i) {
    if (cells[i] === null) return;
    const [name, look] = names.get(cells[i]);
    const row = Math.floor(i / editor.columns) + 1, column = i % editor.columns + 1;
    buttons[i].className = "cell " + look + (i === first ? " chosen" : "");
    buttons[i].textContent = look === "blank" || look === "floor" ? "" : editor.mode === "swap" || cells[i].trim() ? cells[i] : "";
    buttons[i].setAttribute("aria-label", "row " + row + ", column " + column + ": " + name);
  }
  function write() {
    const rows = [];
    if (editor.order) rows.push(editor.order.map(i => cells[i]).join(""));
    else for (let i = 0; i < cells.length; i += editor.columns) {
      rows.push(cells.slice(i, i + editor.columns).join(editor.between).replace(/ +$/, ""));
    }
    text.value = editor.head + rows.join("\n") + "\n";
  }
  function press(i) {
    if (editor.mode === "paint") cells[i] = chosen;
    else if (first === null) { first = i; show(i); return; }
    else {
      const other = first;
      first = null;
      [cells[i], cells[other]] = [cells[other], cells[i]];
      show(other);
    }
    show(i);
    write();
  }
  if (editor.mode === "paint") {
    const palette = make("div", { className: "palette" });
    palette.setAttribute("role", "group");
    palette.setAttribute("aria-label", "What a press puts");
    for (const [sign, name, look] of editor.palette) {
      const button = make("button", { type: "button" }, make("span", { className: "cell chip " + look }), name);
      button.setAttribute("aria-pressed", sign === chosen);
      button.addEventListener("click", () => {
        chosen = sign;
        for (const one of palette.children) one.setAttribute("aria-pressed", one === button);
      });
      palette.append(button);
    }
    place.append(palette);
  } else place.append(make("p", { className: "note", textContent: "Press two cells to exchange them." }));
  const table = make("table", { className: "board " + boardSize(editor.columns) });
  for (let i = 0; i < cells.length; i += editor.columns) {
    const row = table.insertRow();
    for (const button of buttons.slice(i, i + editor.columns)) row.insertCell().append(button);
  }
  cells.forEach((_, i) => show(i));
  place.append(make("div", { className: "wide" }, table));
}

// A text of JSON is changed; what the action returns is said.
function rewrite(text, action) {
  try {
    const puzzle = JSON.parse(text.value), word = action(puzzle);
    text.value = JSON.stringify(puzzle, null, 1);
    said.textContent = word;
  } catch { said.textContent = "The text is not JSON"; }
}

function editFormation(place, editor, text) {
  const joins = (edge, a, b) => (edge[0] === a && edge[1] === b) || (edge[0] === b && edge[1] === a);
  const puzzle = JSON.parse(text.value);
  const table = make("table", { className: "formation" });
  editor.slots.forEach((a, i) => {
    const row = table.insertRow();
    row.append(make("th", { textContent: a, scope: "row" }));
    editor.slots.slice(0, i).forEach(b => {
      const box = make("input", { type: "checkbox", checked: (puzzle.edges || []).some(edge => joins(edge, a, b)) });
      box.setAttribute("aria-label", a + " and " + b + " are neighbours");
      box.title = a + " - " + b;
      box.addEventListener("change", () => rewrite(text, now => {
        now.edges = (now.edges || []).filter(edge => !joins(edge, a, b));
        if (box.checked) now.edges.push([b, a]);
        return now.edges.length + " pairs of neighbours";
      }));
      row.insertCell().append(box);
    });
  });
  const last = table.insertRow();
  last.append(make("th", {}));
  editor.slots.slice(0, -1).forEach(name => last.insertCell().append(name));
  place.append(make("p", { className: "note", textContent: "Which slots are neighbours:" }),
    make("div", { className: "wide" }, table));
  if (!puzzle.synergy) return;
  const least = make("input", { type: "number", min: 0, max: 1, step: "any", value: puzzle.synergy.min ?? "" });
  least.addEventListener("change", () => rewrite(text, now => {
    if (least.value === "") delete now.synergy.min; else now.synergy.min = Number(least.value);
    return "synergy of at least " + least.value;
  }));
  place.append(make("p", {}, make("label", {}, "Least synergy ", least)));
}

function editHints(place, editor, text) {
  const boxes = {};
  const line = make("div", { className: "hints" });
  const most = { row: editor.rows - 1, column: editor.columns - 1, piece: editor.rows * editor.columns, rotation: 3 };
  for (const name of Object.keys(most)) {
    const box = make("input", { type: "number", min: name === "piece" ? 1 : 0, max: most[name], id: "hint-" + name });
    boxes[name] = box;
    line.append(make("label", {}, name + " ", box));
  }
  const add = make("button", { type: "button", textContent: "Add a hint" });
  const clear = make("button", { type: "button", textContent: "Remove all hints" });
  const change = action => rewrite(text, puzzle => {
    puzzle.hints = action(puzzle.hints || []);
    return puzzle.hints.length + " hints";
  });
  add.addEventListener("click", () => change(hints => {
    const hint = {};
    for (const [name, box] of Object.entries(boxes)) if (box.value !== "") hint[name] = Number(box.value);
    return [...hints, hint];
  }));
  clear.addEventListener("click", () => change(() => []));
  line.append(add, clear);
  place.append(make("p", { className: "note", textContent: "A hint puts a piece into a cell; rows and columns count from 0, pieces from 1; without a rotation any will do." }), line);
}

// Solutions of a player stay in this browser, each instance's by themselves, next to the best run of matheur.
function keepSolutions(place) {
  // Until 0.2.0 they were kept by the address of the instance.
  const [key, former] = [place.dataset.instance, place.dataset.former].map(name => "matheur solutions " + name);
  function read() {
    try {
      const text = localStorage.getItem(key) ?? localStorage.getItem(former);
      return JSON.parse(text).filter(one => typeof one.moves === "string");
    } catch { return []; }
  }
  function write(solutions, word) {
    try { localStorage.setItem(key, JSON.stringify(solutions)); said.textContent = word; }
    catch { said.textContent = "The browser has no room for it"; }
    show();
  }
  function against(objective, { best, proved, unit }) {
    if (best === undefined) return "";
    const more = objective - Number(best), what = proved === "yes" ? "the optimum" : "the best of matheur";
    if (more === 0) return "as good as " + what;
    const apart = Math.abs(more) * Number(unit), digits = Number.isInteger(apart) ? {} : { maximumSignificantDigits: 6 };
    return apart.toLocaleString("en", digits) + (more > 0 ? " worse than " : " better than ") + what;
  }
  function button(text, action) {
    const made = make("button", { type: "button", textContent: text });
    made.addEventListener("click", action);
    return made;
  }
  function show() {
    const game = find("game"), solutions = read();
    if (!game) return;
    const moves = game.elements.namedItem("moves").value, now = game.dataset;
    const fresh = now.score !== undefined && moves !== "[]" && !solutions.some(one => one.moves === moves);
    place.hidden = !fresh && !solutions.length;
    const parts = [make("h2", { textContent: "Your solutions" }),
      make("p", { className: "note", textContent: "They are kept in this browser only." })];
    if (fresh) parts.push(button("Keep this solution", () => {
      const one = { moves, score: now.score, objective: Number(now.objective), when: new Date().toISOString().slice(0, 10) };
      write([...solutions, one].sort((a, b) => a.objective - b.objective), "kept");
    }));
    if (solutions.length) {
      const table = make("table", {}), head = table.createTHead().insertRow(), body = table.createTBody();
      for (const text of ["score", "compared", "date", ""]) head.append(make("th", { textContent: text, scope: "col" }));
      for (const one of solutions) {
        const row = body.insertRow();
        for (const text of [one.score, against(one.objective, now), one.when]) row.insertCell().textContent = text;
        row.insertCell().append(button("Show it", () => { if (!find("game").dataset.busy) send(find("game"), null, one.moves); }), " ", button("Forget it", () => write(read().filter(other => other.moves !== one.moves), "forgotten")));
      }
      parts.push(make("div", { className: "wide" }, table));
    }
    place.replaceChildren(...parts);
  }
  show();
  return show;
}

// Playing: the form works by itself; here its answer takes the place of the old one, and keys press its buttons.
// What is pressed while an answer is on its way is done after it: functions that find the button in a form.
const pressed = [];
const byKey = key => form => [...form.querySelectorAll("button[data-key]:enabled")].find(one => one.dataset.key === key);
const alike = button => form => {
  const open = [...form.querySelectorAll("button:enabled:not([formaction])")];
  const found = open.filter(one => one.name === button.name && one.value === button.value);
  return found.find(one => one.dataset.key === button.dataset.key) || found[0];
};

async function send(form, button, moves) {
  form.dataset.busy = "yes";
  const data = new FormData(form);
  if (moves !== undefined) { data.set("moves", moves); data.delete("put"); }
  if (button && button.name) data.append(button.name, button.value);
  try {
    const answer = await fetch(form.getAttribute("action"), { method: "POST", body: data });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const next = page.getElementById("game"), wrong = page.querySelector("[role=alert]") || page.body;
    complain(next ? "" : wrong.textContent.trim());
    if (next) {
      form.replaceWith(next);
      if (showKept) showKept();
      const same = button && alike(button)(next);
      if (same) same.focus();
    } else pressed.length = 0;
  } catch {
    pressed.length = 0;
    complain("The server does not answer. Your moves are still here: maybe try again in a moment?");
  }
  delete form.dataset.busy;
  const game = find("game");
  while (pressed.length && !game.dataset.busy) {
    const following = pressed.shift()(game);
    if (following) send(game, following);
  }
}

function press(game, finder) {
  if (game.dataset.busy) { if (pressed.length < 100) pressed.push(finder); return; }
  const button = finder(game);
  if (button) send(game, button);
}
document.addEventListener("submit", event => {
  if (event.target.id !== "game" || (event.submitter && event.submitter.hasAttribute("formaction"))) return;
  event.preventDefault();
  if (event.submitter) press(event.target, alike(event.submitter));
});
document.addEventListener("submit", event => {
  const question = event.submitter && event.submitter.dataset.ask;
  if (question && !confirm(question)) event.preventDefault();
});
document.addEventListener("keydown", event => {
  const game = find("game");
  if (!game || event.ctrlKey || event.altKey || event.metaKey || /^(SELECT|INPUT|TEXTAREA)$/.test(event.target.tagName)) return;
  const known = [...game.querySelectorAll("button[data-key]")].some(one => one.dataset.key === event.key);
  if (!known && event.key !== "Backspace") return;
  event.preventDefault();
  if (!(event.repeat && game.dataset.busy)) press(game, byKey(event.key));
});

const showKept = find("kept") && keepSolutions(find("kept"));
const live = find("live");
if (live) follow(live);
document.querySelectorAll(".drop").forEach(droppable);
document.querySelectorAll("form.job").forEach(keepInStep);
document.querySelectorAll(".editor").forEach(edit);
