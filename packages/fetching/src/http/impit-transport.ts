import { AppError } from '@gleaner/contracts';
import type { HttpMethod, Impit, ImpitResponse } from 'impit';
import { isProxyFailure, type ProxyRoute } from '../egress/guard-proxy.ts';
import { portOf } from '../egress/target-url.ts';
import { openBody } from './arriving-body.ts';
import type {
  BodyLimit,
  ExchangeResponse,
  Exchange,
  ExchangeOptions,
  HeaderMap,
  Transport,
} from './exchange.ts';
import { ProxyFault } from '../proxies/proxy-rests.ts';
import { timedOut } from './fetch-failure.ts';

/**
 * Closes connections that a client keeps although their answer was not read to its end. impit gives them up only when
 * V8 collects the answer, which can take minutes: neither its abort nor cancelling the body closes them (0.14.4).
 * @param close Closes all connections to a target. It runs when no exchange with the target is under way, because the
 *   transport does not know which connection an exchange used.
 * @returns a function that runs one exchange, which leaves its connection behind when it fails or its answer is cut
 */
function createTracker(close: (target: string) => void) {
  const targets = new Map<string, { exchanges: number; hasLeftover: boolean }>();
  return async <T extends { isCut: boolean }>(target: string, exchange: () => Promise<T>): Promise<T> => {
    const state = targets.get(target) ?? { exchanges: 0, hasLeftover: false };
    targets.set(target, state);
    state.exchanges += 1;
    let isLeftover = true;
    try {
      const answer = await exchange();
      isLeftover = answer.isCut;
      return answer;
    } finally {
      state.exchanges -= 1;
      state.hasLeftover ||= isLeftover;
      if (state.exchanges === 0) {
        targets.delete(target);
        if (state.hasLeftover) close(target);
      }
    }
  };
}

interface ImpitTransportOptions {
  route: ProxyRoute;
  /** Whether to imitate a browser's TLS, HTTP/2 and headers. */
  asBrowser: boolean;
}

const TIMEOUT_SLACK_MS = 5_000;

function proxyFailed(detail: string, cause?: unknown): ProxyFault {
  return new ProxyFault('fetch_failed', { detail, cause });
}

function readHeaders(response: ImpitResponse): HeaderMap {
  const headers: Record<string, string | string[]> = {};
  for (const [name, value] of response.headers) if (name !== 'set-cookie') headers[name] = value;
  const cookies = response.headers.getSetCookie();
  if (cookies.length > 0) headers['set-cookie'] = cookies;
  return headers;
}

/** Reads a decoded body up to a cap; impit's `bytes()` and `text()` have none. */
async function readBody(
  response: ImpitResponse,
  limit: BodyLimit,
): Promise<{ body: Uint8Array; isCut: boolean }> {
  const reader = response.body.getReader();
  const arriving = openBody(limit);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done || !arriving.take(value)) return arriving.read();
    }
  } finally {
    await reader.cancel().catch(() => undefined);
  }
}

/**
 * Opens impit. Its native part exists for some platforms only, so it is loaded when a proxy tier needs it.
 * @throws AppError temporarily_unavailable
 */
async function openImpit({ route, asBrowser }: ImpitTransportOptions): Promise<Impit> {
  const module = await import('impit').catch((error: unknown) => {
    throw new AppError('temporarily_unavailable', {
      detail: `the client for proxies (impit) can't be loaded on ${process.platform}-${process.arch}`,
      hint: 'Scrape without a proxy tier, or with the browser.',
      cause: error,
    });
  });
  return new module.Impit({
    proxyUrl: route.url,
    followRedirects: false,
    ...(asBrowser ? { browser: 'chrome142' as const } : {}),
  });
}

/**
 * A client with a browser's TLS and header order. It opens its connections itself, so it uses the guard's proxy.
 * Redirects, cookies and limits are handled by this package.
 */
export function createImpitTransport(client: ImpitTransportOptions): Transport {
  const { route } = client;
  let opened: Promise<Impit> | undefined;
  const track = createTracker((target) => {
    const url = new URL(target);
    route.closeConnectionsTo(url.hostname, portOf(url));
  });

  const send = async (
    exchange: Exchange,
    options: ExchangeOptions,
    signal: AbortSignal,
    onAnswer: () => void,
  ): Promise<ExchangeResponse> => {
    opened ??= openImpit(client);
    const impit = await opened;
    options.clock?.enter('first_byte');
    const response = await impit.fetch(exchange.url.href, {
      method: exchange.method as HttpMethod,
      headers: { ...exchange.headers },
      body: exchange.body,
      signal,
      // Later than the deadline timer below, which distinguishes a slow target from a faulty proxy.
      timeout: Math.max(1, options.deadlineAt - Date.now()) + TIMEOUT_SLACK_MS,
    });
    onAnswer();
    const headers = readHeaders(response);
    if (isProxyFailure(response.status)) {
      throw (
        route.refusalOf(exchange.url.hostname, portOf(exchange.url)) ??
        proxyFailed('the proxy could not reach the target')
      );
    }
    const limit = options.limitBody(response.status, headers);
    const maxBytes = Math.min(limit.maxWireBytes, options.maxDecodedBytes);
    const { body, isCut } = await readBody(response, {
      maxWireBytes: limit.onExcess === 'cut' ? maxBytes : options.maxDecodedBytes,
      onExcess: limit.onExcess,
    });
    return { status: response.status, headers, body, isDecoded: true, isCut };
  };

  return async (exchange, options) => {
    if (options.deadlineAt <= Date.now()) throw timedOut();
    const stop = new AbortController();
    const signal =
      options.signal === undefined ? stop.signal : AbortSignal.any([options.signal, stop.signal]);
    const total = setTimeout(() => stop.abort(timedOut()), options.deadlineAt - Date.now());
    const aborted = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true });
    });
    aborted.catch(() => undefined);
    let hasAnswered = false;
    const onAnswer = (): void => {
      hasAnswered = true;
      if (!stop.signal.aborted) options.clock?.enter('download');
    };
    try {
      return await track(exchange.url.origin, () =>
        Promise.race([send(exchange, options, signal, onAnswer), aborted]),
      );
    } catch (error) {
      if (options.signal?.aborted === true) throw options.signal.reason;
      if (stop.signal.aborted && !hasAnswered) {
        throw new ProxyFault('fetch_timed_out', { detail: 'the proxy gave no answer in time' });
      }
      if (stop.signal.aborted) throw stop.signal.reason;
      const refusal = route.refusalOf(exchange.url.hostname, portOf(exchange.url));
      if (refusal !== undefined) throw refusal;
      if (error instanceof AppError) throw error;
      throw proxyFailed('the connection through the proxy failed', error);
    } finally {
      clearTimeout(total);
    }
  };
}
