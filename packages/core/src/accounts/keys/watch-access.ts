import { AppError } from '@gleaner/contracts';
import type { Database } from '@gleaner/db';
import type { Logger } from '../../platform/log/log.ts';

/** How often the keys of open calls are read. Shorter calls are never asked about. */
const LOOK_MS = 500;

/** A call whose access is watched. */
export interface WatchedAccess {
  /** Aborted like the caller's own signal, or with AppError unauthorized when the key opens its account no more. */
  signal: AbortSignal;
  close(): void;
}

interface OpenCall {
  keyId: string;
  since: number;
  controller: AbortController;
}

/** The ids of keys and of OAuth subjects that open an account. */
async function readValid({ sql }: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await sql<{ id: string }[]>`
    SELECT u.id FROM (
      SELECT k.id, k.account_id FROM gleaner.api_keys k WHERE k.revoked_at IS NULL
      UNION ALL SELECT s.id, s.account_id FROM gleaner.oauth_subjects s
    ) u JOIN gleaner.accounts a ON a.id = u.account_id AND a.is_active
    WHERE u.id = ANY(${[...ids]}::text[])`;
  return new Set(rows.map(({ id }) => id));
}

/**
 * Ends calls that last longer than their key: streams of events, exports, waits. One statement reads the keys of all open
 * calls of the process, twice a second.
 */
export function createAccessWatch(db: Database, log: Logger) {
  const calls = new Set<OpenCall>();
  let timer: NodeJS.Timeout | undefined;

  const look = async (): Promise<void> => {
    const old = [...calls].filter(({ since }) => performance.now() - since >= LOOK_MS);
    if (old.length === 0) return;
    const valid = await readValid(db, [...new Set(old.map(({ keyId }) => keyId))]);
    for (const { keyId, controller } of old) {
      if (valid.has(keyId)) continue;
      controller.abort(new AppError('unauthorized', { detail: 'the access was withdrawn during the call' }));
    }
  };
  const lookSoon = (): void => {
    if (timer !== undefined || calls.size === 0) return;
    timer = setTimeout(() => {
      look()
        .catch((error: unknown) => log.warn({ err: error }, 'the keys of open calls could not be read'))
        .finally(() => {
          timer = undefined;
          lookSoon();
        });
    }, LOOK_MS).unref();
  };

  /** Watches a call of a key until it is closed. @param signal the caller's own */
  return (keyId: string, signal: AbortSignal): WatchedAccess => {
    const controller = new AbortController();
    const call = { keyId, since: performance.now(), controller };
    const leave = (): void => controller.abort(signal.reason);
    if (signal.aborted) leave();
    else signal.addEventListener('abort', leave, { once: true });
    calls.add(call);
    lookSoon();
    return {
      signal: controller.signal,
      close: () => {
        calls.delete(call);
        signal.removeEventListener('abort', leave);
      },
    };
  };
}
