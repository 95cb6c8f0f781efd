import type { ParserSchema, ScrapeConfig, StoredError } from '@gleaner/contracts';

/** What a task runs, resolved: work in flight keeps the parser version it started with. */
export type TaskTarget =
  | { type: 'parser'; parserId: string; version: number }
  /** A schema that is not saved: preview. */
  | { type: 'schema'; schema: ParserSchema }
  | { type: 'api'; id: string };

/** One target with one input: what a worker needs to do the work, apart from the parser's schema. */
export interface TaskSpec {
  target: TaskTarget;
  /** `{url}` for parsers, the API's parameters for prebuilt endpoints. */
  input: Readonly<Record<string, unknown>>;
  /** Merged from parser and request, nearest first. */
  config: ScrapeConfig;
  /** How the page is asked for, when not by a GET. */
  request?: { method: 'POST'; body?: string };
  explain?: boolean;
  /** Answers `{data, fields}` instead of the bare data. */
  preview?: boolean;
}

/** What came of a task. Failures are data: they are never thrown past the executor. */
export type TaskOutcome =
  | {
      ok: true;
      /** The answer's body as JSON text, ready to be sent or stored. */
      answer: string;
      finalUrl: string;
      httpStatus: number;
      fetchedAt: string;
      bytes: number;
    }
  | {
      ok: false;
      error: StoredError;
      httpStatus?: number;
      retryAfterMs?: number;
      /** The target was not asked: its host had no turn. */
      isUnasked?: boolean;
    };
