import type { FieldObject } from '@gleaner/contracts';
import { runField } from '../suggest/choice/check.ts';
import { contains, type TreeElement } from '../suggest/page/dom.ts';
import { suggestRows } from '../suggest/lists/list.ts';
import type { PageModel } from '../suggest/page/page-model.ts';
import { recordExamples, recordGroups } from '../suggest/lists/records.ts';
import { createWorkbench } from '../suggest/suggest.ts';
import { clip } from './clip.ts';
import type { BlockOutline } from './types.ts';

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
  const source = typeof first === 'string' ? { css: first } : first;
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

export interface FoundBlocks {
  readonly blocks: readonly BlockOutline[];
  /** The elements of their records. */
  readonly rows: readonly TreeElement[];
}

/** The page's repeated records, the most prominent first, each with a field that reads it and its real values. */
export function blocksOf(model: PageModel): FoundBlocks {
  const bench = createWorkbench([model], [undefined]);
  const blocks: BlockOutline[] = [];
  const rows: TreeElement[] = [];
  const selectors = new Set<string>();
  let tries = 0;
  for (const group of recordGroups(model)) {
    if (blocks.length >= MAX_BLOCKS || tries >= MAX_TRIES) break;
    const [first] = group;
    // Parts of a record that is already listed are its columns.
    if (first === undefined || rows.some((row) => contains(row, first) || contains(first, row))) continue;
    const examples = recordExamples(group);
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
