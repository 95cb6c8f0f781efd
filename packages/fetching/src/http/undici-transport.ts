import { AppError } from '@gleaner/contracts';
import { Agent, type buildConnector, type Dispatcher } from 'undici';
import {
  headerText,
  type BodyLimit,
  type ExchangeResponse,
  type Exchange,
  type ExchangeOptions,
  type Transport,
} from './exchange.ts';
import { openBody, tooLarge, type ArrivingBody } from './arriving-body.ts';
import { isHangUp, timedOut } from './fetch-failure.ts';

/** Node keeps one list per timer duration. Rounding up lets thousands of requests share a few lists. */
const TIMER_STEP_MS = 250;

/** The most interim answers (100 Continue, 103 Early Hints) before the answer; no limit on bytes counts them. */
const MAX_INTERIM = 64;

function onlyInterim(): AppError {
  return new AppError('fetch_failed', {
    detail: `the target sent more than ${MAX_INTERIM} interim answers`,
    retryable: false,
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new DOMException('The fetch was cancelled', 'AbortError');
}

/** A response whose body is still coming. */
interface Arriving {
  body: ArrivingBody;
  read(): ExchangeResponse;
}

/** Counts a body as it arrives. Throws when its announced length is beyond the limit. */
function openResponse(status: number, headers: ExchangeResponse['headers'], limit: BodyLimit): Arriving {
  const { maxWireBytes, onExcess } = limit;
  if (onExcess === 'fail' && Number(headerText(headers, 'content-length')) > maxWireBytes)
    throw tooLarge(maxWireBytes);
  const body = openBody(limit);
  return { body, read: () => ({ status, headers, ...body.read(), isDecoded: false }) };
}

/** The caller's side of an exchange: it ends once, with a response, a failure, the deadline or the caller's signal. */
function createEnding(
  { deadlineAt, signal }: ExchangeOptions,
  resolve: (response: ExchangeResponse) => void,
  /** Also stops the request, when it still runs. */
  reject: (error: Error) => void,
) {
  let isOver = false;
  const once = <Value>(end: (value: Value) => void) => {
    return (value: Value): void => {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      signal?.removeEventListener('abort', onAbort);
      end(value);
    };
  };
  const fail = once(reject);
  const onAbort = (): void => fail(asError(signal?.reason));
  const remainingMs = deadlineAt - Date.now();
  const timer = setTimeout(
    () => fail(timedOut()),
    remainingMs > 2_000 ? Math.ceil(remainingMs / TIMER_STEP_MS) * TIMER_STEP_MS : remainingMs,
  );
  signal?.addEventListener('abort', onAbort);
  if (remainingMs <= 0) fail(timedOut());
  else if (signal?.aborted === true) onAbort();
  return { isOver: () => isOver, finish: once(resolve), fail };
}

/** How long an idle connection stays open. A batch over many hosts holds one for each host of this time. */
const IDLE_MS = 10_000;

/** The connections of a client, all opened by `connector`. */
export function createAgent(connector: buildConnector.connector, connectionsPerOrigin: number): Agent {
  return new Agent({
    connect: connector,
    connections: connectionsPerOrigin,
    keepAliveTimeout: IDLE_MS,
    keepAliveMaxTimeout: IDLE_MS,
    maxHeaderSize: 65_536,
  });
}

/** One request through undici's dispatcher: counts the bytes as they arrive, without a stream. */
function exchangeOnce(
  dispatcher: Dispatcher,
  { url, method, headers, body }: Exchange,
  options: ExchangeOptions,
): Promise<ExchangeResponse> {
  return new Promise((resolve, reject) => {
    const { clock } = options;
    let controller: Dispatcher.DispatchController | undefined;
    let response: Arriving | undefined;
    let interim = 0;
    const ending = createEnding(options, resolve, (error) => {
      controller?.abort(error);
      reject(error);
    });
    if (ending.isOver()) return;
    clock?.enter('connect');
    const request = {
      origin: url.origin,
      path: url.pathname + url.search,
      method,
      headers,
      body: body ?? null,
      // The ending's timer is the only limit on silence.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
    dispatcher.dispatch(request, {
      onRequestStart: (started) => {
        // The request of a caller that has left must not change the phase of what it does now.
        if (ending.isOver()) started.abort(timedOut());
        else clock?.enter('first_byte');
        controller = started;
      },
      onResponseStart: (_controller, status, answered) => {
        if (ending.isOver()) return;
        if (status < 200) {
          interim += 1;
          if (interim > MAX_INTERIM) ending.fail(onlyInterim());
          return;
        }
        clock?.enter('download');
        try {
          response = openResponse(status, answered, options.limitBody(status, answered));
        } catch (error) {
          ending.fail(asError(error));
        }
      },
      onResponseData: (_controller, chunk) => {
        if (ending.isOver() || response === undefined) return;
        try {
          if (response.body.take(chunk)) return;
        } catch (error) {
          return ending.fail(asError(error));
        }
        ending.finish(response.read());
        controller?.abort(new Error('the rest of the body is not needed'));
      },
      onResponseEnd: () => {
        if (response !== undefined) ending.finish(response.read());
      },
      onResponseError: (_controller, error) => {
        // The request has ended by itself.
        controller = undefined;
        ending.fail(error);
      },
    });
  });
}

/**
 * The plain HTTP client, over connections that the egress guard opened. When the target had already closed a reused
 * connection, a GET is repeated at once.
 */
export function createUndiciTransport(dispatcher: Dispatcher): Transport {
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
      return await exchangeOnce(dispatcher, exchange, watched);
    } catch (error) {
      if (hasAnswered || !isHangUp(error) || (exchange.method !== 'GET' && exchange.method !== 'HEAD'))
        throw error;
      return exchangeOnce(dispatcher, exchange, options);
    }
  };
}
