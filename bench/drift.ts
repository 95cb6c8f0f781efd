import { compileParser } from '@gleaner/extractors';
import { brokenFields, missingRate, stateOf, type HealthStats } from '@gleaner/core';
import { addPage, learned, pagesUntilAlarm, readPage, type Seen } from './drift/health.ts';
import { measureHealth } from './drift/cost.ts';
import { createRandom } from '../test/random.ts';
import type { MadeSite } from './drift/made-site.ts';
import { SHOP } from './drift/shop.ts';
import { VACANCIES } from './drift/vacancies.ts';
import { brittle } from './suggest/brittle.ts';
import { learn } from './suggest/measure.ts';
import { mutate } from './suggest/mutate.ts';
import { readKnownSites, type KnownSite } from './suggest/sites.ts';

/** Ordinary pages over all sites, and of the made shop, in which no alarm may come. */
const ORDINARY_PAGES = 10_000;
const LEARNED = 200;
const WITHIN = 20;
const ROUNDS = 5;
const SEEDS = 2;

interface Tally {
  ordinary: number;
  falseAlarms: number;
  /** Pages until the alarm, by change. */
  changes: { what: string; pages: number }[];
}

function emptyTally(): Tally {
  return { ordinary: 0, falseAlarms: 0, changes: [] };
}

function* randomly(pages: readonly Seen[], count: number): Generator<Seen> {
  for (let drawn = 0; drawn < count; drawn += 1) {
    const seen = pages[Math.floor(Math.random() * pages.length)];
    if (seen !== undefined) yield seen;
  }
}

function hasValue({ matched, value_count: count }: Seen['fields'][number]): boolean {
  return matched && count > 0;
}

/** Whether a field that most pages had is now missing on most. */
function isMissing(stats: HealthStats, pages: readonly Seen[]): boolean {
  return Object.entries(stats.fields).some(([path, field]) => {
    const rate = missingRate(field);
    if (rate === undefined || rate > 0.2) return false;
    const missing = pages.filter(({ fields }) =>
      fields.some((report) => report.path === path && !hasValue(report)),
    );
    return missing.length >= 0.9 * pages.length;
  });
}

/** Ordinary pages after learned ones: counts alarms. */
function tryOrdinary(pages: Iterable<Seen>, learn: () => HealthStats, tally: Tally): HealthStats {
  let stats = learn();
  for (const seen of pages) {
    addPage(stats, seen);
    tally.ordinary += 1;
    if (stateOf(stats) === 'healthy') continue;
    tally.falseAlarms += 1;
    process.stderr.write(`false alarm at page ${tally.ordinary}: ${brokenFields(stats).join(', ')}\n`);
    stats = learn();
  }
  return stats;
}

/** Fields of a real site vanish, as its template changes. */
function trySite(site: KnownSite, ordinary: number, tally: Tally): void {
  const { schema } = learn(site.pages.slice(0, 2));
  if (schema === null) return;
  const parser = compileParser(brittle(schema));
  const pages = site.pages.map(({ html }) => readPage(parser, html));
  const learnPages = (): HealthStats => learned(randomly(pages, LEARNED));
  tryOrdinary(randomly(pages, ordinary), learnPages, tally);
  for (let round = 0; round < ROUNDS; round += 1) {
    const changed = site.pages.map(({ html }) => readPage(parser, mutate(html, round)));
    const before = learnPages();
    if (!isMissing(before, changed)) continue;
    tally.changes.push({ what: `${site.name} ${round}`, pages: pagesUntilAlarm(before, changed) });
  }
}

/** A made site: its fields stay filled, with other values. */
function tryMade<Thing>(
  { parser, create, toHtml, changes }: MadeSite<Thing>,
  { seed, ordinary }: { seed: number; ordinary: number },
  tally: Tally,
): void {
  const next = create(seed);
  const read = (): Seen => readPage(parser, toHtml(next()));
  const some = function* (count: number): Generator<Seen> {
    for (let made = 0; made < count; made += 1) yield read();
  };
  tryOrdinary(some(ordinary), () => learned(some(LEARNED)), tally);
  const random = createRandom(seed);
  for (const [what, change] of Object.entries(changes)) {
    const things = create(seed + 1);
    const stats = learned(Array.from({ length: LEARNED }, () => readPage(parser, toHtml(things()))));
    const changed = Array.from({ length: 100 }, () => readPage(parser, toHtml(change(things(), random))));
    tally.changes.push({ what, pages: pagesUntilAlarm(stats, changed) });
  }
}

/** @param least the share of changes that must be found in time */
function report(what: string, { ordinary, falseAlarms, changes }: Tally, least = 1): boolean {
  const sorted = changes.map(({ pages }) => pages).sort((a, b) => a - b);
  const late = changes.filter(({ pages }) => pages > WITHIN);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  console.log(
    `${what}: ${falseAlarms} false alarms in ${ordinary} ordinary pages (bar: 0 in ${ORDINARY_PAGES}); ` +
      `alarms within ${WITHIN} pages: ${changes.length - late.length} of ${changes.length} changes (bar: ${least === 1 ? 'all' : `${least * 100} %`}), ` +
      `median ${median}, most ${sorted.at(-1) ?? 0}`,
  );
  for (const change of late) console.log(`  late: ${change.what}, ${change.pages}`);
  return falseAlarms === 0 && late.length <= (1 - least) * changes.length;
}

function tryMadeSite<Thing>(site: MadeSite<Thing>): Tally {
  const tally = emptyTally();
  for (let seed = 1; seed <= SEEDS; seed += 1) tryMade(site, { seed, ordinary: ORDINARY_PAGES }, tally);
  return tally;
}

/** False alarms in ordinary pages, and pages until the alarm after a change of the template. `--made`: made sites alone. */
export function run(args: string[]): Promise<void> {
  const sites = args.includes('--made') ? [] : readKnownSites();
  const real = emptyTally();
  for (const site of sites) trySite(site, Math.ceil(ORDINARY_PAGES / sites.length), real);
  const shop = tryMadeSite(SHOP);
  const vacancies = tryMadeSite(VACANCIES);
  const met = [
    report('real sites, values vanish', real),
    report('made shop, values change', shop),
    // A field whose values often repeat is not tested for becoming constant.
    report('made vacancies, values change', vacancies, 0.85),
  ];
  const cost = measureHealth();
  console.log(
    `CPU of a page's health in µs: notes ${cost.notes}, judgement ${cost.judgement}, roll-up ${cost.rollUp}` +
      ' (bar: together 2 % of a page in a batch, which `bench -- kept-pages` prints)',
  );
  console.log(JSON.stringify({ bench: 'drift', real, shop, vacancies, cost, met: met.every(Boolean) }));
  if (!met.every(Boolean)) process.exitCode = 1;
  return Promise.resolve();
}
