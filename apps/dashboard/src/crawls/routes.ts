import { isObject } from '@gleaner/contracts/values';
import { NO_SINK, sinkOfChoice, type SinkChoice } from '../targets/sink.ts';

/** What reads the pages of a pattern, and where its rows go. */
export interface Reading extends SinkChoice {
  parser: string;
}

/** By pattern. */
export type Readings = Readonly<Record<string, Reading>>;

/** The readings of an address, without what isn't one; undefined when it has none. */
export function readReadings(value: unknown): Readings | undefined {
  const found = Object.entries(value ?? {}).flatMap(([pattern, one]: [string, Partial<Reading> | null]) => {
    if (typeof one?.parser !== 'string') return [];
    const { parser, database, table, types } = one;
    const sink =
      typeof database === 'string'
        ? {
            database,
            table: table ?? '',
            ...(isObject(types) ? { types: types as Record<string, string> } : {}),
          }
        : NO_SINK;
    return [[pattern, { parser, ...sink }] as const];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function literals(pattern: string): number {
  return pattern.replaceAll('*', '').length;
}

/** A name for a route, of the pattern's words. */
function nameOf(pattern: string, taken: ReadonlySet<string>): string {
  const path = pattern.replace(/^https?:\/\/[^/]+/, '');
  const words = path.toLowerCase().match(/[a-z0-9]+/g) ?? [];
  const name =
    words
      .join('_')
      .replace(/^[0-9_]+/, '')
      .slice(0, 40) || 'pages';
  for (let number = 1; ; number += 1) {
    const free = number === 1 ? name : `${name}_${number}`;
    if (!taken.has(free)) return free;
  }
}

/** The routes of a crawl in which each pattern's pages are read by its parser; the narrower pattern comes first. */
export function routesOf(readings: Readings) {
  const names = new Set<string>();
  return Object.entries(readings)
    .toSorted(([one], [other]) => literals(other) - literals(one))
    .map(([match, reading]) => {
      const name = nameOf(match, names);
      names.add(name);
      const target = { type: 'parser' as const, parserId: reading.parser };
      return { name, match, target, sink: sinkOfChoice(reading) };
    });
}
