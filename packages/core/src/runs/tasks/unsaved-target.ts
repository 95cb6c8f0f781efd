import type { ParserSchema } from '@gleaner/contracts';
import type { TaskTarget } from './task-spec.ts';

export type UnsavedTarget = Extract<TaskTarget, { type: 'schema' }>;

/** The target of a task whose parser is not saved. */
export function toUnsavedTarget(schema: ParserSchema): UnsavedTarget {
  return { type: 'schema', schema, order: Object.keys(schema.fields) };
}

/** The schema of such a target, with its fields in their order though it was stored. */
export function schemaOfTarget({ schema, order = [] }: UnsavedTarget): ParserSchema {
  const fields = order.flatMap((name) => {
    const field = Object.hasOwn(schema.fields, name) ? schema.fields[name] : undefined;
    return field === undefined ? [] : [[name, field] as const];
  });
  return { ...schema, fields: { ...Object.fromEntries(fields), ...schema.fields } };
}
