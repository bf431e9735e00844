// Views as files: SVG and PNG as drawn, CSV with all digits.

async function exportView(name, form) {
  const stem = `${model().name}-${machineOf(0).name}-${name}`;
  if (form === "csv")
    return save(`${stem}.csv`, new Blob([csvOf(views[name].table())], { type: "text/csv" }));
  const plot = byId(`view-${name}`).querySelector(".plot");
  const { width, height } = plot.getBoundingClientRect();
  const scale = form === "png" ? 2 : 1;
  const url = await Plotly.toImage(plot, { format: form, width, height, scale });
  return save(`${stem}.${form}`, blobOf(url));
}

// What a data address holds.
function blobOf(url) {
  const comma = url.indexOf(",");
  const [type, encoding] = url.slice(5, comma).split(";");
  const body = url.slice(comma + 1);
  if (encoding !== "base64") return new Blob([decodeURIComponent(body)], { type });
  return new Blob([Uint8Array.from(atob(body), (letter) => letter.codePointAt(0))], { type });
}

function csvOf(rows) {
  return rows.map((row) => row.map(csvCell).join(",")).join("\r\n") + "\r\n";
}

// A text that a spreadsheet might take for a formula is kept a text.
function csvCell(value) {
  if (typeof value === "number")
    return Number.isNaN(value) ? "" : String(value).replace("Infinity", "inf");
  const text = String(value ?? "");
  const plain = /^'*[=+\-@\t\r\uFF0B\uFF0D\uFF1D\uFF20]/.test(text) ? `'${text}` : text;
  return /[",\r\n]/.test(plain) ? `"${plain.replaceAll('"', '""')}"` : plain;
}

function save(name, blob) {
  const link = element("a");
  link.download = name;
  link.href = URL.createObjectURL(blob);
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}

function exportNumbers() {
  const results = usedSlots().map(currentOf);
  const rows = [["quantity", ...usedSlots().map(slotName)]];
  for (const row of rowsOf(results))
    rows.push([row.name, ...results.map((result) => row.value(result) ?? "")]);
  if (!model().kernel) {
    rows.push([], ["step", "model", "time [s]", "share", "bound"]);
    for (const step of stepsOf(results[0]))
      rows.push([step.path, step.model, step.time, step.share, step.bound]);
  }
  save(`${model().name}-${machineOf(0).name}.csv`, new Blob([csvOf(rows)], { type: "text/csv" }));
}
