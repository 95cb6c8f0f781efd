import { RESULT_LIMITS } from '../limits.ts';

/** The reason for rejecting a value that is too deep for the stack. */
export const TOO_DEEP = 'nested too deeply';

/** Compiled parsers that one thread keeps. */
export const CACHED_PARSERS = 200;

/** Compiled rules of crawls that one thread keeps: each has up to 2 MB of start pages, and as much of links. */
export const CACHED_CRAWLS = 20;

/** The settings that a thread receives when it starts. */
export interface ThreadSettings {
  isBackground: boolean;
}

/** What a thread answers. Results are sent as JSON text, because the host parses it in less than half the time of reading a structured clone. */
export interface JobResult {
  json: string;
  /** The data of an extraction, as JSON text. */
  data?: string;
  /** A page that was moved to the thread, moved back. */
  body?: Uint8Array;
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

/** The process copies the text twice, so its length is checked here. @throws RangeError when it is too long */
export function jsonOf(value: unknown): string {
  const json = JSON.stringify(value);
  if (json.length > RESULT_LIMITS.jsonText)
    throw new RangeError(
      `the result has more than ${RESULT_LIMITS.jsonText.toLocaleString('en')} characters as JSON`,
    );
  return json;
}
