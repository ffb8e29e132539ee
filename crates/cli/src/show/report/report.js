"use strict";
// The page's behaviour: tabs, the source with its path, the step player, the automata on a canvas.
const data = JSON.parse(document.getElementById("data").textContent);
const $ = (id) => document.getElementById(id);
const make = (tag, className, text) => {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (text !== undefined) element.textContent = text;
  return element;
};

// Tabs
const sections = [...document.querySelectorAll("main > section")];
function show(id) {
  for (const section of sections) section.classList.toggle("shown", section.id === id);
  for (const tab of document.querySelectorAll("nav button")) tab.setAttribute("aria-selected", String(tab.dataset.to === id));
  if (id === "graph") graph.open();
  if (id === "source") source.open();
}
for (const section of sections) {
  const tab = make("button", "", section.dataset.title);
  tab.dataset.to = section.id;
  tab.onclick = () => show(section.id);
  document.querySelector("nav").append(tab);
}

// Source: parts of a file become rows when they come into view, so that large files open at once.
const source = {
  ROW: 19, PART: 200, file: -1,
  open() { if (this.file < 0 && data.files.length) this.load(data.steps.length ? data.steps[0].file : 0); player.draw(); },
  load(file) {
    this.file = file;
    $("files").value = file;
    this.lines = data.files[file].text.split("\n");
    this.notes = new Map();
    for (const step of data.steps) if (step.file === file) {
      const known = this.notes.get(step.line) || [];
      if (step.note && !known.includes(step.note) && known.length < 4) known.push(step.note);
      this.notes.set(step.line, known);
    }
    this.code = new Set(data.files[file].code);
    const box = $("text");
    box.replaceChildren();
    this.parts = [];
    const watch = new IntersectionObserver((seen) => {
      for (const entry of seen) if (entry.isIntersecting) this.fill(Number(entry.target.dataset.part));
    }, { root: box, rootMargin: "400px" });
    for (let start = 0; start < this.lines.length; start += this.PART) {
      const part = make("div", "part mono");
      part.dataset.part = this.parts.length;
      part.style.height = Math.min(this.PART, this.lines.length - start) * this.ROW + "px";
      this.parts.push(part);
      box.append(part);
      watch.observe(part);
    }
  },
  fill(number) {
    const part = this.parts[number];
    if (part.firstChild) return;
    const rows = document.createDocumentFragment();
    for (let at = number * this.PART; at < Math.min((number + 1) * this.PART, this.lines.length); at++) {
      const line = at + 1;
      const row = make("div", "row");
      row.dataset.line = line;
      if (this.code.has(line)) row.classList.add("code");
      const notes = this.notes.get(line);
      if (notes) row.classList.add("path");
      if (data.error && data.error.file === this.file && data.error.line === line) row.classList.add("error");
      row.append(make("b", "", String(line)), make("span", "", this.lines[at]));
      if (notes && notes.length) row.append(make("em", "", notes.join(" | ")));
      rows.append(row);
    }
    part.append(rows);
  },
  go(file, line) {
    if (file !== this.file) this.load(file);
    const box = $("text");
    this.fill(Math.floor((line - 1) / this.PART));
    for (const old of box.querySelectorAll(".now")) old.classList.remove("now");
    const row = box.querySelector(`[data-line="${line}"]`);
    if (row) row.classList.add("now");
    box.scrollTop = (line - 1) * this.ROW - box.clientHeight / 2;
  },
  find(text) {
    if (!text || this.file < 0) return;
    const start = (this.found || 0) + 1;
    for (let n = 0; n < this.lines.length; n++) {
      const at = (start + n) % this.lines.length;
      if (this.lines[at].includes(text)) { this.found = at; this.go(this.file, at + 1); return; }
    }
  },
};
data.files.forEach((file, at) => $("files").append(new Option(file.name, at)));
$("files").onchange = () => source.load(Number($("files").value));
$("find").onkeydown = (event) => { if (event.key === "Enter") source.find($("find").value); };

// The player: one step at a time, with the values that variables have by then.
const player = {
  at: 0,
  list() { return $("all").checked ? data.steps : data.steps.filter((step) => step.matters); },
  draw() {
    const list = this.list();
    if (!list.length) { $("player").hidden = true; return; }
    this.at = Math.max(0, Math.min(this.at, list.length - 1));
    const from = Math.max(0, this.at - 150), box = $("steps");
    box.replaceChildren(...list.slice(from, from + 300).map((step, n) => {
      const row = make("div", "mono" + (from + n === this.at ? " now" : "") + (step.matters ? "" : " idle"),
        `${step.line}  ${step.source}${step.note ? "   " + step.note : ""}`);
      row.onclick = () => this.go(from + n);
      return row;
    }));
    const now = box.children[this.at - from];
    box.scrollTop = now.offsetTop - box.offsetTop - box.clientHeight / 2;
    const values = new Map();
    for (const step of list.slice(0, this.at + 1)) for (const [name, value] of step.values) values.set(`${step.function}: ${name}`, value);
    $("values").replaceChildren(...[...values].reverse().map(([name, value]) => {
      const row = make("tr");
      row.append(make("td", "mono", name), make("td", "mono", value));
      return row;
    }));
    $("where").textContent = `step ${this.at + 1} of ${list.length}, in ${list[this.at].function}`;
    source.go(list[this.at].file, list[this.at].line);
  },
  go(at) { this.at = at; this.draw(); },
};
$("first").onclick = () => player.go(0);
$("back").onclick = () => player.go(player.at - 1);
$("next").onclick = () => player.go(player.at + 1);
$("last").onclick = () => player.go(Infinity);
$("all").onchange = () => player.go(0);
document.addEventListener("keydown", (event) => {
  if (!$("source").classList.contains("shown") || event.target.matches("input, select")) return;
  if (event.key === "ArrowRight" || event.key === "n") player.go(player.at + 1);
  if (event.key === "ArrowLeft" || event.key === "p") player.go(player.at - 1);
});

// The automata: layers by distance from the entry, drawn on a canvas, only what is in view.
const graph = {
  canvas: $("canvas"), scale: 1, x: 0, y: 0, hits: new Set(), ready: false,
  open() {
    if (!data.functions.length) return;
    if (!this.ready) {
      this.ready = true;
      data.functions.forEach((item, at) => $("functions").append(new Option(`${item.name} (${item.nodes.length})`, at)));
      const main = data.functions.findIndex((item) => item.name === "main");
      $("functions").value = Math.max(0, main);
      this.load();
    }
    this.draw();
  },
  load() {
    const item = data.functions[Number($("functions").value)];
    const out = item.nodes.map(() => []), into = item.nodes.map(() => 0), before = [];
    for (const edge of item.edges) { out[edge[0]].push(edge); into[edge[1]]++; before[edge[1]] = edge[0]; }
    // A chain of nodes with one way in and one way out is one box unless the user wants all.
    const collapse = $("collapse").checked;
    const head = item.nodes.map((_, at) => at);
    const text = item.nodes.map((node) => [`${node[2]}${node[0] ? "  line " + node[0] : ""}`]);
    const inner = new Set();
    if (collapse) for (let at = 0; at < item.nodes.length; at++) {
      if (inner.has(at) || (into[at] === 1 && out[before[at]].length === 1 && before[at] !== at)) continue;
      let end = at;
      while (out[end].length === 1 && into[out[end][0][1]] === 1 && out[end][0][1] !== at && !inner.has(out[end][0][1])) {
        text[at].push(out[end][0][2]);
        end = out[end][0][1];
        inner.add(end);
        head[end] = at;
      }
    }
    this.nodes = []; this.edges = [];
    const box = new Map();
    item.nodes.forEach((node, at) => {
      if (head[at] !== at) return;
      box.set(at, this.nodes.length);
      this.nodes.push({ text: text[at].slice(0, 8).concat(text[at].length > 8 ? [`... ${text[at].length - 8} more`] : []), all: text[at].join("\n"), line: node[0], file: node[4], kind: node[1], onPath: node[3] });
    });
    for (const [from, to, label, onPath] of item.edges) {
      const a = box.get(head[from]), b = box.get(head[to]);
      if (head[from] === head[to] && head[to] !== to) continue;
      this.edges.push({ from: a, to: b, label, onPath });
    }
    this.layout();
    this.fit();
  },
  layout() {
    const next = this.nodes.map(() => []), rank = this.nodes.map(() => -1);
    for (const edge of this.edges) next[edge.from].push(edge.to);
    const queue = [0]; rank[0] = 0;
    for (let at = 0; at < queue.length; at++) for (const to of next[queue[at]]) if (rank[to] < 0) { rank[to] = rank[queue[at]] + 1; queue.push(to); }
    this.nodes.forEach((_, at) => { if (rank[at] < 0) { rank[at] = 0; queue.push(at); } });
    const layers = [];
    for (const at of queue) (layers[rank[at]] ||= []).push(at);
    const place = new Array(this.nodes.length).fill(0);
    for (let pass = 0; pass < 2; pass++) for (const layer of layers) {
      layer.forEach((node, at) => { place[node] = at; });
      for (const node of layer) { const to = next[node]; to.forEach((child, n) => { if (rank[child] > rank[node]) place[child] = place[node] + n * 0.1; }); }
      layer.sort((a, b) => place[a] - place[b]);
    }
    let y = 0;
    for (const layer of layers) {
      const height = Math.max(...layer.map((node) => 18 + 15 * this.nodes[node].text.length));
      layer.forEach((node, at) => Object.assign(this.nodes[node], { x: (at - (layer.length - 1) / 2) * 260, y, w: 230, h: 10 + 15 * this.nodes[node].text.length }));
      y += height + 46;
    }
  },
  fit() {
    const xs = this.nodes.map((node) => node.x), ys = this.nodes.map((node) => node.y);
    const min = (list) => list.reduce((a, b) => Math.min(a, b)), max = (list) => list.reduce((a, b) => Math.max(a, b));
    const box = this.canvas.getBoundingClientRect();
    const width = max(xs) - min(xs) + 300, height = max(ys) - min(ys) + 150;
    this.scale = Math.max(0.02, Math.min(1, box.width / width, box.height / height));
    this.x = box.width / 2 - (min(xs) + max(xs)) / 2 * this.scale;
    this.y = 30 - min(ys) * this.scale;
    this.draw();
  },
  draw() {
    if (!this.nodes) return;
    const box = this.canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
    this.canvas.width = box.width * ratio; this.canvas.height = box.height * ratio;
    const c = this.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const color = (name) => style.getPropertyValue("--" + name);
    c.setTransform(this.scale * ratio, 0, 0, this.scale * ratio, this.x * ratio, this.y * ratio);
    const view = { l: -this.x / this.scale, t: -this.y / this.scale, r: (box.width - this.x) / this.scale, b: (box.height - this.y) / this.scale };
    const seen = (node) => node.x + 130 > view.l && node.x - 130 < view.r && node.y + node.h > view.t && node.y < view.b;
    const details = this.scale > 0.35;
    c.font = "12px ui-monospace, monospace"; c.lineWidth = Math.max(1, 0.7 / this.scale);
    for (const edge of this.edges) {
      const a = this.nodes[edge.from], b = this.nodes[edge.to];
      if (!seen(a) && !seen(b)) continue;
      c.strokeStyle = c.fillStyle = color(edge.onPath ? "on" : "edge");
      c.beginPath();
      const y1 = a.y + a.h, up = b.y <= a.y;
      c.moveTo(a.x, y1);
      if (up) c.bezierCurveTo(a.x + 200, y1 + 40, b.x + 200, b.y - 40, b.x, b.y);
      else c.bezierCurveTo(a.x, y1 + 30, b.x, b.y - 30, b.x, b.y);
      c.stroke();
      c.beginPath(); c.moveTo(b.x, b.y); c.lineTo(b.x - 4, b.y - 8); c.lineTo(b.x + 4, b.y - 8); c.fill();
      if (details) c.fillText(edge.label.slice(0, 34), up ? a.x + 60 : (a.x + b.x) / 2 + 4, up ? y1 + 18 : (y1 + b.y) / 2 + 4);
    }
    this.nodes.forEach((node, at) => {
      if (!seen(node)) return;
      c.fillStyle = color(this.hits.has(at) ? "hit" : node.kind === 2 ? "error" : "node");
      c.strokeStyle = color(node.onPath ? "on" : "edge");
      c.fillRect(node.x - node.w / 2, node.y, node.w, node.h);
      c.strokeRect(node.x - node.w / 2, node.y, node.w, node.h);
      if (!details) return;
      c.fillStyle = color("text");
      node.text.forEach((line, n) => c.fillText(line.slice(0, 31), node.x - node.w / 2 + 6, node.y + 16 + 15 * n));
    });
    $("zoom").textContent = `${Math.round(this.scale * 100)} %`;
  },
  zoom(factor, x, y) {
    const box = this.canvas.getBoundingClientRect();
    x ??= box.width / 2; y ??= box.height / 2;
    const scale = Math.max(0.01, Math.min(4, this.scale * factor));
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.draw();
  },
  search(text) {
    this.hits.clear();
    if (text) this.nodes.forEach((node, at) => { if (node.all.includes(text)) this.hits.add(at); });
    if (text) for (const edge of this.edges) if (edge.label.includes(text)) this.hits.add(edge.from);
    $("hits").textContent = text ? `${this.hits.size} found` : "";
    const first = [...this.hits][0];
    if (first !== undefined) {
      const box = this.canvas.getBoundingClientRect();
      this.scale = Math.max(this.scale, 0.6);
      this.x = box.width / 2 - this.nodes[first].x * this.scale;
      this.y = box.height / 2 - this.nodes[first].y * this.scale;
    }
    this.draw();
  },
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.x) / this.scale, y = (event.clientY - box.top - this.y) / this.scale;
    return this.nodes.find((node) => Math.abs(node.x - x) < node.w / 2 && y > node.y && y < node.y + node.h);
  },
};
$("functions").onchange = () => { graph.hits.clear(); graph.load(); };
$("collapse").onchange = () => { graph.hits.clear(); graph.load(); };
$("search").oninput = () => graph.search($("search").value);
$("in").onclick = () => graph.zoom(1.3);
$("out").onclick = () => graph.zoom(1 / 1.3);
$("fit").onclick = () => graph.fit();
graph.canvas.onwheel = (event) => { event.preventDefault(); graph.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY); };
graph.canvas.onpointerdown = (event) => {
  graph.canvas.setPointerCapture(event.pointerId);
  graph.drag = { x: event.clientX - graph.x, y: event.clientY - graph.y };
};
graph.canvas.onpointermove = (event) => {
  if (graph.drag) { graph.x = event.clientX - graph.drag.x; graph.y = event.clientY - graph.drag.y; graph.draw(); }
};
graph.canvas.onpointerup = () => { graph.drag = null; };
graph.canvas.ondblclick = (event) => {
  const node = graph.nodes && graph.at(event);
  if (node && node.line && node.file >= 0) { show("source"); source.go(node.file, node.line); }
};
addEventListener("resize", () => { if ($("graph").classList.contains("shown")) graph.draw(); });
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.draw());

const wanted = location.hash.replace("#tab=", "");
show(sections.some((section) => section.id === wanted) ? wanted : "summary");
document.body.dataset.ready = "yes";
