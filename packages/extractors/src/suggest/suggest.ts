import type { Field, FieldObject, Fields, ParserSchema } from '@gleaner/contracts';
import type { Page } from '../page.ts';
import { chooseFor, type Choice, type Judged, type Known } from './choose.ts';
import { confidenceOf } from './confidence.ts';
import { wordsOf } from './names.ts';
import { createPageModel, type PageModel } from './page-model.ts';
import type { Program, Workbench } from './programs.ts';
import { guardOf } from './shape.ts';
import { createSelectorCache } from './structural.ts';
import { fold } from './text.ts';
import type { ValueType } from './wanted.ts';

/** An example of a field: a text as a person sees it, a number in any form, or null where the page has none. */
export type ExampleValue = string | number | boolean | null | ExampleValue[] | { [name: string]: ExampleValue };

export interface SuggestPage extends Page {
  /** By field name. A field that is left out is not known on this page. */
  readonly examples?: Readonly<Record<string, ExampleValue>> | undefined;
}

export interface Alternative {
  readonly field: Field;
  readonly reason: string;
  /** From 0 to 1. */
  readonly confidence: number;
}

export interface FieldSuggestion {
  readonly path: string;
  /** From 0 to 1: how likely the field is right on the site's other pages. */
  readonly confidence: number;
  readonly reason: string;
  readonly alternatives: readonly Alternative[];
  /** Pages (0-based) whose example the schema does not give, and why. */
  readonly missed: readonly { readonly page: number; readonly reason: string }[];
}

export interface Suggestion {
  /** null when no field could be found at all. */
  readonly schema: ParserSchema | null;
  readonly fields: readonly FieldSuggestion[];
}

function sourceWithSteps({ candidate, cut }: Program): Record<string, unknown> {
  return { ...candidate.source, ...(cut.steps.length === 0 ? {} : { transform: [...cut.steps] }) };
}

function commonType(chosen: readonly Judged[]): ValueType {
  return chosen[0]?.program.type ?? 'string';
}

function fieldOf(chosen: readonly Judged[], guard: string | undefined): FieldObject | undefined {
  const type = commonType(chosen);
  const sources = chosen.filter(({ program }) => program.type === type).map(({ program }) => sourceWithSteps(program));
  const [first] = sources;
  if (first === undefined) return undefined;
  const typed = type === 'string' ? {} : { type };
  const assert =
    type === 'string' && guard !== undefined
      ? { assert: { pattern: guard, on_fail: 'null' as const } }
      : type === 'string'
        ? {}
        : { assert: { on_fail: 'null' as const } };
  if (sources.length === 1) return { ...first, ...typed, ...assert } as FieldObject;
  return { any: sources, ...typed, ...assert } as FieldObject;
}

function reasonOf({ program }: Judged): string {
  const { why } = program.cut;
  return why === undefined ? program.candidate.why : `${program.candidate.why}, ${why}`;
}

function alternativesOf({ chosen, others }: Choice, known: readonly Known[]): Alternative[] {
  const [first] = chosen;
  const seen = new Set<string>(first === undefined ? [] : [first.program.candidate.family]);
  const found: Alternative[] = [];
  for (const item of others) {
    if (item === first || found.length >= 5) continue;
    const { family } = item.program.candidate;
    if (seen.has(family) && found.length >= 3) continue;
    seen.add(family);
    const field = fieldOf([item], undefined);
    if (field !== undefined) found.push({ field, reason: reasonOf(item), confidence: confidenceOf({ chosen: [item], others: [], missed: [] }, known) });
  }
  return found;
}

/** One field with single values. */
export function suggestField(bench: Workbench, name: string, known: readonly Known[]): { field: FieldObject | undefined; suggestion: FieldSuggestion } {
  const choice = chooseFor(bench, known, wordsOf(name));
  const texts = known.filter((value) => typeof value === 'string').map(fold);
  const field = fieldOf(choice.chosen, guardOf(texts));
  const [first] = choice.chosen;
  const suggestion: FieldSuggestion = {
    path: name,
    confidence: first === undefined ? 0 : confidenceOf(choice, known),
    reason: first === undefined ? 'no example of it was found on its page' : reasonOf(first),
    alternatives: alternativesOf(choice, known),
    missed: choice.missed.map((page) => ({ page, reason: 'no way was found that gives this example and the others' })),
  };
  return { field, suggestion };
}

export function createWorkbench(models: readonly PageModel[]): Workbench {
  return { models, selectors: createSelectorCache(), leaves: new Map() };
}

function knownOf(value: ExampleValue | undefined): Known {
  return value === null || typeof value !== 'object' ? value : undefined;
}

/** All texts in the examples of a page, rows and lists included. */
function textsIn(examples: ExampleValue | undefined, found = new Set<string>()): Set<string> {
  if (typeof examples === 'string') found.add(fold(examples));
  else if (Array.isArray(examples)) for (const item of examples) textsIn(item, found);
  else if (examples !== null && typeof examples === 'object') {
    for (const item of Object.values(examples)) textsIn(item, found);
  }
  return found;
}

/**
 * From pages with examples to a schema that gives them. Synchronous and pure: no network, no clock.
 * @throws PageRejected when a page passes the engine's limits.
 */
export function suggestSchema(pages: readonly SuggestPage[]): Suggestion {
  const bench = createWorkbench(pages.map((page) => createPageModel(page, textsIn(page.examples))));
  const names = [...new Set(pages.flatMap(({ examples }) => Object.keys(examples ?? {})))];
  const fields: Fields = {};
  const suggestions: FieldSuggestion[] = [];
  for (const name of names) {
    const known = pages.map(({ examples }) => knownOf(examples?.[name]));
    const { field, suggestion } = suggestField(bench, name, known);
    if (field !== undefined) fields[name] = field;
    suggestions.push(suggestion);
  }
  return { schema: Object.keys(fields).length === 0 ? null : { fields }, fields: suggestions };
}
