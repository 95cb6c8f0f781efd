import type { ParserSchema } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import { compileParser } from '../check-schema.ts';
import type { CompiledParser } from '../engine/types.ts';

/** Compiled parsers that one thread keeps. */
export const CACHED_PARSERS = 200;

export interface ParserCache {
  /** The compiled parser; undefined when it is not cached and there is no `schema` to compile. */
  get: (key: string, schema: ParserSchema | undefined) => CompiledParser | undefined;
}

/** Keeps the most recently used parsers. */
export function createParserCache(): ParserCache {
  const parsers = new LRUCache<string, CompiledParser>({ max: CACHED_PARSERS });
  return {
    get(key, schema) {
      const known = parsers.get(key);
      if (known !== undefined || schema === undefined) return known;
      const parser = compileParser(schema);
      parsers.set(key, parser);
      return parser;
    },
  };
}
