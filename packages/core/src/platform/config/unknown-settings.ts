/** Variables with our prefix for others: Compose, and Kubernetes with a service `gleaner`. */
const FOREIGN = /^GLEANER_(?:PUBLISH$|COMMIT$|(?:\w+_)?(?:SERVICE_(?:HOST$|PORT)|PORT_\d))/;

/** One line for every unknown variable with our prefix, because a mistyped setting would have no effect. */
export function findUnknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('GLEANER_') && env[name] !== undefined && env[name] !== '')
    .filter((name) => !known.includes(name) && !FOREIGN.test(name) && !/^(?:tcp|udp):/.test(env[name] ?? ''))
    .toSorted()
    .map((name) => `${name}: is not a setting; the nearest is ${nearestName(name, known)}`);
}

function nearestName(name: string, known: readonly string[]): string {
  const distances = known.map((other) => distance(name, other.replace(/^(?!GLEANER_)/, 'GLEANER_')));
  return known[distances.indexOf(Math.min(...distances))] ?? '';
}

/** The Levenshtein distance: the number of characters to add, remove or replace. */
function distance(one: string, other: string): number {
  let previous = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const replaced = (previous[column - 1] ?? 0) + (one[row - 1] === other[column - 1] ? 0 : 1);
      current.push(Math.min(replaced, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[other.length] ?? 0;
}
