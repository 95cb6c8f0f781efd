import { createHash } from 'node:crypto';
import type { ParserSchema } from '@gleaner/contracts';
import type { LoadedParser } from './parser-cache.ts';

/** An unsaved schema. The threads cache it under its digest. */
export function toUnsavedParser(schema: ParserSchema): LoadedParser {
  return {
    key: `preview/${createHash('sha256').update(JSON.stringify(schema)).digest('base64url')}`,
    schema,
  };
}
