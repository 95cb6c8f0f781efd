import { compileParser, extract, type FieldReport } from '@gleaner/extractors';
import { addDelta, emptyStats, makeDeltas, missingRate, stateOf, type HealthStats } from '@gleaner/core';
import { brittle } from './suggest/brittle.ts';
import { learn } from './suggest/measure.ts';
import { mutate } from './suggest/mutate.ts';
import { readKnownSites, type KnownSite } from './suggest/sites.ts';

/** Ordinary pages over all sites, in which no alarm may come. */
const ORDINARY_PAGES = 10_000;
const LEARNED = 200;
const WITHIN = 20;
const CHANGES = 5;

interface Seen {
  fields: readonly FieldReport[];
  ok: boolean;
}

/** Adds one page as a worker and the scheduler do. */
function addPage(stats: HealthStats, { fields, ok }: Seen): void {
  const page = {
    host: 'site',
    url: '',
    seq: 0,
    fields,
    error: ok ? undefined : ('extraction_failed' as const),
    baseline: { state: stateOf(stats), fields: stats.fields },
  };
  for (const delta of makeDeltas('run', [page])) addDelta(stats, delta);
}

function learned(pages: readonly Seen[]): HealthStats {
  const stats = emptyStats();
  for (let page = 0; page < LEARNED; page += 1) {
    const seen = pages[Math.floor(Math.random() * pages.length)];
    if (seen !== undefined) addPage(stats, seen);
  }
  return stats;
}

function hasValue({ matched, value_count: count }: FieldReport): boolean {
  return matched && count > 0;
}

/** Whether a field that most pages had is now missing on most. */
function isBroken(stats: HealthStats, pages: readonly Seen[]): boolean {
  return Object.entries(stats.fields).some(([path, field]) => {
    const rate = missingRate(field);
    if (rate === undefined || rate > 0.2) return false;
    const missing = pages.filter(({ fields }) =>
      fields.some((report) => report.path === path && !hasValue(report)),
    );
    return missing.length >= 0.9 * pages.length;
  });
}

interface Tally {
  ordinary: number;
  falseAlarms: number;
  changes: number;
  inTime: number;
  pages: number[];
}

function trySite(site: KnownSite, ordinary: number, tally: Tally): void {
  const { schema } = learn(site.pages.slice(0, 2));
  if (schema === null) return;
  const parser = compileParser(brittle(schema));
  const read = (html: string): Seen => {
    const { ok, fields } = extract(parser, { body: html });
    return { ok, fields };
  };
  const pages = site.pages.map(({ html }) => read(html));
  const stats = learned(pages);
  for (let count = 0; count < ordinary; count += 1) {
    const seen = pages[Math.floor(Math.random() * pages.length)];
    if (seen === undefined) continue;
    addPage(stats, seen);
    tally.ordinary += 1;
    if (stateOf(stats) === 'healthy') continue;
    tally.falseAlarms += 1;
    Object.assign(stats, learned(pages));
  }
  for (let change = 0; change < CHANGES; change += 1) {
    const changed = site.pages.map(({ html }) => read(mutate(html, change)));
    const before = learned(pages);
    if (!isBroken(before, changed)) continue;
    tally.changes += 1;
    let needed = 0;
    while (stateOf(before) === 'healthy' && needed < 100) {
      const seen = changed[needed % changed.length];
      if (seen !== undefined) addPage(before, seen);
      needed += 1;
    }
    tally.pages.push(needed);
    if (needed <= WITHIN) tally.inTime += 1;
  }
}

/** False alarms in ordinary pages of real sites, and pages until the alarm after a change of their template. */
export async function run(): Promise<void> {
  const sites = readKnownSites();
  const tally: Tally = { ordinary: 0, falseAlarms: 0, changes: 0, inTime: 0, pages: [] };
  for (const site of sites) trySite(site, Math.ceil(ORDINARY_PAGES / sites.length), tally);
  const sorted = tally.pages.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  process.stdout.write(
    [
      `false alarms: ${tally.falseAlarms} in ${tally.ordinary} ordinary pages (bar: 0 in ${ORDINARY_PAGES})`,
      `alarms within ${WITHIN} pages: ${tally.inTime} of ${tally.changes} changes (bar: all), median ${median}, most ${sorted.at(-1) ?? 0}`,
      '',
    ].join('\n'),
  );
  await Promise.resolve();
}
