import { AppError, createTurns } from '@gleaner/contracts';
import { LRUCache } from 'lru-cache';
import { createGuardedConnector } from '../egress/guarded-connector.ts';
import type { EgressGuard } from '../egress/index.ts';
import { parseTargetUrl } from '../egress/target-url.ts';
import { mediaType } from '../http/content-type.ts';
import { headerText, type HeaderMap, type Transport } from '../http/exchange.ts';
import { requestPage } from '../http/http-engine.ts';

/** A style sheet, image or font of a page; or why there is none. */
export type PageResource = { type: string; bytes: Uint8Array } | { reason: string };

/** Loads what a page is shown with. */
export interface PageResources {
  /** @param owner the account with its own cache, so that no account learns which pages another has loaded */
  load(owner: string, urls: readonly string[], signal: AbortSignal): Promise<PageResource[]>;
  close(): Promise<void>;
}

const CONNECT_MS = 5_000;
const MAX_BYTES = 1_048_576;
const MAX_CALL_BYTES = 4 * MAX_BYTES;
const DEADLINE_MS = 8_000;
/** Fetches of one call at the same time. */
const PARALLEL = 6;
/** Simultaneous calls of all accounts, which bounds memory and sockets. Further calls are refused at once. */
const MAX_CALLS = 24;
const CACHE_BYTES = 64 * MAX_BYTES;
const CACHE_MS = 10 * 60_000;
/** Types that a browser shows and never runs: an SVG is harmless as an image. */
const TYPES = /^(text\/css|image\/[\w.+-]+|font\/[\w.+-]+|application\/(x-)?font-[\w.+-]+)$/;

const NO_COOKIES = { header: () => '', restore: () => undefined, keep: () => undefined };

function inspect(status: number, headers: HeaderMap): void {
  if (status !== 200)
    throw new AppError('fetch_failed', { detail: `the answer was ${status}`, retryable: false });
  const type = mediaType(headerText(headers, 'content-type'));
  if (!TYPES.test(type))
    throw new AppError('fetch_failed', {
      detail: `${type === '' ? 'nothing' : type} is not a style sheet, image or font`,
      retryable: false,
    });
}

async function fetchOne(
  transport: Transport,
  text: string,
  { deadlineAt, signal }: { deadlineAt: number; signal: AbortSignal },
): Promise<{ type: string; bytes: Uint8Array }> {
  const url = parseTargetUrl(text);
  url.hash = '';
  const headers = {
    'user-agent': 'Mozilla/5.0',
    accept: 'text/css,image/*,font/*',
    'accept-encoding': 'gzip, deflate, br, zstd',
  };
  const { contentType, body } = await requestPage(
    transport,
    {
      url,
      method: 'GET',
      headers,
      deadlineAt,
      signal,
      inspect,
      cookies: NO_COOKIES,
      ownCookies: '',
      follow: true,
    },
    { maxWireBytes: MAX_BYTES, maxDecodedBytes: MAX_BYTES },
  );
  return { type: mediaType(contentType), bytes: body };
}

/** Opens the loader. All its connections go through the egress guard. @param deadlineMs of one call */
export function createPageResources({
  egress,
  deadlineMs = DEADLINE_MS,
}: {
  egress: EgressGuard;
  deadlineMs?: number;
}): PageResources {
  /** Opened by the first call: the client takes 5 MB, and few processes show pages. */
  const openTransport = async () => {
    const { createAgent, createUndiciTransport } = await import('../http/undici-transport.ts');
    const connector = createGuardedConnector(egress, { connectTimeoutMs: CONNECT_MS });
    const agent = createAgent(connector, PARALLEL);
    return { agent, transport: createUndiciTransport(agent, connector) };
  };
  let opened: ReturnType<typeof openTransport> | undefined;
  const cache = new LRUCache<string, { type: string; bytes: Uint8Array }>({
    maxSize: CACHE_BYTES,
    sizeCalculation: ({ bytes }) => bytes.length + 500,
    ttl: CACHE_MS,
  });
  let calls = 0;

  const loadAll = async (
    owner: string,
    urls: readonly string[],
    signal: AbortSignal,
  ): Promise<PageResource[]> => {
    const deadlineAt = Date.now() + deadlineMs;
    const { transport } = await (opened ??= openTransport());
    const takeTurn = createTurns(PARALLEL);
    let total = 0;
    const loadOne = async (url: string): Promise<PageResource> => {
      if (total >= MAX_CALL_BYTES) return { reason: 'the call has loaded enough' };
      const key = `${owner} ${url}`;
      try {
        const made = cache.get(key) ?? (await fetchOne(transport, url, { deadlineAt, signal }));
        cache.set(key, made);
        total += made.bytes.length;
        return total > MAX_CALL_BYTES ? { reason: 'the call has loaded enough' } : made;
      } catch (error) {
        return {
          reason: error instanceof AppError ? (error.options.detail ?? error.message) : 'not reached',
        };
      }
    };
    return Promise.all(urls.map((url) => takeTurn(() => loadOne(url))));
  };

  return {
    load: async (owner, urls, signal) => {
      if (calls >= MAX_CALLS) return urls.map(() => ({ reason: 'too many are loading: try again' }));
      calls += 1;
      try {
        return await loadAll(owner, urls, signal);
      } finally {
        calls -= 1;
      }
    },
    close: async () => (await opened)?.agent.destroy(),
  };
}
