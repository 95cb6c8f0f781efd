import type { Log } from './backend.ts';

interface Heard {
  at: number;
  unsaid: number;
}

/**
 * Warnings that come in floods while a server is away: each text of a queue is logged at most once in `everyMs`, with
 * `unsaid`, the number of those left out since the last one.
 */
export const createSparingWarnings = (
  log: Pick<Log, 'warn'>,
  everyMs = 10_000,
  now: () => number = Date.now,
): ((fields: { err: unknown; queue?: string }, text: string) => void) => {
  const heard = new Map<string, Heard>();
  return (fields, text) => {
    const key = `${fields.queue ?? ''} ${text}`;
    const last = heard.get(key);
    if (last && now() - last.at < everyMs) {
      last.unsaid += 1;
      return;
    }
    heard.set(key, { at: now(), unsaid: 0 });
    log.warn(last && last.unsaid > 0 ? { ...fields, unsaid: last.unsaid } : fields, text);
  };
};
