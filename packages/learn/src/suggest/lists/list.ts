import { type RowPage, type RowsByPage, findRows, rowSources } from './rows.ts';
import type { FieldObject, Fields } from '@gleaner/contracts';
import { chooseFor, type Judged } from '../choice/choose.ts';
import { attributeOf, readTextOf, compileSelector, parentElement, selectElements } from '@gleaner/html';
import { fieldOf, runField } from '../choice/field.ts';
import { isObject } from '@gleaner/contracts/values';
import { itemPlaces } from '../places/list-places.ts';
import { wordsOf } from '../page/names.ts';
import { rowModel, type PageModel } from '../page/page-model.ts';
import { cssOf } from '../page/path.ts';
import type { Workbench } from '../choice/programs.ts';
import { pathsTo } from '../candidates/structural.ts';
import { fold } from '../page/text.ts';
import { isSame, readAs, type Known, type WantedValue, type ValueType } from '../values/wanted.ts';

export interface ListSuggestion {
  readonly field: FieldObject;
  readonly confidence: number;
  readonly reason: string;
  /** Columns without a program. */
  readonly missing: readonly string[];
  /** The chance that each column is right on other pages. */
  readonly columns: Readonly<Record<string, number>>;
}

const MAX_ROWS = 8;

function located(models: readonly PageModel[], known: RowsByPage): RowPage[] {
  return models.flatMap((model, page) => {
    const rows = known[page]?.slice(0, MAX_ROWS) ?? [];
    if (rows.length === 0) return [];
    const found = findRows(model, rows);
    return found === undefined ? [] : [{ model, known: rows, rows: found }];
  });
}

const PLACES = new Set(['position', 'tag', 'shape']);

/** A row that lacks a named value has none: what stands at its place there is another value. */
function withoutPlaces(chosen: readonly Judged[]): readonly Judged[] {
  const [first, ...rest] = chosen;
  const isEnough = first?.verdicts.every((verdict) => verdict === 'right' || verdict === 'open');
  if (first === undefined || isEnough !== true || PLACES.has(first.program.candidate.family)) return chosen;
  const isNamed = ({ program: { candidate } }: Judged): boolean =>
    !candidate.isLoose && !PLACES.has(candidate.family);
  return [first, ...rest.filter(isNamed)];
}

function suggestColumns(
  bench: Workbench,
  pages: readonly RowPage[],
): { fields: Fields; missing: string[]; columns: Record<string, number> } {
  const rows = pages.flatMap(({ model, known, rows: elements }) =>
    elements.map((element, index) => ({ model: rowModel(model, element), known: known[index] ?? {} })),
  );
  const inRows: Workbench = {
    ...bench,
    models: rows.map(({ model }) => model),
    hasExamples: rows.map(() => true),
  };
  const names = [...new Set(rows.flatMap(({ known }) => Object.keys(known)))];
  const fields: Fields = {};
  const missing: string[] = [];
  const columns: Record<string, number> = {};
  for (const name of names) {
    const known = rows.map((row): Known => row.known[name]);
    const { chosen, missed } = chooseFor(inRows, known, wordsOf(name));
    const field = fieldOf(withoutPlaces(chosen), undefined);
    if (field === undefined || missed.length > 0) missing.push(name);
    if (field === undefined) continue;
    fields[name] = field;
    columns[name] = Math.round((chosen[0]?.posterior ?? 0) * 1000) / 1000;
  }
  return { fields, missing, columns };
}

/** The column that most rows have, of several the first; undefined when every row lacks some. */
function fullestColumn(bench: Workbench, field: FieldObject): string | undefined {
  const rows = runField(field, bench.models).flatMap((value) =>
    Array.isArray(value) ? value.filter((row) => isObject(row)) : [],
  );
  const filled = Object.keys(field.fields ?? {}).map((name) => ({
    name,
    count: rows.filter((row) => row[name] !== null && row[name] !== undefined).length,
  }));
  const [fullest] = filled.toSorted((a, b) => b.count - a.count);
  return fullest !== undefined && fullest.count > 0 ? fullest.name : undefined;
}

/** Elements without the column that the rows have are not rows but headers, ads or notes. */
function requireColumn(fields: Fields, always: string | undefined): Fields {
  const field = always === undefined ? undefined : fields[always];
  if (always === undefined || field === undefined || typeof field === 'string') return fields;
  return {
    ...fields,
    [always]: { ...field, assert: { ...field.assert, min_items: 1, on_fail: 'drop_row' } },
  };
}

/** Learns a list of objects from example rows: the element of a row, and the position of each column in it. */
export function suggestRows(bench: Workbench, known: RowsByPage): ListSuggestion | undefined {
  const pages = located(bench.models, known);
  if (
    pages.length === 0 ||
    pages.length < known.filter((rows) => rows !== undefined && rows.length > 0).length
  )
    return undefined;
  const sources = rowSources(pages);
  const [source] = sources;
  if (source === undefined) return undefined;
  const { fields, missing, columns } = suggestColumns(bench, pages);
  if (Object.keys(fields).length === 0) return undefined;
  const others = sources.filter(({ css, count }) => css !== source.css && count === source.count).slice(0, 2);
  const css = others.length === 0 ? source.css : [source.css, ...others.map((other) => other.css)];
  const always = fullestColumn(bench, { css, take: 'all', fields });
  const field: FieldObject = { css, take: 'all', fields: requireColumn(fields, always) };
  const least = Math.min(...Object.values(columns));
  const confidence = Math.round(Math.min(source.quality, least) * 1000) / 1000;
  const why = `${source.why}, ${source.count} on the pages given`;
  return { field, confidence, reason: why, missing, columns };
}

/** A way to read the items: elements, the attribute of them if it is not their text, and a type. */
interface ItemSource {
  readonly css: string;
  readonly attribute: string | undefined;
  readonly type: ValueType;
}

function itemsOf(model: PageModel, { css, attribute, type }: ItemSource): WantedValue[] {
  return selectElements(compileSelector(css), model.document, null, 3_000).flatMap((element) => {
    const raw =
      attribute === undefined ? readTextOf(model.document, element) : attributeOf(element, attribute);
    const text = raw === undefined ? '' : fold(raw);
    const value = text === '' ? undefined : readAs(type, text, model);
    return value === undefined ? [] : [value];
  });
}

/** Whether the items contain the examples in this order. */
function fits(items: readonly WantedValue[], wanted: readonly WantedValue[]): 'exact' | 'among' | undefined {
  let at = 0;
  for (const item of items) {
    const next = wanted[at];
    if (next !== undefined && isSame(item, next)) at += 1;
  }
  if (items.length === wanted.length && at === wanted.length) return 'exact';
  return at < wanted.length || wanted.length === 0 ? undefined : 'among';
}

type KnownItems = readonly (readonly WantedValue[] | undefined)[];

/** How well a source gives the known items; undefined when it doesn't on some page. */
function judgeItems(
  { models }: Workbench,
  known: KnownItems,
  source: ItemSource,
): { share: number; isExact: boolean } | undefined {
  let isExact = true;
  let share = 1;
  for (const [page, model] of models.entries()) {
    const wanted = known[page];
    if (wanted === undefined) continue;
    const items = itemsOf(model, source);
    const fit = fits(items, wanted);
    if (fit === undefined) return undefined;
    if (fit === 'among') isExact = false;
    share *= (wanted.length / Math.max(1, items.length)) ** 0.3;
  }
  return { share, isExact };
}

/** Learns a list of values from example items. */
export function suggestItems(bench: Workbench, known: KnownItems): ListSuggestion | undefined {
  const found = new Map<string, ItemSource & { score: number; isExact: boolean }>();
  for (const [page, model] of bench.models.entries()) {
    const [first] = known[page] ?? [];
    if (first === undefined) continue;
    for (const { element, attribute, type } of itemPlaces(model, first)) {
      for (const target of attribute === undefined ? [element, parentElement(element)] : [element]) {
        if (target === null) continue;
        for (const { path, quality } of pathsTo(target)) {
          const source = { css: cssOf(path.map((part) => ({ ...part, nth: undefined }))), attribute, type };
          const key = `${source.css}@${attribute ?? ''}:${type}`;
          if (source.css.length > 400 || found.has(key)) continue;
          const judged = judgeItems(bench, known, source);
          if (judged !== undefined)
            found.set(key, { ...source, score: quality * judged.share, isExact: judged.isExact });
        }
      }
    }
  }
  const [best] = [...found.values()].toSorted(
    (a, b) => Number(b.isExact) - Number(a.isExact) || b.score - a.score,
  );
  if (best === undefined) return undefined;
  const { css, attribute, type, score, isExact } = best;
  const field: FieldObject = {
    css,
    take: 'all',
    ...(attribute === undefined ? {} : { attr: attribute }),
    ...(type === 'string' ? { transform: ['collapse'] } : { type, assert: { on_fail: 'null' } }),
  };
  const reason = `${css} gives ${isExact ? 'exactly these items' : 'these items and others like them'}`;
  const confidence = Math.round(Math.min(0.98, score) * 1000) / 1000;
  return { field, confidence, reason, missing: [], columns: {} };
}
