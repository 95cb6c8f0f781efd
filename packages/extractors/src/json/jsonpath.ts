import { FunctionExpressionType, JSONPathEnvironment, JSONPathError, type JSONPathQuery } from 'json-p3';
import { ExpressionFault } from '@gleaner/html';
import { RESULT_LIMITS } from '../limits.ts';
import { compilePattern, type Pattern } from '../transform/pattern.ts';

/** The depth that `..` searches. Reading rejects data nested deeper. */
const MAX_DEPTH = 600;
const CACHED_PATTERNS = 20;

/** A JSON document's value. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export type CompiledJsonPath = JSONPathQuery;

type FilterFunction = Parameters<JSONPathEnvironment['functionRegister']['set']>[1];

/** I-Regexp's dot matches all characters except line ends. The rest of the syntax is also RE2's. */
function compileIRegexp(text: string): Pattern | undefined {
  try {
    return compilePattern(text);
  } catch {
    return undefined;
  }
}

/** `match()` and `search()` in linear time. json-p3's own functions use the runtime's backtracking RegExp. */
function regexFunction(isWhole: boolean): FilterFunction {
  const patterns = new Map<string, Pattern | undefined>();
  return {
    argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
    returnType: FunctionExpressionType.LogicalType,
    call(subject: unknown, text: unknown): boolean {
      if (typeof subject !== 'string' || typeof text !== 'string' || text.length > 1_000) return false;
      if (!patterns.has(text)) {
        if (patterns.size >= CACHED_PATTERNS) patterns.clear();
        patterns.set(text, compileIRegexp(isWhole ? `^(?:${text})$` : text));
      }
      return patterns.get(text)?.matcher(subject.slice(0, RESULT_LIMITS.patternSubject)).find() ?? false;
    },
  };
}

function createEnvironment(): JSONPathEnvironment {
  const environment = new JSONPathEnvironment({ maxRecursionDepth: MAX_DEPTH });
  environment.functionRegister.set('match', regexFunction(true));
  environment.functionRegister.set('search', regexFunction(false));
  return environment;
}

/** @throws ExpressionFault with the column of the syntax error. */
export function compileJsonPath(path: string): CompiledJsonPath {
  try {
    return createEnvironment().compile(path);
  } catch (error) {
    if (error instanceof JSONPathError) {
      // The column states the position, so json-p3's own statement in the message is removed.
      const reason = error.message.replace(/ \('[^]*':\d+\)$/, '');
      throw new ExpressionFault(`is not a JSONPath: ${reason}`, error.token.index + 1);
    }
    throw new ExpressionFault(error instanceof Error ? error.message : String(error));
  }
}

/** The values are parts of the data, so they are JSON too. */
function jsonValues(nodes: ReturnType<JSONPathQuery['query']>): Json[] {
  return nodes.values() as Json[];
}

/** @throws ExpressionFault when the data is nested too deep to search. */
export function queryJson(path: CompiledJsonPath, value: Json): Json[] {
  try {
    return jsonValues(path.query(value));
  } catch (error) {
    throw new ExpressionFault(error instanceof Error ? error.message : String(error));
  }
}
