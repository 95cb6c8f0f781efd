import type { Fields } from './field-shape.ts';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';

/** Why the whole schema is too large; undefined when it isn't. The parts have their own limits. */
export function sizeFault(fields: Fields): string | undefined {
  let count = 0;
  let deepest = 0;
  const walk = (level: Fields, depth: number): void => {
    deepest = Math.max(deepest, depth);
    for (const field of Object.values(level)) {
      count += 1;
      if (typeof field !== 'string' && field.fields !== undefined) walk(field.fields, depth + 1);
    }
  };
  walk(fields, 1);
  if (count > LIMITS.fields) return `has ${count} fields on all levels; at most ${LIMITS.fields} are allowed`;
  if (deepest > LIMITS.nesting) return `nests ${deepest} levels deep; at most ${LIMITS.nesting} are allowed`;
  return undefined;
}
