import { addDelta, emptyStats, makeDeltas, stateOf, toBaseline, type HealthStats } from '@gleaner/core';
import { extract, noteValues, type CompiledParser, type NotedReport } from '@gleaner/extractors';

/** What one page says of its parser. */
export interface Seen {
  fields: readonly NotedReport[];
  ok: boolean;
}

export function readPage(parser: CompiledParser, html: string): Seen {
  const extraction = extract(parser, { body: html });
  return { ok: extraction.ok, fields: noteValues(extraction) };
}

/** Adds one page as a worker and the scheduler do. */
export function addPage(stats: HealthStats, { fields, ok }: Seen): void {
  const page = {
    host: 'site',
    url: '',
    seq: 0,
    fields,
    error: ok ? undefined : ('extraction_failed' as const),
    baseline: toBaseline(stateOf(stats), stats.fields),
  };
  for (const delta of makeDeltas('run', [page])) addDelta(stats, delta);
}

export function learned(pages: Iterable<Seen>): HealthStats {
  const stats = emptyStats();
  for (const page of pages) addPage(stats, page);
  return stats;
}

/** Pages until the alarm, at most `most`. */
export function pagesUntilAlarm(stats: HealthStats, pages: readonly Seen[], most = 100): number {
  let needed = 0;
  while (stateOf(stats) === 'healthy' && needed < most) {
    const seen = pages[needed % pages.length];
    if (seen !== undefined) addPage(stats, seen);
    needed += 1;
  }
  return needed;
}
