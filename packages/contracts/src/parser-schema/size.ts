import type { Fields } from './field.ts';
import { PARSER_SCHEMA_LIMITS as LIMITS } from './limits.ts';

/** Why the whole is too large, if it is; the parts have bounds of their own. */
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
  if (count > LIMITS.fields)
    return `has ${count} fields over all levels; at most ${LIMITS.fields} are allowed`;
  if (deepest > LIMITS.nesting) return `nests ${deepest} levels deep; at most ${LIMITS.nesting} are allowed`;
  return undefined;
}
