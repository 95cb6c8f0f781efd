import http, { type IncomingMessage } from 'node:http';
import type { buildConnector } from 'undici';
import { openBody } from './arriving-body.ts';
import { asError, createEnding, MAX_INTERIM, onlyInterim } from './ending.ts';
import type { ExchangeResponse, Transport } from './exchange.ts';

/**
 * A client for servers that write HTTP with small faults which curl and Chromium read: bare line feeds, folded headers,
 * control characters in a header, a length beside chunks. What follows an answer can't be told from it then, so each connection is
 * used once and closed.
 */
export function createLenientTransport(connector: buildConnector.connector): Transport {
  return ({ url, method, headers }, options) =>
    new Promise<ExchangeResponse>((resolve, reject) => {
      let stop = (): void => undefined;
      const ending = createEnding(options, resolve, (error) => {
        stop();
        reject(error);
      });
      if (ending.isOver()) return;

      const read = (message: IncomingMessage): void => {
        try {
          const status = message.statusCode ?? 0;
          const limit = options.limitBody(status, message.headers);
          const body = openBody(limit);
          const finish = (): void =>
            ending.finish({ status, headers: message.headers, ...body.read(), isDecoded: false });
          message.on('data', (piece: Uint8Array) => {
            try {
              if (ending.isOver() || body.take(piece)) return;
              finish();
              stop();
            } catch (error) {
              ending.fail(asError(error));
            }
          });
          message.on('end', finish);
          message.on('error', (error) => ending.fail(error));
        } catch (error) {
          ending.fail(asError(error));
        }
      };

      options.clock?.enter('connect');
      const { hostname, host, protocol, port } = url;
      connector({ hostname, host, protocol, port }, (error, socket) => {
        if (error !== null) return ending.fail(error);
        stop = () => socket.destroy();
        if (ending.isOver()) return stop();
        if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2')
          return ending.fail(new Error('the target speaks HTTP/2'));
        options.clock?.enter('first_byte');
        let interim = 0;
        // Without an agent of its own Node would open a connection past the guard.
        const agent = new http.Agent({ keepAlive: false });
        agent.createConnection = () => socket;
        const request = http.request({
          agent,
          insecureHTTPParser: true,
          maxHeaderSize: 65_536,
          method,
          host: hostname,
          path: url.pathname + url.search,
          headers: { ...headers, host, connection: 'close' },
        });
        request.on('information', () => {
          interim += 1;
          if (interim > MAX_INTERIM) ending.fail(onlyInterim());
        });
        request.on('response', (message) => {
          options.clock?.enter('download');
          read(message);
        });
        request.on('error', (fault) => ending.fail(fault));
        request.end();
      });
    });
}
