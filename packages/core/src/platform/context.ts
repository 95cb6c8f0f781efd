import type { Database, Transaction } from '@gleaner/db';
import type { QueueBackend } from '@gleaner/queue';
import type { Config } from './config/load-config.ts';
import { recordAnswer, type IdempotencyClaim } from './idempotency/claim-key.ts';
import { explainTakenSlug } from './slugs/slug-column.ts';
import type { Logger } from './log/log.ts';
import type * as contracts from '@gleaner/contracts';

type Contracts = typeof contracts;

/** The operations that contracts define one by one, by their ids; the forms of the prebuilt APIs are beside them. */
export type OperationName = {
  [N in keyof Contracts]: Contracts[N] extends { id: N; method: contracts.Method } ? N : never;
}[keyof Contracts];

type Defined<N extends OperationName> = Extract<Contracts[N], contracts.Operation>;
export type InputOf<N extends OperationName> = contracts.OperationInput<Defined<N>>;
export type OutputOf<N extends OperationName> = contracts.OperationOutput<Defined<N>>;

/** The function of an operation: takes its parsed input and returns its answer. */
export type Perform<N extends OperationName, S extends Services = Services> = (
  ctx: Context<S>,
  input: InputOf<N>,
) => Promise<OutputOf<N>>;

/** The services that every process builds once in its main.ts and passes on. */
export interface Services {
  config: Config;
  db: Database;
  queue: QueueBackend;
  log: Logger;
  /** The clock, which tests can replace. */
  now: () => Date;
}

/** The cookies of the dashboard's sessions. */
export type SessionKind = 'account' | 'operator';

/** The browser behind a call of the dashboard. */
export interface Browser {
  /** The network of its address, which limits guesses. */
  readonly network: string;
  /** The token of a session; undefined without one. */
  readSession(kind: SessionKind): string | undefined;
  setSession(kind: SessionKind, session: { token: string; maxAgeSeconds: number }): void;
  clearSession(kind: SessionKind): void;
}

/** One authenticated call. */
export interface Context<S extends Services = Services> {
  services: S;
  accountId: string;
  keyId: string;
  requestId: string;
  /** `traceparent` for work that this call asks for. */
  trace?: string | undefined;
  log: Logger;
  /** Aborted when the client has disconnected or its key was revoked. */
  signal: AbortSignal;
  /** Present on a creating request with an Idempotency-Key. */
  idempotency?: IdempotencyClaim;
  /** Absent at doors without cookies. */
  browser?: Browser | undefined;
  /** Last-Event-ID of a client that reconnects to an event stream. */
  lastEventId?: string | undefined;
  /** The values of the X-Credits headers, set by metered functions. */
  credits?: { used: number; remaining: number };
  /** The way by which its page was read, for the header X-Fetched-By. */
  fetchedBy?: string;
  /** What the caller should know of the call, for the header X-Notes. */
  notes?: string;
  /** What the call stored, in bytes; its body when absent. */
  storedBytes?: number;
}

/**
 * Runs the single transaction of a writing function. Its result is the operation's answer. With an Idempotency-Key, the
 * same transaction stores the answer, so a repeated request finds either everything or nothing.
 */
export function write<T>(ctx: Context, change: (tx: Transaction) => Promise<T>): Promise<T> {
  const { db } = ctx.services;
  return db.inTurn(ctx.accountId, () =>
    db
      .transact(async (tx) => {
        const answer = await change(tx);
        if (ctx.idempotency) await recordAnswer(tx, ctx.idempotency, answer);
        return answer;
      })
      .catch((error: unknown) => {
        throw explainTakenSlug(error);
      }),
  );
}
