import type { RelativeValues } from '../../storage/sinks/to-rows.ts';
import type { NotedReport } from '@gleaner/extractors';
import type { Children } from './children.ts';
import type { Found } from './fetched-task.ts';
import type { PageSeen } from '@gleaner/learn/drift';
import type { PageCopy } from '../../storage/pages/keep-pages.ts';
import type {
  ClimbReason,
  PAGE_PARSER,
  ParserSchema,
  Redirected,
  ScrapeConfig,
  StoredError,
  TaskPhases,
  Way,
} from '@gleaner/contracts';

/** The resolved target of a task. Running work keeps its parser version. */
export type TaskTarget =
  | { type: 'parser'; parserId: string; version: number }
  /**
   * An unsaved schema, for previews and routes of crawls, or that of the built-in parser. `order`: the names of its fields,
   * as Postgres sorts those of a stored object by length.
   */
  | {
      type: 'schema';
      schema: ParserSchema;
      order?: readonly string[];
      parserId?: typeof PAGE_PARSER;
    }
  | { type: 'api'; id: string }
  /** Pages or sources of a crawl: the stage says what is done with them. */
  | { type: 'crawl' };

/** The ways by which a page may be read, and the one by which it is read now. */
export interface Climb {
  ways: readonly Way[];
  at: number;
  /** The page began here: the way before was not tried on it. */
  isUntried?: boolean | undefined;
}

/** One target with one input: everything that a worker needs, except the parser's schema. */
export interface TaskSpec {
  target: TaskTarget;
  /** `{url}` for parsers, the API's parameters for prebuilt endpoints. */
  input: Readonly<Record<string, unknown>>;
  /** Merged from parser and request; the request wins. */
  config: ScrapeConfig;
  /** With `escalate`; `config` is that of the first way. */
  climb?: Climb;
  /** How the page is asked for, when not by a GET. */
  request?: { method: 'POST'; body?: string };
  explain?: boolean;
  /** `traceparent` of the call that asked for the task. */
  trace?: string;
  /** Returns `{data, fields}` instead of only the data. */
  preview?: boolean;
}

/** Why a row is not written. */
export interface HeldBack {
  state: 'suspect' | 'held';
  reason: string;
}

/** What a task's page showed, beside its data. */
interface Evidence {
  /** What a page or a source of a crawl found, when its task ends for good. */
  fetched?: Found | undefined;
  /** The page as it was fetched, when the run may keep it. */
  page?: PageCopy | undefined;
  /** What each field of the parser found. */
  fields?: readonly NotedReport[] | undefined;
  /** The fingerprint of the page's structure, of some pages. */
  structure?: readonly number[] | undefined;
  /** What it says of the parser. */
  seen?: PageSeen | undefined;
  /** Whether the page is kept, independent of the run's `keep_pages`. */
  isPageHeld?: boolean | undefined;
  /** How long the phases of its attempt took. */
  phases?: TaskPhases | undefined;
}

/** The outcome of a task. Failures are data; the executor never throws them. */
export type TaskOutcome =
  | (Evidence & {
      ok: true;
      /** The result as JSON text, ready to be sent or stored. */
      answer: string;
      finalUrl: string;
      httpStatus: number;
      /** ISO 8601, by Postgres' clock. */
      fetchedAt: string;
      bytes: number;
      /** Credits that it costs; absent: the price of its run or request, the dearest. */
      price?: number | undefined;
      /** Why a dearer way may read more: the parser reads facts alone, and scripts fill the page. */
      climbs?: ClimbReason | undefined;
      relative?: RelativeValues | undefined;
      /** Set when the row is held back and not written. */
      held?: HeldBack | undefined;
      /** What it gives to further stages. Absent: what the stage's paths find in the answer. */
      children?: readonly Children[] | undefined;
    })
  | (Evidence & {
      ok: false;
      error: StoredError;
      httpStatus?: number;
      /** Why a dearer way may read the page. */
      climbs?: ClimbReason | undefined;
      /** The way by which the task goes on; it loses no attempt. */
      next?: number | undefined;
      /** It goes on there without a try of this way. */
      isUntried?: boolean | undefined;
      retryAfterMs?: number;
      /** No attempt: the host was at its limit, so no request was sent, or the database was unavailable. */
      isUncounted?: boolean;
      /** Where its page goes on: a redirect led there, and the host is busy. */
      redirected?: Redirected | undefined;
      /** The host's limit gave the task no turn yet, as it does to one after another: it may wait as long as its run. */
      isPaced?: boolean;
      /** Its run keeps that pace: its pages of the host wait together. */
      isOwnPace?: boolean;
    });
