import type { FieldReport } from '@gleaner/extractors';
import type { PageSeen } from '../../health/judge-page.ts';
import type { PageCopy } from '../../pages/keep-pages.ts';
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

/** Why a row is not written. */
export interface HeldBack {
  state: 'suspect' | 'held';
  reason: string;
}

/** What a task's page showed, beside its data. */
interface Evidence {
  /** The page as it was fetched, when the run may keep it. */
  page?: PageCopy | undefined;
  /** What each field of the parser found. */
  fields?: readonly FieldReport[] | undefined;
  /** What it says of the parser. */
  seen?: PageSeen | undefined;
  /** Its page is kept whatever the run keeps. */
  isPageHeld?: boolean | undefined;
}

/** What came of a task. Failures are data: they are never thrown past the executor. */
export type TaskOutcome =
  | (Evidence & {
      ok: true;
      /** The answer's body as JSON text, ready to be sent or stored. */
      answer: string;
      finalUrl: string;
      httpStatus: number;
      fetchedAt: string;
      bytes: number;
      /** How long ago the page was fetched, when a clock other than this machine's says so. */
      ageMs?: number | undefined;
      /** Its row is held back and not written. */
      held?: HeldBack | undefined;
    })
  | (Evidence & {
      ok: false;
      error: StoredError;
      httpStatus?: number;
      retryAfterMs?: number;
      /** The target was not asked: its host had no turn. */
      isUnasked?: boolean;
    });
