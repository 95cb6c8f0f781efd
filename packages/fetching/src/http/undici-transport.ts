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
import { asError, createEnding, MAX_INTERIM, onlyInterim } from './ending.ts';
import { isHangUp, isParserFault, timedOut } from './fetch-failure.ts';
import { createLenientTransport } from './lenient-transport.ts';

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
 * connection, a GET is repeated at once; when its answer has faults of HTTP, it is asked once more and read leniently.
 */
export function createUndiciTransport(
  dispatcher: Dispatcher,
  connector: buildConnector.connector,
): Transport {
  const lenient = createLenientTransport(connector);
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
      const isRepeatable = exchange.method === 'GET' || exchange.method === 'HEAD';
      if (isRepeatable && isParserFault(error)) return lenient(exchange, options);
      if (hasAnswered || !isHangUp(error) || !isRepeatable) throw error;
      return exchangeOnce(dispatcher, exchange, options);
    }
  };
}
