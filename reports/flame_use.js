// How a flame graph is used: by pointer, by keyboard, by its search.
function tools(graph) {
  const search = made("input", { type: "search", placeholder: "part of a name", spellcheck: false });
  search.addEventListener("input", () => searchFor(graph, search.value));
  search.addEventListener("keydown", (event) => event.key === "Enter" && next(graph));
  const whole = made("button", { type: "button", textContent: "Whole run" });
  whole.addEventListener("click", () => graph.zoom(0));
  const chosen = graph.frames.runs.length > 1 ? [widthsBy(graph)] : [];
  return made("div", { className: "flame-tools" }, made("label", {}, "Search ", search), ...chosen, whole);
}

function widthsBy(graph) {
  const options = graph.frames.runs.map((run, at) => made("option", { value: at, textContent: run }));
  const select = made("select", {}, ...options);
  select.value = graph.frames.runs.length - 1;
  select.addEventListener("change", () => {
    graph.frames.arrange(Number(select.value));
    graph.zoom(0);
  });
  return made("label", {}, "Widths by ", select);
}

function searchFor(graph, words) {
  const wanted = words.trim().toLowerCase(), { frames } = graph;
  graph.fits = Uint8Array.from(frames.names, (name) => wanted !== "" && name.toLowerCase().includes(wanted));
  graph.hits = wanted === "" ? [] : [...frames.fitting(graph.fits)].sort((a, b) => frames.total[b] - frames.total[a]);
  graph.draw();
  if (wanted === "") return graph.tell();
  const sum = graph.hits.reduce((all, one) => all + frames.total[one], 0);
  const count = graph.hits.length, places = `found in ${count} place${count > 1 ? "s" : ""}`;
  const amount = `${joules(sum)}, ${graph.share(sum)}; Enter goes from one to the next`;
  graph.told.textContent = count ? `${places}: ${amount}` : "nothing found";
}

// The largest first.
function next(graph) {
  if (graph.hits?.length) graph.go(graph.hits[(graph.hits.indexOf(graph.at) + 1) % graph.hits.length]);
}

const KEYS = {
  ArrowDown: (graph) => graph.go(graph.frames.widest(graph.at)),
  ArrowUp: (graph) => graph.go(Math.max(0, graph.frames.parent[graph.at])),
  ArrowLeft: (graph) => graph.go(graph.frames.beside(graph.at, -1)),
  ArrowRight: (graph) => graph.go(graph.frames.beside(graph.at, 1)),
  Home: (graph) => graph.go(0),
  Enter: (graph) => graph.zoom(graph.at),
  " ": (graph) => graph.zoom(graph.at),
  Escape: (graph) => graph.zoom(0),
};

function under(graph, event) {
  const box = graph.box.getBoundingClientRect(), left = event.clientX - box.left;
  const row = graph.rows[Math.floor((event.clientY - box.top + graph.box.scrollTop) / ROW)] ?? [];
  return row.find(([frame, from, wide]) => frame >= 0 && from <= left && left < from + wide)?.[0];
}

function listen(graph) {
  const { box } = graph;
  box.addEventListener("keydown", (event) => {
    if (!KEYS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    KEYS[event.key](graph);
  });
  box.addEventListener("pointermove", (event) => graph.tell(under(graph, event)));
  box.addEventListener("pointerleave", () => graph.tell());
  box.addEventListener("click", (event) => {
    const frame = under(graph, event);
    if (frame !== undefined) graph.zoom(frame === graph.zoomed ? Math.max(0, graph.frames.parent[frame]) : frame);
  });
  box.addEventListener("scroll", () => graph.draw());
  new ResizeObserver(() => box.clientWidth !== graph.width && graph.reset()).observe(box);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => graph.reset());
}

// What the colours mean.
function legend({ frames, colours }) {
  const entry = (ground, text) => {
    const swatch = made("span", { className: "flame-swatch" });
    swatch.style.background = ground;
    return made("li", {}, swatch, text);
  };
  const [first, second] = frames.runs;
  if (second === undefined) return frames.kinds.map((kind, at) => entry(colours.ofKind(at), kind));
  return [
    entry(colours.ofWeight(1), `more joules in ${second}`),
    entry(colours.ofWeight(-1), `more joules in ${first}`),
    entry(colours.plain, "as many, or almost, by itself"),
  ];
}
