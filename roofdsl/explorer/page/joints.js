// What competes to be the longest of what overlaps, as analysis/contender.py has it.

// The busy times of each resource of these names, and of those that the machine joins, together.
function contenders(names, busy, joined) {
  const wide = Object.entries(joined).filter(([, inside]) => Object.keys(inside).length > 1);
  const found = new Map();
  for (const name of Object.keys(busy)) {
    const among = wide.filter(([, inside]) => name in inside);
    for (const [joint, inside] of among) found.set(`joined ${joint}`, inside);
    if (!among.length && names.includes(name)) found.set(name, only(name, busy[name]));
  }
  return [...found.values()];
}

// The busy times of a kernel by what joins them; one that states its time has the first alone.
function jointsOf(keys, busy, stated) {
  const found = table();
  for (const { joins, group } of keys) {
    for (const joint of joins) {
      found[joint] ??= table();
      if (!stated || !Object.keys(found[joint]).length) found[joint][group] = busy[group];
    }
  }
  return found;
}

// Those of several parts, added up.
function jointsTogether(parts, a) {
  const found = table();
  for (const joint of new Set(parts.flatMap(({ joined }) => Object.keys(joined)))) {
    const inside = parts.filter(({ joined }) => joint in joined).map(({ joined }) => joined[joint]);
    found[joint] = collected(inside, a.add);
  }
  return found;
}

// Those that several parts use.
function jointsShared(parts, joined) {
  const found = table();
  for (const joint of Object.keys(joined)) {
    if (parts.filter((part) => joint in part.joined).length > 1) found[joint] = joined[joint];
  }
  return found;
}
