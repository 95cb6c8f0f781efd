import { addDelta, emptyStats, judgePage, makeDeltas, stateOf, toBaseline } from '@gleaner/core';
import type { HealthDelta } from '@gleaner/core';
import { extract, noteValues } from '@gleaner/extractors';
import { rounded } from '../load/statistics.ts';
import { createProducts, SHOP_PARSER, toHtml } from './shop.ts';

/** Rounds of chunks whose pages are read first, so that garbage of their extraction is not counted. */
const ROUNDS = 10;
/** Rounds before them, in which V8 compiles what it runs. */
const WARM_UP = 10;
const CHUNKS = 50;
/** Pages of one flush. */
const PAGES = 20;

function usedSince(before: NodeJS.CpuUsage): number {
  const { user, system } = process.threadCpuUsage(before);
  return user + system;
}

/** CPU of a page's health in this process, in µs, without Postgres: notes, judgement, delta as JSON, and its roll-up. */
export function measureHealth(): Record<'notes' | 'judgement' | 'rollUp', number> {
  const next = createProducts(1);
  const stats = emptyStats();
  const cpu = { notes: 0, judgement: 0, rollUp: 0 };
  for (let round = -WARM_UP; round < ROUNDS; round += 1) {
    if (round === 0) for (const part of ['notes', 'judgement', 'rollUp'] as const) cpu[part] = 0;
    const chunks = Array.from({ length: CHUNKS }, () =>
      Array.from({ length: PAGES }, () => extract(SHOP_PARSER, { body: toHtml(next()) })),
    );
    const baseline = toBaseline(stateOf(stats), stats.fields);
    let before = process.threadCpuUsage();
    const noted = chunks.map((extractions) => extractions.map(noteValues));
    cpu.notes += usedSince(before);
    before = process.threadCpuUsage();
    const texts = noted.map((pages) => {
      const seen = pages.map((fields, seq) => ({
        host: 'shop.example',
        url: `https://shop.example/${seq}`,
        seq,
        fields,
        error: undefined,
        baseline,
      }));
      for (const page of seen) judgePage(page);
      return JSON.stringify(makeDeltas('run', seen));
    });
    cpu.judgement += usedSince(before);
    before = process.threadCpuUsage();
    // Written by makeDeltas.
    for (const text of texts) for (const delta of JSON.parse(text) as HealthDelta[]) addDelta(stats, delta);
    cpu.rollUp += usedSince(before);
  }
  const each = (sum: number): number => rounded(sum / ROUNDS / CHUNKS / PAGES, 1);
  return { notes: each(cpu.notes), judgement: each(cpu.judgement), rollUp: each(cpu.rollUp) };
}
