import { JSONPathEnvironment, JSONPathError, type JSONPathQuery } from 'json-p3';
import { ExpressionFault } from '../fault.ts';

const MAX_DEPTH = 500;

/** A JSON document's value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface CompiledJsonPath {
  readonly query: JSONPathQuery;
}

const environment = (): JSONPathEnvironment => new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH });

/** @throws ExpressionFault with the column where the path goes wrong. */
export const compileJsonPath = (path: string): CompiledJsonPath => {
  try {
    return { query: environment().compile(path) };
  } catch (error) {
    if (error instanceof JSONPathError) {
      throw new ExpressionFault(error.message, error.token.index + 1);
    }
    throw new ExpressionFault(error instanceof Error ? error.message : String(error));
  }
};

/** @throws ExpressionFault when the data is nested too deep to search. */
export const queryJson = (path: CompiledJsonPath, value: Json): Json[] => {
  try {
    return path.query.query(value).values() as Json[];
  } catch (error) {
    throw new ExpressionFault(error instanceof Error ? error.message : String(error));
  }
};
