// What is being looked at. Everything on the page follows from `state` and from `DATA`.

const DATA = JSON.parse(document.getElementById("data").textContent);
const { s: SECONDS, B: BYTES, flop: WORK, "flop/s": FLOPS } = DATA.units;
const OWN = DATA.own.map(({ name }) => name); // the resources that files declare
const SLOTS = ["A", "B"];
const COMPOSING = ["written", "max", "sum"];

const state = {
  model: 0,
  slots: [newSlot(0), null],
  values: DATA.models.map(startValues),
  views: [],
  composing: "written",
  axis: null, // the quantity that the trajectory follows: a control's key
  plane: [null, null], // the two quantities of the regime map
  pair: "", // the two resources of the plane of intensities: `memory/nvme`
  isolated: "", // a kernel, level or ceiling: `kernel:summa`, `line:memory.L2`
  steps: true,
  tied: true, // parameters of the same name in several models move together
  theme: "",
  pins: [], // scenarios: { name, link }
};

toldApart(DATA.models);
toldApart(DATA.machines);

// Several of one name, from several files, are shown as `summa` and `summa (2)`.
function toldApart(items) {
  const counts = table();
  for (const item of items) {
    item.own = item.name;
    counts[item.own] = (counts[item.own] ?? 0) + 1;
    if (counts[item.own] > 1) item.name = `${item.own} (${counts[item.own]})`;
  }
}

// A table by names that people choose: `constructor` is not there unless it is put there.
function table() {
  return Object.create(null);
}

// A machine with what was changed of it.
function newSlot(machine) {
  return { machine, parameters: table(), rates: table() };
}

function startValues({ parameters }) {
  const values = table();
  for (const parameter of parameters) {
    if (parameter.start !== null) values[parameter.name] = parameter.start;
  }
  return values;
}

function model() {
  return DATA.models[state.model];
}

function machineOf(slot) {
  return DATA.machines[state.slots[slot].machine];
}

function usedSlots() {
  return state.slots.flatMap((slot, place) => (slot ? [place] : []));
}

// A name for a slot's machine: two of the same are told apart.
function slotName(slot) {
  const name = machineOf(slot).name;
  const both = state.slots[1] && state.slots[0].machine === state.slots[1].machine;
  return both ? `${name} (${SLOTS[slot]})` : name;
}
