import { chooseFor, type FieldChoice, type Judged } from './choice/choose.ts';
import type {
  ByPage,
  ExamplesByPage,
  Alternative,
  ExampleValue,
  FieldSuggestion,
  Suggestion,
  SuggestPage,
} from './types.ts';
import type { Fields, FieldObject } from '@gleaner/contracts';
import { missedBy, runField, confidenceOf, fieldOf } from './choice/field.ts';
import { suggestItems, suggestRows } from './lists/list.ts';
import { wordsOf } from './page/names.ts';
import { createPageModel, type PageModel } from './page/page-model.ts';
import type { Workbench } from './choice/programs.ts';
import { readPageJson } from '@gleaner/extractors/parts';
import { proposeExamples } from './propose.ts';
import { proposeJson } from './propose-json.ts';
import type { KnownRow } from './lists/rows.ts';
import { guardOf } from './values/shape.ts';
import { fold } from './page/text.ts';
import { isRow, isScalar, type ExampleRow, type KnownByPage } from './values/wanted.ts';

interface Suggested {
  readonly field: FieldObject | undefined;
  readonly suggestions: readonly FieldSuggestion[];
}

function reasonOf({ program }: Judged): string {
  const { why } = program.cut;
  return why === undefined ? program.candidate.why : `${program.candidate.why}, ${why}`;
}

const ALTERNATIVES = 5;

function alternativesOf({ chosen, others }: FieldChoice, known: KnownByPage): Alternative[] {
  const [first] = chosen;
  const seen = new Set<string>(first === undefined ? [] : [first.program.candidate.family]);
  const found: Alternative[] = [];
  for (const item of others) {
    if (item === first || found.length >= ALTERNATIVES) continue;
    const { family } = item.program.candidate;
    if (seen.has(family) && found.length >= 3) continue;
    seen.add(family);
    const field = fieldOf([item], undefined);
    const confidence = confidenceOf({ chosen: [item], others: [], missed: [] }, known);
    if (field !== undefined) found.push({ field, reason: reasonOf(item), confidence });
  }
  return found;
}

const NOT_FOUND = 'the example was not found on its page';
const NOT_GIVEN = 'no source was found that returns this example and the others';
const REPLACEMENTS = 6;

/**
 * Checks with the engine that the field returns the examples, and drops fallbacks until it does. The last resort is a
 * single other program.
 */
function settle(
  bench: Workbench,
  choice: FieldChoice,
  known: KnownByPage,
): { field: FieldObject | undefined; choice: FieldChoice } {
  const guard = guardOf(known.filter((value) => typeof value === 'string').map(fold));
  const tries = [
    choice.chosen,
    ...choice.chosen.slice(1).map((_, index) => choice.chosen.slice(0, choice.chosen.length - 1 - index)),
    ...choice.others.slice(0, REPLACEMENTS).map((item) => [item]),
  ];
  let best: { field: FieldObject; choice: FieldChoice } | undefined;
  for (const chosen of tries) {
    const field = fieldOf(chosen, guard);
    if (field === undefined) continue;
    const missed = missedBy(field, bench.models, known);
    if (best === undefined || missed.length < best.choice.missed.length)
      best = { field, choice: { ...choice, chosen, missed } };
    if (missed.length <= choice.missed.length) break;
  }
  return best ?? { field: undefined, choice };
}

/** The same field as money, when it gives an amount and a currency wherever the examples are known. */
function asMoney(
  bench: Workbench,
  { assert: _guard, ...source }: FieldObject,
  known: KnownByPage,
): FieldObject | undefined {
  if (source.type !== undefined) return undefined;
  if (!known.every((value) => typeof value !== 'number' && typeof value !== 'boolean')) return undefined;
  if (!known.some((value) => typeof value === 'string' && /\d/.test(value))) return undefined;
  const field: FieldObject = { ...source, type: 'money', assert: { on_fail: 'null' } };
  const values = runField(field, bench.models);
  const isMoney = (value: unknown): boolean =>
    typeof value === 'object' && value !== null && 'currency' in value && value.currency !== null;
  return known.every((value, page) => typeof value !== 'string' || isMoney(values[page])) ? field : undefined;
}

type MoneyExample = { amount: number; currency: string | null };

function isMoneyExample(value: ExampleValue | undefined): value is MoneyExample {
  if (!isRow(value) || Object.keys(value).length !== 2) return false;
  const { amount, currency } = value;
  const isCode = typeof currency === 'string' && /^[A-Z]{3}$/.test(currency);
  return typeof amount === 'number' && (currency === null || isCode);
}

/** One field of type money for examples like its values, `{amount, currency}`; undefined when it doesn't give them. */
function suggestMoney(bench: Workbench, path: string, name: string, values: ByPage): Suggested | undefined {
  const known = values.map((value) => (isMoneyExample(value) ? value : undefined));
  if (values.some((value, page) => value !== undefined && value !== null && known[page] === undefined))
    return undefined;
  const amounts = known.map((value) => value?.amount);
  const { field, suggestions } = suggestValue(bench, path, name, amounts);
  if (field === undefined) return undefined;
  const money: FieldObject = { ...field, type: 'money', assert: { on_fail: 'null' } };
  return missedBy(money, bench.models, known).length > 0
    ? undefined
    : { field: money, suggestions: suggestions.map((one) => ({ ...one, alternatives: [] })) };
}

function suggestValue(bench: Workbench, path: string, name: string, known: KnownByPage): Suggested {
  const { field, choice } = settle(bench, chooseFor(bench, known, wordsOf(name)), known);
  const [first] = choice.chosen;
  const reason = first === undefined ? NOT_FOUND : reasonOf(first);
  const confidence = confidenceOf(choice, known);
  const money = field === undefined ? undefined : asMoney(bench, field, known);
  const suggestion: FieldSuggestion = {
    path,
    confidence,
    reason,
    alternatives: [
      ...(money === undefined
        ? []
        : [{ field: money, reason: 'the amount and its currency, apart', confidence }]),
      ...alternativesOf(choice, known),
    ].slice(0, ALTERNATIVES),
    missed: choice.missed.map((page) => ({ page, reason: first === undefined ? NOT_FOUND : NOT_GIVEN })),
  };
  return { field, suggestions: [suggestion] };
}

function knownRow(row: ExampleRow): KnownRow {
  const cells = Object.entries(row);
  return Object.fromEntries(
    cells.flatMap(([name, value]) => (value === null || isScalar(value) ? [[name, value]] : [])),
  );
}

function suggestList(bench: Workbench, path: string, values: ByPage): Suggested {
  const lists = values.map((value) => (Array.isArray(value) ? value : undefined));
  const rows = lists.map((list) => list?.filter(isRow).map(knownRow));
  const items = lists.map((list) => list?.filter(isScalar));
  const hasRows = rows.some((list) => list !== undefined && list.length > 0);
  const found = hasRows ? suggestRows(bench, rows) : suggestItems(bench, items);
  const missed =
    found === undefined
      ? lists.flatMap((list, page) => (list === undefined ? [] : [page]))
      : missedBy(found.field, bench.models, values);
  const columns = Object.entries(found?.columns ?? {}).map(([name, confidence]): FieldSuggestion => ({
    path: `${path}.${name}`,
    confidence,
    reason:
      found?.missing.includes(name) === true ? 'found in some of the rows only' : 'found in each example row',
    alternatives: [],
    missed: [],
  }));
  const share = 1 - missed.length / Math.max(1, lists.length);
  const whole: FieldSuggestion = {
    path,
    confidence: Math.round((found?.confidence ?? 0) * share * 1_000) / 1_000,
    reason: found?.reason ?? 'no selector was found that matches all the example rows',
    alternatives: [],
    missed: missed.map((page) => ({ page, reason: NOT_GIVEN })),
  };
  return { field: found?.field, suggestions: [whole, ...columns] };
}

/** Makes a field a list on all pages or none: next to lists, one value is a list of one; next to values, [] is null. */
function oneShape(values: ByPage): (ExampleValue | undefined)[] {
  const hasItems = values.some((value) => Array.isArray(value) && value.length > 0);
  if (hasItems) {
    return values.map((value) =>
      value === null ? [] : value === undefined || Array.isArray(value) ? value : [value],
    );
  }
  const hasValue = values.some((value) => value !== undefined && value !== null && !Array.isArray(value));
  return hasValue ? values.map((value) => (Array.isArray(value) ? null : value)) : [...values];
}

function suggestAny(bench: Workbench, path: string, name: string, given: ByPage): Suggested {
  const values = oneShape(given);
  if (values.some((value) => Array.isArray(value))) return suggestList(bench, path, values);
  if (values.some(isRow)) {
    const money = suggestMoney(bench, path, name, values);
    if (money !== undefined) return money;
    const groups = values.map((value) => (isRow(value) ? value : undefined));
    const { fields, suggestions } = suggestLevel(bench, `${path}.`, groups);
    return { field: Object.keys(fields).length === 0 ? undefined : { fields }, suggestions };
  }
  const known = values.map((value) => (value === null || isScalar(value) ? value : undefined));
  return suggestValue(bench, path, name, known);
}

function suggestLevel(
  bench: Workbench,
  prefix: string,
  examples: ExamplesByPage,
): { fields: Fields; suggestions: FieldSuggestion[] } {
  const names = [...new Set(examples.flatMap((known) => Object.keys(known ?? {})))];
  const fields: Fields = {};
  const suggestions: FieldSuggestion[] = [];
  for (const name of names) {
    const values = examples.map((known) => known?.[name]);
    const suggested = suggestAny(bench, `${prefix}${name}`, name, values);
    if (suggested.field !== undefined) fields[name] = suggested.field;
    suggestions.push(...suggested.suggestions);
  }
  return { fields, suggestions };
}

/** All texts in the examples of a page, rows and lists included. */
function textsIn(examples: ExampleValue | undefined, found = new Set<string>()): Set<string> {
  if (typeof examples === 'string') found.add(fold(examples));
  else if (typeof examples === 'object' && examples !== null)
    for (const item of Object.values(examples)) textsIn(item, found);
  return found;
}

/** How often the main content is what a person means by an article's text. */
const TRUST_OF_TEXT = 0.9;

export function createWorkbench(models: readonly PageModel[], examples: ExamplesByPage): Workbench {
  const hasExamples = examples.map((known) => Object.keys(known ?? {}).length > 0);
  const selectors = { compiled: new Map(), matches: new WeakMap(), texts: new WeakMap() };
  return { models, hasExamples, selectors };
}

/**
 * Learns a schema from one to five pages with examples, so that it extracts them and works on the site's other pages.
 * Without any examples, it proposes the first page's repeated records and main facts. Synchronous and pure: no network,
 * no clock.
 * @throws PageRejected when a page exceeds the engine's limits.
 */
export function suggestSchema(pages: readonly SuggestPage[]): Suggestion {
  const hasExamples = pages.some(({ examples }) => Object.keys(examples ?? {}).length > 0);
  const [first] = pages;
  const json = first === undefined || hasExamples ? undefined : readPageJson(first);
  if (json !== undefined) return proposeJson(json);
  const models = pages.map((page) => createPageModel(page, textsIn(page.examples)));
  if (!hasExamples) return suggestUnasked(models);
  const examples = pages.map((page) => page.examples);
  const { fields, suggestions } = suggestLevel(createWorkbench(models, examples), '', examples);
  return { schema: Object.keys(fields).length === 0 ? null : { fields }, fields: suggestions };
}

/** What the first page shows; the others only serve as checks. */
function suggestUnasked(models: readonly PageModel[]): Suggestion {
  const [first] = models;
  if (first === undefined) return { schema: null, fields: [] };
  const { examples, trust, isArticle } = proposeExamples(first);
  const known = models.map((model) => (model === first ? examples : undefined));
  const level = suggestLevel(createWorkbench(models, known), '', known);
  const suggestions = level.suggestions.map((one) => ({
    ...one,
    confidence: Math.round(one.confidence * (trust.get(one.path) ?? 1) * 1_000) / 1_000,
  }));
  const { fields } = level;
  if (isArticle && !Object.hasOwn(fields, 'text')) {
    fields['text'] = { page: 'markdown' };
    const reason = 'the main content of the page, as Markdown';
    suggestions.push({ path: 'text', confidence: TRUST_OF_TEXT, reason, alternatives: [], missed: [] });
  }
  return { schema: Object.keys(fields).length === 0 ? null : { fields }, fields: suggestions };
}
