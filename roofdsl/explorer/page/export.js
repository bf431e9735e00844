// Views as files: SVG and PNG as drawn, with what they are of; CSV with all digits.

async function exportView(name, form) {
  const stem = `${model().name}-${machineOf(0).name}-${name}`;
  if (form === "csv") {
    const rows = [...views[name].table(), [], ...captionRows()];
    return save(`${stem}.csv`, new Blob([csvOf(rows)], { type: "text/csv" }));
  }
  const plot = byId(`view-${name}`).querySelector(".plot");
  drawView(name); // points may have been moved without being drawn
  const { width, height } = plot.getBoundingClientRect();
  const url = await Plotly.toImage(plot, { format: "svg", width, height });
  const figure = withCaption(await blobOf(url).text(), views[name].title, width, height);
  const type = "image/svg+xml";
  if (form === "svg") return save(`${stem}.svg`, new Blob([figure], { type }));
  return save(`${stem}.png`, await pictureOf(`data:${type},${encodeURIComponent(figure)}`));
}

// A picture of twice as many pixels.
async function pictureOf(url) {
  const image = new Image();
  image.src = url;
  await image.decode();
  const drawing = Object.assign(document.createElement("canvas"), {
    width: 2 * image.width,
    height: 2 * image.height,
  });
  drawing.getContext("2d").drawImage(image, 0, 0, drawing.width, drawing.height);
  return new Promise((done) => drawing.toBlob(done, "image/png"));
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
  rows.push([], ...captionRows());
  save(`${model().name}-${machineOf(0).name}.csv`, new Blob([csvOf(rows)], { type: "text/csv" }));
}
