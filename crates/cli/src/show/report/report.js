"use strict";
// The page's behaviour: tabs, the source with its path and coverage, the step player, graphs on a canvas.
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
  if (id === "arg") states.open();
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
    this.reached = new Set(data.files[file].reached);
    this.checked = new Map(data.files[file].checked);
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
      if (this.code.has(line)) row.classList.add(this.reached.has(line) ? "reached" : "code");
      if (this.checked.has(line)) row.classList.add(this.checked.get(line));
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

// Graphs on a canvas, only what is in view: the automata of functions, and the abstract states of the analysis.
// A graph is { name, nodes: [line, kind, name, on path, file, more lines], edges: [from, to, label, on path, dashed] }.
class Graph {
  constructor(prefix, graphs, arrange) {
    this.of = (name) => $(prefix + name);
    Object.assign(this, { graphs, arrange, canvas: this.of("canvas"), scale: 1, x: 0, y: 0, hits: new Set(), folded: new Set(), ready: false });
    const on = (name, event, act) => { this.of(name)[event] = act; };
    on("functions", "onchange", () => { this.folded.clear(); this.load(); });
    on("collapse", "onchange", () => { this.folded.clear(); this.load(); });
    on("search", "oninput", () => this.search(this.of("search").value));
    on("in", "onclick", () => this.zoom(1.3));
    on("out", "onclick", () => this.zoom(1 / 1.3));
    on("fit", "onclick", () => this.fit());
    on("unfold", "onclick", () => { this.folded.clear(); this.load(); });
    this.canvas.onwheel = (event) => { event.preventDefault(); this.zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event.offsetX, event.offsetY); };
    this.canvas.onpointerdown = (event) => {
      this.canvas.setPointerCapture(event.pointerId);
      this.drag = { x: event.clientX - this.x, y: event.clientY - this.y, moved: false, fromX: event.clientX, fromY: event.clientY };
    };
    this.canvas.onpointermove = (event) => {
      if (!this.drag) { const node = this.nodes && this.at(event); this.canvas.title = node ? node.all : ""; return; }
      this.drag.moved ||= Math.abs(event.clientX - this.drag.fromX) + Math.abs(event.clientY - this.drag.fromY) > 4;
      this.x = event.clientX - this.drag.x; this.y = event.clientY - this.drag.y; this.draw();
    };
    this.canvas.onpointerup = (event) => {
      const clicked = this.drag && !this.drag.moved && event.shiftKey && this.at(event);
      this.drag = null;
      if (clicked) this.fold(clicked.first);
    };
    this.canvas.ondblclick = (event) => {
      const node = this.nodes && this.at(event);
      if (node && node.line && node.file >= 0) { show("source"); source.go(node.file, node.line); }
    };
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }
  open() {
    if (!this.graphs.length) return;
    if (!this.ready) {
      this.ready = true;
      this.graphs.forEach((item, at) => this.of("functions").append(new Option(`${item.name} (${item.nodes.length})`, at)));
      this.of("functions").hidden = this.graphs.length < 2;
      const main = this.graphs.findIndex((item) => item.name === "main");
      this.of("functions").value = Math.max(0, main);
      this.load();
    }
    this.draw();
  }
  // Hides or shows what can only be reached through a node.
  fold(first) {
    if (!this.folded.delete(first)) this.folded.add(first);
    const old = this.nodes.find((node) => node.first === first), x = this.x + old.x * this.scale, y = this.y + old.y * this.scale;
    this.load(false);
    const now = this.nodes.find((node) => node.first === first);
    this.x = x - now.x * this.scale; this.y = y - now.y * this.scale;
    this.draw();
  }
  load(fit = true) {
    const item = this.graphs[Number(this.of("functions").value)];
    this.hits.clear();
    this.of("hits").textContent = "";
    const kept = this.visible(item);
    const edges = item.edges.filter((edge) => kept[edge[0]] && kept[edge[1]] && !(this.folded.has(edge[0]) && !edge[4]));
    const out = item.nodes.map(() => []), into = item.nodes.map(() => 0), before = [];
    for (const edge of edges) { out[edge[0]].push(edge); into[edge[1]]++; before[edge[1]] = edge[0]; }
    // A chain of nodes with one way in and one way out is one box unless the user wants all. What a state knows stands
    // in the box of the last state of the chain.
    const collapse = this.of("collapse").checked;
    const head = item.nodes.map((_, at) => at);
    const tail = item.nodes.map((_, at) => at);
    const text = item.nodes.map((node) => [`${node[2]}${node[0] ? "  line " + node[0] : ""}`]);
    const inner = new Set();
    const follows = (at) => out[at].length === 1 && !out[at][0][4] && into[out[at][0][1]] === 1 && !this.folded.has(at);
    if (collapse) for (let at = 0; at < item.nodes.length; at++) {
      if (!kept[at] || inner.has(at) || (into[at] === 1 && follows(before[at]) && before[at] !== at)) continue;
      let end = at;
      while (follows(end) && out[end][0][1] !== at && !inner.has(out[end][0][1])) {
        text[at].push(out[end][0][2]);
        end = out[end][0][1];
        inner.add(end);
        head[end] = at;
      }
      tail[at] = end;
    }
    this.nodes = []; this.edges = [];
    const box = new Map();
    item.nodes.forEach((node, at) => {
      if (head[at] !== at || !kept[at]) return;
      box.set(at, this.nodes.length);
      const knows = (item.nodes[tail[at]][5] || []);
      const steps = text[at].length > 8 ? text[at].slice(0, 8).concat([`... ${text[at].length - 8} more`]) : text[at];
      const lines = steps.concat(knows.slice(0, 6).map((line) => "= " + line), knows.length > 6 ? [`= ... ${knows.length - 6} more`] : []);
      if (this.folded.has(tail[at])) lines.push("[folded]");
      const last = item.nodes[tail[at]];
      this.nodes.push({ first: tail[at], text: lines, all: text[at].concat(knows).join("\n"), line: node[0], file: node[4], kind: Math.max(node[1], last[1]), onPath: node[3] });
    });
    for (const [from, to, label, onPath, dashed] of edges) {
      if (head[from] === head[to] && head[to] !== to) continue;
      this.edges.push({ from: box.get(head[from]), to: box.get(head[to]), label, onPath, dashed });
    }
    for (const node of this.nodes) { node.w = 230; node.h = 10 + 15 * node.text.length; }
    if (this.nodes.length) this.arrange(this.nodes, this.edges);
    if (fit) this.fit();
  }
  // What is not behind folded nodes.
  visible(item) {
    if (!this.folded.size) return item.nodes.map(() => true);
    const next = item.nodes.map(() => []), seen = item.nodes.map(() => false), into = item.nodes.map(() => 0);
    for (const edge of item.edges) if (!edge[4]) { next[edge[0]].push(edge[1]); into[edge[1]]++; }
    const work = [0];
    into.forEach((count, at) => { if (!count) work.push(at); });
    while (work.length) {
      const at = work.pop();
      if (seen[at]) continue;
      seen[at] = true;
      if (!this.folded.has(at)) work.push(...next[at]);
    }
    return seen;
  }
  fit() {
    if (!this.nodes.length) return;
    const xs = this.nodes.map((node) => node.x), ys = this.nodes.map((node) => node.y);
    const min = (list) => list.reduce((a, b) => Math.min(a, b)), max = (list) => list.reduce((a, b) => Math.max(a, b));
    const box = this.canvas.getBoundingClientRect();
    const width = max(xs) - min(xs) + 300, height = max(ys) - min(ys) + 150;
    this.scale = Math.max(0.02, Math.min(1, box.width / width, box.height / height));
    // A graph that is too large to be read shows its start.
    if (this.scale < 0.2) {
      this.scale = 0.5;
      this.x = box.width / 2 - this.nodes[0].x * this.scale;
    } else this.x = box.width / 2 - (min(xs) + max(xs)) / 2 * this.scale;
    this.y = 30 - min(ys) * this.scale;
    this.draw();
  }
  draw() {
    if (!this.nodes) return;
    const box = this.canvas.getBoundingClientRect(), ratio = devicePixelRatio || 1;
    this.canvas.width = box.width * ratio; this.canvas.height = box.height * ratio;
    const c = this.canvas.getContext("2d"), style = getComputedStyle(document.documentElement);
    const colors = new Map();
    const color = (name) => { if (!colors.has(name)) colors.set(name, style.getPropertyValue("--" + name)); return colors.get(name); };
    c.setTransform(this.scale * ratio, 0, 0, this.scale * ratio, this.x * ratio, this.y * ratio);
    const view = { l: -this.x / this.scale, t: -this.y / this.scale, r: (box.width - this.x) / this.scale, b: (box.height - this.y) / this.scale };
    const seen = (node) => node.x + 130 > view.l && node.x - 130 < view.r && node.y + node.h > view.t && node.y < view.b;
    const details = this.scale > 0.35;
    c.font = "12px ui-monospace, monospace"; c.lineWidth = Math.max(1, 0.7 / this.scale);
    for (const edge of this.edges) {
      const a = this.nodes[edge.from], b = this.nodes[edge.to];
      // Many states may be covered by one: their edges are drawn with them only.
      if (!seen(a) && (edge.dashed || !seen(b))) continue;
      c.strokeStyle = c.fillStyle = color(edge.onPath ? "on" : "edge");
      c.setLineDash(edge.dashed ? [6, 5] : []);
      c.beginPath();
      const y1 = a.y + a.h, up = b.y <= a.y;
      c.moveTo(a.x, y1);
      if (up) c.bezierCurveTo(a.x + 200, y1 + 40, b.x + 200, b.y - 40, b.x, b.y);
      else c.bezierCurveTo(a.x, y1 + 30, b.x, b.y - 30, b.x, b.y);
      c.stroke();
      c.setLineDash([]);
      c.beginPath(); c.moveTo(b.x, b.y); c.lineTo(b.x - 4, b.y - 8); c.lineTo(b.x + 4, b.y - 8); c.fill();
      if (!details) continue;
      c.fillStyle = color("soft");
      // The label stands where the edge ends: there no other edge of the same node is in its way.
      if (up) c.fillText(edge.label.slice(0, 34), a.x + 60, y1 + 18);
      else c.fillText(edge.label.slice(0, 34), (a.x + 3 * b.x) / 4 + 6, b.y - 12);
    }
    this.nodes.forEach((node, at) => {
      if (!seen(node)) return;
      c.fillStyle = color(this.hits.has(at) ? "hit" : node.kind === 2 ? "error" : node.kind === 3 ? "panel" : "node");
      c.strokeStyle = color(node.onPath ? "on" : "edge");
      c.fillRect(node.x - node.w / 2, node.y, node.w, node.h);
      c.strokeRect(node.x - node.w / 2, node.y, node.w, node.h);
      if (!details) return;
      c.fillStyle = color("text");
      node.text.forEach((line, n) => c.fillText(line.length > 31 ? line.slice(0, 30) + "…" : line, node.x - node.w / 2 + 6, node.y + 16 + 15 * n));
    });
    this.of("zoom").textContent = `${Math.round(this.scale * 100)} %`;
  }
  zoom(factor, x, y) {
    const box = this.canvas.getBoundingClientRect();
    x ??= box.width / 2; y ??= box.height / 2;
    const scale = Math.max(0.01, Math.min(4, this.scale * factor));
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.draw();
  }
  search(text) {
    this.hits.clear();
    if (text) this.nodes.forEach((node, at) => { if (node.all.includes(text)) this.hits.add(at); });
    if (text) for (const edge of this.edges) if (edge.label.includes(text)) this.hits.add(edge.from);
    this.of("hits").textContent = text ? `${this.hits.size} found` : "";
    const first = [...this.hits][0];
    if (first !== undefined) {
      const box = this.canvas.getBoundingClientRect();
      this.scale = Math.max(this.scale, 0.6);
      this.x = box.width / 2 - this.nodes[first].x * this.scale;
      this.y = box.height / 2 - this.nodes[first].y * this.scale;
    }
    this.draw();
  }
  at(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = (event.clientX - box.left - this.x) / this.scale, y = (event.clientY - box.top - this.y) / this.scale;
    return this.nodes.find((node) => Math.abs(node.x - x) < node.w / 2 && y > node.y && y < node.y + node.h);
  }
}

// Ranks by distance from the first node, and the edge by which each node is reached first.
function ranks(nodes, edges) {
  const next = nodes.map(() => []), rank = nodes.map(() => -1), parent = nodes.map(() => -1);
  for (const edge of edges) if (!edge.dashed) next[edge.from].push(edge.to);
  const order = [];
  const start = (root) => { rank[root] = 0; order.push(root); };
  start(0);
  for (let at = 0, free = 0; at < nodes.length; at++) {
    while (at >= order.length) { while (rank[free] >= 0) free++; start(free); }
    for (const to of next[order[at]]) if (rank[to] < 0) { rank[to] = rank[order[at]] + 1; parent[to] = order[at]; order.push(to); }
  }
  return { next, rank, parent, order };
}

// Where the layers begin, by the highest box of each.
function tops(nodes, rank) {
  const heights = [];
  nodes.forEach((node, at) => { heights[rank[at]] = Math.max(heights[rank[at]] || 0, node.h); });
  let y = 0;
  return heights.map((height) => { const top = y; y += height + 54; return top; });
}

// Automata: layers by distance from the entry, in each the order of those above.
function layered(nodes, edges) {
  const { next, rank, order } = ranks(nodes, edges);
  const layers = [];
  for (const at of order) (layers[rank[at]] ||= []).push(at);
  const place = new Array(nodes.length).fill(0);
  for (let pass = 0; pass < 2; pass++) for (const layer of layers) {
    layer.forEach((node, at) => { place[node] = at; });
    for (const node of layer) next[node].forEach((child, n) => { if (rank[child] > rank[node]) place[child] = place[node] + n * 0.1; });
    layer.sort((a, b) => place[a] - place[b]);
  }
  const top = tops(nodes, rank);
  for (const layer of layers) layer.forEach((node, at) => Object.assign(nodes[node], { x: (at - (layer.length - 1) / 2) * 260, y: top[rank[node]] }));
}

// Abstract states: a tree but for covering and merging. Leaves stand where their layer is free, others above the middle
// of their children.
function tree(nodes, edges) {
  const { rank, parent, order } = ranks(nodes, edges);
  const children = nodes.map(() => []);
  for (const at of order) if (parent[at] >= 0) children[parent[at]].push(at);
  const top = tops(nodes, rank), free = [];
  const work = order.filter((at) => parent[at] < 0).reverse().map((at) => [at, false]);
  while (work.length) {
    const [at, done] = work.pop();
    if (!done) {
      work.push([at, true]);
      for (let n = children[at].length - 1; n >= 0; n--) work.push([children[at][n], false]);
      continue;
    }
    const own = children[at];
    const wanted = own.length ? (nodes[own[0]].x + nodes[own[own.length - 1]].x) / 2 : 0;
    const x = Math.max(wanted, free[rank[at]] ?? (own.length ? wanted : 0));
    free[rank[at]] = x + 260;
    Object.assign(nodes[at], { x, y: top[rank[at]] });
  }
}

const graph = new Graph("", data.functions, layered);
const states = data.states ? new Graph("arg-", [data.states], tree) : null;
addEventListener("resize", () => { if ($("graph").classList.contains("shown")) graph.draw(); if (states && $("arg").classList.contains("shown")) states.draw(); });

const wanted = location.hash.replace("#tab=", "");
show(sections.some((section) => section.id === wanted) ? wanted : "summary");
document.body.dataset.ready = "yes";
