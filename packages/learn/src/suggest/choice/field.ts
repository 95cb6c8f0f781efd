import type { Judged, FieldChoice } from './choose.ts';
import type { ByPage, ExampleValue } from '../types.ts';
import type { FieldObject, Field, ParserSchema } from '@gleaner/contracts';
import { WHOLE } from '../values/cut.ts';
import { isSame, type KnownByPage } from '../values/wanted.ts';
import { compileParser, checkSchema, extractFrom } from '@gleaner/extractors';
import type { PageModel } from '../page/page-model.ts';

/** The field of the schema language for programs in order. `guard` is a pattern that its values must match. */
export function fieldOf(chosen: readonly Judged[], guard: string | undefined): FieldObject | undefined {
  const [best] = chosen;
  if (best === undefined) return undefined;
  const { type } = best.program;
  const [first, ...others] = chosen
    .filter(({ program }) => program.type === type)
    .map(({ program: { candidate, cut } }) => ({
      ...candidate.source,
      // Numbers and dates are read with any white space.
      ...(type !== 'string' && cut === WHOLE ? {} : { transform: [...cut.steps] }),
    }));
  const pattern = type === 'string' && guard !== undefined ? { pattern: guard } : {};
  return {
    ...(others.length === 0 ? first : { any: [first, ...others] }),
    ...(type === 'string' ? {} : { type }),
    ...(type === 'string' && guard === undefined ? {} : { assert: { ...pattern, on_fail: 'null' } }),
  } as FieldObject;
}

/** The engine's value of a field on each page; undefined where the extraction fails. */
export function runField(field: Field, models: readonly PageModel[]): unknown[] {
  const schema: ParserSchema = { fields: { value: field } };
  if (!checkSchema(schema).ok) return models.map(() => undefined);
  const parser = compileParser(schema);
  return models.map(({ document, page }) => {
    const extraction = extractFrom(parser, document, page);
    return extraction.ok ? extraction.data['value'] : undefined;
  });
}

/** Whether a value equals the example. An example with two or more rows or items may be part of a longer list. */
export function gives(value: unknown, example: ExampleValue | undefined): boolean {
  if (example === undefined) return true;
  if (example === null) return value === null;
  if (Array.isArray(example)) {
    if (!Array.isArray(value)) return false;
    let at = 0;
    for (const item of value) if (at < example.length && gives(item, example[at])) at += 1;
    return at === example.length && (example.length > 0 || value.length === 0);
  }
  if (typeof example === 'object') {
    if (value === null || typeof value !== 'object') return false;
    const record = value as Record<string, unknown>;
    return Object.entries(example).every(([name, item]) => gives(record[name], item));
  }
  return typeof value !== 'object' && isSame(value as string | number | boolean | undefined, example);
}

/** Pages on which the engine's value of the field differs from the example. */
export function missedBy(field: Field, models: readonly PageModel[], examples: ByPage): number[] {
  const values = runField(field, models);
  return examples.flatMap((example, page) => (gives(values[page], example) ? [] : [page]));
}

/** From 0 to 1: the chance that a choice is right on the site's other pages. */
export function confidenceOf({ chosen, missed }: FieldChoice, known: KnownByPage): number {
  const [first] = chosen;
  if (first === undefined) return 0;
  const given = known.filter((value) => value !== undefined).length;
  const base = first.posterior * (missed.length === 0 ? 1 : (given - missed.length) / Math.max(1, given));
  return Math.round(base * 1000) / 1000;
}
