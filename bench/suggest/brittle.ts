import type { Field, Fields, ParserSchema } from '@gleaner/contracts';

/** One source for each field, as people write parsers: it breaks sooner than one with fallbacks. */
export function brittle(schema: ParserSchema): ParserSchema {
  const first = (field: Field): Field => {
    if (typeof field === 'string' || field.any === undefined) return field;
    const { any, ...rest } = field;
    const structural = any.find((source) => typeof source !== 'string' && source.css !== undefined) ?? any[0];
    return structural === undefined || typeof structural === 'string' ? field : { ...structural, ...rest };
  };
  const fields: Fields = Object.fromEntries(
    Object.entries(schema.fields).map(([name, field]) => [name, first(field)]),
  );
  return { fields };
}
