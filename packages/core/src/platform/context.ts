import type { Database, Transaction } from '@gleaner/db';
import type { QueueBackend } from '@gleaner/queue';
import type { Config } from './config/load-config.ts';
import { recordAnswer, type IdempotencyClaim } from './idempotency/record-answer.ts';
import type { Logger } from './log/log.ts';

/** What every process builds once in its main.ts and hands down. */
export interface Services {
  config: Config;
  db: Database;
  queue: QueueBackend;
  log: Logger;
  /** The clock, so that tests can set it. */
  now: () => Date;
}

/** One authenticated call. */
export interface Context<S extends Services = Services> {
  services: S;
  accountId: string;
  keyId: string;
  requestId: string;
  log: Logger;
  /** Aborted when the client has gone. */
  signal: AbortSignal;
  /** Present on a creating request with an Idempotency-Key. */
  idempotency?: IdempotencyClaim;
  /** Last-Event-ID of a client that reconnects to an event stream. */
  lastEventId?: string | undefined;
  /** What the answer's X-Credits headers say; set by metered functions. */
  credits?: { used: number; remaining: number };
}

/**
 * The one transaction of a writing function. Its result is the answer of the operation: with an Idempotency-Key it
 * is stored in the same transaction, so that a repeated request finds either everything or nothing.
 */
export function write<T>(ctx: Context, change: (tx: Transaction) => Promise<T>): Promise<T> {
  return ctx.services.db.orm.transaction(async (tx) => {
    const answer = await change(tx);
    if (ctx.idempotency) await recordAnswer(tx, ctx.idempotency, answer);
    return answer;
  });
}
