import { AppError } from '@gleaner/contracts';
import type { Dispatcher } from 'undici';
import {
  headerText,
  type ExchangeResponse,
  type Exchange,
  type ExchangeOptions,
  type Transport,
} from './exchange.ts';
import { isHangUp, timedOut } from './fetch-failure.ts';
import type { OriginPools } from './origin-pools.ts';

/** Node keeps one list per timer duration. Rounding up lets thousands of requests share a few lists. */
const TIMER_STEP_MS = 250;

function tooLarge(maxBytes: number): AppError {
  return new AppError('fetch_failed', {
    detail: `the page is larger than ${maxBytes} bytes`,
    retryable: false,
  });
}

const EMPTY = new Uint8Array();

function join(chunks: readonly Buffer[], size: number): Uint8Array {
  if (chunks.length === 0) return EMPTY;
  const [only] = chunks;
  return chunks.length === 1 && only !== undefined ? only : Buffer.concat(chunks, size);
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('The fetch was cancelled', 'AbortError');
}

/** One request through undici's dispatcher: counts the bytes as they arrive, without a stream. */
function exchangeOnce(
  pools: OriginPools,
  exchange: Exchange,
  options: ExchangeOptions,
): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const { url } = exchange;
    const { signal, clock } = options;
    const remainingMs = options.deadlineAt - Date.now();
    if (remainingMs <= 0) {
      reject(timedOut());
      return;
    }
    if (signal?.aborted === true) {
      reject(asError(signal.reason));
      return;
    }

    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let headers: ExchangeResponse['headers'] = {};
    let maxWireBytes = 0;
    let mayCut = false;
    let isCut = false;
    let isOver = false;
    let controller: Dispatcher.DispatchController | undefined;

    const leave = (): boolean => {
      if (isOver) return false;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      return true;
    };
    const fail = (error: Error): void => {
      if (!leave()) return;
      controller?.abort(error);
      reject(error);
    };
    const finish = (): void => {
      if (leave()) resolve({ status, headers, body: join(chunks, size), isDecoded: false, isCut });
    };
    const onAbort = (): void => fail(asError(signal?.reason));
    const timer = setTimeout(
      () => fail(timedOut()),
      remainingMs > 2_000 ? Math.ceil(remainingMs / TIMER_STEP_MS) * TIMER_STEP_MS : remainingMs,
    );
    signal?.addEventListener('abort', onAbort);

    const excess = (): void => {
      if (!mayCut) {
        fail(tooLarge(maxWireBytes));
        return;
      }
      isCut = true;
      finish();
      controller?.abort(tooLarge(maxWireBytes));
    };

    clock?.enter('connect');
    pools.get(url.origin).dispatch(
      {
        path: url.pathname + url.search,
        method: exchange.method,
        headers: exchange.headers,
        body: exchange.body ?? null,
        // The timer above is the only limit on silence.
        headersTimeout: 0,
        bodyTimeout: 0,
      },
      {
        onRequestStart: (started) => {
          controller = started;
          // The request of a caller that has left must not change the phase of what it does now.
          if (!isOver) clock?.enter('first_byte');
          if (isOver) started.abort(timedOut());
        },
        onResponseStart: (_controller, statusCode, answered) => {
          if (statusCode < 200 || isOver) return;
          clock?.enter('download');
          status = statusCode;
          headers = answered;
          try {
            const limit = options.limitBody(status, headers);
            maxWireBytes = limit.maxWireBytes;
            mayCut = limit.onExcess === 'cut';
          } catch (error) {
            fail(asError(error));
            return;
          }
          if (!mayCut && Number(headerText(headers, 'content-length')) > maxWireBytes) excess();
        },
        onResponseData: (_controller, chunk) => {
          if (isOver) return;
          if (size + chunk.length > maxWireBytes) {
            if (mayCut) {
              chunks.push(chunk.subarray(0, maxWireBytes - size));
              size = maxWireBytes;
            }
            excess();
            return;
          }
          size += chunk.length;
          chunks.push(chunk);
        },
        onResponseEnd: finish,
        onResponseError: (_controller, error) => {
          if (leave()) reject(error);
        },
      },
    );
  });
}

/**
 * The plain HTTP client, over connections that the egress guard opened. When the target had already closed a reused
 * connection, a GET is repeated at once.
 */
export function createUndiciTransport(pools: OriginPools): Transport {
  return async (exchange, options) => {
    let hasAnswered = false;
    const watched: ExchangeOptions = {
      ...options,
      limitBody: (status, headers) => {
        hasAnswered = true;
        return options.limitBody(status, headers);
      },
    };
    try {
      return await exchangeOnce(pools, exchange, watched);
    } catch (error) {
      if (hasAnswered || !isHangUp(error) || (exchange.method !== 'GET' && exchange.method !== 'HEAD'))
        throw error;
      return exchangeOnce(pools, exchange, options);
    }
  };
}
