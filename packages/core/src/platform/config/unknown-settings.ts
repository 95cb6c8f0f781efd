import { mostSimilarName } from '@gleaner/contracts';

/** Variables with our prefix for others: the command line and clients, Compose, and Kubernetes with a service `gleaner`. */
const FOREIGN = /^GLEANER_(?:URL$|API_KEY$|PUBLISH$|COMMIT$|(?:\w+_)?(?:SERVICE_(?:HOST$|PORT)|PORT_\d))/;

/** One line for every unknown variable with our prefix, because a mistyped setting would have no effect. */
export function findUnknownSettings(
  env: Readonly<Record<string, string | undefined>>,
  known: readonly string[],
): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith('GLEANER_') && env[name] !== undefined && env[name] !== '')
    .filter((name) => !known.includes(name) && !FOREIGN.test(name) && !/^(?:tcp|udp):/.test(env[name] ?? ''))
    .toSorted()
    .map((name) => `${name}: is not a setting; the nearest is ${nearestSetting(name, known)}`);
}

function nearestSetting(name: string, known: readonly string[]): string {
  const written = new Map(known.map((other) => [other.replace(/^(?!GLEANER_)/, 'GLEANER_'), other]));
  return written.get(mostSimilarName(name, [...written.keys()])?.candidate ?? '') ?? '';
}
