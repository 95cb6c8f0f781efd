import type { KeyRing } from '../accounts/keys/key-ring.ts';
import type { PageServices } from '../storage/pages/read-pages.ts';
import type { WatchServices } from '../runs/watch/follow-run.ts';
import type { SheetServices } from '../storage/sheets/sheets.ts';
import type { DatabaseServices } from '../storage/databases/database-services.ts';
import type { ResourceServices } from '../extraction/preview/load-page-resources.ts';
import type { ParsingServices } from '../extraction/parse/parse-html.ts';
import type { FairShare, OpenStreams } from '../platform/rate-limits/fair-share.ts';
import type { RateLimiter } from '../platform/rate-limits/rate-limiter.ts';
import type { RunServices } from '../runs/submission/run-services.ts';
import type { Operation, UploadPart, JsonText, ServerEvent, StreamAnswer } from '@gleaner/contracts';
import { isObject } from '@gleaner/contracts/values';
import type { Context } from '../platform/context.ts';

/** The services that operations need. A process with a door builds them once. */
export interface OperationServices
  extends
    ParsingServices,
    DatabaseServices,
    RunServices,
    WatchServices,
    PageServices,
    ResourceServices,
    SheetServices {
  keys: KeyRing;
  rateLimiter: RateLimiter;
  fairShare: FairShare;
  streams: OpenStreams;
}

/** The validated parts of an input, with the operation's types erased. */
export interface ParsedInput {
  params: unknown;
  query: unknown;
  body: unknown;
  upload: AsyncIterable<UploadPart> | undefined;
}

/** An operation with its function: one row of the table of operations. */
export interface OperationEntry {
  operation: Operation;
  perform: (ctx: Context<OperationServices>, input: ParsedInput) => unknown;
}

/** The answer of a call, by kind. Streams can be read once. */
export type CallAnswer =
  | { kind: 'json'; value: unknown }
  | ({ kind: 'json-text' } & JsonText)
  | { kind: 'empty' }
  | ({ kind: 'stream' } & StreamAnswer)
  | { kind: 'events'; events: AsyncIterable<ServerEvent> };

/** The result of a successful call. Failures are thrown as AppError. */
export interface CallResult {
  /** The HTTP status; other doors may ignore it. */
  status: number;
  answer: CallAnswer;
  /** Whether this is the answer of an earlier call with the same Idempotency-Key. */
  isReplayed: boolean;
  /** Set by metered operations: the credits used, and the balance afterwards. */
  credits: { used: number; remaining: number } | undefined;
  /** The way by which its page was read. */
  fetchedBy?: string | undefined;
  /** What the caller should know of the call. */
  notes?: string | undefined;
}

/** @param output the result of the operation's function, whose kind the table of operations has checked */
export function toCallAnswer({ answer }: Operation, output: unknown): CallAnswer {
  const { kind } = answer;
  switch (kind) {
    case 'json':
      if (answer.streams && isObject(output) && 'stream' in output)
        return { kind: 'stream', ...(output as unknown as StreamAnswer) };
      return { kind, value: output };
    case 'json-text':
      return { kind, ...(output as JsonText) };
    case 'empty':
      return { kind };
    case 'stream':
      return { kind, ...(output as StreamAnswer) };
    case 'events':
      return { kind, events: output as AsyncIterable<ServerEvent> };
  }
}
