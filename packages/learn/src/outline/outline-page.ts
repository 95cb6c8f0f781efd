import { factsOf, pageFact } from '@gleaner/extractors/parts';
import type { Page } from '@gleaner/extractors';
import { metaLeaves } from '../suggest/candidates/data.ts';
import { createPageModel, type PageModel } from '../suggest/page/page-model.ts';
import { clip, jsonSize, dataOf, createSelectorFinder, headingsOf, valuesOf } from './parts.ts';
import type { FieldObject } from '@gleaner/contracts';
import { longForm } from '@gleaner/contracts/values';
import { runField } from '../suggest/choice/field.ts';
import { contains } from '../suggest/page/dom.ts';
import type { TreeElement } from '@gleaner/html';
import { suggestRows } from '../suggest/lists/list.ts';
import { recordExamples, recordGroups } from '../suggest/lists/records.ts';
import { createWorkbench } from '../suggest/suggest.ts';

const MAX_BLOCKS = 6;
/** Groups that selectors are learned for, because learning dominates the cost of an outline. */
const MAX_TRIES = 10;
const SAMPLES = 2;
const SAMPLE_LENGTH = 160;

function clipTexts(value: unknown): unknown {
  if (typeof value === 'string') return clip(value, SAMPLE_LENGTH);
  if (Array.isArray(value)) return value.map(clipTexts);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, clipTexts(inner)]));
}

/** The field with the first of several selectors and sources: an outline shows one way to read each value. */
function withoutAlternatives(field: FieldObject): FieldObject {
  const { css, any, fields, ...rest } = field;
  const [first] = any ?? [];
  const source = first === undefined ? undefined : longForm(first);
  const selector = Array.isArray(css) ? css[0] : css;
  const columns = Object.entries(fields ?? {}).map(([name, column]) => [
    name,
    typeof column === 'string' ? column : withoutAlternatives(column),
  ]);
  return {
    ...source,
    ...(selector === undefined ? {} : { css: selector }),
    ...rest,
    ...(fields === undefined ? {} : { fields: Object.fromEntries(columns) as FieldObject['fields'] }),
  };
}

/** The shortest form of the field that reads the same records. */
function shortest(model: PageModel, field: FieldObject): { field: FieldObject; records: unknown } {
  const [records] = runField(field, [model]);
  const short = withoutAlternatives(field);
  const isSame = JSON.stringify(runField(short, [model])[0]) === JSON.stringify(records);
  return { field: isSame ? short : field, records };
}

interface Block {
  /** A field of the schema language that reads all records of the block. */
  readonly field: FieldObject;
  /** How many records the field gives on this page. */
  readonly count: number;
  /** The first records, as the field gives them. */
  readonly samples: readonly unknown[];
}

/** The page's repeated records, the most prominent first, and the elements of them. */
function blocksOf(model: PageModel): { blocks: Block[]; rows: TreeElement[] } {
  const bench = createWorkbench([model], [undefined]);
  const blocks: Block[] = [];
  const rows: TreeElement[] = [];
  const selectors = new Set<string>();
  let tries = 0;
  for (const group of recordGroups(model)) {
    if (blocks.length >= MAX_BLOCKS || tries >= MAX_TRIES) break;
    const [first] = group;
    // Parts of a record that is already listed are its columns.
    if (first === undefined || rows.some((row) => contains(row, first) || contains(first, row))) continue;
    const examples = recordExamples(model.document, group);
    if (examples === undefined) continue;
    tries += 1;
    const learned = suggestRows(bench, [examples])?.field;
    if (learned === undefined) continue;
    const { field, records } = shortest(model, learned);
    const key = JSON.stringify(field);
    if (!Array.isArray(records) || records.length < 2 || selectors.has(key)) continue;
    selectors.add(key);
    rows.push(...group);
    blocks.push({ field, count: records.length, samples: records.slice(0, SAMPLES).map(clipTexts) });
  }
  return { blocks, rows };
}

const META_LENGTH = 200;
const MAX_META = 40;
/** Room for the names of the outline's parts, the counts and what a caller adds. */
const FRAME = 400;

/** The part of the budget of each list. A list also gets what earlier ones left over; the text gets the rest. */
const SHARES = { blocks: 0.35, headings: 0.12, values: 0.18, data: 0.15, meta: 0.05 };
type OutlineList = keyof typeof SHARES;

function fitText(text: string, room: number): string {
  let fitted = clip(text, Math.max(0, room - 2));
  while (fitted !== '' && jsonSize(fitted) > room) fitted = clip(text, Math.floor(fitted.length * 0.9) - 1);
  return fitted;
}

/** The entries that fit, without those that are larger than the room that is left. */
function fitList<T>(entries: readonly T[], room: number): { kept: T[]; used: number } {
  const kept: T[] = [];
  let used = 0;
  for (const entry of entries) {
    const size = jsonSize(entry) + 1;
    if (used + size > room) continue;
    kept.push(entry);
    used += size;
  }
  return { kept, used };
}

/** What a page holds, and selectors that read it, within a budget. Every text is the page's own. */
export type PageOutline = ReturnType<typeof outlinePage>;

/**
 * Describes a page for someone who writes a parser for it. As JSON it has at most `maxCharacters` characters, which
 * should be 1,000 at least. Synchronous and pure: no network, no clock.
 * @throws PageRejected when the page exceeds the engine's limits.
 */
export function outlinePage(page: Page, maxCharacters: number) {
  const model = createPageModel(page);
  const of = factsOf(model.state);
  const find = createSelectorFinder(model);
  const { blocks, rows } = blocksOf(model);
  const lists = {
    blocks,
    headings: headingsOf(model, find),
    values: valuesOf(model, rows, find),
    data: dataOf(model),
    meta: metaLeaves(model)
      .slice(0, MAX_META)
      .map(({ name, content }) => ({ name: clip(name, META_LENGTH), content: clip(content, META_LENGTH) })),
  };
  const [title] = pageFact('title', of);
  const [language] = pageFact('language', of);
  const head = {
    title: title === undefined ? null : fitText(String(title), 200),
    language: language === undefined ? null : fitText(String(language), 40),
    link_count: pageFact('links', of).length,
  };
  const total = maxCharacters - FRAME - jsonSize(head);
  let left = total;
  let allowed = 0;
  const take = <T>(name: OutlineList, entries: readonly T[]): T[] => {
    allowed += total * SHARES[name];
    const { kept, used } = fitList(entries, allowed);
    allowed -= used;
    left -= used;
    return kept;
  };
  const fitted = {
    blocks: take('blocks', lists.blocks),
    headings: take('headings', lists.headings),
    values: take('values', lists.values),
    data: take('data', lists.data),
    meta: take('meta', lists.meta),
  };
  const [text] = pageFact('text', of);
  const whole = text === undefined ? '' : String(text);
  const shown = fitText(whole, left);
  const leftOut = (name: OutlineList): number => lists[name].length - fitted[name].length;
  return {
    ...head,
    ...fitted,
    text: shown,
    left_out: {
      blocks: leftOut('blocks'),
      headings: leftOut('headings'),
      values: leftOut('values'),
      data: leftOut('data'),
      meta: leftOut('meta'),
      text: shown === whole ? 0 : whole.length - shown.length + 1,
    },
  };
}
