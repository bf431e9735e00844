// What was measured: a time, or a rate of some work; between measurements a power law.

const NEAREST = 16; // values on each side of an argument, as analysis/interpolation.py has it
const TRIED = 4096; // cells of some arguments

// No work takes no time by a table of a rate.
function measuredTime([place, formulas, work], context) {
  const { functions, p } = context;
  const amount = work === null ? null : Number(functions[work](p));
  if (amount === 0) return 0;
  const wanted = formulas.map((formula) => Number(functions[formula](p)));
  const measurements = context.tables[place];
  const row = measurements.rows.find(([key]) => key.every((value, at) => value === wanted[at]));
  const found = row?.[1] ?? (measurements.interpolate ? betweenRows(measurements, wanted) : NaN);
  if (Number.isNaN(found)) {
    context.problems.add(
      `${measurements.name}(${wanted.map((x) => showNumber(x)).join(", ")}) was not measured`,
    );
  }
  return measurements.ofRates ? amount / found : found;
}

// The value in the smallest cell around a point all corners of which were measured.
function betweenRows(measurements, wanted) {
  measurements.known ??= new Map(measurements.rows.map(([key, value]) => [key.join(), value]));
  const places = wanted.map((_, at) => at);
  let best = null;
  for (const open of subsets(places)) {
    const found = smallestCell(measurements, wanted, open);
    if (found && !(best && best.size <= found.size)) best = found;
  }
  return best ? valueInCell(measurements, wanted, best.cell) : NaN;
}

// The parts of some places that are not empty, those of few places first.
function subsets(places) {
  const found = [[]];
  for (const place of places) found.push(...found.map((each) => [...each, place]));
  const order = (one, other) =>
    one.length - other.length || one.map((x, at) => x - other[at]).find(Boolean) || 0;
  return found.slice(1).sort(order);
}

function smallestCell({ rows, known }, wanted, open) {
  const near = rows.filter(([key]) =>
    key.every((value, at) => open.includes(at) || value === wanted[at]),
  );
  const sides = open.map((at) => {
    const values = [...new Set(near.map(([key]) => key[at]))].sort((one, other) => one - other);
    const below = values.filter((value) => value < wanted[at]).slice(-NEAREST);
    const above = values.filter((value) => value > wanted[at]).slice(0, NEAREST);
    const pairs = below.flatMap((low) => above.map((high) => [Math.log(high / low), low, high]));
    return pairs.sort(inOrderOfNumbers);
  });
  if (sides.some((side) => !side.length)) return null;
  for (const [size, chosen] of bySize(sides)) {
    const cell = wanted.map((value) => [value, value]);
    open.forEach((at, number) => (cell[at] = sides[number][chosen[number]].slice(1)));
    if (cornersOf(cell).every((corner) => known.has(corner.join()))) return { size, cell };
  }
  return null;
}

function inOrderOfNumbers(one, other) {
  return one.map((x, at) => x - other[at]).find(Boolean) ?? 0;
}

// One pair of each side, those that are smallest together first.
function* bySize(sides) {
  const size = (places) => places.reduce((sum, place, at) => sum + sides[at][place][0], 0);
  const first = sides.map(() => 0);
  const waiting = [[size(first), first]];
  const seen = new Set([first.join()]);
  for (let tried = 0; tried < TRIED && waiting.length; tried++) {
    const [least, places] = waiting.shift();
    yield [least, places];
    for (let at = 0; at < sides.length; at++) {
      const following = places.map((place, other) => place + (other === at));
      if (following[at] >= sides[at].length || seen.has(following.join())) continue;
      seen.add(following.join());
      const item = [size(following), following];
      const after = (them) => inOrderOfNumbers([them[0], ...them[1]], item.flat()) > 0;
      const later = waiting.findIndex(after);
      waiting.splice(later < 0 ? waiting.length : later, 0, item);
    }
  }
}

function cornersOf(cell) {
  return cell.reduce(
    (keys, [low, high]) =>
      keys.flatMap((key) => (low === high ? [low] : [low, high]).map((end) => [...key, end])),
    [[]],
  );
}

// ln value is linear in the logarithm of each argument.
function valueInCell({ known }, wanted, cell) {
  const corners = cornersOf(cell);
  const first = known.get(corners[0].join());
  const terms = corners.map((corner) => {
    const share = corner.reduce((product, end, at) => {
      const [low, high] = cell[at];
      if (low === high) return product;
      const part = Math.log(wanted[at] / low) / Math.log(high / low);
      return product * (end === low ? 1 - part : part);
    }, 1);
    return share * Math.log(known.get(corner.join()) / first);
  });
  return first * Math.exp(total(...terms));
}
