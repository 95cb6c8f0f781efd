import { addDelta, emptyStats, judgePage, makeDeltas, stateOf, toBaseline } from '@gleaner/core';
import type { HealthDelta } from '@gleaner/core';
import { extract, noteValues } from '@gleaner/extractors';
import { rounded } from '../load/statistics.ts';
import { createProducts, SHOP_PARSER, toHtml } from './shop.ts';

const CHUNKS = 500;
/** Pages of one flush. */
const PAGES = 20;

function usedSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before);
  return user + system;
}

/** CPU of a page's health in this process, in µs, without Postgres: notes, judgement, delta as JSON, and its roll-up. */
export function measureHealth(): Record<'notes' | 'judgement' | 'rollUp', number> {
  const next = createProducts(1);
  const stats = emptyStats();
  const cpu = { notes: 0, judgement: 0, rollUp: 0 };
  for (let chunk = 0; chunk < CHUNKS; chunk += 1) {
    const extractions = Array.from({ length: PAGES }, () => extract(SHOP_PARSER, { body: toHtml(next()) }));
    const baseline = toBaseline(stateOf(stats), stats.fields);
    let before = process.cpuUsage();
    const noted = extractions.map(noteValues);
    cpu.notes += usedSince(before);
    before = process.cpuUsage();
    const seen = noted.map((fields, seq) => ({
      host: 'shop.example',
      url: `https://shop.example/${seq}`,
      seq,
      fields,
      error: undefined,
      baseline,
    }));
    for (const page of seen) judgePage(page);
    const text = JSON.stringify(makeDeltas('run', seen));
    cpu.judgement += usedSince(before);
    before = process.cpuUsage();
    // Written by makeDeltas.
    for (const delta of JSON.parse(text) as HealthDelta[]) addDelta(stats, delta);
    cpu.rollUp += usedSince(before);
  }
  const each = (sum: number): number => rounded(sum / CHUNKS / PAGES, 1);
  return { notes: each(cpu.notes), judgement: each(cpu.judgement), rollUp: each(cpu.rollUp) };
}
