import type { ParserSchema } from '@gleaner/contracts';
import { compileParser } from '../check-schema.ts';
import type { CompiledParser } from '../engine/types.ts';

/** Compiled parsers that one thread keeps. */
export const CACHED_PARSERS = 200;

export interface ParserCache {
  /** The compiled parser; undefined when it is neither kept nor can be compiled from `schema`. */
  get: (key: string, schema: ParserSchema | undefined) => CompiledParser | undefined;
}

/** Keeps the parsers that were used last. */
export function createParserCache(): ParserCache {
  // In order of use: a Map keeps insertion order.
  const parsers = new Map<string, CompiledParser>();
  return {
    get(key, schema) {
      let parser = parsers.get(key);
      if (parser === undefined) {
        if (schema === undefined) return undefined;
        parser = compileParser(schema);
      } else {
        parsers.delete(key);
      }
      parsers.set(key, parser);
      const [oldest] = parsers.keys();
      if (parsers.size > CACHED_PARSERS && oldest !== undefined) parsers.delete(oldest);
      return parser;
    },
  };
}
