import type { ConnectionTarget } from './connection-target.ts';
import type { ForeignTransaction, TransactionRows } from './foreign-transaction.ts';
import type { PinnedAddress } from './open-connection.ts';
import { Worker } from 'node:worker_threads';
import { withTimeout } from '@gleaner/contracts';
import { threadEnv } from '@gleaner/threads';

/** What a thread for one database gets when it starts. */
export interface ThreadData {
  target: ConnectionTarget;
}

/** A message to the thread. Without a transaction the thread closes its connections and ends. */
export type ThreadRequest = { id: number; address: PinnedAddress; transaction: ForeignTransaction } | 'close';

export interface ForeignError {
  message: string;
  /** SQLSTATE, or the code of a network error. */
  code: string;
  severity: string | undefined;
}

/** A message from the thread. */
export type ThreadReply =
  | { id: number; rows: TransactionRows; schema: string | null; version: number }
  | { id: number; error: ForeignError };

/** The thread's heap. An answer has 64 MiB at most. */
const HEAP_MB = 192;

/** The thread's code: the source beside this file, or the bundled file beside the bundle. */
const IS_SOURCE = import.meta.url.endsWith('.ts');
const THREAD = new URL(IS_SOURCE ? 'external.thread.ts' : 'external-thread.js', import.meta.url);

export interface ForeignReply {
  rows: TransactionRows;
  /** The first schema of its search_path. */
  schema: string | null;
  /** 180001 for 18.1. */
  version: number;
}

/** A thread with the connections to one database. */
export type ForeignThread = ReturnType<typeof createForeignThread>;

interface Pending {
  resolve: (answer: ForeignReply) => void;
  reject: (error: Error) => void;
}

/** @param onEnd it can't be used any more */
export function createForeignThread(target: ConnectionTarget, onEnd: () => void) {
  const data: ThreadData = { target };
  const worker = new Worker(THREAD, {
    workerData: data,
    env: threadEnv(),
    execArgv: IS_SOURCE ? [] : ['--enable-source-maps'],
    resourceLimits: { maxOldGenerationSizeMb: HEAP_MB, stackSizeMb: 4 },
  });
  worker.unref();
  const pending = new Map<number, Pending>();
  let count = 0;
  let hasEnded = false;

  /** Ends it now, whatever it does. */
  const kill = (reason: Error): void => {
    for (const { reject } of pending.values()) reject(reason);
    pending.clear();
    void worker.terminate();
    if (!hasEnded) onEnd();
    hasEnded = true;
  };
  worker.on('message', (reply: ThreadReply) => {
    const waiting = pending.get(reply.id);
    pending.delete(reply.id);
    if ('error' in reply) {
      const { message, code, severity } = reply.error;
      waiting?.reject(Object.assign(new Error(message), { code, severity }));
    } else waiting?.resolve(reply);
  });
  worker.on('error', (error) => kill(error instanceof Error ? error : new Error(String(error))));
  worker.on('exit', () => kill(new Error('the connection was closed')));

  return {
    /** @throws what the server answers; when the thread ends, everything that it runs fails */
    run: async (
      transaction: ForeignTransaction,
      address: PinnedAddress,
      timeoutMs: number,
    ): Promise<ForeignReply> => {
      const id = (count += 1);
      const { promise, resolve, reject } = Promise.withResolvers<ForeignReply>();
      pending.set(id, { resolve, reject });
      worker.postMessage({ id, address, transaction } satisfies ThreadRequest, []);
      // The server may keep the thread busy for ever, so the thread can't watch the time itself.
      return withTimeout(promise, timeoutMs, () => {
        kill(new Error('timed out'));
        return promise;
      });
    },
    get running(): number {
      return pending.size;
    },
    /** Ends it when nothing runs. */
    close: (): void => {
      if (hasEnded) return;
      hasEnded = true;
      onEnd();
      worker.postMessage('close' satisfies ThreadRequest, []);
    },
    kill,
  };
}
