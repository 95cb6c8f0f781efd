import { setTimeout as sleep } from 'node:timers/promises';
import { limitError, pausedError } from './host-busy.ts';
import type { HostWait, Politeness } from './politeness.ts';

export interface LocalPolitenessOptions {
  /** 0 or absent: no limit. */
  hostConcurrency?: number;
  hostRequestsPerSecond?: number;
  now?: () => number;
}

/** With more, those are forgotten that were asked for longest ago: somebody's own hosts may ask for any number. */
const MAX_PAUSED = 10_000;

interface HostState {
  running: number;
  waiting: (() => void)[];
  nextStartAt: number;
}

/** Politeness of one process: enough for a single worker, and the local half of the shared one. */
export function createLocalPoliteness(options: LocalPolitenessOptions = {}): Politeness {
  const now = options.now ?? Date.now;
  const { hostConcurrency = 0, hostRequestsPerSecond = 0 } = options;
  const isLimited = hostConcurrency > 0 || hostRequestsPerSecond > 0;
  const pausedUntil = new Map<string, number>();
  const hosts = new Map<string, HostState>();

  const waitForPause = async (host: string, wait: HostWait): Promise<void> => {
    for (;;) {
      const until = pausedUntil.get(host);
      if (until === undefined) return;
      const waitMs = until - now();
      if (waitMs <= 0) {
        pausedUntil.delete(host);
        return;
      }
      if (until >= (wait.pauseDeadlineAt ?? wait.deadlineAt)) throw pausedError(host, waitMs);
      await sleep(waitMs, undefined, { signal: wait.signal });
    }
  };

  const stateOf = (host: string): HostState => {
    const state = hosts.get(host) ?? { running: 0, waiting: [], nextStartAt: 0 };
    hosts.set(host, state);
    return state;
  };

  const takeSlot = async (host: string, state: HostState, wait: HostWait): Promise<void> => {
    if (hostConcurrency === 0 || state.running < hostConcurrency) {
      state.running += 1;
      return;
    }
    wait.signal.throwIfAborted();
    await new Promise<void>((resolve, reject) => {
      const finish = (error?: Error): void => {
        clearTimeout(timer);
        wait.signal.removeEventListener('abort', onAbort);
        const place = state.waiting.indexOf(go);
        if (place !== -1) state.waiting.splice(place, 1);
        if (error === undefined) resolve();
        else reject(error);
      };
      // The place is handed over as it is: `running` stays.
      const go = (): void => finish();
      const onAbort = (): void => finish(wait.signal.reason as Error);
      const timer = setTimeout(() => finish(limitError(host, 1_000)), Math.max(0, wait.deadlineAt - now()));
      wait.signal.addEventListener('abort', onAbort, { once: true });
      state.waiting.push(go);
    });
  };

  const forgetIdleHosts = (): void => {
    for (const [host, { running, nextStartAt }] of hosts) {
      if (running === 0 && nextStartAt <= now()) hosts.delete(host);
    }
  };

  const leave = (host: string, state: HostState): void => {
    const next = state.waiting.shift();
    if (next !== undefined) {
      next();
      return;
    }
    state.running -= 1;
    if (state.running > 0) return;
    // Its next start may still lie ahead; then it is forgotten with a later one.
    if (state.nextStartAt <= now()) hosts.delete(host);
    else if (hosts.size > MAX_PAUSED) forgetIdleHosts();
  };

  const enterSlowly = async (host: string, wait: HostWait): Promise<(() => void) | undefined> => {
    await waitForPause(host, wait);
    if (!isLimited) return undefined;
    const state = stateOf(host);
    await takeSlot(host, state, wait);
    try {
      if (hostRequestsPerSecond > 0) {
        const startAt = Math.max(now(), state.nextStartAt);
        if (startAt >= wait.deadlineAt) throw limitError(host, startAt - now());
        state.nextStartAt = startAt + 1_000 / hostRequestsPerSecond;
        if (startAt > now()) await sleep(startAt - now(), undefined, { signal: wait.signal });
      }
      await waitForPause(host, wait);
    } catch (error) {
      leave(host, state);
      throw error;
    }
    return () => leave(host, state);
  };

  const makeRoom = (): void => {
    for (const [host, until] of pausedUntil) if (until <= now()) pausedUntil.delete(host);
    if (pausedUntil.size < MAX_PAUSED) return;
    // A tenth at once: looking at all of them for each new one takes a minute of CPU for 50,000.
    for (const host of [...pausedUntil.keys()].slice(0, MAX_PAUSED / 10)) pausedUntil.delete(host);
  };

  return {
    enter: (host, wait) => (isLimited || pausedUntil.has(host) ? enterSlowly(host, wait) : undefined),
    slowDown: (host, pauseMs) => {
      if (pausedUntil.size >= MAX_PAUSED && !pausedUntil.has(host)) makeRoom();
      pausedUntil.set(host, Math.max(pausedUntil.get(host) ?? 0, now() + pauseMs));
    },
    close: async () => pausedUntil.clear(),
  };
}
