"use strict";

// The table as tab-separated lines, numbers without separators and units.
function tsv(table) {
  return Array.from(table.rows, row =>
    Array.from(row.cells, cell =>
      (cell.dataset.raw ?? cell.textContent).trim().replace(/\s+/g, " ")).join("\t")
  ).join("\n") + "\n";
}

// Where a page from a file may not use the clipboard, a selection can still be copied.
async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const area = document.createElement("textarea");
    area.value = text;
    area.style.position = "fixed";
    area.style.opacity = "0";
    document.body.append(area);
    area.select();
    const done = document.execCommand("copy");
    area.remove();
    return done;
  }
}

for (const button of document.querySelectorAll("button[data-table]")) {
  const name = button.textContent;
  button.addEventListener("click", async () => {
    const done = await copy(tsv(document.getElementById(button.dataset.table)));
    button.textContent = done ? "Copied" : "Your browser does not allow it";
    setTimeout(() => { button.textContent = name; }, 1500);
  });
}
