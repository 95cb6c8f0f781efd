import { Agent, fetch } from 'undici';
import { createGuardedConnector } from '../egress/guarded-connector.ts';
import { createEgressGuard, parseEgressAllow } from '../egress/index.ts';
import { portOf } from '../egress/target-url.ts';

const MAX_BYTES = 1_048_576;

/** Reads JSON documents of services that the operator configured. */
export interface GuardedFetch {
  /**
   * Gets an address without following redirects; an answer of more than 1 MB fails.
   * @throws Error when there is no answer, or the egress guard refuses the address
   */
  get(url: string, signal: AbortSignal): Promise<Response>;
  close(): Promise<void>;
}

/**
 * Connects as `egressAllow` permits, and to the configured addresses themselves: who configures a private address means
 * it. An address that one of them names later is guarded like any other.
 * @param configured URLs of the configuration
 */
export function createGuardedFetch(egressAllow: string, configured: readonly string[]): GuardedFetch {
  const hosts = configured.map((text) => {
    const url = new URL(text);
    return `${url.hostname}:${portOf(url)}`;
  });
  const guard = createEgressGuard({ allow: parseEgressAllow([egressAllow, ...hosts].join(' ')) });
  const dispatcher = new Agent({
    connect: createGuardedConnector(guard, { connectTimeoutMs: 5_000 }),
    maxResponseSize: MAX_BYTES,
  });
  return {
    get: async (url, signal) => {
      const answer = await fetch(url, {
        dispatcher,
        signal,
        redirect: 'manual',
        headers: { accept: 'application/json' },
      });
      const { status } = answer;
      return new Response(await answer.arrayBuffer(), { status: status >= 200 ? status : 502 });
    },
    close: () => dispatcher.close(),
  };
}
