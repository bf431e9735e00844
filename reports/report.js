"use strict";

// Tables with several rows can be sorted by a column; long ones can be filtered.
(() => {
  const FILTERED_FROM = 9;

  const value = (cell) =>
    cell.dataset.sort === undefined ? cell.textContent.trim() : Number(cell.dataset.sort);

  const compare = (one, other) => {
    const numbers = typeof one === "number" && typeof other === "number";
    if (numbers) return one - other;
    // Texts stand behind numbers, so that dashes and the like come last.
    if (typeof one !== typeof other) return typeof one === "number" ? -1 : 1;
    return one.localeCompare(other, "en", { numeric: true });
  };

  const sort = (table, heading) => {
    const descending = heading.getAttribute("aria-sort") === "ascending";
    const column = heading.cellIndex;
    for (const each of table.tHead.rows[0].cells) each.removeAttribute("aria-sort");
    heading.setAttribute("aria-sort", descending ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows];
    const sign = descending ? -1 : 1;
    rows.sort((one, other) => sign * compare(value(one.cells[column]), value(other.cells[column])));
    body.append(...rows);
  };

  const makeSortable = (table) => {
    for (const heading of table.tHead.rows[0].cells) {
      if (heading.querySelector(".unseen")) continue;
      const button = document.createElement("button");
      button.type = "button";
      button.append(...heading.childNodes);
      button.addEventListener("click", () => sort(table, heading));
      heading.append(button);
    }
  };

  const makeFilterable = (table) => {
    const label = document.createElement("label");
    const input = document.createElement("input");
    label.className = "filter";
    label.append("Filter", input);
    input.type = "search";
    input.addEventListener("input", () => {
      const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
      for (const row of table.tBodies[0].rows) {
        const text = row.textContent.toLowerCase();
        row.hidden = !words.every((word) => text.includes(word));
      }
    });
    table.parentElement.before(label);
  };

  // What is wider than the page can be scrolled by keyboard, and says what it is.
  const makeScrollable = () => {
    for (const area of document.querySelectorAll(".scroll")) {
      if (area.scrollWidth <= area.clientWidth) {
        area.removeAttribute("tabindex");
        continue;
      }
      const title = area.closest("figure")?.querySelector("caption, figcaption");
      area.tabIndex = 0;
      if (area.hasAttribute("role")) continue;
      area.setAttribute("role", "group");
      area.setAttribute("aria-label", title ? title.textContent : "Table");
    }
  };

  for (const table of document.querySelectorAll("figure.table table, table.files")) {
    const count = table.tBodies[0].rows.length;
    if (count > 1) makeSortable(table);
    if (count >= FILTERED_FROM) makeFilterable(table);
  }
  makeScrollable();
  window.addEventListener("resize", makeScrollable);
})();
