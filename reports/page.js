"use strict";
// The page is whole without this: it adds tooltips to charts and order to tables.

// A drawing that the pointer reaches becomes a living chart; `ast` makes Vega interpret instead of compile.
const OPTIONS = {
  ast: true, actions: false, renderer: "svg", defaultStyle: false, mode: "vega-lite",
  tooltip: { disableDefaultStyle: true, theme: "page" },
};

// Data come by columns, which is shorter; Vega takes rows.
function unpacked(_, value) {
  const columns = value?.byColumn;
  if (!columns) return value;
  const names = Object.keys(columns);
  return columns[names[0]].map((_, place) => Object.fromEntries(names.map((name) => [name, columns[name][place]])));
}

async function inflated(id) {
  const text = atob(document.getElementById(id).textContent), bytes = new Uint8Array(text.length);
  for (let at = 0; at < text.length; at++) bytes[at] = text.charCodeAt(at);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
}

// The library runs when the first chart needs it: the page opens without it. The page's policy knows its hash.
async function prepare() {
  const library = document.createElement("script");
  library.textContent = await inflated("library");
  document.head.append(library);
  return JSON.parse(await inflated("charts"), unpacked);
}

let specifications; // by the name of the chart
async function enliven(chart) {
  specifications ??= prepare();
  const specification = (await specifications)[chart.dataset.chart];
  const stage = document.createElement("div");
  await vegaEmbed(stage, specification, OPTIONS);
  chart.querySelector("svg").replaceWith(stage);
  chart.dataset.live = "yes";
}

for (const chart of document.querySelectorAll(".chart")) {
  chart.addEventListener("pointerenter", () => enliven(chart), { once: true });
}

const exact = (cell) => (cell.dataset.value === undefined ? NaN : Number(cell.dataset.value));
const words = new Intl.Collator("en", { numeric: true });

// Unknown comes last in both directions.
function compare(one, other, direction) {
  const [a, b] = [exact(one), exact(other)];
  if (isNaN(a) || isNaN(b)) {
    return isNaN(a) && isNaN(b) ? direction * words.compare(one.textContent, other.textContent) : isNaN(a) - isNaN(b);
  }
  return direction * (a - b);
}

function sortBy(head, place, body) {
  const direction = head.ariaSort === "ascending" ? -1 : 1;
  for (const other of head.parentNode.cells) other.removeAttribute("aria-sort");
  head.ariaSort = direction === 1 ? "ascending" : "descending";
  const rows = [...body.rows].sort((a, b) => compare(a.cells[place], b.cells[place], direction));
  body.append(...rows);
}

for (const table of document.querySelectorAll("table:not(.pairs)")) {
  if (table.tBodies[0].rows.length < 2) continue;
  [...[...table.tHead.rows].at(-1).cells].forEach((head, place) => {
    const button = document.createElement("button");
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(head, place, table.tBodies[0]));
    head.append(button);
  });
}
