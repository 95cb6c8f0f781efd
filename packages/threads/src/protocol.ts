import type { ParserSchema } from '@gleaner/contracts';
import type { AnyRulesSpec } from '@gleaner/extractors/crawl';
import { RESULT_LIMITS } from '@gleaner/extractors/parts';

/** The reason for rejecting a value that is too deep for the stack. */
export const TOO_DEEP = 'nested too deeply';

/** What a thread compiles once for many jobs, by a key that always means the same. */
export type Definition =
  | { kind: 'parser'; key: string; schema: ParserSchema }
  | { kind: 'rules'; key: string; rules: AnyRulesSpec };

/** Definitions that one thread keeps. Rules of a crawl have up to 2 MB of start pages. */
export const KEPT_DEFINITIONS = { parser: 200, rules: 20 } as const;

/** What a thread answers. Results are sent as JSON text, because the host parses it in less than half the time of reading a structured clone. */
export interface JobResult {
  json: string;
  /** The data of an extraction, as JSON text. */
  data?: string;
}

/** Errors are sent as plain data, because a clone would lose their class and code. */
export interface JobError {
  name: string;
  message: string;
  stack: string | undefined;
}

/** The thread sends `ready` once, after loading. */
export type Reply =
  | { state: 'ready' }
  | { state: 'result'; id: number; result: JobResult }
  | { state: 'error'; id: number; error: JobError };

/** What learning from pages gives, or why the pages could not be read. */
export type Learned<T> = { ok: true; value: T } | { ok: false; detail: string };

/** The process copies the text twice, so its length is checked here. @throws RangeError when it is too long */
export function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (json.length > RESULT_LIMITS.jsonText)
    throw new RangeError(
      `the result has more than ${RESULT_LIMITS.jsonText.toLocaleString('en')} characters as JSON`,
    );
  return json;
}
