// What a cell of the first screen says, beside it: under the pointer, or where the arrow keys are.
{
  const table = document.getElementById("answer-table");
  const rows = [...(table?.tBodies[0].rows ?? [])].map((row) => [...row.querySelectorAll(".cell")]);
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true"); // the cell says the same to whoever hears the page

  const show = (cell) => {
    tip.textContent = cell.querySelector(".unseen").textContent;
    tip.hidden = false;
    const box = cell.getBoundingClientRect(), own = tip.getBoundingClientRect();
    tip.style.left = `${Math.max(8, Math.min(box.left, innerWidth - own.width - 8))}px`;
    tip.style.top = `${box.bottom + own.height + 8 > innerHeight ? box.top - own.height - 4 : box.bottom + 4}px`;
  };
  const hide = () => { tip.hidden = true; };

  // One stop for the Tab key; from it the arrows lead on.
  const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] };
  const seen = (cell) => cell?.checkVisibility();
  const next = (row, place, [down, right]) => {
    do { row += down; place += right; } while (rows[row]?.[place] && !seen(rows[row][place]));
    return rows[row]?.[place];
  };
  let stop = rows[0]?.[0];
  const move = (to) => {
    stop.tabIndex = -1;
    stop = to;
    stop.tabIndex = 0;
    stop.focus();
  };
  rows.forEach((cells, row) => cells.forEach((cell, place) => {
    cell.tabIndex = cell === stop ? 0 : -1;
    cell.addEventListener("pointerenter", () => show(cell));
    cell.addEventListener("pointerleave", hide);
    cell.addEventListener("focus", () => show(cell));
    cell.addEventListener("blur", hide);
    cell.addEventListener("keydown", (event) => {
      if (event.key === "Escape") hide();
      const to = event.key in MOVES && next(row, place, MOVES[event.key]);
      if (to) { event.preventDefault(); move(to); }
    });
  }));
  if (rows.length) document.body.append(tip);
}
