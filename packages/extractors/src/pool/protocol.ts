import type { ParserSchema } from '@gleaner/contracts';
import type { Page } from '../page.ts';
import type { RepairPage } from '../suggest/repair.ts';
import type { SuggestPage } from '../suggest/types.ts';
import type { SiteWork } from './site-step.ts';

/** The reason for rejecting a value that is too deep for the stack. */
export const TOO_DEEP = 'nested too deeply';

/** A job for a thread. The kinds are the keys of the handlers in `jobs.ts`. */
export type Job =
  | {
      kind: 'extract';
      parserKey: string;
      /** Left out when the thread already has it. */
      schema: ParserSchema | undefined;
      page: Page;
      explain: boolean;
      partial: boolean;
      /** Return the data as separate JSON text. */
      dataAsText: boolean;
      /** Add notes of the values to the reports of the fields. */
      notesValues: boolean;
      /** Give the page's bytes back when it was moved here: `failed`, when fields fail. */
      returnsBody: 'failed' | 'always' | undefined;
    }
  | { kind: 'check'; schema: unknown }
  | { kind: 'suggest'; pages: readonly SuggestPage[] }
  | { kind: 'outline'; page: Page; maxCharacters: number }
  | { kind: 'repair'; schema: ParserSchema; pages: readonly RepairPage[] }
  | ({ kind: 'site' } & SiteWork);

/** The settings that a thread receives when it starts. */
export interface ThreadSettings {
  isBackground: boolean;
}

export type JobKind = Job['kind'];

export interface Request {
  id: number;
  job: Job;
}

/**
 * Results are sent as JSON text, because the host parses it in less than half the time of reading a structured clone.
 * Errors are sent as plain data, because a clone would lose their class and code.
 */
export type ThreadAnswer =
  | { state: 'result'; json: string | undefined; data?: string; body?: Uint8Array }
  | { state: 'schema-missing' }
  | { state: 'error'; name: string; message: string; stack: string | undefined };

/** The thread sends `ready` once, after loading. */
export type Reply = { state: 'ready' } | (ThreadAnswer & { id: number });
