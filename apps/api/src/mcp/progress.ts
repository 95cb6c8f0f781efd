import type { ServerContext } from '@modelcontextprotocol/server';

/** Shorter than the time after which clients give up without a sign (60 s with the official one). */
const BEAT_MS = 5_000;

export interface Progress {
  /** Reports an amount; one that is not above the last is left out, as the protocol asks. */
  report(progress: number, total: number | undefined, message: string): Promise<void>;
  /** Reports the seconds of a wait without steps, until it is ended. */
  beat(message: string): () => void;
}

const SILENT: Progress = { report: async () => {}, beat: () => () => {} };

/** Sends progress notifications to a client that gave its call a token for them. */
export function openProgress({ mcpReq }: Pick<ServerContext, 'mcpReq'>): Progress {
  const progressToken = mcpReq._meta?.progressToken;
  if (progressToken === undefined) return SILENT;
  let last = Number.NEGATIVE_INFINITY;
  const report: Progress['report'] = async (progress, total, message) => {
    if (progress <= last || mcpReq.signal.aborted) return;
    last = progress;
    const params = { progressToken, progress, message, ...(total === undefined ? {} : { total }) };
    await mcpReq.notify({ method: 'notifications/progress', params });
  };
  return {
    report,
    beat: (message) => {
      const startedAt = performance.now();
      const send = (): void => {
        const seconds = Math.round((performance.now() - startedAt) / 1000);
        // A client that has left gets no notification; its call ends by its signal.
        report(seconds, undefined, message).catch(() => {});
      };
      send();
      const timer = setInterval(send, BEAT_MS);
      return () => clearInterval(timer);
    },
  };
}
