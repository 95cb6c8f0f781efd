import type { Field, FieldObject } from '@gleaner/contracts';
import { longForm, SOURCE_KINDS } from '@gleaner/contracts/values';
import { checkSchema } from '../check-schema.ts';
import { asObject } from '../output/field-shape.ts';

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
export function withEarlierSources(learned: FieldObject, before: Field): FieldObject {
  const field = merge(learned, asObject(before));
  return checkSchema({ fields: { field } }).ok ? field : learned;
}
