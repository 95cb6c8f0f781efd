import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The folder of `@gleaner/db`, with `functions` and `migrations`. */
export const packageFolder = join(import.meta.dirname, '..', '..');

/** Set by scripts/bundle.ts: a bundle uses the functions that it was made with, whatever is in the folder later. */
declare const BUNDLED_ENGINE_SCHEMA: string | undefined;

/** The text of all `engine` functions. */
export function readFunctions(): string {
  const folder = join(packageFolder, 'functions');
  const names = readdirSync(folder).filter((name) => name.endsWith('.sql'));
  return names
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8'))
    .join('\n');
}

/** The schema that holds functions with this text: `engine_` and 12 hexadecimal digits of the text's digest. */
export function engineSchemaOf(functions: string): string {
  return `engine_${createHash('sha256').update(functions).digest('hex').slice(0, 12)}`;
}

/**
 * The schema with the functions of this version of Gleaner. Each statement that calls one names it: `${sql(ENGINE)}` in a
 * template of postgres.js, `${sql.identifier(ENGINE)}` in one of Drizzle. A `search_path` would belong to a session, and a
 * pooler in transaction mode shares sessions.
 */
export const ENGINE =
  typeof BUNDLED_ENGINE_SCHEMA === 'undefined' ? engineSchemaOf(readFunctions()) : BUNDLED_ENGINE_SCHEMA;
