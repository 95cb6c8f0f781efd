import type { Field, ParserSchema } from '@gleaner/contracts';
import { compileParser, checkSchema } from '../../check-schema.ts';
import { extractFrom } from '../../engine/extract.ts';
import type { PageModel } from '../page/page-model.ts';
import type { ExampleValue } from '../types.ts';
import { isSame } from '../values/wanted.ts';

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
export function missedBy(
  field: Field,
  models: readonly PageModel[],
  examples: readonly (ExampleValue | undefined)[],
): number[] {
  const values = runField(field, models);
  return examples.flatMap((example, page) => (gives(values[page], example) ? [] : [page]));
}
