import fc from 'fast-check';
import { expect, it } from 'vitest';
import { compileParser, extract } from '@gleaner/extractors';
import { suggestSchema } from './suggest.ts';

type Layout = (label: string, value: string) => string;

/** The ways in which a template writes a fact beside its label. */
const LAYOUTS: readonly Layout[] = [
  (label, value) => `<table><tr><th>${label}</th><td>${value}</td></tr></table>`,
  (label, value) => `<dl><dt>${label}</dt><dd>${value}</dd></dl>`,
  (label, value) => `<p><b>${label}:</b> ${value}</p>`,
  (label, value) => `<div class="row"><i>${label}</i><span class="v-${label}">${value}</span></div>`,
  (label, value) => `<div>${label}: ${value}</div>`,
];
const LABELS = ['weight', 'origin', 'material', 'width', 'vendor', 'edition'];
const PAGES = 4;
/** The number of pages with examples. */
const LEARNED = 2;

interface Fact {
  label: string;
  layout: Layout;
  /** By page; null: the page has neither the value nor its label. */
  values: (string | null)[];
}

const word = fc.constantFrom('Oslo', 'amber', 'Quartz', 'linen', 'Basalt', 'cork', 'Umber', 'velvet', 'Jade');
const number = fc.integer({ min: 10, max: 9_999 }).map(String);
const text = fc.tuple(word, number).map((parts) => parts.join(' '));

/** The values of a fact: numbers, or texts; no two facts share one. The first page has it, another may lack it. */
function valuesOf(mark: number) {
  const lackingAt = fc.option(fc.integer({ min: 1, max: PAGES - 1 }));
  return fc.tuple(fc.constantFrom(number, text), lackingAt).chain(([kind, lacking]) => {
    const value = kind.map((one) => `${one}${mark}`);
    return fc.tuple(
      ...Array.from({ length: PAGES }, (_, page) => (page === lacking ? fc.constant(null) : value)),
    );
  });
}

const template = fc
  .shuffledSubarray(LABELS, { minLength: 2, maxLength: 5 })
  .chain((labels) =>
    fc.tuple(
      ...labels.map((label, mark) =>
        fc.record({ label: fc.constant(label), layout: fc.constantFrom(...LAYOUTS), values: valuesOf(mark) }),
      ),
    ),
  );

function pageOf(facts: readonly Fact[], page: number, hasNotice: boolean): string {
  const shown = facts.map(({ label, layout, values }) => {
    const value = values[page] ?? null;
    return value === null ? '' : layout(label, value);
  });
  const notice = hasNotice ? '<div class="note"><b>Today:</b> Free delivery</div>' : '';
  return `<html><head><title>Item ${page}</title></head><body><nav><a href="/">Home</a></nav>${notice}<main><h1>Item ${page}</h1>${shown.join('')}</main></body></html>`;
}

function factsOf(facts: readonly Fact[], page: number): Record<string, string | null> {
  return Object.fromEntries(facts.map(({ label, values }) => [label, values[page] ?? null]));
}

it('fields with a label, learned from two pages of a template, read its other pages, and null where they lack it', () => {
  fc.assert(
    fc.property(
      template,
      fc.array(fc.boolean(), { minLength: PAGES, maxLength: PAGES }),
      (facts, notices) => {
        const bodies = notices.map((hasNotice, page) => pageOf(facts, page, hasNotice));
        const learned = bodies.slice(0, LEARNED);
        const { schema } = suggestSchema(
          learned.map((body, page) => ({ body, examples: factsOf(facts, page) })),
        );
        const parser = compileParser(schema ?? { fields: {} });
        for (const [page, body] of bodies.entries()) {
          expect(extract(parser, { body })).toMatchObject({ ok: true, data: factsOf(facts, page) });
        }
      },
    ),
    { numRuns: 40 },
  );
});
