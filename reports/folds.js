// Folds: whoever follows a link into one finds it open; filters leave out what nobody asked for.
{
  const all = (selector) => document.querySelectorAll(selector);
  const leave = (one, away) => one.classList.toggle("filtered", Boolean(away));
  const unfold = () => {
    const target = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!target) return;
    for (let fold = target.closest("details"); fold; fold = fold.parentElement.closest("details")) fold.open = true;
    target.querySelector(":scope > details")?.setAttribute("open", "");
    target.scrollIntoView();
  };
  addEventListener("hashchange", unfold);
  for (const link of all('a[href^="#"]')) {
    link.addEventListener("click", () => { if (link.hash === location.hash) unfold(); });
  }
  unfold();

  const box = document.querySelector(".filters");
  const selects = [...(box?.querySelectorAll("select") ?? [])];
  const folds = [...all(".work")];
  const asked = () => Object.fromEntries(selects.map((one) => [one.dataset.filter, one.value]));
  const offered = (filter) => [...(box?.querySelectorAll(`[data-filter="${filter}"] option`) ?? [])].map((one) => one.value).filter(Boolean);
  const heads = [...all("#answer-table th[data-framework]")].map((one) => one.dataset.framework);
  const [names, quantities] = [offered("framework"), offered("quantity")];
  const kept = ({ dataset }, wanted) => !speaksOfAnother(dataset.quantity ?? "", wanted.quantity)
    && ["workload", "stage", "framework"].every((name) => !wanted[name] || dataset[name] === undefined || dataset[name] === wanted[name]);
  const about = (key, name) => key === name || key.startsWith(`${name} `) || key.endsWith(` ${name}`);
  const bare = (words) => words.replaceAll(",", "");
  const inside = (words, name) => ` ${bare(words)} `.includes(` ${bare(name)} `);
  const ofAnother = (part, words, wanted, has) => {
    const stay = [wanted, ...(part.closest(".work")?.dataset.references.split("\n") ?? [])];
    return Boolean(wanted) && !has(words, wanted) && names.some((name) => !stay.includes(name) && has(words, name));
  };
  const speaks = (key, name) => new RegExp(`(^|[- _])${name}($|[-_ ])`).test(key);  // as stage_energy_j_per_epoch does
  const speaksOfAnother = (key, wanted) =>
    Boolean(wanted) && !speaks(key, wanted) && quantities.some((name) => name !== wanted && speaks(key, name));
  const leaveColumns = (table, wanted) => {
    const away = [...table.tHead.rows[0].cells].map(({ dataset: { column } }) =>
      speaksOfAnother(column, wanted.quantity) || ofAnother(table, column, wanted.framework, about));
    for (const row of table.rows) [...row.cells].forEach((one, place) => leave(one, away[place]));
  };

  const apply = () => {
    const wanted = asked();
    const there = heads.includes(wanted.framework) ? wanted : { ...wanted, framework: "" };  // all are held against the reference
    for (const one of all("[data-workload], [data-framework], [data-quantity]")) {
      leave(one, !kept(one, one.closest("#answer-table") ? there : wanted));
    }
    for (const row of all(".work tr[data-row]")) {
      leave(row, ofAnother(row, row.dataset.row, wanted.framework, about) || speaksOfAnother(row.dataset.row, wanted.quantity));
    }
    for (const one of all(".work [data-subject]")) {
      leave(one, ofAnother(one, one.dataset.subject, wanted.framework, inside));
    }
    for (const table of all(".work table")) {
      leaveColumns(table, wanted);
      const box = table.closest(".scroll");
      const notes = box.nextElementSibling?.matches(".notes") ? [box.nextElementSibling] : [];
      const links = all(`figcaption a[href="#${table.id}"]`);
      for (const one of [box, ...notes, ...links]) leave(one, speaksOfAnother(table.id, wanted.quantity));
    }
    for (const row of all("#ratios-table tbody tr")) {
      const key = row.dataset.row;
      const elsewhere = [wanted.workload, wanted.stage].some((name) => name && !inside(key, name));
      leave(row, elsewhere || ofAnother(row, key, there.framework, inside) || speaksOfAnother(key, wanted.quantity));
    }
    for (const head of all("#answer-table th[scope=colgroup]")) {
      const under = all(`#answer-table th[data-framework][data-quantity="${head.dataset.quantity}"]:not(.filtered)`);
      head.colSpan = under.length || 1;
    }
    const shown = folds.filter((one) => !one.classList.contains("filtered")).length;
    const told = [shown < folds.length && `${shown} of ${folds.length} shown`, wanted.framework && `${wanted.framework} beside its reference; drawings have every framework`, (wanted.framework || wanted.quantity) && "headings and the appendix tell of all"];
    box.querySelector(".shown").textContent = told.filter(Boolean).join("; ");
  };

  if (box) {
    box.hidden = false;
    for (const one of selects) one.addEventListener("change", apply);
    for (const button of box.querySelectorAll("[data-open]")) {
      button.addEventListener("click", () => { for (const fold of folds) fold.open = Boolean(button.dataset.open); });
    }
  }
}
