import { compileParser, extract } from '@gleaner/extractors';
import { suggestSchema, type Suggestion } from '@gleaner/learn';
import type { KnownPage, KnownSite } from './sites.ts';

/** Outcomes of one field: right values, values that are wrong, and values that were not found. */
export interface Tally {
  right: number;
  wrong: number;
  missing: number;
}

export interface Stated {
  confidence: number;
  right: number;
  given: number;
  what: string;
}

function plain(text: string): string {
  return text
    .replaceAll(/\s+/g, ' ')
    .replaceAll(/^[\s\p{P}]+|[\s\p{P}]+$/gu, '')
    .trim();
}

function agrees(value: unknown, truth: readonly string[]): boolean {
  const read = plain(String(value));
  return truth.some((right) => plain(right) === read);
}

function examplesOf({ truth }: KnownPage): Record<string, string> {
  const examples: Record<string, string> = {};
  for (const [field, values] of Object.entries(truth))
    if (values[0] !== undefined) examples[field] = values[0];
  return examples;
}

function learn(pages: readonly KnownPage[]): Suggestion {
  return suggestSchema(pages.map((page) => ({ body: page.html, examples: examplesOf(page) })));
}

/** F1 of one field. */
export function f1({ right, wrong, missing }: Tally): number {
  return right === 0 ? (wrong + missing === 0 ? 1 : 0) : (2 * right) / (2 * right + wrong + missing);
}

export interface Miss {
  site: string;
  field: string;
  trained: string;
  page: string;
  got: unknown;
  truth: readonly string[];
  confidence: number;
}

export interface SiteResult {
  tallies: Map<string, Tally>;
  stated: Stated[];
  misses: Miss[];
  ms: number;
}

/**
 * Learns from `k` pages, with each page as the first of them in turn, and tries on all the others, changed by `change`.
 */
export function measureSite(
  site: KnownSite,
  k: number,
  change: (page: KnownPage, round: number) => string,
): SiteResult {
  const fields = [...new Set(site.pages.flatMap(({ truth }) => Object.keys(truth)))];
  const tallies = new Map(fields.map((field) => [field, { right: 0, wrong: 0, missing: 0 }]));
  const result: SiteResult = { tallies, stated: [], misses: [], ms: 0 };
  const count = site.pages.length;
  for (const start of site.pages.keys()) {
    const chosen = new Set(Array.from({ length: k }, (_, offset) => (start + offset) % count));
    const learned = site.pages.filter((_, index) => chosen.has(index));
    const before = performance.now();
    const suggestion = learn(learned);
    result.ms = Math.max(result.ms, performance.now() - before);
    const parser = suggestion.schema === null ? undefined : compileParser(suggestion.schema);
    const stated = new Map(
      suggestion.fields.map(({ path, confidence }) => [
        path,
        { confidence, right: 0, given: 0, what: `${site.name} ${path} ${start}` },
      ]),
    );
    for (const [index, page] of site.pages.entries()) {
      if (chosen.has(index)) continue;
      const extraction = parser === undefined ? undefined : extract(parser, { body: change(page, start) });
      const data = extraction?.ok === true ? extraction.data : {};
      for (const [field, truth] of Object.entries(page.truth)) {
        const tally = tallies.get(field);
        const claim = stated.get(field);
        const value = data[field] ?? null;
        if (tally === undefined) continue;
        const isRight = value !== null && agrees(value, truth);
        if (isRight) tally.right += 1;
        else {
          if (value !== null) tally.wrong += 1;
          if (truth.length > 0) tally.missing += 1;
          if (value !== null || truth.length > 0) {
            result.misses.push({
              site: site.name,
              field,
              trained: String(start),
              page: page.name,
              got: value,
              truth,
              confidence: claim?.confidence ?? 0,
            });
          }
        }
        if (claim !== undefined && value !== null) {
          claim.given += 1;
          if (isRight) claim.right += 1;
        }
      }
    }
    result.stated.push(...stated.values());
  }
  return result;
}
