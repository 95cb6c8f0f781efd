import type { ParserSchema } from '@gleaner/contracts';
import type { Page } from '../page.ts';
import type { RepairPage } from '../suggest/repair.ts';
import type { SuggestPage } from '../suggest/types.ts';
import type { SiteWork } from './site-step.ts';

/** Why a value that no stack is deep enough for is refused. */
export const TOO_DEEP = 'nested too deeply';

/** What a thread is asked to do; the kinds are the keys of the table in `jobs.ts`. */
export type Job =
  | {
      kind: 'extract';
      parserKey: string;
      /** Left out when the thread was given it before. */
      schema: ParserSchema | undefined;
      page: Page;
      explain: boolean;
      partial: boolean;
      /** Give the data as JSON text apart from the rest. */
      dataAsText: boolean;
      /** Give the page's bytes back when it was moved here: `failed`, when fields fail. */
      returnsBody: 'failed' | 'always' | undefined;
    }
  | { kind: 'check'; schema: unknown }
  | { kind: 'suggest'; pages: readonly SuggestPage[] }
  | { kind: 'repair'; schema: ParserSchema; pages: readonly RepairPage[] }
  | ({ kind: 'site' } & SiteWork);

/** What a thread is told when it starts. */
export interface ThreadSettings {
  isBackground: boolean;
}

export type JobKind = Job['kind'];

export interface Request {
  id: number;
  job: Job;
}

/**
 * Results travel as JSON text: on the host, parsing it costs less than half of what reading a structured clone does.
 * Errors travel as plain data, because their class and code would be lost.
 */
export type ThreadAnswer =
  | { state: 'result'; json: string | undefined; data?: string; body?: Uint8Array }
  | { state: 'schema-missing' }
  | { state: 'error'; name: string; message: string; stack: string | undefined };

/** `ready` comes once, when the thread has loaded. */
export type Reply = { state: 'ready' } | (ThreadAnswer & { id: number });
