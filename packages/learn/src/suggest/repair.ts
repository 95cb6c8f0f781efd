import type { ByPage, Examples, ExampleValue } from './types.ts';
import type { Field, FieldObject, Fields, ParserSchema, RepairResult } from '@gleaner/contracts';
import { longForm, SOURCE_KINDS } from '@gleaner/contracts/values';
import { checkSchema, type Page } from '@gleaner/extractors';
import { asObject } from '@gleaner/extractors/parts';
import { gives, runField, fieldOf } from './choice/field.ts';
import { chooseFor } from './choice/choose.ts';
import { itemPlaces } from './places/list-places.ts';
import { suggestItems, suggestRows } from './lists/list.ts';
import { wordsOf } from './page/names.ts';
import { createPageModel, type PageModel } from './page/page-model.ts';
import type { Workbench } from './choice/programs.ts';
import { guardOf } from './values/shape.ts';
import { createWorkbench } from './suggest.ts';
import { fold } from './page/text.ts';
import { isRow, isScalar, type ExampleRow, type Known, type WantedValue } from './values/wanted.ts';

/** A current page, with the row that the parser extracted from it when it still worked. */
export interface RepairPage extends Page {
  readonly earlier: Examples;
}

export interface FieldRepair {
  readonly path: string;
  /** `kept`: still returns values. `repaired`: has new sources. `lost`: too few earlier values are on the pages. */
  readonly state: RepairResult;
  readonly before: Field;
  readonly after: Field;
  /** From 0 to 1. For kept fields, the share of earlier values that they still return. */
  readonly confidence: number;
  readonly reason: string;
}

export interface RepairProposal {
  /** null when no field needs repair, or none could be repaired. */
  readonly schema: ParserSchema | null;
  readonly fields: readonly FieldRepair[];
}

type Source = Exclude<NonNullable<FieldObject['any']>[number], string>;

const STEPS = ['attr', 'transform'] as const;

function pick(field: object, keys: readonly string[]): object {
  return Object.fromEntries(Object.entries(field).filter(([key]) => keys.includes(key)));
}

/** The sources of a field in their order, each with the steps that belong to it. */
function sourcesOf(field: FieldObject): Source[] {
  const steps = pick(field, STEPS);
  const sources = field.any ?? [pick(field, SOURCE_KINDS)];
  return sources.map((source) => ({ ...steps, ...longForm(source) }));
}

/** The earlier sources after the new ones, in columns too; only where both give the same kind of value. */
function merge(learned: FieldObject, earlier: FieldObject): FieldObject {
  if (learned.type !== earlier.type || learned.take !== earlier.take) return learned;
  const replaced: readonly string[] = [...SOURCE_KINDS, ...STEPS, 'any', 'fields'];
  const settings = Object.entries(learned).filter(([key]) => !replaced.includes(key));
  const columns = Object.entries(learned.fields ?? {}).map(([name, column]) => {
    const known = earlier.fields?.[name];
    return [name, known === undefined ? column : merge(asObject(column), asObject(known))];
  });
  return {
    any: [...sourcesOf(learned), ...sourcesOf(earlier)],
    ...Object.fromEntries(settings),
    ...(columns.length === 0 ? {} : { fields: Object.fromEntries(columns) as Record<string, Field> }),
  };
}

/**
 * A field that was learned again, with its earlier sources after the new ones: they read pages that still have the
 * earlier layout, and all pages when the site returns to it. The learned field itself where they don't go together.
 */
function withEarlierSources(learned: FieldObject, before: Field): FieldObject {
  const field = merge(learned, asObject(before));
  return checkSchema({ fields: { field } }).ok ? field : learned;
}

/** The settings that a field keeps with a new source. */
const KEPT = ['required', 'default', 'key', 'locale', 'format', 'assert'] as const;

function withSettings(before: Field, learned: FieldObject): FieldObject {
  if (typeof before === 'string') return learned;
  const kept = KEPT.flatMap((key) => (before[key] === undefined ? [] : [[key, before[key]]]));
  return { ...learned, ...Object.fromEntries(kept) };
}

function isThere(model: PageModel, value: WantedValue): boolean {
  return itemPlaces(model, value).length > 0;
}

/** The cells of an earlier row that are still on the page; undefined when fewer than half are. */
function rowThere(model: PageModel, row: ExampleRow): Record<string, WantedValue> | undefined {
  const cells = Object.entries(row).filter((entry): entry is [string, WantedValue] => isScalar(entry[1]));
  const there = cells.filter(([, value]) => isThere(model, value));
  return there.length === 0 || there.length * 2 < cells.length ? undefined : Object.fromEntries(there);
}

const ROWS_KEPT = 4;

/** Learns a list from two or more of its earlier rows or items on each page. */
function learnList(
  bench: Workbench,
  earlier: readonly ExampleValue[][],
): { field: FieldObject; confidence: number } | undefined {
  const onPages = <T>(find: (model: PageModel, list: readonly ExampleValue[]) => T[]): (T[] | undefined)[] =>
    bench.models.map((model, page) => {
      const there = find(model, earlier[page] ?? []);
      return there.length < 2 ? undefined : there;
    });
  if (!earlier.some((list) => list.some(isRow))) {
    const items = onPages((model, list) => list.filter(isScalar).filter((item) => isThere(model, item)));
    return suggestItems(bench, items);
  }
  const rows = onPages((model, list) =>
    list
      .filter(isRow)
      .map((row) => rowThere(model, row))
      .filter((row) => row !== undefined),
  );
  return suggestRows(
    bench,
    rows.map((there) => there?.slice(0, ROWS_KEPT)),
  );
}

interface Learned {
  readonly field: FieldObject;
  readonly confidence: number;
  readonly reason: string;
}

/** Learns a field again from the earlier values that are still on the pages. */
function learn(bench: Workbench, name: string, earlier: ByPage): Learned | undefined {
  if (earlier.some((value) => Array.isArray(value))) {
    const found = learnList(
      bench,
      earlier.map((value) => (Array.isArray(value) ? value : [])),
    );
    return found === undefined ? undefined : { ...found, reason: 'the earlier rows were found again' };
  }
  const known = earlier.map((value, page): Known => {
    const model = bench.models[page];
    return isScalar(value) && model !== undefined && isThere(model, value) ? value : undefined;
  });
  const wanted = earlier.filter(isScalar).length;
  const there = known.filter((value) => value !== undefined).length;
  if (there === 0 || there < Math.min(2, wanted) || there < 0.3 * wanted) return undefined;
  const { chosen } = chooseFor(bench, known, wordsOf(name), 'earlier');
  const [first] = chosen;
  const field = fieldOf(chosen, guardOf(known.filter((value) => typeof value === 'string').map(fold)));
  if (first === undefined || field === undefined || first.posterior < LEAST) return undefined;
  const right = first.verdicts.filter((verdict) => verdict === 'right').length;
  return {
    field,
    confidence: Math.round(first.posterior * 1_000) / 1_000,
    reason: `${first.program.candidate.why} gives ${right} of ${wanted} earlier values`,
  };
}

/** Repairs below this confidence are not proposed, because a wrong repair is worse than none. */
const LEAST = 0.4;

/**
 * A field works while it returns most of its earlier values, or new ones instead. It is misled when it gives other
 * values than the earlier ones.
 */
function health(
  field: Field,
  models: readonly PageModel[],
  earlier: ByPage,
): { works: boolean; same: number; isMisled: boolean } {
  const values = runField(field, models);
  let wanted = 0;
  let same = 0;
  let filled = 0;
  for (const [page, before] of earlier.entries()) {
    if (before === undefined || before === null || (Array.isArray(before) && before.length === 0)) continue;
    wanted += 1;
    const value = values[page];
    if (gives(value, before)) same += 1;
    if (value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)) filled += 1;
  }
  if (wanted === 0) return { works: true, same: 1, isMisled: false };
  return {
    works: same >= 0.5 * wanted || (filled >= 0.9 * wanted && same >= 0.25 * wanted),
    same: same / wanted,
    isMisled: filled > same,
  };
}

/**
 * Proposes a schema with new sources for broken fields, learned from the parser's earlier rows that are still on the
 * current pages. Working fields stay unchanged. Synchronous and pure; a person decides whether to accept the proposal.
 * @throws PageRejected when a page exceeds the engine's limits.
 */
export function proposeRepair(oldSchema: ParserSchema, pages: readonly RepairPage[]): RepairProposal {
  const models = pages.map((page) => createPageModel(page));
  const bench = createWorkbench(
    models,
    pages.map(({ earlier }) => earlier),
  );
  const fields: Fields = {};
  const repairs: FieldRepair[] = [];
  for (const [path, before] of Object.entries(oldSchema.fields)) {
    const earlier = pages.map((page) => page.earlier[path]);
    const { works, same, isMisled } = health(before, models, earlier);
    const learned = works ? undefined : learn(bench, path, earlier);
    const field = learned && (isMisled ? learned.field : withEarlierSources(learned.field, before));
    const after = field === undefined ? before : withSettings(before, field);
    fields[path] = after;
    repairs.push({
      path,
      state: works ? 'kept' : learned === undefined ? 'lost' : 'repaired',
      before,
      after,
      confidence: learned?.confidence ?? Math.round(same * 1_000) / 1_000,
      reason:
        learned?.reason ??
        (works ? 'it still gives its earlier values' : 'too few of its earlier values are on the pages'),
    });
  }
  const hasRepair = repairs.some(({ state }) => state === 'repaired');
  return { schema: hasRepair ? { ...oldSchema, fields } : null, fields: repairs };
}
