import type { ParserSchema, ScrapeConfig, StoredError } from '@gleaner/contracts';

/** The resolved target of a task. Running work keeps its parser version. */
export type TaskTarget =
  | { type: 'parser'; parserId: string; version: number }
  /** An unsaved schema, for previews. */
  | { type: 'schema'; schema: ParserSchema }
  | { type: 'api'; id: string };

/** One target with one input: everything that a worker needs, except the parser's schema. */
export interface TaskSpec {
  target: TaskTarget;
  /** `{url}` for parsers, the API's parameters for prebuilt endpoints. */
  input: Readonly<Record<string, unknown>>;
  /** Merged from parser and request; the request wins. */
  config: ScrapeConfig;
  /** How the page is asked for, when not by a GET. */
  request?: { method: 'POST'; body?: string };
  explain?: boolean;
  /** Returns `{data, fields}` instead of only the data. */
  preview?: boolean;
}

/** The outcome of a task. Failures are data; the executor never throws them. */
export type TaskOutcome =
  | {
      ok: true;
      /** The result as JSON text, ready to be sent or stored. */
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
      /** No request was sent, because the host was at its limit. */
      isHostBusy?: boolean;
    };
