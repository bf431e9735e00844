// The plane of two intensities: flops for each unit of work on two resources that are chosen.

const PAIRS = pairsOf(["memory", "network", ...OWN]).map(([one, other]) => ({
  key: `${one}/${other}`,
  resources: ["flops", one, other],
  quotient: quotientName(one, other), // of the ridgeline, with `over`
  over: quotientName("flops", one),
  against: quotientName("flops", other),
}));

// The pair that is chosen, or the first of which the machine has both rates.
function plane() {
  const known = PAIRS.filter((pair) => ratesOf(pair, 0));
  return PAIRS.find(({ key }) => key === state.pair) ?? known[0] ?? PAIRS[0];
}

// Why a plane of intensities cannot be coloured, nothing where it can.
function withoutPlane() {
  const pair = plane();
  const [one, other] = pair.resources.slice(1);
  if (ratesOf(pair, 0)) return "";
  const any = !state.pair && PAIRS.length > 1;
  const names = any ? ` and two of memory, network, ${OWN.join(", ")}` : `, ${one} and ${other}`;
  return `${slotName(0)} has no limited rates for flops${names}.`;
}

function threeRates(slot) {
  return ratesOf(plane(), slot);
}

// The peak and the rates of two resources in a slot, null where one is missing.
function ratesOf({ resources }, slot) {
  const result = currentOf(slot);
  const served = placesOfRoofs(result.variant);
  const found = resources.map((name) => {
    const at = COUNTED_AND_OWN.indexOf(name);
    const place = served[at] ?? -1;
    return result.machine.rates[place < 0 ? (machineOf(slot).roofs[0]?.main[at] ?? -1) : place];
  });
  if (result.peak > 0) found[0] = result.peak;
  return found.every((rate) => rate !== undefined) ? found : null;
}

// Whether the region of the plane, or the face of the surface, is that of what binds a result.
function planeSays({ bound, variant, slot, ...result }) {
  const { resources, over, against, quotient } = plane();
  const [flops, one, other] = threeRates(slot) ?? [NaN, NaN, NaN];
  // Without flops their roofs are all 0, and what moves decides.
  const heights = result[over]
    ? [flops, one * result[over], other * result[against]]
    : [Infinity, one, other * result[quotient]];
  const served = placesOfRoofs(variant);
  const names = heights.flatMap((height, at) => {
    const rate = at && served[COUNTED_AND_OWN.indexOf(resources[at])];
    const least = isNear(height, Math.min(...heights));
    return least ? [resources[at], at && machineOf(slot).rates[rate]?.name] : [];
  });
  return !bound || names.includes(bound);
}

function pairChoice() {
  const select = element("select", "plane pair");
  select.setAttribute("aria-label", "over which resources");
  fillTexts(select, "option", PAIRS.map(({ key }) => key));
  select.addEventListener("change", () => {
    state.pair = select.value;
    ranges.clear();
    changedState();
  });
  return select;
}

function drawPairChoice() {
  for (const select of document.querySelectorAll("select.pair")) select.value = plane().key;
}
